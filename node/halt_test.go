package node

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/config"
	"ledgerlab/node/protocol"
)

// onDisk is a stand-alone node with a store in dir.
func onDisk(t *testing.T, dir string, set map[string]string) config.Config {
	t.Helper()
	c := testConfig(t, 0)
	c.Standalone, c.DataDir = true, dir
	c.Flags["store.backend"] = "pebble"
	for k, v := range set {
		c.Flags[k] = v
	}
	return c
}

// closeWith closes a ledger with one payment in it.
func closeWith(t *testing.T, r *running, seq uint32) (uint32, [32]byte) {
	t.Helper()
	res := submit(t, r, payment(t, masterKey(t), protocol.AccountID{byte(seq), 1}, seq, 300_000_000, r.cfg.NetworkID))
	if !res.Applied {
		t.Fatalf("payment %d: %+v", seq, res)
	}
	got, hash, err := r.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got, hash
}

// TestS05NodeHaltsUntilTheDiskIsBack: with a disk that is full or fails writes, syncs or reads the node stops taking
// part, says why to whoever asks, and goes on from its newest validated ledger once the disk works again.
func TestS05NodeHaltsUntilTheDiskIsBack(t *testing.T) {
	for fault, says := range map[string]string{"full": "disk full", "write": "write error", "sync": "sync error"} {
		t.Run(fault, func(t *testing.T) {
			dir := t.TempDir()
			r := startNode(t, Options{Config: onDisk(t, dir, nil), ProbeEvery: 5 * time.Millisecond})
			closeWith(t, r, 1)
			last, lastHash := closeWith(t, r, 2)
			if _, err := r.flags.Set("store.fault", fault); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, _, err := r.Accept(ctx); err == nil {
				t.Fatal("a ledger was closed without a disk")
			}
			i := awaitHalt(t, r)
			if !strings.Contains(i.Mode, says) || !strings.Contains(i.Rotation, "halted") || i.ValidatedSeq != last {
				t.Errorf("info of the halted node: %+v", i)
			}
			if _, err := r.flags.Set("store.fault", "none"); err != nil {
				t.Fatal(err)
			}
			if err := <-r.done; !errors.Is(err, ErrDiskBack) {
				t.Fatalf("run ended with %v", err)
			}
			if err := r.Node.Close(); err != nil {
				t.Logf("close: %v", err) // the abandoned store cannot be closed in order
			}
			r.cancel = nil
			again := startNode(t, Options{Config: onDisk(t, copyOf(t, dir), nil)})
			i, err := again.Info(t.Context())
			if err != nil || i.ValidatedSeq != last || i.ValidatedHash != lastHash {
				t.Fatalf("started again at %d %X, %v; want %d %X", i.ValidatedSeq, i.ValidatedHash, err, last, lastHash)
			}
			if seq, _ := closeWith(t, again, 3); seq != last+1 {
				t.Errorf("closed %d after %d", seq, last)
			}
		})
	}
}

func awaitHalt(t *testing.T, r *running) api.Info {
	t.Helper()
	for {
		if r.halted.Load() != nil {
			i, err := r.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return i
		}
		select {
		case err := <-r.done:
			t.Fatalf("the node ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// copyOf is a data folder as another process would find it: the lock files of this one's abandoned databases stay
// behind.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
