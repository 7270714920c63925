package shamap

import (
	"errors"
	"math/bits"
)

// ErrMutable is returned by what looks at a map that must not change meanwhile.
var ErrMutable = errors.New("shamap: map is mutable")

// Resident is what a map keeps in memory: the nodes linked below its root.
type Resident struct {
	Inner, Leaves int
	PayloadBytes  int64 // asked for
	HeaderBytes   int64 // of the Go objects
}

// Resident counts the nodes that this map keeps in memory and base, which may
// be nil, does not: a node both hold hangs at the same place in both. Both must
// be immutable. Nothing is loaded; links that appear meanwhile may be missed.
func (m *Map) Resident(base *Map) (r Resident, err error) {
	if m.mutable || base != nil && base.mutable {
		return r, ErrMutable
	}
	root, err := m.hold()
	if root == nil {
		return r, err
	}
	defer root.Release()
	var other *Node
	if base != nil {
		if other, err = base.hold(); err != nil {
			return r, err
		}
		if other != nil {
			defer other.Release()
		}
	}
	if root != other {
		r.add(root, other)
	}
	return r, nil
}

// add counts n and what is linked below it. Depth is bounded by the key.
func (r *Resident) add(n, other *Node) {
	r.PayloadBytes += int64(n.PayloadLen())
	r.HeaderBytes += int64(n.HeaderLen())
	if n.isLeaf() {
		r.Leaves++
		return
	}
	r.Inner++
	for set := n.mask; set != 0; set &= set - 1 {
		branch := bits.TrailingZeros16(set)
		k := n.kid(branch)
		if k == nil {
			continue
		}
		var o *Node
		if other != nil && !other.isLeaf() && other.has(branch) {
			o = other.kid(branch)
		}
		if k != o {
			r.add(k, o)
		}
	}
}
