package shamap

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"ledgerlab/shamap/payload"
)

// refHash computes the root of a set of leaves in the slowest, plainest way.
func refHash(kind Kind, leaves map[[32]byte][]byte) [32]byte {
	keys := slices.SortedFunc(maps.Keys(leaves), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	if len(keys) == 0 {
		return [32]byte{}
	}
	return refInner(kind, leaves, keys, 0)
}

func refNode(kind Kind, leaves map[[32]byte][]byte, keys [][32]byte, depth int) [32]byte {
	switch {
	case len(keys) == 0:
		return [32]byte{}
	case len(keys) == 1:
		return refLeaf(kind, keys[0], leaves[keys[0]])
	}
	return refInner(kind, leaves, keys, depth)
}

func refLeaf(kind Kind, key [32]byte, data []byte) [32]byte {
	switch kind {
	case KindTx:
		return refHalf([]byte("TXN\x00"), data)
	case KindTxMeta:
		return refHalf([]byte("SND\x00"), data, key[:])
	}
	return refHalf([]byte("MLN\x00"), data, key[:])
}

func refInner(kind Kind, leaves map[[32]byte][]byte, keys [][32]byte, depth int) [32]byte {
	buf := []byte("MIN\x00")
	for b := range 16 {
		var in [][32]byte
		for _, k := range keys {
			if int(hex.EncodeToString(k[:])[depth]) == int("0123456789abcdef"[b]) {
				in = append(in, k)
			}
		}
		h := refNode(kind, leaves, in, depth+1)
		buf = append(buf, h[:]...)
	}
	return refHalf(buf)
}

func refHalf(parts ...[]byte) [32]byte {
	h := sha512.New()
	for _, p := range parts {
		h.Write(p)
	}
	return [32]byte(h.Sum(nil)[:32])
}

// world is a store and a cache for tests.
type world struct {
	mu     sync.Mutex
	store  map[[32]byte][]byte
	cache  map[[32]byte]*Node
	full   map[[32]byte]bool
	puts   int
	fetch  int
	denied map[[32]byte]bool // pretended to be missing
}

func newWorld() *world {
	return &world{store: map[[32]byte][]byte{}, cache: map[[32]byte]*Node{}, full: map[[32]byte]bool{}, denied: map[[32]byte]bool{}}
}

func (w *world) Fetch(h [32]byte) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fetch++
	if w.denied[h] {
		return nil, nil
	}
	return w.store[h], nil
}

func (w *world) FetchSorted(hs [][32]byte, fn func(i int, prefixed []byte) error) error {
	for i, h := range hs {
		if i > 0 && bytes.Compare(hs[i-1][:], h[:]) > 0 {
			return errors.New("hashes do not ascend")
		}
		if b, err := w.Fetch(h); err != nil || b != nil {
			if err := errors.Join(err, fn(i, b)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) Cached(h [32]byte) (*Node, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, ok := w.cache[h]
	return n, ok && n.Acquire()
}

func (w *world) Canonicalize(h [32]byte, n *Node) *Node {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, ok := w.cache[h]; ok {
		if c == n {
			return n
		}
		if c.Acquire() {
			return c
		}
	}
	n.Acquire()
	w.cache[h] = n
	return n
}

func (w *world) FullBelow(h [32]byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full[h]
}

func (w *world) MarkFullBelow(h [32]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.full[h] = true
}

func (w *world) Put(_ Kind, h [32]byte, b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.puts++
	w.store[h] = bytes.Clone(b)
	return nil
}

// sweep drops every cached node that nobody else holds, until none is left.
func (w *world) sweep() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for again := true; again; {
		again = false
		for h, n := range w.cache {
			if n.DropIfSole() {
				delete(w.cache, h)
				again = true
			}
		}
	}
}

// forget drops the cache's references, also on nodes that others hold.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for h, n := range w.cache {
		n.Release()
		delete(w.cache, h)
	}
}

type layout struct {
	heap   string
	sparse bool
	kernel string
}

func layouts() map[string]layout {
	all := map[string]layout{
		"go":        {"go", false, "go"},
		"go-sparse": {"go", true, "auto"},
	}
	if payload.Default().Kind == "c" {
		all["c"] = layout{"c", false, "auto"}
		all["c-sparse"] = layout{"c", true, "auto"}
	}
	return all
}

func newEnv(t testing.TB, l layout) *Env {
	t.Helper()
	o := payload.Default()
	o.Kind, o.Kernel = l.heap, l.kernel
	h, err := payload.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return &Env{Heap: h, Sparse: l.sparse}
}

func defaultEnv(t testing.TB) *Env {
	return newEnv(t, layout{payload.Default().Kind, false, "auto"})
}

// reachable counts payload under the given nodes, each node once.
func reachable(roots ...*Node) (chunks, bytes int64) {
	seen := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		chunks++
		bytes += int64(n.hd.Len())
		if !n.isLeaf() {
			for i := range n.children() {
				visit(n.kidAt(i))
			}
		}
	}
	for _, n := range roots {
		visit(n)
	}
	return chunks, bytes
}

// exact fails unless the heap holds just what is reachable from the maps and
// the cache.
func exact(t testing.TB, env *Env, w *world, ms ...*Map) {
	t.Helper()
	var roots []*Node
	for _, m := range ms {
		roots = append(roots, m.root)
	}
	if w != nil {
		for _, n := range w.cache {
			if n.Alive() {
				roots = append(roots, n)
			}
		}
	}
	chunks, bytes := reachable(roots...)
	env.Heap.Reclaim()
	s := env.Heap.Stats().Total
	if s.Live != chunks || s.LiveBytes != bytes || s.Limbo != 0 || s.LimboBytes != 0 {
		t.Fatalf("heap holds %d chunks, %d bytes, and %d in limbo; reachable are %d chunks, %d bytes", s.Live, s.LiveBytes, s.Limbo, chunks, bytes)
	}
}

func mustHash(t testing.TB, m *Map) [32]byte {
	t.Helper()
	h, err := m.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func key32(t testing.TB, s string) [32]byte { return [32]byte(unhex(t, s)) }

// numKey spreads numbers over the key space.
func numKey(i int) [32]byte {
	return sha512.Sum512_256(binary.BigEndian.AppendUint64(nil, uint64(i)))
}

func isCorrupt(err error) bool {
	var e ErrCorrupt
	return errors.As(err, &e)
}
