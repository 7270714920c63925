package shamap

import (
	"bytes"
	"math/bits"
)

// hold takes a reference on the root for the length of a walk, so that all
// that is linked stays.
func (m *Map) hold() (*Node, error) {
	if m.dirty {
		m.rehash()
	}
	if m.released.Load() || m.root != nil && !m.root.Acquire() {
		return nil, ErrReleased
	}
	return m.root, nil
}

// walkLinks says whether walks link: only where every read does.
func (m *Map) walkLinks() bool { return m.env.Link == LinkAll }

// Walk visits the leaves with a key not below from, in the order of their
// keys, until fn answers false. The slice is valid during the call only. Walk
// holds no guard and no lock, so fn may take its time; it does not link what
// it loads (but for LinkAll).
func (m *Map) Walk(from [32]byte, fn func(key [32]byte, data []byte) bool) error {
	root, err := m.hold()
	if root == nil {
		return err
	}
	defer root.Release()
	w := walker{m: m, fn: fn, from: from}
	_, err = w.node(root, 0, true)
	return err
}

type walker struct {
	m    *Map
	from [32]byte
	fn   func(key [32]byte, data []byte) bool
	buf  []byte
}

// node walks a subtree; bound says that its path is the beginning of from.
func (w *walker) node(n *Node, depth int, bound bool) (more bool, err error) {
	if n.isLeaf() {
		key := *n.key()
		if bound && bytes.Compare(key[:], w.from[:]) < 0 {
			return true, nil
		}
		w.buf = append(w.buf[:0], n.data()...)
		return w.fn(key, w.buf), nil
	}
	first := 0
	if bound {
		first = nibble(&w.from, depth)
	}
	for set := n.mask >> first << first; set != 0; set &= set - 1 {
		b := bits.TrailingZeros16(set)
		k, held, err := w.m.child(n, b, depth, w.m.walkLinks())
		if err != nil {
			return false, err
		}
		more, err := w.node(k, depth+1, bound && b == first)
		if held {
			k.Release()
		}
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// Count is the number of leaves, found by walking.
func (m *Map) Count() (n int, err error) {
	err = m.Walk([32]byte{}, func([32]byte, []byte) bool { n++; return true })
	return n, err
}

// WalkNodes visits every node, parents before children, until fn answers
// false. The slice, the node's prefix form, is valid during the call only.
// Nothing is linked; fn may be slow.
func (m *Map) WalkNodes(fn func(h [32]byte, prefixed []byte) bool) error {
	root, err := m.hold()
	if root == nil {
		return err
	}
	defer root.Release()
	var buf []byte
	return m.allNodes(root, func(n *Node) bool {
		buf = n.appendPrefixed(buf[:0])
		return fn(n.hash, buf)
	})
}

// allNodes visits every node of root, which the caller holds.
func (m *Map) allNodes(root *Node, fn func(n *Node) bool) error {
	if src, ok := m.env.Source.(BatchSource); ok {
		w := batchWalk{m: m, src: src, fn: fn}
		return w.run(root)
	}
	_, err := m.eachNode(root, 0, fn)
	return err
}

func (m *Map) eachNode(n *Node, depth int, fn func(n *Node) bool) (more bool, err error) {
	if !fn(n) {
		return false, nil
	}
	if n.isLeaf() {
		return true, nil
	}
	for set := n.mask; set != 0; set &= set - 1 {
		k, held, err := m.child(n, bits.TrailingZeros16(set), depth, false)
		if err != nil {
			return false, err
		}
		more, err := m.eachNode(k, depth+1, fn)
		if held {
			k.Release()
		}
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// WalkHashes visits the hash of every node, parents before children, until fn
// answers false: WalkNodes without the bytes.
func (m *Map) WalkHashes(fn func(h [32]byte) bool) error {
	root, err := m.hold()
	if root == nil {
		return err
	}
	defer root.Release()
	return m.allNodes(root, func(n *Node) bool { return fn(n.hash) })
}
