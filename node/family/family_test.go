package family

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"ledgerlab/cache"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
)

func half(b []byte) Hash {
	s := sha512.Sum512(b)
	return Hash(s[:32])
}

func key(i int) Hash     { return half(binary.BigEndian.AppendUint64(nil, uint64(i))) }
func value(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 20+i%30) }

type rig struct {
	f    *Family
	env  *shamap.Env
	heap *payload.Heap
	db   *store.Rotating
}

func newRig(t *testing.T, folder *memdb.Folder, kind string, change func(o *Options)) *rig {
	t.Helper()
	db, err := store.Open(store.Options{Dir: "db", FS: folder, Backend: folder.Open})
	if err != nil {
		t.Fatal(err)
	}
	o := Default()
	if change != nil {
		change(&o)
	}
	f, err := New(o, db, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	heap, err := payload.NewHeap(kind)
	if errors.Is(err, payload.ErrUnsupported) {
		t.Skip("no C memory in this build")
	}
	if err != nil {
		t.Fatal(err)
	}
	return &rig{f: f, env: &shamap.Env{Heap: heap, Source: f}, heap: heap, db: db}
}

// build stores a tree of n leaves and returns its root.
func (r *rig) build(t *testing.T, n int) Hash {
	t.Helper()
	m := shamap.New(r.env, shamap.KindState)
	defer m.Release()
	changes := make([]shamap.Change, n)
	for i := range changes {
		changes[i] = shamap.Change{Key: key(i), Data: value(i)}
	}
	if err := m.Apply(changes); err != nil {
		t.Fatal(err)
	}
	b := r.f.NewBatch()
	nodes, err := m.Flush(b)
	if err != nil {
		t.Fatal(err)
	}
	if nodes != b.Len() || b.Size() == 0 {
		t.Errorf("%d nodes flushed, %d in the batch", nodes, b.Len())
	}
	if err := b.Commit(true); err != nil {
		t.Fatal(err)
	}
	root, err := m.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func (r *rig) readAll(t *testing.T, root Hash, n int) {
	t.Helper()
	m, err := shamap.Open(r.env, shamap.KindState, root)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	for i := range n {
		got, ok, err := m.Get(key(i), nil)
		if err != nil || !ok || !bytes.Equal(got, value(i)) {
			t.Fatalf("leaf %d: %v, %v", i, ok, err)
		}
	}
}

// empty drops the cache and frees what it held.
func (r *rig) empty() (sweep cache.SweepStats) {
	sweep = r.f.Tree().Sweep(time.Now().Add(time.Hour))
	for range 3 {
		r.heap.Reclaim()
	}
	return sweep
}

func TestTreeThroughStore(t *testing.T) {
	const n = 3000
	for _, kind := range []string{"go", "c"} {
		for _, policy := range []cache.Policy{cache.PolicyAged, cache.PolicyLRU} {
			t.Run(kind+" "+policy.String(), func(t *testing.T) {
				r := newRig(t, memdb.NewFolder(), kind, func(o *Options) { o.Policy, o.Tree.TargetSize = policy, 1000 })
				root := r.build(t, n)
				r.readAll(t, root, n)
				if policy == cache.PolicyLRU {
					r.f.Tree().Clear() // the flushed tree hangs together by its links
				} else if r.empty().Dropped == 0 || r.empty().SizeAfter != 0 { // children die with their parents, weak
					t.Errorf("%+v", r.f.Stats().Tree)
				}
				before := r.f.Stats()
				r.readAll(t, root, n)
				after := r.f.Stats()
				if after.Found == before.Found || after.Missing != 0 {
					t.Errorf("nothing came from the store: %+v", after)
				}
				r.f.Tree().Clear()
				for range 3 {
					r.heap.Reclaim()
				}
				if live := r.heap.Stats().Total; live.Live != 0 || live.Limbo != 0 {
					t.Errorf("after everything was dropped: %+v", live)
				}
			})
		}
	}
}

func TestCacheOff(t *testing.T) {
	r := newRig(t, memdb.NewFolder(), "go", func(o *Options) { o.TreeOff, o.FullBelowOff = true, true })
	root := r.build(t, 200)
	r.readAll(t, root, 200)
	r.f.MarkFullBelow(root)
	if s := r.f.Stats(); s.Tree.Size != 0 || s.FullBelow.Size != 0 || r.f.FullBelow(root) {
		t.Errorf("%+v", s)
	}
}

func TestObjectCache(t *testing.T) {
	folder := memdb.NewFolder()
	heap, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, folder, "go", func(o *Options) { o.Heap = heap })
	root := r.build(t, 500)
	r.empty()
	r.empty()
	r.readAll(t, root, 500) // fills both
	r.empty()
	r.empty()
	r.readAll(t, root, 500)
	s := r.f.Stats()
	if s.ObjectHits == 0 || s.Objects.Size == 0 || heap.Stats().ByTag[payload.TagBlob].Live != int64(s.Objects.Size) {
		t.Errorf("%+v", s)
	}
	r.empty()
	r.empty()
	r.db.SetInFlight(true)
	r.readAll(t, root, 500)
	if got := r.f.Stats().ObjectHits; got != s.ObjectHits {
		t.Errorf("the object cache answered %d times during a rotation", got-s.ObjectHits)
	}
	if n := len(r.f.Sweepables()); n != 3 {
		t.Errorf("%d caches to sweep", n)
	}
	r.f.Clear()
	for range 3 {
		heap.Reclaim()
	}
	if live := heap.Stats().Total; live.Live != 0 || live.Limbo != 0 {
		t.Errorf("left over: %+v", live)
	}
}

func TestFetchMissing(t *testing.T) {
	r := newRig(t, memdb.NewFolder(), "go", nil)
	if b, err := r.f.Fetch(key(1)); b != nil || err != nil {
		t.Errorf("%X, %v", b, err)
	}
	if err := r.db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.f.Fetch(key(1)); !errors.Is(err, store.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	var missing shamap.ErrMissing
	r = newRig(t, memdb.NewFolder(), "go", nil)
	if _, err := shamap.Open(r.env, shamap.KindState, key(2)); !errors.As(err, &missing) || missing.Hash != key(2) {
		t.Errorf("open of an unknown root: %v", err)
	}
}

func TestFullBelow(t *testing.T) {
	r := newRig(t, memdb.NewFolder(), "go", nil)
	r.f.MarkFullBelow(key(1))
	if !r.f.FullBelow(key(1)) || r.f.FullBelow(key(2)) {
		t.Error("full-below forgets or invents")
	}
	r.f.FullBelowCache().Clear()
	if r.f.FullBelow(key(1)) || r.f.Stats().FullBelowGeneration != 2 {
		t.Errorf("%+v", r.f.Stats())
	}
	if s := r.f.Sweepables(); s[0].Name() != "FullBelowCache" || s[1].Name() != "TreeNodeCache" {
		t.Error("rippled sweeps the full-below cache first")
	}
}

// TestReadersAndSweeper reads one tree from several goroutines, through views that link and that do not, while the
// cache is swept empty all the time; nothing may be left in the heap at the end.
func TestReadersAndSweeper(t *testing.T) {
	const n = 2000
	for _, kind := range []string{"go", "c"} {
		t.Run(kind, func(t *testing.T) {
			r := newRig(t, memdb.NewFolder(), kind, func(o *Options) { o.Tree.TargetAge = time.Nanosecond })
			root := r.build(t, n)
			stop := make(chan struct{})
			swept := make(chan int)
			go func() {
				sweeps := 0
				for {
					select {
					case <-stop:
						swept <- sweeps
						return
					default:
						r.f.Tree().Sweep(time.Now())
						r.heap.Reclaim()
						sweeps++
					}
				}
			}()
			var wg sync.WaitGroup
			for w := range 3 {
				wg.Go(func() { readRandom(t, r, root, n, w) })
			}
			wg.Wait()
			close(stop)
			t.Logf("%d sweeps", <-swept)
			r.f.Tree().Clear()
			for range 3 {
				r.heap.Reclaim()
			}
			if live := r.heap.Stats().Total; live.Live != 0 || live.Limbo != 0 {
				t.Errorf("left over: %+v", live)
			}
		})
	}
}

func readRandom(t *testing.T, r *rig, root Hash, n, w int) {
	rng := rand.New(rand.NewPCG(uint64(w), 1))
	for range 10 {
		m, err := shamap.Open(r.env, shamap.KindState, root)
		if err != nil {
			t.Error(err)
			return
		}
		m.SetLinking(w == 0)
		for range 500 {
			i := rng.IntN(n)
			got, ok, err := m.Get(key(i), nil)
			if err != nil || !ok || !bytes.Equal(got, value(i)) {
				t.Errorf("leaf %d: %v, %v", i, ok, err)
				break
			}
		}
		m.Release()
	}
}

func BenchmarkReadThroughStore(b *testing.B) {
	folder := memdb.NewFolder()
	db, err := store.Open(store.Options{Dir: "db", FS: folder, Backend: folder.Open})
	if err != nil {
		b.Fatal(err)
	}
	f, err := New(Default(), db, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	h := key(1)
	w := store.NewBatch(0)
	w.PutObject(store.AccountNode, h, value(1))
	if err := db.Commit(w); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Fetch(h); err != nil {
			b.Fatal(err)
		}
	}
}
