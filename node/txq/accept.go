package txq

import (
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Accept moves transactions from the queue into a new open ledger, best paying first, an account's in their order,
// until the next does not pay the level that is then required. changed says whether any entered. rippled: TxQ::accept.
func (q *Queue) Accept(eng *tx.Engine, v *ledger.OpenView) (changed bool, err error) {
	q.mu.Lock()
	defer q.unlock()
	metric := q.mu.learner.metric
	for e := q.mu.byFee.first(); e != nil; {
		a := q.mu.byAccount[e.account]
		if !e.seq.Ticket && e != a.txs[0] && e.seq.Compare(a.txs[0].seq) > 0 {
			e = q.mu.byFee.next(e) // not the front of its account: its turn comes when that has applied
			continue
		}
		if e.level < metric.Required(v.TxCount()) {
			break
		}
		res, err := e.apply(eng, v)
		if err != nil {
			return changed, fmt.Errorf("txq: accept %s: %w", e.id, err)
		}
		switch {
		case res.Applied:
			changed = true
			q.stats.Applied.Add(1)
			e = q.eraseAndAdvance(a, e)
		case res.TER.IsTef() || res.TER.IsTem() || e.retries <= 0:
			if e.retries <= 0 {
				a.retryPenalty = true
				q.stats.Retried.Add(1)
			} else {
				a.dropPenalty = true
				q.stats.Failed.Add(1)
			}
			e = q.eraseAndAdvance(a, e)
		default:
			e = q.keep(a, e, res.TER)
		}
	}
	q.mu.parent = v.Header().ParentHash
	q.mu.byFee.rekey(q.mu.parent)
	return changed, nil
}

// eraseAndAdvance removes e and returns what to try next: the account's next one when it was passed over before, since
// it pays more than what follows by level. rippled: TxQ::eraseAndAdvance.
func (q *Queue) eraseAndAdvance(a *account, e *entry) *entry {
	var mine *entry
	if i := a.lower(e.seq) + 1; i < len(a.txs) {
		mine = a.txs[i]
	}
	next := q.mu.byFee.next(e)
	q.removeLocked(e)
	if mine != nil && (next == nil || mine.before(next)) {
		return mine
	}
	return next
}

// keep leaves a transaction in the queue that may apply later; near its limit the queue lets go of the account's last.
func (q *Queue) keep(a *account, e *entry, ter protocol.TER) *entry {
	if a.retryPenalty && e.retries > 2 {
		e.retries = 1
	} else {
		e.retries--
	}
	e.result = ter
	if !a.dropPenalty || len(a.txs) < 2 || !q.fullLocked(95) {
		return q.mu.byFee.next(e)
	}
	q.stats.Evicted.Add(1)
	if e.seq.Ticket {
		return q.eraseAndAdvance(a, e)
	}
	if last := a.txs[len(a.txs)-1]; last != e {
		q.removeLocked(last)
	}
	return q.mu.byFee.next(e)
}
