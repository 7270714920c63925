package rcl

import (
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// setSource gives an acquisition what is here already, so that only what differs
// is asked of peers: the sets of one round differ in few transactions. Leaves come
// from transactions that this node has seen, inner nodes from the trees of kept
// sets. xrpld: ConsensusTransSetSF with its temporary node cache.
type setSource struct{ s *Sets }

var _ shamap.Source = setSource{}

// Fetch returns a node in prefix form; nil when it is not here.
func (f setSource) Fetch(h [32]byte) ([]byte, error) {
	f.s.mu.Lock()
	inner := f.s.mu.inner[h]
	f.s.mu.Unlock()
	if inner != nil {
		return inner.prefixed, nil
	}
	if f.s.cfg.Lookup == nil {
		return nil, nil
	}
	// The hash of a leaf without metadata is the transaction's identifier.
	t := f.s.cfg.Lookup(h)
	if t == nil {
		return nil, nil
	}
	b := make([]byte, 0, len(protocol.PrefixTxID)+len(t.Blob()))
	return append(append(b, protocol.PrefixTxID[:]...), t.Blob()...), nil
}

// Cached knows no shared nodes: every acquisition has a tree of its own.
func (setSource) Cached([32]byte) (*shamap.Node, bool) { return nil, false }

// Canonicalize shares nothing.
func (setSource) Canonicalize(_ [32]byte, n *shamap.Node) *shamap.Node { return n }

// FullBelow is never known.
func (setSource) FullBelow([32]byte) bool { return false }

// MarkFullBelow is not remembered.
func (setSource) MarkFullBelow([32]byte) {}

// innerNode is an inner node of a kept set and the last round that had it.
type innerNode struct {
	prefixed []byte
	round    uint64
}

// innersMax bounds the index; a set of 10,000 transactions has about 4,000.
const innersMax = 1 << 16

// indexInner remembers the inner nodes of a set that is now kept. A node that is
// known has a known subtree, but its age must be renewed, so all are visited.
func (s *Sets) indexInner(m *shamap.Map) error {
	type found struct {
		h [32]byte
		b []byte
	}
	var all []found
	err := m.WalkNodes(func(h [32]byte, prefixed []byte) bool {
		if [4]byte(prefixed) == protocol.PrefixInner {
			all = append(all, found{h, append([]byte(nil), prefixed...)})
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range all {
		if n := s.mu.inner[f.h]; n != nil {
			n.round = s.mu.round
		} else if len(s.mu.inner) < innersMax {
			s.mu.inner[f.h] = &innerNode{f.b, s.mu.round}
		}
	}
	return err
}

// forgetInner drops what no recent set had; it needs mu held.
func (s *Sets) forgetInner() {
	for h, n := range s.mu.inner {
		if n.round+1 < s.mu.round {
			delete(s.mu.inner, h)
		}
	}
}
