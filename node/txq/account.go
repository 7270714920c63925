package txq

import (
	"slices"
	"sort"
	"time"

	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// entry is one queued transaction. rippled: TxQ::MaybeTx.
type entry struct {
	held
	id      protocol.Hash
	tie     protocol.Hash // id xor parent hash
	lead    uint64        // first bytes of tie
	level   Level
	account protocol.AccountID
	seq     protocol.SeqProxy
	cons    tx.Consequences
	flags   tx.Flags
	retries int // left
	result  protocol.TER
	last    uint32 // LastLedgerSequence; 0: none
	bytes   int64
	since   time.Time
}

// following is the sequence after this transaction.
func (e *entry) following() protocol.SeqProxy {
	return protocol.SeqProxy{Value: e.seq.Value + e.cons.SequencesUsed, Ticket: e.seq.Ticket}
}

// account holds the queued transactions of one account, ordered by SeqProxy. rippled: TxQ::TxQAccount.
type account struct {
	txs          []*entry
	retryPenalty bool // one of them used up its retries
	dropPenalty  bool // one of them failed or expired
}

// lower is the first place whose SeqProxy is not before s.
func (a *account) lower(s protocol.SeqProxy) int {
	return sort.Search(len(a.txs), func(i int) bool { return a.txs[i].seq.Compare(s) >= 0 })
}

// at returns the transaction with exactly this SeqProxy, or nil.
func (a *account) at(s protocol.SeqProxy) *entry {
	if a == nil {
		return nil
	}
	if i := a.lower(s); i < len(a.txs) && a.txs[i].seq == s {
		return a.txs[i]
	}
	return nil
}

func (a *account) add(e *entry) { a.txs = slices.Insert(a.txs, a.lower(e.seq), e) }

func (a *account) remove(e *entry) {
	i := a.lower(e.seq)
	if i == len(a.txs) || a.txs[i] != e {
		panic("txq: entry is not in its account")
	}
	a.txs = slices.Delete(a.txs, i, i+1)
}

// nextQueuable is the sequence that fills the first gap: the account's own, or the one after those queued without one.
// rippled: TxQ::nextQueuableSeqImpl.
func (a *account) nextQueuable(root *protocol.AccountRoot) protocol.SeqProxy {
	acct := protocol.SeqProxy{Value: root.Sequence}
	if a == nil {
		return acct
	}
	i := a.lower(acct)
	if i == len(a.txs) || a.txs[i].seq != acct {
		return acct
	}
	next := a.txs[i].following()
	for _, e := range a.txs[i+1:] {
		if next.Compare(e.seq) < 0 {
			break
		}
		next = e.following()
	}
	return next
}
