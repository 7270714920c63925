package shamap

import (
	"math/bits"
	"sync"
	"unsafe"

	"ledgerlab/shamap/payload"
)

const (
	// Before keys are edited their paths are touched together, so that their
	// cache misses overlap: warmWindow keys at a time, as many as the first-level
	// cache holds the paths of, below the first node with at most warmMax changes.
	warmMax    = 128
	warmWindow = 32
	// pendMax is the number of inner nodes that wait for their hashes: enough
	// to fill the lanes, few enough to be still in the cache.
	pendMax = 1024
	// pendMaxLanes is pendMax where several goroutines share the work: one call
	// must be worth their start.
	pendMaxLanes = 4096
	// pendMaxOne is pendMax where hashes are computed one by one: no lanes to
	// fill, so the nodes are hashed while the first-level cache has them.
	pendMaxOne = 32
	// headersMin is the number of changes from which on headers are allocated in
	// runs: below it what is left of the runs would outweigh what they save.
	headersMin = 256
)

// batch is one run of changes over a map.
type batch struct {
	m       *Map
	env     *Env
	ch      []Change
	link    bool
	hash    bool // hash as subtrees are finished
	chunk   []unsafe.Pointer
	bins    [branches + 1]bin // inner payload by number of children; dense: the last
	pend    pending
	heads   *headers // nil in a small batch
	touch   byte
	warming bool // inside a subtree whose paths are touched from its top
}

// bin is a supply of chunks of one size.
type bin struct {
	at   [payload.BatchMax]unsafe.Pointer
	have int
}

var batches = sync.Pool{New: func() any { return &batch{} }}

func newBatch(m *Map, ch []Change, hash bool) *batch {
	b := batches.Get().(*batch)
	b.m, b.env, b.ch, b.hash, b.link = m, m.env, ch, hash, m.linking()
	if cap(b.chunk) < len(ch) {
		b.chunk = make([]unsafe.Pointer, len(ch))
	}
	b.chunk = b.chunk[:len(ch)]
	if len(ch) >= headersMin {
		b.heads = &headers{}
	}
	return b
}

// end gives back what was not used.
func (b *batch) end() {
	heap := b.env.Heap
	for i, p := range b.chunk {
		if p != nil {
			heap.FreeBatch(leafTag(uint8(b.m.kind)), b.chunk[i:i+1], leafBytes(b.ch[i].Data))
			b.chunk[i] = nil
		}
	}
	for i := range b.bins {
		if s := &b.bins[i]; s.have > 0 {
			heap.FreeBatch(payload.TagInner, s.at[:s.have], b.binBytes(i))
			clear(s.at[:s.have])
			s.have = 0
		}
	}
	b.pend.clear()
	b.m, b.env, b.ch, b.heads = nil, nil, nil, nil
	batches.Put(b)
}

func (b *batch) binBytes(i int) int {
	if b.env.Sparse {
		return 32 * i
	}
	return denseBytes
}

// inner makes an inner node with undefined payload and no links.
func (b *batch) inner(mask uint16) *Node {
	i, most := branches, len(b.ch)
	if b.env.Sparse {
		i = bits.OnesCount16(mask)
		most /= 8
	}
	s := &b.bins[i]
	if s.have == 0 {
		n := max(1, min(len(s.at), most))
		var size [payload.BatchMax]uint32
		for j := range n {
			size[j] = uint32(b.binBytes(i))
		}
		b.env.Heap.AllocBatch(payload.TagInner, size[:n], s.at[:n])
		s.have = n
	}
	s.have--
	p := s.at[s.have]
	s.at[s.have] = nil
	n := b.env.newInner(mask, p, b.heads)
	n.own |= b.m.owner
	return n
}

// leaf makes the leaf of change i.
func (b *batch) leaf(i int) *Node {
	typ := uint8(b.m.kind)
	if b.chunk[i] == nil {
		b.leafChunks(i)
	}
	n := b.env.newLeaf(typ, &b.ch[i].Key, b.ch[i].Data, b.chunk[i], b.heads)
	b.chunk[i] = nil
	n.own |= b.m.owner
	if b.hash {
		b.pend.leaves = append(b.pend.leaves, n)
	}
	return n
}

// leafChunks allocates for the inserts from i on, in one call.
func (b *batch) leafChunks(i int) {
	var size [payload.BatchMax]uint32
	var at [payload.BatchMax]unsafe.Pointer
	var of [payload.BatchMax]int
	n := 0
	for ; i < len(b.ch) && n < len(size); i++ {
		if b.ch[i].Data != nil {
			size[n], of[n] = uint32(leafBytes(b.ch[i].Data)), i
			n++
		}
	}
	b.env.Heap.AllocBatch(leafTag(uint8(b.m.kind)), size[:n], at[:n])
	for j := range n {
		b.chunk[of[j]] = at[j]
	}
}

// pended notes that n, which sits at depth, waits for its hash.
func (b *batch) pended(n *Node, depth int, changed uint16) {
	if !b.hash {
		return
	}
	b.pend.add(n, depth, changed)
	most := pendMax
	switch {
	case b.env.Lanes > 1:
		most = pendMaxLanes
	case b.env.Heap.Lanes() == 1:
		most = pendMaxOne
	}
	if b.pend.inners >= most {
		b.pend.hash(b.env)
	}
}

// warm touches the paths of changes lo to hi from n down, level by level, so
// that the misses of different paths overlap. It changes nothing.
func (b *batch) warm(n *Node, depth, lo, hi int) {
	if hi-lo < 4 {
		return
	}
	var cur [warmWindow]*Node
	for i := range hi - lo {
		cur[i] = n
	}
	for left := true; left; depth++ {
		left = false
		var before, next *Node
		for i := range hi - lo {
			c := cur[i]
			if c == nil {
				continue
			}
			if c != before {
				b.touch += touch(c)
			}
			before = c
			if next = nil; !c.isLeaf() {
				if br := nibble(&b.ch[lo+i].Key, depth); c.has(br) {
					next = c.kid(br)
				}
			}
			cur[i] = next
			left = left || next != nil
		}
	}
}

// touch reads what an edit of the node will need: of a leaf its key, of an inner node all hashes and the headers of its
// children, whose counts will change.
func touch(n *Node) (sum byte) {
	p, size := n.hd.Raw(), uintptr(n.hd.Len())
	if n.isLeaf() {
		return *(*byte)(unsafe.Add(p, size-keyBytes)) + *(*byte)(unsafe.Add(p, size-1))
	}
	for o := uintptr(0); o < size; o += 64 {
		sum += *(*byte)(unsafe.Add(p, o))
	}
	for i := range n.children() {
		if k := n.kidAt(i); k != nil {
			sum += k.typ
		}
	}
	return sum
}
