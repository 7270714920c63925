package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"ledgerlab/consensus"
)

// txSet is a sorted list of transaction ids.
type txSet struct {
	id  consensus.Hash
	ids []consensus.Hash
}

func newTxSet(ids []consensus.Hash) *txSet {
	slices.SortFunc(ids, cmpHash)
	h := sha256.New()
	for _, id := range ids {
		h.Write(id[:])
	}
	return &txSet{consensus.Hash(h.Sum([]byte(nil))), ids}
}

func cmpHash(a, b consensus.Hash) int { return slices.Compare(a[:], b[:]) }

func (s *txSet) ID() consensus.Hash { return s.id }

func (s *txSet) Has(id consensus.Hash) bool {
	_, ok := slices.BinarySearchFunc(s.ids, id, cmpHash)
	return ok
}

func (s *txSet) With(id consensus.Hash) consensus.TxSet {
	if s.Has(id) {
		return s
	}
	return newTxSet(append(slices.Clone(s.ids), id))
}

func (s *txSet) Without(id consensus.Hash) consensus.TxSet {
	return newTxSet(slices.DeleteFunc(slices.Clone(s.ids), func(x consensus.Hash) bool { return x == id }))
}

func (s *txSet) Diff(other consensus.TxSet, limit int) (only, theirs []consensus.Hash, ok bool) {
	o := other.(*txSet)
	for _, id := range s.ids {
		if !o.Has(id) {
			only = append(only, id)
		}
	}
	for _, id := range o.ids {
		if !s.Has(id) {
			theirs = append(theirs, id)
		}
	}
	return only, theirs, len(only)+len(theirs) <= limit
}

// ledger is a closed ledger of the simulated world.
type ledger struct {
	id          consensus.Hash
	parent      *ledger
	seq         uint32
	set         *txSet
	parentClose consensus.NetTime
	closeTime   consensus.NetTime
	resolution  time.Duration
	agree       bool
}

func (l *ledger) ID() consensus.Hash                 { return l.id }
func (l *ledger) Seq() uint32                        { return l.seq }
func (l *ledger) ParentCloseTime() consensus.NetTime { return l.parentClose }
func (l *ledger) CloseTime() consensus.NetTime       { return l.closeTime }
func (l *ledger) CloseResolution() time.Duration     { return l.resolution }
func (l *ledger) CloseAgree() bool                   { return l.agree }

// MinSeq is that of a skip list.
func (l *ledger) MinSeq() uint32 { return l.seq - min(l.seq, 256) }

func (l *ledger) Ancestor(seq uint32) consensus.Hash {
	if seq > l.seq || seq < l.MinSeq() {
		return consensus.Hash{}
	}
	for l != nil && l.seq > seq {
		l = l.parent
	}
	if l == nil {
		return consensus.Hash{}
	}
	return l.id
}

// world makes ledgers; equal content gives the same ledger to everyone.
type world struct {
	genesis *ledger
	ledgers map[consensus.Hash]*ledger
}

func newWorld(start consensus.NetTime) *world {
	w := &world{ledgers: map[consensus.Hash]*ledger{}}
	w.genesis = w.add(&ledger{seq: 1, set: newTxSet(nil), closeTime: start, resolution: consensus.GenesisResolution, agree: true})
	return w
}

func (w *world) add(l *ledger) *ledger {
	var b []byte
	if l.parent != nil {
		b = append(b, l.parent.id[:]...)
	}
	b = append(b, l.set.id[:]...)
	b = binary.BigEndian.AppendUint32(b, l.seq)
	b = binary.BigEndian.AppendUint32(b, uint32(l.closeTime))
	b = binary.BigEndian.AppendUint64(b, uint64(l.resolution))
	if l.agree {
		b = append(b, 1)
	}
	l.id = sha256.Sum256(b)
	if old := w.ledgers[l.id]; old != nil {
		return old
	}
	w.ledgers[l.id] = l
	return l
}

// child is what accepting a set on a ledger makes.
func (w *world) child(a consensus.Accept) *ledger {
	p := a.Parent.(*ledger)
	return w.add(&ledger{
		parent: p, seq: p.seq + 1, set: a.Set.(*txSet), parentClose: p.closeTime, closeTime: a.CloseTime,
		resolution: a.Resolution, agree: a.CloseTimeCorrect,
	})
}
