package consensus

import (
	"bytes"
	"slices"
)

// LedgerTrie holds the ancestries of the ledgers that trusted validators last
// validated, and answers which ledger their support prefers. xrpld: LedgerTrie.h.
//
// It is a compressed trie: each node covers a span of sequences of one ledger's
// ancestry. Tip support is the number of validators whose last validated ledger
// is exactly the end of a span; branch support adds those of all descendants.
type LedgerTrie struct {
	root *trieNode
	// support counts tips by sequence; it gives the uncommitted support.
	support map[uint32]int
}

// span is the part [start, end) of a ledger's ancestry.
type span struct {
	start, end uint32
	ledger     Ledger
}

type trieNode struct {
	span     span
	tip      int
	branch   int // invariant: tip + sum of the children's branch
	children []*trieNode
	parent   *trieNode
}

// genesis is the common root of all ancestries, sequence 0.
type genesis struct{ Ledger }

func (genesis) ID() Hash             { return Hash{} }
func (genesis) Seq() uint32          { return 0 }
func (genesis) MinSeq() uint32       { return 0 }
func (genesis) Ancestor(uint32) Hash { return Hash{} }

// NewLedgerTrie returns an empty trie.
func NewLedgerTrie() *LedgerTrie {
	return &LedgerTrie{
		root:    &trieNode{span: span{start: 0, end: 1, ledger: genesis{}}},
		support: map[uint32]int{},
	}
}

// Mismatch returns the first sequence at which two ancestries differ, or one past
// the shorter. When the part both know differs as a whole, everything after
// genesis is assumed to differ.
func Mismatch(a, b Ledger) uint32 {
	low, seq := max(a.MinSeq(), b.MinSeq()), min(a.Seq(), b.Seq())
	for seq > 0 && seq >= low && a.Ancestor(seq) != b.Ancestor(seq) {
		seq--
	}
	if seq < low {
		return 1
	}
	return seq + 1
}

func (s span) diff(l Ledger) uint32 { return min(max(Mismatch(s.ledger, l), s.start), s.end) }

func (s span) startID() Hash { return s.ledger.Ancestor(s.start) }

// tipBefore is the last ledger of the span before seq.
func (s span) tipBefore(seq uint32) Tip {
	return Tip{Seq: seq - 1, ID: s.ledger.Ancestor(seq - 1), Via: s.ledger}
}

// Tip is a ledger in the trie. Its ID is zero at genesis, and where the ancestry
// it is known through does not reach back to it.
type Tip struct {
	Seq uint32
	ID  Hash
	// Via is the ledger in whose ancestry the tip lies.
	Via Ledger
}

// Parent is the hash of the ledger before the tip.
func (t Tip) Parent() Hash {
	if t.Seq == 0 {
		return Hash{}
	}
	return t.Via.Ancestor(t.Seq - 1)
}

// find returns the node with the longest common prefix and the first sequence
// where the ledger leaves it.
func (t *LedgerTrie) find(l Ledger) (*trieNode, uint32) {
	cur := t.root
	pos := cur.span.diff(l)
	for more := true; more && pos == cur.span.end; {
		more = false
		for _, child := range cur.children {
			if childPos := child.span.diff(l); childPos > child.span.start {
				cur, pos, more = child, childPos, true
				break
			}
		}
	}
	return cur, pos
}

// Insert adds one tip support for the ledger.
func (t *LedgerTrie) Insert(l Ledger) {
	loc, at := t.find(l)
	inc := loc
	if at < loc.span.end { // loc covers more than the common part: split it
		rest := &trieNode{
			span: span{at, loc.span.end, loc.span.ledger}, tip: loc.tip, branch: loc.branch,
			children: loc.children, parent: loc,
		}
		for _, c := range rest.children {
			c.parent = rest
		}
		loc.span.end, loc.tip, loc.children = at, 0, []*trieNode{rest}
	}
	if end := l.Seq() + 1; at < end { // the ledger goes on beyond the common part
		inc = &trieNode{span: span{at, end, l}, parent: loc}
		loc.children = append(loc.children, inc)
	}
	inc.tip++
	for n := inc; n != nil; n = n.parent {
		n.branch++
	}
	t.support[l.Seq()]++
}

// Remove takes one tip support of the ledger away; false when it had none.
func (t *LedgerTrie) Remove(l Ledger) bool {
	loc := t.findTip(t.root, l.ID(), l.Seq())
	if loc == nil || loc.tip == 0 {
		return false
	}
	loc.tip--
	if t.support[l.Seq()]--; t.support[l.Seq()] == 0 {
		delete(t.support, l.Seq())
	}
	for n := loc; n != nil; n = n.parent {
		n.branch--
	}
	t.compact(loc)
	return true
}

// compact removes nodes without tip support that no longer branch.
func (t *LedgerTrie) compact(loc *trieNode) {
	for loc != t.root && loc.tip == 0 && len(loc.children) < 2 {
		parent := loc.parent
		i := slices.Index(parent.children, loc)
		if len(loc.children) == 0 {
			parent.children = slices.Delete(parent.children, i, i+1)
		} else {
			child := loc.children[0]
			child.span.start = loc.span.start
			child.parent = parent
			parent.children[i] = child
		}
		loc = parent
	}
}

// findTip looks for the node that ends exactly at the ledger. Ancestries are
// searched by tip because an old ledger may no longer know its own early part.
func (t *LedgerTrie) findTip(n *trieNode, id Hash, seq uint32) *trieNode {
	if n.span.end == seq+1 && n.span.ledger.Ancestor(seq) == id {
		return n
	}
	for _, c := range n.children {
		if c.span.start <= seq {
			if f := t.findTip(c, id, seq); f != nil {
				return f
			}
		}
	}
	return nil
}

// TipSupport counts the validators whose last ledger is this one.
func (t *LedgerTrie) TipSupport(l Ledger) int {
	if n := t.findTip(t.root, l.ID(), l.Seq()); n != nil {
		return n.tip
	}
	return 0
}

// BranchSupport counts the validators at this ledger or a descendant of it.
func (t *LedgerTrie) BranchSupport(l Ledger) int {
	if n := t.findTip(t.root, l.ID(), l.Seq()); n != nil {
		return n.branch
	}
	loc, at := t.find(l)
	if at > l.Seq() && l.Seq() < loc.span.end {
		return loc.branch // the ledger lies within the span
	}
	return 0
}

// Empty is true when nobody supports anything.
func (t *LedgerTrie) Empty() bool { return t.root.branch == 0 }

// Preferred walks from the root as long as the support of the branch exceeds what
// the validators not yet committed at that sequence could bring elsewhere. A
// validator is uncommitted at a sequence when its last ledger is before it, or
// before largestIssued, the last sequence this node validated.
func (t *LedgerTrie) Preferred(largestIssued uint32) (tip Tip, ok bool) {
	if t.Empty() {
		return Tip{}, false
	}
	w := walker{seqs: t.sortedSupport(), support: t.support}
	cur := t.root
	for {
		next := cur.span.start + 1
		w.takeBefore(max(next, largestIssued))
		for next < cur.span.end && cur.branch > w.uncommitted {
			next = w.step(cur.span.end)
		}
		if next < cur.span.end { // stopped inside the span
			return cur.span.tipBefore(next), true
		}
		best, margin := bestChild(cur)
		if best == nil || margin <= w.uncommitted && w.uncommitted != 0 {
			return cur.span.tipBefore(cur.span.end), true
		}
		cur = best
	}
}

// Settled walks from the root like Preferred, but takes as uncommitted only the
// validators whose last ledger lies on the path walked, not those that are merely
// at a lower sequence on another branch. Where Preferred keeps every node of a
// network that fell apart on its own branch for ever, because each counts the
// others as uncommitted, Settled lets all choose the same one.
func (t *LedgerTrie) Settled() (tip Tip, ok bool) {
	if t.Empty() {
		return Tip{}, false
	}
	cur, uncommitted := t.root, 0
	for {
		uncommitted += cur.tip
		best, margin := bestChild(cur)
		if best == nil || margin <= uncommitted && uncommitted != 0 {
			return cur.span.tipBefore(cur.span.end), true
		}
		cur = best
	}
}

func (t *LedgerTrie) sortedSupport() []uint32 {
	seqs := make([]uint32, 0, len(t.support))
	for s := range t.support {
		seqs = append(seqs, s)
	}
	slices.Sort(seqs)
	return seqs
}

// walker sums the uncommitted support while the walk goes to higher sequences.
type walker struct {
	seqs        []uint32 // ascending, not yet taken
	support     map[uint32]int
	uncommitted int
}

func (w *walker) takeBefore(seq uint32) {
	for len(w.seqs) > 0 && w.seqs[0] < seq {
		w.take()
	}
}

func (w *walker) take() uint32 {
	s := w.seqs[0]
	w.uncommitted += w.support[s]
	w.seqs = w.seqs[1:]
	return s
}

// step jumps to the sequence after the next change of uncommitted support, or to
// the end of the span.
func (w *walker) step(end uint32) uint32 {
	if len(w.seqs) > 0 && w.seqs[0] < end {
		return w.take() + 1
	}
	return end
}

// bestChild is the child with most branch support, ties by the larger starting
// id; margin is what the second would have to gain.
func bestChild(n *trieNode) (best *trieNode, margin int) {
	var second *trieNode
	for _, c := range n.children {
		switch {
		case best == nil || better(c, best):
			best, second = c, best
		case second == nil || better(c, second):
			second = c
		}
	}
	if best == nil {
		return nil, 0
	}
	if second == nil {
		return best, best.branch
	}
	margin = best.branch - second.branch
	a, b := best.span.startID(), second.span.startID()
	if bytes.Compare(a[:], b[:]) > 0 {
		margin++
	}
	return best, margin
}

func better(a, b *trieNode) bool {
	if a.branch != b.branch {
		return a.branch > b.branch
	}
	x, y := a.span.startID(), b.span.startID()
	return bytes.Compare(x[:], y[:]) > 0
}
