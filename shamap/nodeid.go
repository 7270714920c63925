package shamap

import "fmt"

// NodeID is the place of a node in a tree: the nibbles of the path to it, the
// rest zero, and their number.
type NodeID struct {
	Path  [32]byte
	Depth uint8
}

const nodeIDBytes = 33

// AppendTo appends the 33 bytes that peers exchange.
func (id NodeID) AppendTo(dst []byte) []byte {
	return append(append(dst, id.Path[:]...), id.Depth)
}

// ParseNodeID reads 33 bytes and refuses what AppendTo would not write.
func ParseNodeID(b []byte) (NodeID, error) {
	if len(b) != nodeIDBytes {
		return NodeID{}, fmt.Errorf("shamap: node id of %d bytes, want %d", len(b), nodeIDBytes)
	}
	id := NodeID{Path: [32]byte(b), Depth: b[32]}
	if id.Depth > maxDepth {
		return NodeID{}, fmt.Errorf("shamap: node id of depth %d, at most %d", id.Depth, maxDepth)
	}
	if masked(id.Path, int(id.Depth)) != id.Path {
		return NodeID{}, parseError("node id with bits below its depth")
	}
	return id, nil
}

func (id NodeID) child(branch int) NodeID {
	if id.Depth&1 == 0 {
		id.Path[id.Depth>>1] |= byte(branch << 4)
	} else {
		id.Path[id.Depth>>1] |= byte(branch)
	}
	id.Depth++
	return id
}

// masked keeps the first depth nibbles of a path.
func masked(p [32]byte, depth int) [32]byte {
	if depth&1 != 0 {
		p[depth>>1] &= 0xf0
	}
	clear(p[(depth+1)>>1:])
	return p
}
