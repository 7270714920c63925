package shamap

import "math/bits"

// Flush gives every node that no sink took yet to s, children before parents,
// each once, and publishes it in the source's cache. It returns their number.
// Nodes count as taken only when all were: after an error the next Flush
// offers them again. When the caller commits later what s collected and that
// fails, the map must not be used as if it were stored.
func (m *Map) Flush(s Sink) (nodes int, err error) {
	if _, err := m.Hash(); err != nil {
		return 0, err
	}
	if m.root == nil || !m.root.Acquire() {
		return 0, nil
	}
	defer m.root.Release()
	if m.mutable {
		m.owner = 0 // from now on the cache may hold what was private
	}
	f := flusher{kind: m.kind, sink: s, source: m.env.Source}
	if err := f.node(m.root); err != nil {
		return 0, err
	}
	for _, n := range f.taken {
		n.clearBit(ownUnsaved)
	}
	return len(f.taken), nil
}

type flusher struct {
	kind   Kind
	sink   Sink
	source Source
	taken  []*Node
	buf    []byte
}

func (f *flusher) node(n *Node) error {
	if !n.bit(ownUnsaved) {
		return nil
	}
	if !n.isLeaf() {
		for i := range bits.OnesCount16(n.mask) {
			if k := n.kidAt(i); k != nil {
				if err := f.node(k); err != nil {
					return err
				}
			}
		}
	}
	f.buf = n.appendPrefixed(f.buf[:0])
	if err := f.sink.Put(f.kind, n.hash, f.buf); err != nil {
		return err
	}
	f.taken = append(f.taken, n)
	if f.source != nil {
		// Links are not exchanged for an equal node that was there before:
		// readers may be following them.
		if c := f.source.Canonicalize(n.hash, n); c != n {
			c.Release()
		}
	}
	return nil
}
