package shamap

import (
	"encoding/binary"
	"errors"
	"maps"
	"testing"
)

// TestWalkInBatches compares the walk that asks for many nodes at once with the plain one, with all, some and none of
// the tree in memory, and sees that it lets go of everything also when it ends early or meets a missing node.
func TestWalkInBatches(t *testing.T) {
	const leaves = 40_000 // more than one batch
	w := newWorld()
	env := defaultEnv(t)
	env.Source = w
	m := New(env, KindState)
	var ch []Change
	for i := range leaves {
		h := half(binary.BigEndian.AppendUint32(nil, uint32(i)))
		ch = append(ch, Change{Key: h, Data: h[:20]})
	}
	if err := m.Apply(ch); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Flush(w); err != nil {
		t.Fatal(err)
	}
	root, err := m.Hash()
	if err != nil {
		t.Fatal(err)
	}
	want := nodesOf(t, m)
	for _, resident := range []string{"all", "some", "none"} {
		if resident != "all" {
			if m != nil {
				m.Release()
				m = nil
			}
			w.sweep()
		}
		loaded, err := Open(env, KindState, root)
		if err != nil {
			t.Fatal(err)
		}
		if resident == "some" { // every fourth path is in the cache
			for i := 0; i < leaves; i += 4 {
				if ok, err := loaded.Has(ch[i].Key); !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
		}
		if got := nodesOf(t, loaded); !maps.Equal(got, want) {
			t.Errorf("%s in memory: %d nodes, want %d", resident, len(got), len(want))
		}
		stopsAnywhere(t, loaded, len(want))
		loaded.Release()
	}
	w.sweep()
	missesOne(t, env, w, root)
}

// nodesOf walks and counts each node, and sees that parents come first.
func nodesOf(t *testing.T, m *Map) map[[32]byte]int {
	t.Helper()
	seen := map[[32]byte]int{}
	expected := map[[32]byte]bool{}
	err := m.WalkNodes(func(h [32]byte, b []byte) bool {
		if half(b) != h || len(seen) > 0 && !expected[h] {
			t.Fatalf("node %X came before its parent, or with other bytes", h)
		}
		seen[h]++
		if s, err := parse(h, b); err == nil && s.typ == typeInner {
			for i := range branches {
				expected[[32]byte(b[4+32*i:])] = true
			}
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func stopsAnywhere(t *testing.T, m *Map, all int) {
	t.Helper()
	for _, stop := range []int{1, 2, all / 2, all - 1, all} {
		n := 0
		err := m.WalkHashes(func([32]byte) bool { n++; return n < stop })
		if err != nil || n != stop {
			t.Errorf("stopped at %d of %d: visited %d, %v", stop, all, n, err)
		}
	}
}

// missesOne denies one node after the other and wants it named.
func missesOne(t *testing.T, env *Env, w *world, root [32]byte) {
	t.Helper()
	tried := 0
	for h := range w.store {
		if h == root {
			continue
		}
		if tried++; tried > 5 {
			break
		}
		w.denied = map[[32]byte]bool{h: true}
		m, err := Open(env, KindState, root)
		if err != nil {
			t.Fatal(err)
		}
		var missing ErrMissing
		if err := m.WalkHashes(func([32]byte) bool { return true }); !errors.As(err, &missing) || missing.Hash != h {
			t.Errorf("walk without %X: %v", h, err)
		}
		m.Release()
		w.sweep()
	}
	w.denied = nil
}
