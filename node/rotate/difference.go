package rotate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"ledgerlab/store"
)

const (
	depthMax    = 64
	innerLen    = 516
	innerPrefix = 0x4D494E00 // "MIN\0"
	// pairsAtOnce is how many nodes are looked up together; the stack of a walk holds at most 16 times as many for
	// each level.
	pairsAtOnce = 256
)

// pair is a place in two trees at which they differ; b is zero where the other tree has nothing.
type pair struct {
	a, b  Hash
	depth int
}

// difference keeps every node under a that is not at the same place under b.
func (w *work) difference(a, b Hash) error {
	if a == b || a == (Hash{}) {
		return nil
	}
	stack := []pair{{a: a, b: b}}
	for len(stack) > 0 {
		if !w.well() {
			return errEnd
		}
		n := max(0, len(stack)-pairsAtOnce)
		part := slices.Clone(stack[n:])
		var err error
		if stack, err = w.descend(part, stack[:n]); err != nil {
			return err
		}
	}
	return nil
}

// descend keeps the nodes a of the pairs and appends the pairs of children that differ.
func (w *work) descend(part, stack []pair) ([]pair, error) {
	slices.SortFunc(part, func(x, y pair) int { return compareHashes(x.a, y.a) })
	part = slices.CompactFunc(part, func(x, y pair) bool { return x.a == y.a })
	w.info.History += uint64(len(part))
	left := make([]Hash, len(part))
	var right []Hash
	for i, p := range part {
		left[i] = p.a
		if p.b != (Hash{}) {
			right = append(right, p.b)
		}
	}
	mine, err := w.inners(left, "")
	if err != nil {
		return stack, err
	}
	slices.SortFunc(right, compareHashes)
	right = slices.Compact(right)
	theirs, err := w.inners(right, "base ")
	if err != nil {
		return stack, err
	}
	for i, p := range part {
		j, ok := slices.BinarySearchFunc(right, p.b, compareHashes)
		var other *children
		if ok {
			other = theirs[j]
		}
		stack = pairsOf(mine[i], other, p.depth+1, stack)
	}
	return stack, nil
}

type children [16]Hash

// inners reads the nodes, copying them forward, and gives the children of those that are inner; leaves are nil. All
// must be there.
func (w *work) inners(hs []Hash, what string) ([]*children, error) {
	out, found := make([]*children, len(hs)), make([]bool, len(hs))
	err := w.r.d.Store.FetchSorted(hs, func(i int, _ store.ObjectType, raw []byte) error {
		if half(raw) != hs[i] {
			return &store.CorruptError{Hash: hs[i], Err: errHash}
		}
		found[i] = true
		if isInner(raw) {
			out[i] = new(children)
			for k := range out[i] {
				out[i][k] = Hash(raw[4+32*k:])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("rotate: %snode %X: %w", what, hs[i], store.ErrNotFound)
	}
	return out, nil
}

// pairsOf appends the places under one inner node at which the trees differ.
func pairsOf(mine, other *children, depth int, stack []pair) []pair {
	if mine == nil || depth > depthMax {
		return stack
	}
	for k, a := range mine {
		var b Hash
		if other != nil {
			b = other[k]
		}
		if a != (Hash{}) && a != b {
			stack = append(stack, pair{a: a, b: b, depth: depth})
		}
	}
	return stack
}

func isInner(b []byte) bool {
	return len(b) == innerLen && binary.BigEndian.Uint32(b) == innerPrefix
}

func compareHashes(a, b Hash) int { return bytes.Compare(a[:], b[:]) }
