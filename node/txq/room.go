package txq

import (
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// clearAccount applies all queued transactions before the candidate, and the candidate, when together they pay for the
// series. It is tried on a copy first: when one does not apply, nothing has happened. rippled:
// tryClearAccountQueueUpThruTx.
func (c *candidate) clearAccount() (tx.Result, error) {
	before := c.ahead
	for i, e := range before {
		if e.seq.Compare(c.seq) >= 0 {
			before = before[:i]
			break
		}
	}
	need, ok := c.metric.Series(c.view.TxCount(), len(before)+1)
	total := c.paid
	for _, e := range before {
		if total > levelMax-e.level {
			total = levelMax
			break
		}
		total += e.level
	}
	if !ok || total < need {
		return refuse(protocol.TelINSUF_FEE_P), nil
	}
	trial := c.view.Clone()
	defer trial.Release()
	for _, e := range before {
		res, err := e.apply(c.eng, trial)
		if err != nil {
			return tx.Result{}, err
		}
		e.retries--
		e.result = res.TER
		if !res.Applied && res.TER != protocol.TefNO_TICKET { // a used ticket only has to leave the queue
			return refuse(res.TER), nil
		}
	}
	if res, err := c.eng.Apply(trial, c.tx, c.flags); err != nil || !res.Applied {
		return refuse(res.TER), err
	}
	return c.clearForGood(before)
}

// clearForGood repeats on the open view what has just applied to its copy.
func (c *candidate) clearForGood(before []*entry) (tx.Result, error) {
	gone := append([]*entry(nil), before...) // before shares the account's slice
	if c.replaced != nil {
		gone = append(gone, c.replaced)
	}
	for _, e := range gone {
		if e != c.replaced {
			if _, err := e.apply(c.eng, c.view); err != nil {
				return tx.Result{}, err
			}
		}
		c.q.removeLocked(e)
		c.q.stats.Cleared.Add(1)
	}
	return c.eng.Apply(c.view, c.tx, c.flags)
}

// makeRoom makes place for the candidate when the queue is full: the cheapest other account loses its last transaction
// if it pays less on average. Bytes are a limit of their own, for which more than one may have to go; when that does not
// suffice, all come back.
func (c *candidate) makeRoom() bool {
	q := c.q
	room := q.o.MaxBytes - q.mu.bytes - c.bytes()
	if c.replaced != nil {
		return room+c.replaced.bytes >= 0
	}
	var evicted []*entry
	for q.fullLocked(100) || room < 0 {
		e := c.cheapest()
		if e == nil {
			for _, e := range evicted {
				q.insertLocked(e)
			}
			return false
		}
		q.mu.byFee.remove(e)
		q.mu.byAccount[e.account].remove(e)
		q.mu.bytes -= e.bytes
		room += e.bytes
		evicted = append(evicted, e)
	}
	for _, e := range evicted {
		q.mu.gone = append(q.mu.gone, e.held)
		q.stats.Evicted.Add(1)
		q.place.Queue.Add(q.now().Sub(e.since))
	}
	return true
}

// cheapest is the transaction to lose its place to the candidate: the last of the account that holds the lowest level,
// or nil when that account's average is not below what the candidate pays.
func (c *candidate) cheapest() *entry {
	last := c.q.mu.byFee.lastNotOf(c.tx.Account())
	if last == nil {
		return nil
	}
	txs := c.q.mu.byAccount[last.account].txs
	level := last.level
	if last.level <= c.paid && len(txs) > 1 {
		level = average(txs)
	}
	if c.paid <= level {
		return nil
	}
	return txs[len(txs)-1]
}

// average adds quotients and remainders apart, so that it cannot overflow unless levels are absurd.
func average(txs []*entry) Level {
	var quo, rem Level
	n := Level(len(txs))
	for _, e := range txs {
		next, mod := e.level/n, e.level%n
		if quo >= levelMax-next || rem >= levelMax-mod {
			return levelMax
		}
		quo += next
		rem += mod
	}
	return quo + rem/n
}
