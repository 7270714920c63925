package chain

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ledgerlab/node/protocol"
)

// restart closes the bench and opens it again on what is on disk.
func (b *bench) restart(accounts int) {
	b.t.Helper()
	b.m.Close()
	b.check(b.fam.Store().Close())
	b.open(nil)
	b.genesis(accounts)
}

// TestSignedLedgerIsTakenUpAgain: ledgers that were built and not validated before
// the process ended are there after the restart, so that a quorum's word is enough.
func TestSignedLedgerIsTakenUpAgain(t *testing.T) {
	const accounts = 30
	for ahead := 1; ahead <= 3; ahead++ {
		b := newBench(t, nil)
		b.genesis(accounts)
		rng, next := rand.New(rand.NewPCG(4, uint64(ahead))), sequences(accounts)
		b.step(traffic(t, rng, next, 10))
		var id protocol.Hash
		for range ahead {
			id = b.buildOnly(traffic(t, rng, next, 10))
		}
		seq := b.closedSeq()
		b.restart(accounts)
		if l := b.m.Ledger(id); l != nil {
			t.Fatal("the ledger is here without being asked for")
		}
		b.check(b.m.Reopen(id))
		b.check(b.m.Reopen(id)) // twice does no harm
		if got := b.m.ValidatedSeq(); got != seq-uint32(ahead) {
			t.Errorf("taking up moved the validated ledger to %d", got)
		}
		b.check(b.m.SetClosed(id))
		b.m.CheckAccept(id, seq, 4)
		b.check(b.m.Advance())
		if first, last := b.m.Range(); first != 2 || last != seq || b.m.Published() != seq {
			t.Errorf("%d ahead: range %d-%d, published %d", ahead, first, last, b.m.Published())
		}
		b.step(traffic(t, rng, next, 10)) // and the chain goes on from there
		b.m.Close()
	}
}

// TestWhatIsNotTakenUp: a ledger that is not on disk, one that does not descend from
// the validated one, and one too far above it.
func TestWhatIsNotTakenUp(t *testing.T) {
	const accounts = 10
	b := newBench(t, nil)
	b.genesis(accounts)
	rng, next := rand.New(rand.NewPCG(5, 5)), sequences(accounts)
	first := b.closedSeq()
	fork := b.buildOnly(traffic(t, rng, next, 3)) // a ledger 3 that is not validated
	root, err := b.m.LedgerBySeq(first)
	b.check(err)
	b.check(b.m.SetClosed(root.Hash()))
	root.Release()
	next = sequences(accounts)
	b.step(traffic(t, rng, next, 5)) // another ledger 3 that is
	var far protocol.Hash
	for range reopenMax + 1 {
		far = b.buildOnly(nil)
	}
	b.restart(accounts)
	for name, id := range map[string]protocol.Hash{"unknown": {1}, "fork": fork, "far": far} {
		if err := b.m.Reopen(id); !errors.Is(err, ErrNotHere) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s := b.m.Stats(); s.Held != 1 {
		t.Errorf("%d ledgers held", s.Held)
	}
	b.m.Close()
}

// TestHistoryIsFetched: a node that jumped over a gap fetches as many ledgers behind
// the newest as it was told to, and none below what rotation deleted.
func TestHistoryIsFetched(t *testing.T) {
	for _, c := range []struct {
		history, cleared uint32
		want             string
	}{{0, 0, "2,14"}, {5, 0, "2,9-14"}, {100, 0, "2-14"}, {100, 10, "11-14"}} {
		l, id, seq := leader(t, 20, 12)
		f, seen := follower(t, 20, func(o *Options) { o.PublishGapMax, o.History = 2, c.history }, &link{to: []*Master{l.m}})
		if c.cleared > 0 {
			f.m.ClearPrior(c.cleared)
		}
		have := make(chan struct{}, 100)
		f.m.d.Hooks.Acquired = func(protocol.Hash, uint32) { have <- struct{}{} }
		runFor(t, f.m, func() {
			f.m.CheckAccept(id, seq, 4)
			waitFor(t, seen, seq)
			for f.m.Complete() != c.want {
				select {
				case <-have:
				case <-t.Context().Done():
					return
				}
			}
		})
		if got := f.m.Complete(); got != c.want {
			t.Errorf("history %d: complete %s, want %s", c.history, got, c.want)
		}
		f.m.Close()
		l.m.Close()
	}
}
