package shamap

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ledgerlab/shamap/payload"
)

// model is the machine of the random test: several versions of a tree, each
// beside a plain Go map that says what it must hold.
type model struct {
	t    *rapid.T
	env  *Env
	w    *world
	kind Kind
	ver  []*version
	keys [][32]byte
	seq  int
}

type version struct {
	m    *Map
	want map[[32]byte][]byte
}

func (v *version) fork(mutable bool) *version {
	return &version{m: v.m.Snapshot(mutable), want: maps.Clone(v.want)}
}

// key draws a known key, a fresh one, or one that shares a long prefix with a
// known one.
func (s *model) key() [32]byte {
	switch how := rapid.IntRange(0, 9).Draw(s.t, "how"); {
	case how < 6 && len(s.keys) > 0:
		return s.keys[s.index(len(s.keys), "old")]
	case how < 8 && len(s.keys) > 0:
		k := s.keys[s.index(len(s.keys), "near")]
		at := rapid.IntRange(0, 31).Draw(s.t, "at")
		k[at] ^= byte(rapid.IntRange(1, 255).Draw(s.t, "bit"))
		if k == ([32]byte{}) {
			k[31] = 1
		}
		s.keys = append(s.keys, k)
		return k
	}
	s.seq++
	k := numKey(s.seq)
	s.keys = append(s.keys, k)
	return k
}

func (s *model) data() []byte {
	n := rapid.SampledFrom([]int{1, 12, 60, 91, 92, 130, 219, 220, 400, 1500}).Draw(s.t, "size")
	s.seq++
	return bytes.Repeat([]byte{byte(s.seq), byte(s.seq >> 8), byte(n)}, n/3+1)[:n]
}

func (s *model) index(n int, label string) int { return rapid.IntRange(0, n-1).Draw(s.t, label) }

func (s *model) pick() *version { return s.ver[s.index(len(s.ver), "version")] }

func (s *model) mutable() *version {
	v := s.pick()
	if !v.m.Mutable() {
		v = v.fork(true)
		s.ver = append(s.ver, v)
	}
	return v
}

func (s *model) put(*rapid.T) {
	v, k, d := s.mutable(), s.key(), s.data()
	s.ok(v.m.Put(k, d))
	v.want[k] = d
}

func (s *model) remove(*rapid.T) {
	v, k := s.mutable(), s.key()
	s.ok(v.m.Delete(k))
	delete(v.want, k)
}

func (s *model) apply(*rapid.T) {
	v := s.mutable()
	var ch []Change
	for range rapid.IntRange(1, 60).Draw(s.t, "batch") {
		c := Change{Key: s.key()}
		if rapid.IntRange(0, 3).Draw(s.t, "delete") > 0 {
			c.Data = s.data()
		} else if d := v.want[c.Key]; d != nil && s.seq%2 == 0 {
			c.Data = d // says nothing new
		}
		ch = append(ch, c)
	}
	s.ok(v.m.Apply(ch))
	for _, c := range ch {
		if c.Data == nil {
			delete(v.want, c.Key)
		} else {
			v.want[c.Key] = c.Data
		}
	}
}

func (s *model) snapshot(*rapid.T) {
	if len(s.ver) < 8 {
		s.ver = append(s.ver, s.pick().fork(rapid.Bool().Draw(s.t, "mutable")))
	}
}

func (s *model) release(*rapid.T) {
	if len(s.ver) < 2 {
		return
	}
	i := rapid.IntRange(0, len(s.ver)-1).Draw(s.t, "index")
	v := s.ver[i]
	if rapid.Bool().Draw(s.t, "steps") {
		for !v.m.ReleaseSome(3) {
			continue
		}
	} else {
		v.m.Release()
	}
	if _, _, err := v.m.Get(numKey(1), nil); err == nil {
		s.t.Fatal("a released map answers")
	}
	s.ver = slices.Delete(s.ver, i, i+1)
}

func (s *model) flush(*rapid.T) {
	v := s.pick()
	if s.w == nil {
		return
	}
	if _, err := v.m.Flush(s.w); err != nil {
		s.t.Fatal(err)
	}
	before := s.w.puts
	if n, err := v.m.Flush(s.w); n != 0 || err != nil || s.w.puts != before {
		s.t.Fatalf("second flush wrote %d nodes, error %v", n, err)
	}
}

// reload forgets the cache and opens a version from the store.
func (s *model) reload(t *rapid.T) {
	if s.w == nil {
		return
	}
	v := s.pick()
	s.flushOne(v)
	s.w.forget()
	m, err := Open(s.env, s.kind, s.hash(v))
	s.ok(err)
	m.SetLinking(rapid.Bool().Draw(s.t, "linking"))
	s.ver = append(s.ver, &version{m: m, want: maps.Clone(v.want)})
	if len(s.ver) > 8 {
		s.ver[0].m.Release()
		s.ver = s.ver[1:]
	}
}

func (s *model) flushOne(v *version) {
	_, err := v.m.Flush(s.w)
	s.ok(err)
}

func (s *model) sweep(*rapid.T) {
	if s.w != nil {
		s.w.sweep()
	}
}

func (s *model) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *model) hash(v *version) [32]byte { return mustHashRapid(s.t, v.m) }

func mustHashRapid(t *rapid.T, m *Map) [32]byte {
	h, err := m.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// same checks one version against its plain map, root hash included.
func (s *model) same(v *version) {
	keys := slices.SortedFunc(maps.Keys(v.want), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	from := 0
	var start [32]byte
	if len(keys) > 0 && rapid.Bool().Draw(s.t, "paged") {
		from = rapid.IntRange(0, len(keys)-1).Draw(s.t, "from")
		start = keys[from]
	}
	i := from
	s.ok(v.m.Walk(start, func(k [32]byte, d []byte) bool {
		if i >= len(keys) || k != keys[i] || !bytes.Equal(d, v.want[k]) {
			s.t.Fatalf("walk: leaf %d is wrong", i)
		}
		i++
		return true
	}))
	if i != len(keys) {
		s.t.Fatalf("walk ended at leaf %d of %d", i, len(keys))
	}
	for range 3 {
		k := s.key()
		d, found, err := v.m.Get(k, nil)
		if want, has := v.want[k]; err != nil || found != has || !bytes.Equal(d, want) {
			s.t.Fatalf("get %X: found %v, error %v", k, found, err)
		}
	}
}

// check is run after every operation.
func (s *model) check(*rapid.T) {
	v := s.pick()
	if got, want := s.hash(v), refHash(s.kind, v.want); got != want {
		s.t.Fatalf("root %X, want %X", got, want)
	}
	s.same(v)
	var roots []*Node
	for _, v := range s.ver {
		roots = append(roots, v.m.root)
	}
	if s.w != nil {
		for _, n := range s.w.cache {
			if n.Alive() {
				roots = append(roots, n)
			}
		}
	}
	chunks, bytes := reachable(roots...)
	s.env.Heap.Reclaim()
	if st := s.env.Heap.Stats().Total; st.Live != chunks || st.LiveBytes != bytes || st.Limbo != 0 || st.UsableBytes < bytes {
		s.t.Fatalf("heap holds %d chunks, %d bytes, %d in limbo; reachable are %d, %d", st.Live, st.LiveBytes, st.Limbo, chunks, bytes)
	}
}

func TestModel(t *testing.T) {
	for _, heap := range []string{"c", "go"} {
		if heap == "c" && payload.Default().Kind != "c" {
			continue
		}
		t.Run(heap, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { runModel(rt, heap) })
		})
	}
}

func runModel(rt *rapid.T, heap string) {
	l := layout{heap, rapid.Bool().Draw(rt, "sparse"), rapid.SampledFrom(payload.Kernels()).Draw(rt, "kernel")}
	link := rapid.SampledFrom([]LinkMode{LinkCurrent, LinkAll, LinkNone}).Draw(rt, "link")
	o := payload.Default()
	o.Kind, o.Kernel = l.heap, l.kernel
	h, err := payload.New(o)
	if err != nil {
		rt.Fatal(err)
	}
	env := &Env{Heap: h, Sparse: l.sparse, Link: link, Lanes: 2}
	s := &model{t: rt, env: env, kind: rapid.SampledFrom([]Kind{KindState, KindTxMeta}).Draw(rt, "kind")}
	if rapid.IntRange(0, 3).Draw(rt, "backed") > 0 {
		s.w = newWorld()
		env.Source = s.w
	}
	s.ver = []*version{{m: New(env, s.kind), want: map[[32]byte][]byte{}}}
	rt.Repeat(map[string]func(*rapid.T){
		"put": s.put, "delete": s.remove, "apply": s.apply, "apply2": s.apply, "snapshot": s.snapshot, "release": s.release,
		"flush": s.flush, "reload": s.reload, "sweep": s.sweep, "damage": s.damage, "transfer": s.transfer,
		"diff": s.compare, "proof": s.prove, "": s.check,
	})
	for _, v := range s.ver {
		v.m.Release()
	}
	if s.w != nil {
		s.w.forget()
	}
	h.Reclaim()
	st := h.Stats().Total
	if st.Live != 0 || st.LiveBytes != 0 || st.UsableBytes != 0 {
		rt.Fatalf("after the last release the heap holds %d chunks, %d bytes (%d usable)", st.Live, st.LiveBytes, st.UsableBytes)
	}
	if err := h.Close(); err != nil {
		rt.Fatal(err)
	}
}
