package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/rotate"
	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
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
	cuts := &cutter{on: on, rng: rand.New(rand.NewPCG(seed, 13))}
	b, db := crashBench(t, on, cuts.atStep)
	b.m.SetHooks(Hooks{Validated: func(l *ledger.Ledger) {
		cuts.promised.Store(l.Sequence())
		cuts.atStep("chain.validated")
	}})
	b.genesis(crashAccounts)
	cuts.promised.Store(b.m.ValidatedSeq())
	hashes = map[uint32]protocol.Hash{}
	l := b.m.Validated()
	hashes[l.Sequence()] = l.Hash()
	l.Release()
	rot := crashRotator(t, b, db, cuts.atStep)
	on.Before(cuts.atOperation)
	next := sequences(crashAccounts)
	for i := range ledgers {
		id := b.buildOnly(traffic(t, rng, next, 15))
		hashes[b.closedSeq()] = id
		cuts.atStep("chain.built")
		b.m.CheckAccept(id, b.closedSeq(), 4)
		b.check(b.m.Advance())
		if i%8 == 7 {
			rot(b.m.Validated())
		}
	}
	on.Before(nil)
	b.m.Close()
	b.check(db.Close())
	return cuts.disks, hashes
}

// cutter keeps what a power loss would have left: at every named step, and before operations on the disk drawn at
// random.
type cutter struct {
	on       *crashdisk.Disk
	promised atomic.Uint32

	mu    sync.Mutex // guards what follows; operations come from Pebble's goroutines too
	rng   *rand.Rand
	disks []disk
}

func (c *cutter) atStep(step string) {
	promised := c.promised.Load()
	if promised == 0 {
		return // before the first ledger there is nothing to lose
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range []int{0, 60, 100} {
		c.disks = append(c.disks, disk{step, p, c.on.Clone(p, c.rng), promised})
	}
}

// crashOperations is one in how many operations on the disk the power is cut before.
const crashOperations = 4

func (c *cutter) atOperation(op pebbledb.Op) error {
	promised := c.promised.Load() // before the clone: what is promised meanwhile may be on it
	c.mu.Lock()
	defer c.mu.Unlock()
	if op.Kind != pebbledb.OpRead && c.rng.IntN(crashOperations) == 0 {
		p := []int{0, 60, 100}[c.rng.IntN(3)]
		c.disks = append(c.disks, disk{"any " + op.Kind.String(), p, c.on.Clone(p, c.rng), promised})
	}
	return nil
}

// crashRotator returns a function that rotates at a validated ledger.
func crashRotator(t *testing.T, b *bench, db *store.Rotating, step func(string)) func(l *ledger.Ledger) {
	t.Helper()
	lend := func(l *ledger.Ledger) *rotate.Ledger {
		return &rotate.Ledger{Seq: l.Sequence(), Hash: l.Hash(), State: l.State(), Release: l.Release}
	}
	o := rotate.Default()
	o.OnlineDelete = 8
	r, err := rotate.New(o, rotate.Deps{
		Store: db, Now: time.Now, CacheKeys: b.fam.Tree().Keys, ClearPrior: b.m.ClearPrior,
		ClearCaches: func(uint32) { b.fam.FullBelowCache().Clear() }, Step: func(name string) { step("rotation." + name) },
		Health: func(uint32) rotate.Health { return rotate.Health{Standalone: true} },
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

// TestS06S12CrashLosesNothingValidated restarts from each disk: the promised ledger or a
// later one is there, whole, as is every ledger of the claimed range and none beside
// it (S06), one pair of generations is left, and the chain goes on.
func TestS06S12CrashLosesNothingValidated(t *testing.T) {
	ledgers := 18
	if testing.Short() {
		ledgers = 10
	}
	disks, hashes := crashRun(t, 1, ledgers)
	table := map[string]*outcome{}
	for _, d := range disks {
		o := table[d.step]
		if o == nil {
			o = &outcome{}
			table[d.step] = o
		}
		if err := comeBack(t, d, hashes, o); err != nil {
			t.Errorf("power lost at %s with %d %% of unsynced writes, ledger %d promised: %v", d.step, d.unsynced, d.promised, err)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(table)) {
		o := table[s]
		t.Logf("| %s | %d | %d | %d | %d |", s, o.restarts, o.same, o.later, o.removed)
	}
	t.Logf("%d restarts", len(disks))
	for _, s := range []string{
		"chain.built", "chain.validated", "state.written", "state.renamed", "state.synced",
		"rotation.clear_prior", "rotation.copy", "rotation.history", "rotation.freshen", "rotation.swap", "rotation.clear",
		"rotation.rotate", "rotate.prepared", "rotate.settled", "rotate.persisted", "rotate.swapped", "rotate.drained",
		"rotate.called", "rotate.closed", "rotate.deleted", "any write", "any change", "any sync",
	} {
		if table[s] == nil {
			t.Errorf("no restart from %s", s)
		}
	}
}

// outcome counts what restarts from one step found.
type outcome struct {
	restarts, same, later int // validated ledger: as promised, or one that was promised to nobody yet
	removed               int // generations that no state named
}

func comeBack(t *testing.T, d disk, hashes map[uint32]protocol.Hash, o *outcome) error {
	o.restarts++
	db, err := store.Open(store.Options{
		Dir: "node/db", FS: d.left.Files(), Backend: d.left.Open, Warn: func(string) { o.removed++ },
	})
	if err != nil {
		return err
	}
	b := &bench{t: t}
	b.on(db, nil)
	defer func() {
		b.m.Close()
		b.check(db.Close())
	}()
	err = b.m.Load(func() (*ledger.Ledger, error) { return nil, errors.New("the store is empty") })
	if err != nil {
		return err
	}
	first, last := b.m.Range()
	switch {
	case last < d.promised:
		return fmt.Errorf("fell back to ledger %d", last)
	case last == d.promised:
		o.same++
	default:
		o.later++
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
	for seq := first - min(first, 10); seq <= last+10; seq++ {
		if seq >= first && seq <= last {
			continue
		}
		if l, err := b.m.LedgerBySeq(seq); err == nil {
			l.Release()
			return fmt.Errorf("ledger %d outside of %d-%d is answered", seq, first, last)
		}
	}
	names, err := d.left.Files().List("node/db")
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, "ledgerdb.") })
	if len(names) != 2 {
		return fmt.Errorf("generations %v, want a pair", names)
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
