package shamap

import (
	"bytes"
	"errors"

	"pgregory.net/rapid"
)

// damage makes one stored node wrong or absent and asks for everything: the
// answer is complete and right, or an error that names the node.
func (s *model) damage(*rapid.T) {
	if s.w == nil {
		return
	}
	v := s.pick()
	s.flushOne(v)
	if len(v.want) == 0 {
		return
	}
	var all [][32]byte
	s.ok(v.m.WalkHashes(func(h [32]byte) bool { all = append(all, h); return true }))
	victim := all[1+s.index(len(all)-1, "victim")]
	good := s.w.store[victim]
	gone := rapid.Bool().Draw(s.t, "gone")
	if gone {
		delete(s.w.store, victim)
	} else {
		bad := bytes.Clone(good)
		bad[rapid.IntRange(0, len(bad)-1).Draw(s.t, "byte")] ^= 1
		s.w.store[victim] = bad
	}
	s.w.forget()
	root := s.hash(v)
	m, err := Open(s.env, s.kind, root)
	s.ok(err)
	n := 0
	err = m.Walk([32]byte{}, func([32]byte, []byte) bool { n++; return true })
	named := errors.Is(err, ErrMissing{victim})
	if e := (ErrCorrupt{}); errors.As(err, &e) {
		named = !gone && e.Hash == victim
	}
	if err == nil && n != len(v.want) || err != nil && !named {
		s.t.Fatalf("walk over a damaged tree: %d of %d leaves, error %v; damaged %X", n, len(v.want), err, victim)
	}
	s.failingApply(m, v.want)
	m.Release()
	s.w.store[victim] = good
	s.w.forget()
}

// failingApply changes every leaf of a damaged tree: it works, or nothing
// changed.
func (s *model) failingApply(m *Map, want map[[32]byte][]byte) {
	x := m.Snapshot(true)
	before := mustHashRapid(s.t, x)
	var ch []Change
	for k := range want {
		ch = append(ch, Change{Key: k, Data: []byte("other")})
	}
	if err := x.Apply(ch); err != nil {
		if after := mustHashRapid(s.t, x); after != before {
			s.t.Fatal("a failed batch changed the map")
		}
	}
	x.Release()
}

// transfer copies a version to a world that has none or some of its nodes, by
// asking for what is missing.
func (s *model) transfer(*rapid.T) {
	v := s.pick()
	root := s.hash(v)
	env := &Env{Heap: s.env.Heap, Sparse: s.env.Sparse}
	var w *world
	if rapid.Bool().Draw(s.t, "backed") {
		w = newWorld()
		env.Source = w
		some := uint8(rapid.IntRange(0, 255).Draw(s.t, "there")) // nodes that the store has already
		err := v.m.WalkNodes(func(h [32]byte, b []byte) bool {
			if h[7] < some {
				w.store[h] = bytes.Clone(b)
			}
			return true
		})
		s.ok(err)
	}
	y := NewSyncer(env, s.kind, root)
	for rounds := 0; ; rounds++ {
		wants, err := y.Missing(rapid.IntRange(1, 40).Draw(s.t, "max"))
		s.ok(err)
		if len(wants) == 0 {
			break
		}
		fat := rapid.IntRange(0, 2).Draw(s.t, "fat")
		for _, want := range wants {
			got, err := v.m.NodeFat(want.ID, fat, fat > 0, 100)
			s.ok(err)
			for _, g := range got {
				if r, err := y.AddNode(g.ID, g.Data); r == AddInvalid {
					s.t.Fatal(err)
				}
			}
		}
		if w != nil && rounds%3 == 2 {
			_, err := y.Flush(w)
			s.ok(err)
		}
	}
	m, err := y.Map()
	s.ok(err)
	s.same(&version{m: m, want: v.want})
	if w != nil {
		_, err := m.Flush(w)
		s.ok(err)
		m.Release()
		y.Release()
		w.forget()
		m, err = Open(env, s.kind, root)
		s.ok(err)
		s.same(&version{m: m, want: v.want})
		m.Release()
		w.forget()
	} else {
		m.Release()
		y.Release()
	}
}

func (s *model) compare(*rapid.T) {
	a, b := s.pick(), s.pick()
	want := map[[32]byte][2][]byte{}
	for k, d := range a.want {
		if !bytes.Equal(d, b.want[k]) {
			want[k] = [2][]byte{d, b.want[k]}
		}
	}
	for k, d := range b.want {
		if a.want[k] == nil {
			want[k] = [2][]byte{nil, d}
		}
	}
	var last [32]byte
	n := 0
	done, err := Diff(a.m, b.m, 0, func(k [32]byte, x, y []byte) bool {
		if w := want[k]; !bytes.Equal(w[0], x) || !bytes.Equal(w[1], y) || (x == nil) != (w[0] == nil) || (y == nil) != (w[1] == nil) {
			s.t.Fatalf("difference at %X is wrong", k)
		}
		if n > 0 && bytes.Compare(last[:], k[:]) >= 0 {
			s.t.Fatal("differences are not in order")
		}
		last = k
		n++
		return true
	})
	if err != nil || !done || n != len(want) {
		s.t.Fatalf("%d differences, want %d; complete %v, error %v", n, len(want), done, err)
	}
	if n > 1 {
		if done, _ := Diff(a.m, b.m, n-1, func([32]byte, []byte, []byte) bool { return true }); done {
			s.t.Fatal("a limited difference claims to be complete")
		}
	}
}

func (s *model) prove(*rapid.T) {
	v, k := s.pick(), s.key()
	root := s.hash(v)
	path, found, err := v.m.Proof(k)
	s.ok(err)
	data, has, err := VerifyProof(s.kind, root, k, path)
	if want := v.want[k]; s.kind != KindTx && (err != nil || has != found || has != (want != nil) || !bytes.Equal(data, want)) {
		s.t.Fatalf("proof of %X: found %v %v, error %v", k, found, has, err)
	}
	if len(path) == 0 {
		return
	}
	i := rapid.IntRange(0, len(path)-1).Draw(s.t, "node")
	path[i][rapid.IntRange(0, len(path[i])-1).Draw(s.t, "byte")] ^= 0x10
	if _, _, err := VerifyProof(s.kind, root, k, path); err == nil {
		s.t.Fatal("a changed proof holds")
	}
}
