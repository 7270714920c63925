package pebbledb

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"ledgerlab/store"
	"ledgerlab/store/storetest"
)

func openOn(fs vfs.FS, step func(string), warn func(string)) (*store.Rotating, error) {
	return store.Open(store.Options{
		Dir: "node/db", FS: Files(fs), NetworkID: 7, ForwardBytes: 400, Step: step, Warn: warn,
		Backend: func(dir string) (store.Backend, error) {
			return Open(Options{Dir: dir, FS: fs, MemTableBytes: 128 << 10, BlockCacheBytes: 1 << 20})
		},
	})
}

// crashes is what a run leaves behind at each named step: copies of the disk as a power loss would leave it.
type crashes struct {
	fs     *vfs.MemFS
	rng    *rand.Rand
	copies []crashCopy
	synced func() (ledger, state int)
}

type crashCopy struct {
	step          string
	unsynced      int // per cent of unsynced writes that reached the disk
	fs            *vfs.MemFS
	ledger, state int // what had been promised before
}

func (c *crashes) step(name string) {
	ledger, state := c.synced()
	if ledger%8 != 0 && ledger%5 != 1 { // steps of rotations all, steps of plain ledgers some
		return
	}
	for _, p := range []int{0, 50, 100} {
		c.copies = append(c.copies, crashCopy{
			step: name, unsynced: p, ledger: ledger, state: state,
			fs: c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: p, RNG: c.rng}),
		})
	}
}

// liveSet is the state of a ledger in these tests: a sliding window of keys.
const liveSet = 30

// run validates ledgers, each one new key, and rotates every few, copying the live set as node/rotate does.
func run(t *testing.T, fs *vfs.MemFS, rng *rand.Rand, ledgers, interval int) []crashCopy {
	t.Helper()
	var ledger, validated int
	c := &crashes{fs: fs, rng: rng, synced: func() (int, int) { return ledger, validated }}
	r, err := openOn(fs, c.step, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ledger < ledgers {
		next := ledger + 1
		validate(t, r, next)
		ledger = next
		c.step("ledger.synced")
		if err := r.SetValidated(store.Validated{Seq: uint32(next), Hash: store.HexHash(storetest.Key(next))}); err != nil {
			t.Fatal(err)
		}
		validated = next
		c.step("ledger.validated")
		if next%interval == 0 {
			rotateCopy(t, r, next)
			c.step("ledger.rotated")
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return c.copies
}

func validate(t *testing.T, r *store.Rotating, n int) {
	t.Helper()
	b := store.NewBatch(0)
	b.Sync = true
	b.PutObject(store.AccountNode, storetest.Key(n), storetest.Value(n))
	if err := r.Commit(b); err != nil {
		t.Fatal(err)
	}
}

func rotateCopy(t *testing.T, r *store.Rotating, n int) {
	t.Helper()
	r.SetInFlight(true)
	defer r.SetInFlight(false)
	for k := max(1, n-liveSet+1); k <= n; k++ {
		if where, err := r.Duplicate(storetest.Key(k)); err != nil || where == store.Nowhere {
			t.Fatalf("ledger %d: copy of %d: %v, %v", n, k, where, err)
		}
	}
	p, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Rotate(p, store.Rotation{LastRotated: uint32(n)}); err != nil {
		t.Fatal(err)
	}
}

// TestCrashAtEveryStep cuts the power at each named step of ledgers and generation swaps, with none, half and all of
// the unsynced writes on the disk: nothing validated is lost, and exactly one pair of generations is left.
func TestCrashAtEveryStep(t *testing.T) {
	ledgers, seeds := 32, uint64(2)
	if testing.Short() {
		ledgers, seeds = 16, 1
	}
	steps := map[string]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, c := range run(t, vfs.NewCrashableMem(), rng, ledgers, 8) {
			steps[c.step]++
			if err := restart(c); err != nil {
				t.Errorf("seed %d, crash at %s with %d %% of unsynced writes, ledger %d: %v", seed, c.step, c.unsynced, c.ledger, err)
			}
		}
	}
	for _, want := range []string{
		"open.cleaned", "open.opened", "state.written", "state.renamed", "state.synced", "ledger.synced", "ledger.validated",
		"rotate.prepared", "rotate.settled", "rotate.persisted", "rotate.swapped", "rotate.drained", "rotate.called",
		"rotate.closed", "rotate.deleted", "ledger.rotated",
	} {
		if steps[want] == 0 {
			t.Errorf("no crash was tried at %s", want)
		}
	}
	t.Logf("crashes by step: %v", steps)
}

func restart(c crashCopy) error {
	var removed []string
	r, err := openOn(c.fs, nil, func(s string) { removed = append(removed, s) })
	if err != nil {
		return err
	}
	s := r.State()
	if int(s.Validated.Seq) < c.state {
		return fmt.Errorf("validated ledger is %d, %d was promised", s.Validated.Seq, c.state)
	}
	for k := max(1, int(s.Validated.Seq)-liveSet+1); k <= c.ledger; k++ {
		got, _, err := r.Get(storetest.Key(k), nil)
		if err != nil || !bytes.Equal(got, storetest.Value(k)) {
			return fmt.Errorf("node %d: %w (validated %d, synced %d, removed %v)", k, err, s.Validated.Seq, c.ledger, removed)
		}
	}
	names, err := c.fs.List("node/db")
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, "ledgerdb.") })
	slices.Sort(names)
	if want := []string{s.Archive, s.Writable}; !slices.Equal(names, want) {
		return fmt.Errorf("generations %v, want %v", names, want)
	}
	b := store.NewBatch(0)
	b.Sync = true
	b.Put(storetest.Key(1000), storetest.Value(1000))
	return errors.Join(r.Commit(b), r.Close())
}

// TestSyncCoversTheSwap commits a ledger, unsynced, right before a swap, and syncs it right after: though it went to
// what is the archive by then, it is on the disk.
func TestSyncCoversTheSwap(t *testing.T) {
	fs := vfs.NewCrashableMem()
	var r *store.Rotating
	var after *vfs.MemFS
	r, err := openOn(fs, func(step string) {
		if step != "rotate.swapped" {
			return
		}
		if err := r.Sync(); err != nil {
			t.Error(err)
		}
		after = fs.CrashClone(vfs.CrashCloneCfg{})
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	err = r.Rotate(p, store.Rotation{LastRotated: 1, Mark: func() uint32 {
		b := store.NewBatch(0)
		b.PutObject(store.AccountNode, storetest.Key(1), storetest.Value(1))
		if err := r.Commit(b); err != nil {
			t.Error(err)
		}
		return 1
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), restart(crashCopy{fs: after, ledger: 1})); err != nil {
		t.Error(err)
	}
}

// TestFullDisk lets the disk fill up at every write in turn: the error names a full disk, nothing panics or hangs, and
// the next start finds all that was promised.
func TestFullDisk(t *testing.T) {
	for _, after := range []int64{0, 1, 2, 3, 5, 8, 13, 21, 40, 60, 80, 100, 130, 160, 200, 600, 1500, 3000} {
		mem := vfs.NewMem()
		var left, promised atomic.Int64
		left.Store(1 << 40)
		full := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose && left.Add(-1) < 0 {
				return &errno{op.Path}
			}
			return nil
		}))
		r, err := openOn(full, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		left.Store(after)
		err = fillUp(r, &promised)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("after %d writes: %v, want a full disk", after, err)
		}
		if r.Failed() != nil && !errors.Is(r.Failed(), syscall.ENOSPC) {
			t.Errorf("after %d writes: failed with %v", after, r.Failed())
		}
		left.Store(1 << 40) // room again, as an operator would make it; Pebble's files stay locked by the failed one
		copyFS := vfs.NewMem()
		if _, err := vfs.Clone(mem, copyFS, "node", "node"); err != nil {
			t.Fatal(err)
		}
		if err := restart(crashCopy{fs: copyFS, ledger: int(promised.Load()), state: int(promised.Load())}); err != nil {
			t.Errorf("after %d writes: restart: %v", after, err)
		}
	}
}

type errno struct{ path string }

func (e *errno) Error() string { return e.path + ": no space left on device" }
func (e *errno) Unwrap() error { return syscall.ENOSPC }

func fillUp(r *store.Rotating, promised *atomic.Int64) error {
	for n := 1; n < 2000; n++ {
		b := store.NewBatch(0)
		b.Sync = true
		b.PutObject(store.AccountNode, storetest.Key(n), storetest.Value(n))
		if err := r.Commit(b); err != nil {
			return err
		}
		if err := r.SetValidated(store.Validated{Seq: uint32(n)}); err != nil {
			return err
		}
		promised.Store(int64(n))
		if n%16 != 0 {
			continue
		}
		for k := max(1, n-liveSet+1); k <= n; k++ {
			if _, err := r.Duplicate(storetest.Key(k)); err != nil {
				return err
			}
		}
		p, err := r.Prepare()
		if err != nil {
			return err
		}
		if err := r.Rotate(p, store.Rotation{LastRotated: uint32(n)}); err != nil {
			return err
		}
	}
	return nil
}
