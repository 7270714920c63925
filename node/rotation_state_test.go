package node

import (
	"context"
	"strings"
	"testing"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/peer"
)

// TestRotationSaysWhyItWaits: a node that is cut off when a rotation is due says that
// it waits, for what and since when; after it came back the rotation ends by itself.
func TestRotationSaysWhyItWaits(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		nodes := memoryNetwork(t, 5, nil)
		awaitValidated(t, nodes, 3)
		r := nodes[4]
		if s := info(t, r).RotationState; s.Step != "" || s.Next == 0 || len(s.WaitsFor) != 0 || s.Rotated != 0 {
			t.Errorf("before: %+v", s)
		}
		cut(t, nodes, 4, peer.Fault{Cut: true})
		time.Sleep(90 * time.Second) // beyond the age that a healthy node's ledger may have
		done := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			_, err := r.Rotate(ctx)
			done <- err
		}()
		time.Sleep(time.Millisecond)
		r.rotator.Validated(rotationLedger(r.chain.Validated())) // the newest it has is offered again
		time.Sleep(20 * time.Second)
		i := info(t, r)
		s := i.RotationState
		if len(s.WaitsFor) == 0 || s.Paused < 19*time.Second || s.Paused > 21*time.Second {
			t.Errorf("paused: %+v", s)
		}
		if !strings.Contains(i.Rotation, "waits for 20s: ") || !strings.Contains(i.Rotation, s.WaitsFor[0]) {
			t.Errorf("in words: %s", i.Rotation)
		}
		cut(t, nodes, 4, peer.Fault{})
		if err := <-done; err != nil {
			t.Error(err)
		}
		i = info(t, r)
		if s := i.RotationState; s.Rotated != 1 || s.Last == 0 || s.Next <= s.Last || len(s.WaitsFor) != 0 || s.Step != "" || s.LastError != "" {
			t.Errorf("after: %+v", s)
		}
		if !strings.HasPrefix(i.Rotation, "at ledger ") {
			t.Errorf("in words: %s", i.Rotation)
		}
		for _, n := range nodes {
			n.end(t)
		}
	})
}

func info(t *testing.T, r *running) api.Info {
	t.Helper()
	i, err := r.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return i
}
