package shamap

import (
	"sync"

	"ledgerlab/shamap/payload"
)

// grave takes dead nodes apart: their links are dropped, and whatever dies by
// that follows. It is iterative, so depth and size of the tree do not matter.
type grave struct {
	stack []*Node
	r     payload.Retirer
	touch uint8
}

var graves = sync.Pool{New: func() any { return &grave{} }}

// buryOne takes a dead node apart with everything that goes with it.
func buryOne(n *Node) {
	if n.isLeaf() {
		n.verify()
		n.hd.Heap().RetireOne(&n.hd, n.keep())
		return
	}
	g := graves.Get().(*grave)
	g.begin(n.hd.Heap())
	g.push(n)
	g.run(-1)
	g.end()
	graves.Put(g)
}

func (g *grave) begin(h *payload.Heap) { g.r = h.Retirer() }
func (g *grave) push(n *Node)          { g.stack = append(g.stack, n) }

func (g *grave) end() {
	g.r.Flush()
	clear(g.stack[:cap(g.stack)])
	g.stack = g.stack[:0]
}

// ahead is the number of dead nodes whose children are touched together before
// their counts go down, so that the cache misses overlap.
const ahead = 32

// run takes up to budget nodes apart, all of them when it is negative, and
// says whether that was all.
func (g *grave) run(budget int) (done bool) {
	for len(g.stack) > 0 {
		if budget == 0 {
			return false
		}
		k := min(len(g.stack), ahead)
		if budget > 0 {
			k = min(k, budget)
		}
		budget -= k
		var part [ahead]*Node
		from := g.stack[len(g.stack)-k:]
		copy(part[:], from)
		g.stack = g.stack[:len(g.stack)-k]
		for _, n := range part[:k] {
			for i := range n.children() { // none in a leaf
				if k := n.kidAt(i); k != nil {
					g.touch += k.typ
				}
			}
		}
		for _, n := range part[:k] {
			g.part(n)
		}
	}
	return true
}

// part drops the links of a dead node and retires it. The links stay in the
// dead header: a guarded reader may be following them.
func (g *grave) part(n *Node) {
	n.verify()
	for i := range n.children() {
		if k := n.kidAt(i); k != nil && k.hd.DropEdge() {
			g.stack = append(g.stack, k)
		}
	}
	g.r.Add(&n.hd, n.keep())
}
