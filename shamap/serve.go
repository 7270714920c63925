package shamap

import "math/bits"

// WireNode is a node as peers exchange it.
type WireNode struct {
	ID   NodeID
	Data []byte
}

// NodeFat gives the node at id and its descendants depth levels further down,
// at most max nodes. A chain of single children does not use up depth. Leaves
// below id come only if asked for. A place without a node gives none.
func (m *Map) NodeFat(id NodeID, depth int, leaves bool, max int) ([]WireNode, error) {
	n, err := m.hold()
	if n == nil {
		return nil, err
	}
	for d := range int(id.Depth) {
		b := nibble(&id.Path, d)
		if n.isLeaf() || !n.has(b) {
			n.Release()
			return nil, nil
		}
		k, held, err := m.child(n, b, d, m.walkLinks())
		if err == nil && !held && !k.Acquire() {
			err = ErrReleased
		}
		n.Release()
		if err != nil {
			return nil, err
		}
		n = k
	}
	defer n.Release()
	f := server{m: m, leaves: leaves, max: max}
	err = f.node(n, id, depth)
	return f.out, err
}

type server struct {
	m      *Map
	leaves bool
	max    int
	out    []WireNode
}

func (f *server) node(n *Node, id NodeID, depth int) error {
	if len(f.out) >= f.max {
		return nil
	}
	f.out = append(f.out, WireNode{ID: id, Data: n.appendWire(nil)})
	if n.isLeaf() {
		return nil
	}
	if n.children() > 1 {
		depth--
	}
	if depth < 0 {
		return nil
	}
	for set := n.mask; set != 0; set &= set - 1 {
		b := bits.TrailingZeros16(set)
		k, held, err := f.m.child(n, b, int(id.Depth), f.m.walkLinks())
		if err != nil {
			return err
		}
		if !k.isLeaf() || f.leaves {
			err = f.node(k, id.child(b), depth)
		}
		if held {
			k.Release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
