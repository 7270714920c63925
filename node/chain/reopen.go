package chain

import (
	"errors"
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// reopenMax bounds the ledgers between the validated one and one that was signed.
const reopenMax = 16

// Reopen takes up a ledger that this node built and signed, and that was not yet
// validated when the process ended: a quorum may have validated it elsewhere, and
// then it is here. Those between the validated ledger and it are taken up too.
// Header and nodes were written as one batch, so the header tells that all are there.
// An error says why it is not taken up.
func (m *Master) Reopen(id protocol.Hash) error {
	v := m.Validated()
	if v == nil {
		return fmt.Errorf("%w: no validated ledger to descend from", ErrNotHere)
	}
	defer v.Release()
	var way []*ledger.Ledger
	defer func() {
		for _, l := range way {
			l.Release()
		}
	}()
	for h := id; h != v.Hash(); {
		if len(way) == reopenMax {
			return fmt.Errorf("%w: %s is more than %d ledgers above the validated one", ErrNotHere, id, reopenMax)
		}
		l, err := m.openStored(h)
		if err != nil {
			return err
		}
		way = append(way, l)
		if l.Sequence() <= v.Sequence() {
			return fmt.Errorf("%w: %s does not descend from validated ledger %d", ErrNotHere, id, v.Sequence())
		}
		h = l.Header().ParentHash
	}
	for i := len(way) - 1; i >= 0; i-- {
		m.keep(way[i])
	}
	return nil
}

// backfill asks for the newest missing ledger within Options.History behind the
// validated one. The next is asked for when this one is here.
func (m *Master) backfill() {
	if m.opt.History == 0 || m.d.Peers == nil {
		return
	}
	seq, ok := m.newestMissing()
	if !ok {
		return
	}
	child, err := m.LedgerBySeq(seq + 1)
	if err != nil {
		if !errors.Is(err, ErrNotHere) {
			m.log.Warn("history cannot be followed", "seq", seq+1, "cause", err)
		}
		return
	}
	id := child.Header().ParentHash
	child.Release()
	if !m.acq.possible(id) {
		return
	}
	m.mu.Lock()
	m.mu.bySeq[seq] = id // of the validated chain: it enters the range when it is here
	m.mu.Unlock()
	m.Acquire(id, seq)
}

// newestMissing is the newest ledger that history should have and has not.
func (m *Master) newestMissing() (seq uint32, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.validated == nil {
		return 0, false
	}
	last := m.mu.validated.Sequence()
	low := max(last-min(m.opt.History, last-1), m.mu.floor, 1)
	s, in := m.mu.complete.around(last)
	if !in || s.first <= low {
		return 0, false
	}
	return s.first - 1, true
}
