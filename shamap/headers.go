package shamap

// The objects that nodes are allocated as: their sizes are size classes of the
// allocator, so nothing is lost. They are reached through *Node only.
type (
	node2 struct {
		Node
		kid [2]*Node
	}
	node4 struct {
		Node
		kid [4]*Node
	}
	node6 struct {
		Node
		kid [6]*Node
	}
	node8 struct {
		Node
		kid [8]*Node
	}
	node10 struct {
		Node
		kid [10]*Node
	}
	node12 struct {
		Node
		kid [12]*Node
	}
	node14 struct {
		Node
		kid [14]*Node
	}
	node16 struct {
		Node
		kid [16]*Node
	}
	node18 struct {
		Node
		kid [18]*Node
	}
)

// headers are nodes allocated several at once: a batch makes tens of thousands,
// and one call of the allocator for each was a tenth of its cost. A run is at
// most 512 bytes, so that one living node keeps few dead ones in memory. The
// zero value is empty; nil allocates each node by itself.
type headers struct {
	node0  []Node
	node2  []node2
	node4  []node4
	node6  []node6
	node8  []node8
	node10 []node10
	node12 []node12
	node14 []node14
	node16 []node16
	node18 []node18
}

// take gives a node with room for pairs pairs of links.
func (h *headers) take(pairs int) *Node {
	if h == nil {
		return single(pairs)
	}
	switch pairs {
	case 0:
		return next(&h.node0, 8)
	case 1:
		return &next(&h.node2, 6).Node
	case 2:
		return &next(&h.node4, 5).Node
	case 3:
		return &next(&h.node6, 4).Node
	case 4:
		return &next(&h.node8, 4).Node
	case 5:
		return &next(&h.node10, 3).Node
	case 6:
		return &next(&h.node12, 3).Node
	case 7:
		return &next(&h.node14, 2).Node
	case 8:
		return &next(&h.node16, 2).Node
	default:
		return &next(&h.node18, 2).Node
	}
}

// next takes the first of a run, or of a new one of most.
func next[T any](run *[]T, most int) *T {
	if len(*run) == 0 {
		*run = make([]T, most)
	}
	n := &(*run)[0]
	*run = (*run)[1:]
	return n
}

// single allocates one node.
func single(pairs int) *Node {
	switch pairs {
	case 0:
		return &Node{}
	case 1:
		return &(&node2{}).Node
	case 2:
		return &(&node4{}).Node
	case 3:
		return &(&node6{}).Node
	case 4:
		return &(&node8{}).Node
	case 5:
		return &(&node10{}).Node
	case 6:
		return &(&node12{}).Node
	case 7:
		return &(&node14{}).Node
	case 8:
		return &(&node16{}).Node
	default:
		return &(&node18{}).Node
	}
}
