package consensus

import (
	"bytes"
	"maps"
	"slices"
)

// trustedFor counts the trusted full validations of a ledger.
func (v *validations) trustedFor(id Hash) int {
	l := v.byLedger[id]
	if l == nil {
		return 0
	}
	n := 0
	for _, val := range l.byNode {
		if val.Trusted && val.Full {
			n++
		}
	}
	return n
}

// after counts the trusted nodes that validated a descendant of the ledger. have
// is the ledger this node works on, which may be another one.
func (v *validations) after(have Ledger, id Hash) int {
	if have.ID() == id {
		return v.trie.BranchSupport(have) - v.trie.TipSupport(have)
	}
	n := 0
	for _, l := range v.last {
		if l.Seq() > 0 && l.Ancestor(l.Seq()-1) == id {
			n++
		}
	}
	return n
}

// laggards counts the trusted nodes whose fresh validation is behind seq, and
// those without a fresh one.
func (v *validations) laggards(now NetTime, seq uint32) (behind, offline int) {
	offline = len(v.trusted)
	for n := range v.trusted {
		val, ok := v.current[n]
		if !ok || int64(now) >= int64(val.SeenAt)+secs(v.parms.ValidationFreshness) {
			continue
		}
		offline--
		if seq > val.Seq {
			behind++
		}
	}
	return behind, offline
}

// aheadMax: a node so many ledgers ahead of the last validated one, while it hears
// a quorum of validators, is in a network that fell apart into branches.
const aheadMax = 5

// preferred returns the ledger that the validations prefer, given the one we work
// on and the last validated sequence; ok is false when nothing is known.
//
// Beyond xrpld's rule: when nothing was validated for aheadMax ledgers although a
// quorum is heard of, the branches are compared by LedgerTrie.Settled, so that a
// network that fell apart comes together again. A ledger that did get a quorum
// keeps its branch: of the tips known here, a quorum, most are then on it.
func (v *validations) preferred(curr Ledger, validated uint32) (seq uint32, id Hash, ok bool) {
	tip, ok := v.trie.Preferred(v.local.seq)
	if !ok {
		// Of a missing ledger only the number is known. The next one is that which we
		// are about to build.
		if seq, id, ok = v.mostWanted(); ok && seq <= curr.Seq()+1 {
			return curr.Seq(), curr.ID(), true
		}
		return seq, id, ok
	}
	if curr.Seq() >= validated+aheadMax && len(v.last) >= v.quorum {
		tip, _ = v.trie.Settled()
	}
	switch {
	case tip.ID == (Hash{}): // genesis, or before what the ancestry tells
	case tip.Seq == curr.Seq()+1 && tip.Parent() == curr.ID(): // we are about to build it
	case tip.Seq > curr.Seq(), curr.Ancestor(tip.Seq) != tip.ID:
		return tip.Seq, tip.ID, true
	}
	return curr.Seq(), curr.ID(), true
}

// mostWanted is the missing ledger that most trusted nodes validated.
func (v *validations) mostWanted() (seq uint32, id Hash, ok bool) {
	best := 0
	for k, nodes := range v.acquiring {
		if n := len(nodes); n > best || n == best && bytes.Compare(k.id[:], id[:]) > 0 {
			best, seq, id, ok = n, k.seq, k.id, true
		}
	}
	return seq, id, ok
}

// wanted lists the missing ledgers, newest first.
func (v *validations) wanted() []seqID {
	return slices.SortedFunc(maps.Keys(v.acquiring), func(a, b seqID) int {
		if a.seq != b.seq {
			return int(int64(b.seq) - int64(a.seq))
		}
		return bytes.Compare(a.id[:], b.id[:])
	})
}

func sortedNodes[V any](m map[NodeID]V) []NodeID {
	return slices.SortedFunc(maps.Keys(m), NodeID.Compare)
}
