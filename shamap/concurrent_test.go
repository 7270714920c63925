package shamap

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// tip is the newest version, handed out as a chain of ledgers would.
type tip struct {
	mu sync.Mutex
	m  *Map
}

func (t *tip) get() *Map {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m.Snapshot(false)
}

func (t *tip) set(m *Map) (old *Map) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, t.m = t.m, m
	return old
}

// TestConcurrentReaders has readers at held, at shared and at released
// versions while a writer makes new ones and a sweep drops cached nodes. What
// they read is right, or ErrReleased at a map that was released.
func TestConcurrentReaders(t *testing.T) {
	for name, l := range layouts() {
		for _, link := range []LinkMode{LinkCurrent, LinkAll, LinkNone} {
			t.Run(name+"/"+link.String(), func(t *testing.T) {
				concurrent(t, &Env{Heap: newEnv(t, l).Heap, Sparse: l.sparse, Link: link})
			})
		}
	}
}

const concurrentLeaves = 600

func versionData(i, v int) []byte {
	return fill(make([]byte, 24+i%200), i, uint64(v))
}

func concurrent(t *testing.T, env *Env) {
	w := newWorld()
	env.Source = w
	m := New(env, KindState)
	for i := range concurrentLeaves {
		if err := m.Put(numKey(i), versionData(i, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Flush(w); err != nil {
		t.Fatal(err)
	}
	root := mustHash(t, m)
	m.Release()
	w.forget()
	first, err := Open(env, KindState, root)
	if err != nil {
		t.Fatal(err)
	}
	newest := &tip{m: first}
	var stop atomic.Bool
	var stale atomic.Int64
	var wg sync.WaitGroup
	for r := range 3 {
		wg.Go(func() { readVersions(t, newest, rand.New(rand.NewPCG(uint64(r), 9)), &stop, &stale) })
	}
	wg.Go(func() {
		for !stop.Load() {
			w.sweep()
			env.Heap.Reclaim()
			runtime.Gosched()
		}
	})
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	writeVersions(t, newest, w, rounds)
	stop.Store(true)
	wg.Wait()
	newest.m.Release()
	w.forget()
	exact(t, env, w)
	t.Logf("%d reads met a released map", stale.Load())
}

func writeVersions(t *testing.T, newest *tip, w *world, rounds int) {
	rng := rand.New(rand.NewPCG(5, 5))
	for v := 1; v <= rounds; v++ {
		next := newest.m.Snapshot(true)
		var ch []Change
		for range 40 {
			i := rng.IntN(concurrentLeaves)
			ch = append(ch, Change{Key: numKey(i), Data: versionData(i, v)})
		}
		if err := next.Apply(ch); err != nil {
			t.Error(err)
			return
		}
		if _, err := next.Flush(w); err != nil {
			t.Error(err)
			return
		}
		next.SetLinking(v%2 == 0)
		sealed := next.View(v%2 == 0)
		next.Release()
		newest.set(sealed).Release()
	}
}

func readVersions(t *testing.T, newest *tip, rng *rand.Rand, stop *atomic.Bool, stale *atomic.Int64) {
	var kept *Map // released on purpose while it is still in use
	for !stop.Load() {
		m := newest.get()
		for range 20 {
			i := rng.IntN(concurrentLeaves)
			d, found, err := m.Get(numKey(i), nil)
			if err != nil || !found || binary.BigEndian.Uint64(d) != uint64(i) || len(d) != 24+i%200 {
				t.Errorf("leaf %d: found %v, %d bytes, error %v", i, found, len(d), err)
				return
			}
			if kept != nil {
				d, found, err := kept.Get(numKey(i), nil)
				switch {
				case errors.Is(err, ErrReleased):
					stale.Add(1)
				case err != nil || !found || binary.BigEndian.Uint64(d) != uint64(i):
					t.Errorf("released map, leaf %d: found %v, error %v", i, found, err)
					return
				}
			}
		}
		if rng.IntN(8) == 0 {
			n, err := m.Count()
			if err != nil || n != concurrentLeaves {
				t.Errorf("walk found %d leaves, error %v", n, err)
			}
		}
		m.Release()
		kept = m
	}
}

// TestReleaseGivesBackPrivatePayload counts to the byte what a snapshot alone
// holds, and that its release gives just that back, at once.
func TestReleaseGivesBackPrivatePayload(t *testing.T) {
	for name, l := range layouts() {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t, l)
			m := New(env, KindState)
			for i := range 3000 {
				if err := m.Put(numKey(i), versionData(i, 0)); err != nil {
					t.Fatal(err)
				}
			}
			mustHash(t, m)
			env.Heap.Reclaim()
			before := env.Heap.Stats().Total
			s := m.Snapshot(true)
			if got := env.Heap.Stats().Total.LiveBytes; got != before.LiveBytes {
				t.Fatalf("a snapshot took %d bytes", got-before.LiveBytes)
			}
			var ch []Change
			for i := range 200 {
				ch = append(ch, Change{Key: numKey(i * 7), Data: versionData(i*7, 1)})
			}
			if err := s.Apply(ch); err != nil {
				t.Fatal(err)
			}
			exact(t, env, nil, m, s)
			_, shared := reachable(m.root)
			_, both := reachable(m.root, s.root)
			s.Release()
			after := env.Heap.Stats().Total
			if after.LiveBytes != shared || after.Live != before.Live || after.Limbo != 0 || after.UsableBytes != before.UsableBytes {
				t.Fatalf("after release %d bytes live and %d in limbo, want %d; the snapshot alone held %d", after.LiveBytes, after.LimboBytes, shared, both-shared)
			}
			m.Release()
			if s := env.Heap.Stats().Total; s.Live != 0 || s.UsableBytes != 0 {
				t.Fatalf("%d chunks live after the last release", s.Live)
			}
		})
	}
}

// TestLanesEqual hashes large batches with and without further goroutines.
func TestLanesEqual(t *testing.T) {
	var roots [2][32]byte
	before := runtime.NumGoroutine()
	for i, lanes := range []int{0, 4} {
		env := &Env{Heap: defaultEnv(t).Heap, Lanes: lanes}
		m := New(env, KindState)
		ch := make([]Change, 20_000)
		for j := range ch {
			ch[j] = Change{Key: numKey(j), Data: versionData(j, 1)}
		}
		if err := m.Apply(ch); err != nil {
			t.Fatal(err)
		}
		for j := range 3000 {
			if err := m.Put(numKey(j*3), versionData(j*3, 2)); err != nil {
				t.Fatal(err)
			}
		}
		roots[i] = mustHash(t, m)
		m.Release()
	}
	if roots[0] != roots[1] {
		t.Fatalf("roots differ: %X and %X", roots[0], roots[1])
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Fatalf("%d goroutines, %d before", n, before)
	}
}
