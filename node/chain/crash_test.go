package chain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/rotate"
	"ledgerlab/store"
	"ledgerlab/store/pebbledb/crashdisk"
)

// disk is what a power loss leaves, and what had been promised before it.
type disk struct {
	step     string
	unsynced int // per cent of the unsynced writes that reached it
	left     *crashdisk.Disk
	promised uint32 // validated ledger that the node had told of
}

// crashBench is a bench on a file system that can lose power.
func crashBench(t *testing.T, on *crashdisk.Disk, step func(string)) (*bench, *store.Rotating) {
	t.Helper()
	b := &bench{t: t}
	db, err := store.Open(store.Options{
		Dir: "node/db", FS: on.Files(), Backend: on.Open, Step: step,
	})
	b.check(err)
	b.on(db, nil)
	return b, db
}

const crashAccounts = 40

// crashRun makes ledgers, rotates every eighth, and clones the disk at each step.
func crashRun(t *testing.T, seed uint64, ledgers int) (disks []disk, hashes map[uint32]protocol.Hash) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 12))
	on := crashdisk.New()
	promised := uint32(0)
	cut := func(step string) {
		if promised == 0 {
			return // before the first ledger there is nothing to lose
		}
		for _, p := range []int{0, 60, 100} {
			disks = append(disks, disk{step, p, on.Clone(p, rng), promised})
		}
	}
	b, db := crashBench(t, on, cut)
	b.m.SetHooks(Hooks{Validated: func(l *ledger.Ledger) { promised = l.Sequence(); cut("chain.validated") }})
	b.genesis(crashAccounts)
	promised = b.m.ValidatedSeq()
	hashes = map[uint32]protocol.Hash{}
	l := b.m.Validated()
	hashes[promised] = l.Hash()
	l.Release()
	rot := crashRotator(t, b, db)
	next := sequences(crashAccounts)
	for i := range ledgers {
		id := b.buildOnly(traffic(t, rng, next, 15))
		hashes[b.closedSeq()] = id
		cut("chain.built")
		b.m.CheckAccept(id, b.closedSeq(), 4)
		b.check(b.m.Advance())
		if i%8 == 7 {
			rot(b.m.Validated())
		}
	}
	b.m.Close()
	b.check(db.Close())
	return disks, hashes
}

// crashRotator returns a function that rotates at a validated ledger.
func crashRotator(t *testing.T, b *bench, db *store.Rotating) func(l *ledger.Ledger) {
	t.Helper()
	lend := func(l *ledger.Ledger) *rotate.Ledger {
		return &rotate.Ledger{Seq: l.Sequence(), Hash: l.Hash(), State: l.State(), Release: l.Release}
	}
	o := rotate.Default()
	o.OnlineDelete = 8
	r, err := rotate.New(o, rotate.Deps{
		Store: db, Now: time.Now, CacheKeys: b.fam.Tree().Keys, ClearPrior: b.m.ClearPrior,
		ClearCaches: func(uint32) { b.fam.FullBelowCache().Clear() },
		Health:      func(uint32) rotate.Health { return rotate.Health{Standalone: true} },
		Oldest: func(seq uint32) *rotate.Ledger {
			if l := b.m.OldestFrom(seq); l != nil {
				return lend(l)
			}
			return nil
		},
	})
	b.check(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return func(l *ledger.Ledger) {
		t.Helper()
		defer l.Release()
		ended := make(chan error, 1)
		go func() {
			_, err := r.Rotate(ctx)
			ended <- err
		}()
		for {
			l.Acquire()
			r.Validated(lend(l))
			select {
			case err := <-ended:
				b.check(err)
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}

// TestCrashLosesNothingValidated restarts from each disk: the promised ledger or a
// later one is there, whole, as is every ledger of the claimed range, and the chain
// goes on (trials S06, S12).
func TestCrashLosesNothingValidated(t *testing.T) {
	ledgers := 18
	if testing.Short() {
		ledgers = 10
	}
	disks, hashes := crashRun(t, 1, ledgers)
	steps := map[string]int{}
	for _, d := range disks {
		steps[d.step]++
		if err := comeBack(t, d, hashes); err != nil {
			t.Errorf("power lost at %s with %d %% of unsynced writes, ledger %d promised: %v", d.step, d.unsynced, d.promised, err)
		}
	}
	t.Logf("%d restarts, by step: %v", len(disks), steps)
	for _, s := range []string{"chain.built", "chain.validated", "state.renamed", "rotate.swapped", "rotate.deleted"} {
		if steps[s] == 0 {
			t.Errorf("no restart from %s", s)
		}
	}
}

func comeBack(t *testing.T, d disk, hashes map[uint32]protocol.Hash) error {
	b, db := crashBench(t, d.left, nil)
	defer func() {
		b.m.Close()
		b.check(db.Close())
	}()
	err := b.m.Load(func() (*ledger.Ledger, error) { return nil, errors.New("the store is empty") })
	if err != nil {
		return err
	}
	first, last := b.m.Range()
	if last < d.promised {
		return fmt.Errorf("fell back to ledger %d", last)
	}
	for seq := first; seq <= last; seq++ {
		l, err := b.m.LedgerBySeq(seq)
		if err != nil {
			return err
		}
		err = whole(l, hashes[seq])
		l.Release()
		if err != nil {
			return fmt.Errorf("ledger %d of %d-%d: %w", seq, first, last, err)
		}
	}
	if l, err := b.m.LedgerBySeq(first - 1); err == nil {
		l.Release()
		return fmt.Errorf("ledger %d outside the range is answered", first-1)
	}
	b.step(nil)
	return nil
}

// whole reads every node of a ledger.
func whole(l *ledger.Ledger, want protocol.Hash) error {
	if l.Hash() != want {
		return fmt.Errorf("hash %s, want %s", l.Hash(), want)
	}
	n := 0
	count := func([32]byte, []byte) bool { n++; return true }
	if err := l.State().Walk([32]byte{}, count); err != nil {
		return err
	}
	if n < crashAccounts {
		return fmt.Errorf("%d state entries", n)
	}
	return l.Txs().Walk([32]byte{}, count)
}
