package node

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/config"
	"ledgerlab/node/history"
	"ledgerlab/node/protocol"
)

// historyConfig is a stand-alone node that rotates every 8 ledgers.
func historyConfig(t *testing.T, dir string) config.Config {
	c := testConfig(t, 0)
	c.Standalone = true
	c.Flags["store.online_delete"] = "8"
	if dir != "" {
		c.DataDir = dir
		c.Flags["store.backend"] = "pebble"
	}
	return c
}

// closeLedgers closes n ledgers with payments from the master and returns the ids by
// ledger.
func closeLedgers(t *testing.T, r *running, next *uint32, n int) map[uint32][][32]byte {
	t.Helper()
	out := map[uint32][][32]byte{}
	k := masterKey(t)
	for i := range n {
		var ids [][32]byte
		for range i % 3 {
			res := submit(t, r, payment(t, k, protocol.AccountID{1, byte(*next % 4)}, *next, 300_000_000, 20100))
			if !res.Applied {
				t.Fatalf("%+v", res)
			}
			ids = append(ids, res.ID)
			*next++
		}
		seq, _, err := r.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out[seq] = ids
	}
	return out
}

// awaitEntered waits until rotations are idle and the index has every ledger here.
func awaitEntered(t *testing.T, r *running) (first, last uint32) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(time.Millisecond) {
		first, last = r.chain.Range()
		held, err := r.history.ix.Held(first, last)
		if err != nil {
			t.Fatal(err)
		}
		rotated := r.store.db.State().LastRotated
		settled := r.rotator.Status().Step == "" && last < rotated+8 && r.chain.Published() == last
		for seq := rotated + 1; seq <= last && settled; seq++ {
			settled, err = r.history.ix.Current(seq)
			if err != nil {
				t.Fatal(err)
			}
		}
		if settled && slices.Equal(held, []history.Span{{First: first, Last: last}}) {
			return first, last
		}
		if time.Now().After(deadline) {
			t.Fatalf("ledgers %d-%d are here, entered are %v, rotation %+v", first, last, held, r.rotator.Status())
		}
	}
}

// checkHistory asks for everything and compares with what was sent.
func checkHistory(t *testing.T, r *running, sent map[uint32][][32]byte, first, last uint32) {
	t.Helper()
	got, err := r.AccountTransactions(t.Context(), api.AccountTxQuery{
		Address: masterKey(t).AccountID().String(), First: 1, Last: last + 5, Forward: true, Limit: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []api.SeqRange{{First: last + 1, Last: last + 5}}
	if first > 1 {
		want = append([]api.SeqRange{{First: 1, Last: first - 1}}, want...)
	}
	if !slices.Equal(got.Missing, want) {
		t.Errorf("missing %v, want %v", got.Missing, want)
	}
	listed := map[uint32][][32]byte{}
	for _, x := range got.Txs {
		listed[x.Seq] = append(listed[x.Seq], x.ID)
	}
	for seq, ids := range sent {
		if seq < first {
			ids = nil
		}
		slices.SortFunc(ids, func(a, b [32]byte) int { return slices.Compare(a[:], b[:]) })
		slices.SortFunc(listed[seq], func(a, b [32]byte) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(listed[seq], ids) {
			t.Errorf("ledger %d: %d transactions listed, %d sent", seq, len(listed[seq]), len(ids))
		}
		for _, id := range sent[seq] {
			st, err := r.Transaction(t.Context(), id)
			if err != nil || st.Found != (seq >= first) || st.Found && st.LedgerSeq != seq || !st.All || st.From != first {
				t.Errorf("transaction of ledger %d, held from %d: %+v %v", seq, first, st, err)
			}
		}
	}
}

// TestHistoryRotatesWithTheStore: after several rotations exactly the ledgers that are
// claimed answer, by id and by account; also after a restart, and when the index was
// damaged or is gone.
func TestHistoryRotatesWithTheStore(t *testing.T) {
	for name, dir := range map[string]string{"memory": "", "pebble": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			r := startNode(t, Options{Config: historyConfig(t, dir)})
			next, sent := uint32(1), map[uint32][][32]byte{}
			for range 7 {
				for seq, ids := range closeLedgers(t, r, &next, 6) {
					sent[seq] = ids
				}
				first, last := awaitEntered(t, r)
				checkHistory(t, r, sent, first, last)
			}
			if r.rotations.Load() < 3 {
				t.Errorf("%d rotations", r.rotations.Load())
			}
			r.end(t)
			if dir == "" {
				return
			}
			for _, damage := range []func(){func() {}, func() { breakIndexes(t, dir) }, func() { removeIndexes(t, dir) }} {
				damage()
				r = startNode(t, Options{Config: historyConfig(t, dir)})
				first, last := awaitEntered(t, r)
				checkHistory(t, r, sent, first, last)
				r.end(t)
			}
		})
	}
}

func indexes(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "store", "*", indexName))
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	return found
}

func removeIndexes(t *testing.T, dir string) {
	for _, d := range indexes(t, dir) {
		if err := os.RemoveAll(d); err != nil {
			t.Fatal(err)
		}
	}
}

func breakIndexes(t *testing.T, dir string) {
	for _, d := range indexes(t, dir) {
		files, _ := filepath.Glob(filepath.Join(d, "MANIFEST-*"))
		for _, f := range files {
			if err := os.WriteFile(f, []byte("nonsense, and enough of it to be read as a record"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNoIndex: without one a transaction is still found, and accounts are refused.
func TestNoIndex(t *testing.T) {
	c := historyConfig(t, "")
	c.Flags["store.index"] = "off"
	r := startNode(t, Options{Config: c})
	next := uint32(1)
	for seq, ids := range closeLedgers(t, r, &next, 4) {
		for _, id := range ids {
			if st, err := r.Transaction(t.Context(), id); err != nil || !st.Found || st.LedgerSeq != seq {
				t.Errorf("%+v %v", st, err)
			}
		}
	}
	if _, err := r.AccountTransactions(t.Context(), api.AccountTxQuery{Address: protocol.AccountID{1}.String(), Limit: 5}); err == nil {
		t.Error("a node without index lists transactions of an account")
	}
}

// TestMoreHistoryThanRotationKeeps is trial S03: such a pair is refused at the start,
// with both numbers.
func TestMoreHistoryThanRotationKeeps(t *testing.T) {
	for pair, ok := range map[[2]string]bool{{"200", "200"}: true, {"300", "200"}: false, {"300", "0"}: true} {
		c := historyConfig(t, "")
		c.Flags["ledger.history"], c.Flags["store.online_delete"] = pair[0], pair[1]
		n, err := New(Options{Config: c, Control: loopback(t)})
		if n != nil {
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		}
		if (err == nil) != ok || err != nil && (!strings.Contains(err.Error(), pair[0]) || !strings.Contains(err.Error(), pair[1])) {
			t.Errorf("history %s, interval %s: %v", pair[0], pair[1], err)
		}
	}
}
