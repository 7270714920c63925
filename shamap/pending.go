package shamap

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"ledgerlab/shamap/payload"
)

// pending are nodes whose hashes are not computed yet. All nodes under a
// pending inner node are hashed or pending too.
type pending struct {
	levels [maxDepth][]pend
	leaves []*Node
	inners int
	deep   int // deepest level in use
}

// pend is an inner node and the branches whose hashes it has yet to copy.
type pend struct {
	n       *Node
	changed uint16
}

func (p *pending) add(n *Node, depth int, changed uint16) {
	p.levels[depth] = append(p.levels[depth], pend{n, changed})
	p.inners++
	p.deep = max(p.deep, depth)
}

func (p *pending) clear() {
	for d := 0; d <= p.deep; d++ {
		clear(p.levels[d])
		p.levels[d] = p.levels[d][:0]
	}
	clear(p.leaves)
	p.leaves = p.leaves[:0]
	p.inners, p.deep = 0, 0
}

// hash computes leaves first, then inner nodes from the deepest level up, many
// at a time.
func (p *pending) hash(e *Env) {
	spread(e, len(p.leaves), func(lo, hi int) { hashLeaves(e, p.leaves[lo:hi]) })
	for d := p.deep; d >= 0; d-- {
		if level := p.levels[d]; len(level) > 0 {
			spread(e, len(level), func(lo, hi int) { hashInners(e, level[lo:hi]) })
		}
	}
	p.clear()
}

// spreadMin is the number of hashes that are worth another goroutine: about
// 60 us of work.
const spreadMin = 256

// spread runs fn over 0 to n in pieces, on several goroutines if there are
// enough, and waits for all.
func spread(e *Env, n int, fn func(lo, hi int)) {
	lanes := min(e.Lanes, n/spreadMin)
	if lanes < 2 {
		fn(0, n)
		return
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for {
			hi := int(next.Add(payload.HashMax))
			lo := hi - payload.HashMax
			if lo >= n {
				return
			}
			fn(lo, min(hi, n))
		}
	}
	for range lanes - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// blockClasses is the number of classes of leaves by SHA-512 blocks; longer
// leaves share the last.
const blockClasses = 6

// hashLeaves hashes leaves of like length together.
func hashLeaves(e *Env, leaves []*Node) {
	var class [blockClasses][payload.HashMax]*Node
	var count [blockClasses]int
	for _, n := range leaves {
		c := min(blockClasses-1, (n.hashed()+16)>>7)
		class[c][count[c]] = n
		if count[c]++; count[c] == payload.HashMax {
			hashLike(e, class[c][:])
			count[c] = 0
		}
	}
	for c := range class {
		if count[c] > 0 {
			hashLike(e, class[c][:count[c]])
		}
	}
}

func hashLike(e *Env, leaves []*Node) {
	var addr [payload.HashMax]uintptr
	var size [payload.HashMax]uint32
	var out [payload.HashMax][32]byte
	for i, n := range leaves {
		addr[i], size[i] = n.hd.Addr(), uint32(n.hashed())
	}
	e.Heap.HalfMany(addr[:len(leaves)], size[:len(leaves)], out[:len(leaves)])
	for i, n := range leaves {
		n.hash = out[i]
		n.own &^= ownDirty
	}
}

func hashInners(e *Env, level []pend) {
	var addr [payload.HashMax]uintptr
	var size [payload.HashMax]uint32
	var mask [payload.HashMax]uint16
	var out [payload.HashMax][32]byte
	for len(level) > 0 {
		part := level[:min(len(level), payload.HashMax)]
		level = level[len(part):]
		for i, p := range part {
			for m := p.changed; m != 0; m &= m - 1 {
				b := bits.TrailingZeros16(m)
				*p.n.childHash(b) = p.n.kid(b).hash
			}
			addr[i], size[i], mask[i] = p.n.hd.Addr(), denseBytes, p.n.mask
		}
		if e.Sparse {
			e.Heap.HalfSparse(addr[:len(part)], mask[:len(part)], out[:len(part)])
		} else {
			e.Heap.HalfMany(addr[:len(part)], size[:len(part)], out[:len(part)])
		}
		for i, p := range part {
			p.n.hash = out[i]
			p.n.own &^= ownDirty
		}
	}
}

// rehash hashes whatever single changes left out of date.
func (m *Map) rehash() {
	m.dirty = false
	if m.root == nil || !m.root.bit(ownDirty) {
		return
	}
	b := newBatch(m, nil, true)
	defer b.end()
	b.gather(m.root, 0)
	b.pend.hash(m.env)
}

func (b *batch) gather(n *Node, depth int) {
	var changed uint16
	for m := n.mask; m != 0; m &= m - 1 {
		branch := bits.TrailingZeros16(m)
		k := n.kid(branch)
		if k == nil || !k.bit(ownDirty) {
			continue
		}
		changed |= 1 << branch
		if k.isLeaf() {
			b.pend.leaves = append(b.pend.leaves, k)
		} else {
			b.gather(k, depth+1)
		}
	}
	b.pended(n, depth, changed)
}
