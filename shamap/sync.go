package shamap

import (
	"errors"
	"fmt"
	"math/bits"
)

// Want is a node that a Syncer lacks.
type Want struct {
	ID   NodeID
	Hash [32]byte
}

// AddResult says what became of a node given to a Syncer.
type AddResult uint8

// Results of AddNode.
const (
	AddInvalid   AddResult = iota // not what the tree has there; the sender is at fault
	AddUseful                     // the tree lacked it
	AddDuplicate                  // the tree has it already
)

func (r AddResult) String() string {
	switch r {
	case AddUseful:
		return "useful"
	case AddDuplicate:
		return "duplicate"
	}
	return "invalid"
}

// Syncer completes a tree of which only the root hash is known: it says which
// nodes are missing, takes them as peers send them, and ends with a Map. What
// the source has is not asked for. Nodes in hand are linked, in every mode. A
// Syncer belongs to one goroutine at a time.
type Syncer struct {
	env  *Env
	kind Kind
	want [32]byte
	root *Node
	done bool
	src  Source
}

// ErrIncomplete is returned where a tree is needed that still lacks nodes.
var ErrIncomplete = errors.New("shamap: tree is incomplete")

// NewSyncer begins with nothing but a root hash.
func NewSyncer(env *Env, kind Kind, root [32]byte) *Syncer {
	return &Syncer{env: env, kind: kind, want: root, src: env.Source, done: root == [32]byte{}}
}

// Missing names up to max nodes to ask for, those nearest to the left first.
// None and no error: the tree is complete.
func (s *Syncer) Missing(max int) ([]Want, error) {
	if s.done {
		return nil, nil
	}
	if s.root == nil {
		n, err := s.env.lookup(s.want)
		if err != nil {
			return nil, err
		}
		if n == nil {
			return []Want{{Hash: s.want}}, nil
		}
		if reason := n.misfit(s.kind, 0); reason != "" {
			n.Release()
			return nil, ErrCorrupt{Hash: s.want, Reason: reason}
		}
		s.root = n
	}
	f := finder{s: s, max: max}
	_, err := f.node(s.root, NodeID{})
	s.done = err == nil && len(f.out) == 0
	return f.out, err
}

type finder struct {
	s   *Syncer
	max int
	out []Want
}

// node says whether everything under n is in memory.
func (f *finder) node(n *Node, id NodeID) (whole bool, err error) {
	if n.isLeaf() || n.bit(ownFullBelow) {
		return true, nil
	}
	before := len(f.out)
	whole = true
	for set := n.mask; set != 0 && len(f.out) < f.max; set &= set - 1 {
		b := bits.TrailingZeros16(set)
		below, err := f.branch(n, b, id)
		if err != nil {
			return false, err
		}
		whole = whole && below
	}
	if len(f.out) != before || len(f.out) >= f.max {
		return false, nil
	}
	if whole { // linked to the last leaf, so it stays true while n lives
		n.setBit(ownFullBelow)
	}
	if f.s.src != nil && !n.bit(ownUnsaved) {
		f.s.src.MarkFullBelow(n.hash)
	}
	return whole, nil
}

func (f *finder) branch(n *Node, b int, id NodeID) (whole bool, err error) {
	k := n.kid(b)
	if k == nil {
		h := *n.childHash(b)
		if f.s.src != nil && f.s.src.FullBelow(h) {
			return false, nil // stored, not in memory
		}
		if k, err = f.s.env.lookup(h); err != nil {
			return false, err
		}
		if k == nil {
			f.out = append(f.out, Want{ID: id.child(b), Hash: h})
			return false, nil
		}
		defer k.Release()
		if reason := k.misfit(f.s.kind, int(id.Depth)+1); reason != "" {
			return false, ErrCorrupt{Hash: h, Reason: reason}
		}
		n.link(b, k)
	}
	return f.node(k, id.child(b))
}

// AddNode takes a node in wire form that a peer says belongs at id. The error
// tells why a node is invalid.
func (s *Syncer) AddNode(id NodeID, wire []byte) (AddResult, error) {
	if s.done {
		return AddDuplicate, nil
	}
	if int(id.Depth) > maxDepth || masked(id.Path, int(id.Depth)) != id.Path {
		return AddInvalid, parseError("node id with bits below its depth")
	}
	path := make([]*Node, 0, maxDepth)
	want := s.want
	for n := s.root; n != nil; {
		d := len(path)
		if d == int(id.Depth) {
			return AddDuplicate, nil
		}
		b := nibble(&id.Path, d)
		if n.isLeaf() || !n.has(b) {
			return AddInvalid, fmt.Errorf("shamap: the tree has nothing at depth %d of path %X", id.Depth, id.Path[:])
		}
		path, want = append(path, n), *n.childHash(b)
		n = n.kid(b)
	}
	if len(path) != int(id.Depth) {
		return AddInvalid, fmt.Errorf("shamap: the parent of path %X at depth %d is not known yet", id.Path[:], id.Depth)
	}
	n, err := s.parse(want, id, wire)
	if err != nil {
		return AddInvalid, err
	}
	s.attach(path, id, n)
	return AddUseful, nil
}

func (s *Syncer) parse(want [32]byte, id NodeID, wire []byte) (*Node, error) {
	b, err := WireToPrefixed(nil, wire)
	if err != nil {
		return nil, err
	}
	n, err := ParsePrefixed(s.env, want, b)
	if err != nil {
		return nil, err
	}
	reason := n.misfit(s.kind, int(id.Depth))
	if reason == "" && n.isLeaf() && !sharesPath(n.key(), &id.Path, int(id.Depth)) {
		reason = "a leaf at a place its key does not lead to"
	}
	if reason != "" {
		n.Release()
		return nil, ErrCorrupt{Hash: want, Reason: reason}
	}
	n.own = ownUnsaved
	if s.src != nil {
		n = s.env.canonical(want, n)
	}
	return n, nil
}

// attach links n under its parent, the last of path. The whole path counts as
// not stored, so that Flush finds the way to n.
func (s *Syncer) attach(path []*Node, id NodeID, n *Node) {
	if len(path) == 0 {
		s.root = n
		return
	}
	for _, p := range path {
		p.setBit(ownUnsaved)
	}
	parent := path[len(path)-1]
	parent.link(nibble(&id.Path, len(path)-1), n)
	n.Release()
}

// Done says whether Missing has found the tree complete.
func (s *Syncer) Done() bool { return s.done }

// Flush gives what came from peers to sink; it may be called before the tree
// is complete, so that an interrupted sync goes on where it was.
func (s *Syncer) Flush(sink Sink) (nodes int, err error) {
	if s.root == nil {
		return 0, nil
	}
	m := &Map{env: s.env, kind: s.kind, root: s.root}
	nodes, err = m.Flush(sink)
	if err == nil && s.done && s.src != nil {
		s.src.MarkFullBelow(s.want)
	}
	return nodes, err
}

// Map gives the complete tree. If nodes came from peers and the map is backed,
// its Flush stores them, as Syncer.Flush does.
func (s *Syncer) Map() (*Map, error) {
	if !s.done {
		return nil, ErrIncomplete
	}
	if s.root != nil && !s.root.Acquire() {
		return nil, ErrReleased
	}
	return &Map{env: s.env, kind: s.kind, root: s.root}, nil
}

// Release gives up what the Syncer holds.
func (s *Syncer) Release() {
	if s.root != nil {
		s.root.Release()
		s.root = nil
	}
	s.done = false
}
