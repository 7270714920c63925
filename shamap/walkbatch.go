package shamap

import (
	"bytes"
	"errors"
	"math/bits"
	"slices"
)

// BatchSource is a Source that finds many nodes at once for much less than one by one.
type BatchSource interface {
	Source
	// FetchSorted looks up hashes that ascend and calls fn with the position and the prefixed bytes of each that is
	// there; the slice is valid during the call only.
	FetchSorted(hs [][32]byte, fn func(i int, prefixed []byte) error) error
}

// walkBatch is how many missing nodes a walk collects before it asks for them. Hashes are spread evenly over the
// store, so it is the share of the store's blocks that one look-up touches; what a walk holds at most is about this
// many nodes for each level of the tree.
const walkBatch = 8192

// absent is a node that a walk has to load.
type absent struct {
	hash  [32]byte
	depth int
}

// frame is an inner node on the way of a batchWalk.
type frame struct {
	n     *Node
	held  bool
	depth int
	rest  uint16 // branches still to go
}

// batchWalk visits every node, parents before children: what is in memory depth first, the rest in batches.
type batchWalk struct {
	m       *Map
	src     BatchSource
	fn      func(n *Node) bool
	stack   []frame
	missing []absent
	hashes  [][32]byte
}

var errStopped = errors.New("shamap: walk stopped")

func (w *batchWalk) run(root *Node) error {
	defer w.drop()
	err := w.visit(root, false, 0)
	for err == nil && (len(w.stack) > 0 || len(w.missing) > 0) {
		if len(w.stack) == 0 || len(w.missing) >= walkBatch {
			err = w.load()
		} else {
			err = w.step()
		}
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// drop gives back what an ended walk still holds.
func (w *batchWalk) drop() {
	for _, f := range w.stack {
		if f.held {
			f.n.Release()
		}
	}
	w.stack = nil
}

// visit shows a node and puts it on the stack if it has children; it takes over the reference of a held one.
func (w *batchWalk) visit(n *Node, held bool, depth int) error {
	more := w.fn(n)
	if more && !n.isLeaf() {
		w.stack = append(w.stack, frame{n, held, depth, n.mask})
		return nil
	}
	if held {
		n.Release()
	}
	if !more {
		return errStopped
	}
	return nil
}

// step goes to the next child of the node on top.
func (w *batchWalk) step() error {
	f := &w.stack[len(w.stack)-1]
	if f.rest == 0 {
		top := *f
		w.stack = w.stack[:len(w.stack)-1]
		if top.held {
			top.n.Release()
		}
		return nil
	}
	b := bits.TrailingZeros16(f.rest)
	f.rest &= f.rest - 1
	if k := f.n.kid(b); k != nil {
		return w.visit(k, false, f.depth+1) // its parent stays below it on the stack
	}
	h, depth := *f.n.childHash(b), f.depth+1
	k, ok := w.src.Cached(h)
	if !ok {
		w.missing = append(w.missing, absent{h, depth})
		return nil
	}
	return w.fits(k, h, depth)
}

// fits visits a node that came with a reference if it can be where it was found.
func (w *batchWalk) fits(n *Node, h [32]byte, depth int) error {
	if reason := n.misfit(w.m.kind, depth); reason != "" {
		n.Release()
		return ErrCorrupt{Hash: h, Reason: reason}
	}
	return w.visit(n, true, depth)
}

// load asks for what is missing, in the order of the hashes.
func (w *batchWalk) load() error {
	batch := w.missing
	w.missing = nil
	slices.SortFunc(batch, func(a, b absent) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	w.hashes = w.hashes[:0]
	for _, a := range batch {
		w.hashes = append(w.hashes, a.hash)
	}
	found := make([]bool, len(batch))
	err := w.src.FetchSorted(w.hashes, func(i int, prefixed []byte) error {
		n, err := w.m.env.parseStored(batch[i].hash, prefixed)
		if err != nil {
			return err
		}
		found[i] = true
		return w.fits(w.m.env.canonical(batch[i].hash, n), batch[i].hash, batch[i].depth)
	})
	if err != nil {
		return err
	}
	if i := slices.Index(found, false); i >= 0 {
		return ErrMissing{Hash: batch[i].hash}
	}
	w.missing = batch[:0]
	return nil
}
