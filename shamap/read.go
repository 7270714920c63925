package shamap

import (
	"errors"
	"fmt"
)

func nibble(key *[32]byte, depth int) int {
	b := key[depth>>1]
	if depth&1 == 0 {
		return int(b >> 4)
	}
	return int(b & 15)
}

// Get appends the data of key to dst. A missing node on the way is an error,
// not an absent key.
func (m *Map) Get(key [32]byte, dst []byte) (data []byte, found bool, err error) {
	found, err = m.find(&key, &dst)
	return dst, found, err
}

// Has says whether key is present.
func (m *Map) Has(key [32]byte) (bool, error) { return m.find(&key, nil) }

// find reads along linked nodes inside one guard; where a node is not linked
// it leaves the guard and goes on with references.
func (m *Map) find(key *[32]byte, dst *[]byte) (bool, error) {
	g := m.env.Heap.Enter()
	n := m.root
	if m.released.Load() || n != nil && !n.Alive() {
		g.Exit()
		return false, ErrReleased
	}
	for depth := 0; n != nil; depth++ {
		if n.isLeaf() {
			found := match(n, key, dst)
			g.Exit()
			return found, nil
		}
		if depth == maxDepth {
			g.Exit()
			return false, tooDeep(n)
		}
		b := nibble(key, depth)
		if !n.has(b) {
			break
		}
		k := n.kid(b)
		if k == nil {
			alive := n.Acquire()
			g.Exit()
			if !alive {
				return false, ErrReleased
			}
			return m.findSlow(n, depth, key, dst)
		}
		n = k
	}
	g.Exit()
	return false, nil
}

// findSlow goes on from n, which it was given a reference on.
func (m *Map) findSlow(n *Node, depth int, key *[32]byte, dst *[]byte) (bool, error) {
	for ; !n.isLeaf(); depth++ {
		if depth == maxDepth {
			n.Release()
			return false, tooDeep(n)
		}
		b := nibble(key, depth)
		if !n.has(b) {
			n.Release()
			return false, nil
		}
		k, held, err := m.child(n, b, depth, m.linking())
		if err == nil && !held && !k.Acquire() {
			err = ErrReleased
		}
		n.Release()
		if err != nil {
			return false, err
		}
		n = k
	}
	found := match(n, key, dst)
	n.Release()
	return found, nil
}

func match(n *Node, key *[32]byte, dst *[]byte) bool {
	if *n.key() != *key {
		return false
	}
	if dst != nil {
		*dst = append(*dst, n.data()...)
	}
	return true
}

func tooDeep(n *Node) error { return ErrCorrupt{Hash: n.hash, Reason: "an inner node at depth 64"} }

// child gives the node at a present branch of n, which sits at depth. The
// caller holds n. A linked child comes without a reference: n keeps it. A
// loaded one comes with a reference, held is true, and is linked if asked.
func (m *Map) child(n *Node, branch, depth int, link bool) (k *Node, held bool, err error) {
	if k = n.kid(branch); k != nil {
		return k, false, nil
	}
	if k, err = m.env.fetch(*n.childHash(branch), m.kind, depth+1); err != nil {
		return nil, false, err
	}
	if link {
		n.link(branch, k)
	}
	return k, true, nil
}

// fetch gives a node from the cache or the store, with a reference.
func (e *Env) fetch(h [32]byte, kind Kind, depth int) (*Node, error) {
	n, err := e.lookup(h)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, ErrMissing{Hash: h}
	}
	if reason := n.misfit(kind, depth); reason != "" {
		n.Release()
		return nil, ErrCorrupt{Hash: h, Reason: reason}
	}
	return n, nil
}

// misfit says why a node cannot be at this depth of a tree of this kind.
func (n *Node) misfit(kind Kind, depth int) string {
	switch {
	case n.isLeaf() && n.typ != uint8(kind):
		return "a leaf of another kind"
	case n.isLeaf() && depth == 0:
		return "a leaf as root"
	case !n.isLeaf() && depth >= maxDepth:
		return "an inner node at depth 64"
	}
	return ""
}

// lookup is fetch for any kind; it gives nil when the node is nowhere.
func (e *Env) lookup(h [32]byte) (*Node, error) {
	if e.Source == nil {
		return nil, nil
	}
	if n, ok := e.Source.Cached(h); ok {
		return n, nil
	}
	b, err := e.Source.Fetch(h)
	if err != nil {
		return nil, fmt.Errorf("shamap: fetch %X: %w", h[:], err)
	}
	if b == nil {
		return nil, nil
	}
	n, err := e.parseStored(h, b)
	if err != nil {
		return nil, err
	}
	return e.canonical(h, n), nil
}

// parseStored parses what the source gave. What is wrong the source may heal.
func (e *Env) parseStored(h [32]byte, b []byte) (*Node, error) {
	n, err := ParsePrefixed(e, h, b)
	var corrupt ErrCorrupt
	healer, ok := e.Source.(Healer)
	if err == nil || !ok || !errors.As(err, &corrupt) {
		return n, err
	}
	good, herr := healer.Heal(h, err)
	if herr != nil {
		return nil, errors.Join(err, herr)
	}
	return ParsePrefixed(e, h, good)
}

// canonical publishes n and gives the node to use; the reference on n becomes
// one on that.
func (e *Env) canonical(h [32]byte, n *Node) *Node {
	if c := e.Source.Canonicalize(h, n); c != n {
		n.Release()
		return c
	}
	return n
}
