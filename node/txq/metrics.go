package txq

import (
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Metrics are the figures of the fee command. rippled: TxQ::getMetrics and doRPC.
type Metrics struct {
	Seq           uint32 // of the open ledger
	InLedger      int    // current_ledger_size
	Expected      int    // expected_ledger_size
	InQueue       int    // current_queue_size
	QueueMax      int    // max_queue_size; 0: none yet
	QueueBytes    int64
	QueueBytesMax int64

	ReferenceLevel, MinimumLevel, MedianLevel, OpenLedgerLevel Level
	BaseFee, MinimumFee, MedianFee, OpenLedgerFee              protocol.Drops
}

// Metrics describes escalation as it stands for an open ledger.
func (q *Queue) Metrics(v *ledger.OpenView) Metrics {
	q.mu.Lock()
	defer q.mu.Unlock()
	metric := q.mu.learner.metric
	m := Metrics{
		Seq: v.Header().Sequence, InLedger: v.TxCount(), Expected: metric.Expected, InQueue: q.mu.byFee.size, QueueMax: q.mu.limit,
		QueueBytes: q.mu.bytes, QueueBytesMax: q.o.MaxBytes,
		ReferenceLevel: BaseLevel, MinimumLevel: BaseLevel, MedianLevel: metric.Multiplier, OpenLedgerLevel: metric.Required(v.TxCount()),
		BaseFee: v.Fees().Base,
	}
	if q.fullLocked(100) {
		m.MinimumLevel = q.mu.byFee.last().level + 1
	}
	// With a base fee of zero escalation counts as if it were one drop.
	effective := m.BaseFee
	if effective == 0 && m.OpenLedgerLevel != m.ReferenceLevel {
		effective = 1
	}
	m.MedianFee = m.MedianLevel.Drops(m.BaseFee)
	m.MinimumFee = m.MinimumLevel.Drops(m.BaseFee)
	if q.fullLocked(100) {
		m.MinimumFee = m.MinimumLevel.Drops(effective)
	}
	m.OpenLedgerFee = m.OpenLedgerLevel.Drops(effective)
	if effective > 0 && LevelOf(m.OpenLedgerFee, effective, effective) < m.OpenLedgerLevel {
		m.OpenLedgerFee++
	}
	return m
}

// Detail describes one queued transaction.
type Detail struct {
	Tx         *protocol.Transaction
	Level      Level
	Retries    int
	LastResult protocol.TER
	HasResult  bool
	Cons       tx.Consequences
}

func (e *entry) detail() (Detail, error) {
	t, err := e.transaction()
	return Detail{Tx: t, Level: e.level, Retries: e.retries, LastResult: e.result, HasResult: e.retries < retriesAllowed, Cons: e.cons}, err
}

// Waiting is the number of queued transactions of one account.
func (q *Queue) Waiting(id protocol.AccountID) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if a := q.mu.byAccount[id]; a != nil {
		return len(a.txs)
	}
	return 0
}

// Has says whether a transaction is queued.
func (q *Queue) Has(t *protocol.Transaction) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.mu.byAccount[t.Account()].at(t.SeqProxy())
	return e != nil && e.id == t.ID()
}

// Account lists the queued transactions of one account, in their order.
func (q *Queue) Account(id protocol.AccountID) ([]Detail, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	a := q.mu.byAccount[id]
	if a == nil {
		return nil, nil
	}
	out := make([]Detail, len(a.txs))
	for i, e := range a.txs {
		var err error
		if out[i], err = e.detail(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// All lists at most limit queued transactions, best paying first.
func (q *Queue) All(limit int) ([]Detail, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]Detail, 0, min(limit, q.mu.byFee.size))
	for e := q.mu.byFee.first(); e != nil && len(out) < limit; e = q.mu.byFee.next(e) {
		d, err := e.detail()
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// Len is the number of queued transactions, Bytes what they take.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.byFee.size
}

// Bytes is what the queued transactions take, as far as it counts against fee.max_bytes.
func (q *Queue) Bytes() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.bytes
}

// Needed is the fee that lets a transaction into the open ledger now, the account's sequence, and the next one that can
// be queued (submit's reply).
func (q *Queue) Needed(v *ledger.OpenView, t *protocol.Transaction) (fee protocol.Drops, acctSeq, nextSeq uint32, err error) {
	base, err := tx.BaseFee(v, t)
	if err != nil {
		return 0, 0, 0, err
	}
	root, err := ledger.ReadAccount(v, t.Account())
	if err != nil {
		return 0, 0, 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	fee = q.mu.learner.metric.Required(v.TxCount()).Drops(base)
	if root == nil {
		return fee, 0, 0, nil
	}
	return fee, root.Sequence, q.mu.byAccount[t.Account()].nextQueuable(root).Value, nil
}
