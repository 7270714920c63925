package txq

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/jobs"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap/payload"
)

// entryOverhead is what a queued transaction takes beside its blob: the entry, the blob's header, its places in the
// account and in the index. Measured by TestTrialM13.
const entryOverhead = 352

// Queue is the transaction queue of a node. All methods are safe for concurrent use; those that take an OpenView are
// called by the one that writes it.
type Queue struct {
	o     Options
	now   func() time.Time
	stats Stats
	place jobs.Place

	mu struct {
		sync.Mutex
		byFee     feeIndex
		byAccount map[protocol.AccountID]*account
		bytes     int64
		learner   *learner
		limit     int // transactions; 0 until the first ledger that was not slow
		parent    protocol.Hash
		gone      []held // left the queue; given back once mu is free
	}
}

// Stats counts what happened to transactions at the queue.
type Stats struct {
	Direct   atomic.Uint64 // applied without waiting
	Queued   atomic.Uint64
	Replaced atomic.Uint64 // queued in place of one with the same sequence
	Cleared  atomic.Uint64 // left the queue because a later one of the account paid for all
	Applied  atomic.Uint64 // left the queue into an open ledger
	Expired  atomic.Uint64 // LastLedgerSequence passed
	Failed   atomic.Uint64 // left with a final code
	Retried  atomic.Uint64 // retries used up
	Evicted  atomic.Uint64 // made room for one that paid more
	Full     atomic.Uint64 // refused: limit of transactions, bytes or of the account
}

// New returns an empty queue.
func New(o Options) (*Queue, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	q := &Queue{o: o, now: o.Now}
	if q.now == nil {
		q.now = time.Now
	}
	if q.o.Heap == nil {
		heap, err := payload.NewHeap("go")
		if err != nil {
			return nil, fmt.Errorf("txq: %w", err)
		}
		q.o.Heap = heap
	}
	q.mu.byAccount = make(map[protocol.AccountID]*account)
	q.mu.learner = newLearner(o)
	return q, nil
}

// Place is the instrument of this waiting place: arrivals are queued transactions, Queue is their time in the queue.
func (q *Queue) Place() *jobs.Place { return &q.place }

// Stats are the counters.
func (q *Queue) Stats() *Stats { return &q.stats }

// Metric is what escalation has learned.
func (q *Queue) Metric() Metric {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.learner.metric
}

// ProcessClosed learns from a closed ledger and its transactions and drops what has expired. slow says that the round
// took over five seconds or that the ledger was switched. rippled: TxQ::processClosedLedger.
func (q *Queue) ProcessClosed(closed ledger.ReadView, txs []*protocol.Transaction, slow bool) error {
	levels := make([]Level, len(txs))
	for i, t := range txs {
		var err error
		if levels[i], err = levelPaid(closed, t); err != nil {
			return fmt.Errorf("txq: fee level in ledger %d: %w", closed.Header().Sequence, err)
		}
	}
	seq := closed.Header().Sequence
	q.mu.Lock()
	defer q.unlock()
	q.mu.learner.learn(levels, slow)
	if !slow {
		q.mu.limit = max(q.mu.learner.metric.Expected*q.o.QueueLedgers, q.o.QueueMin)
	}
	var expired []*entry
	q.mu.byFee.each(func(e *entry) {
		if e.last != 0 && e.last <= seq {
			expired = append(expired, e)
		}
	})
	for _, e := range expired {
		q.mu.byAccount[e.account].dropPenalty = true
		q.removeLocked(e)
		q.stats.Expired.Add(1)
	}
	for id, a := range q.mu.byAccount {
		if len(a.txs) == 0 {
			delete(q.mu.byAccount, id)
		}
	}
	return nil
}

// removeLocked takes an entry out of both orders; its account stays until the next closed ledger, with its penalties.
func (q *Queue) removeLocked(e *entry) {
	q.mu.byFee.remove(e)
	q.mu.byAccount[e.account].remove(e)
	q.mu.bytes -= e.bytes
	q.mu.gone = append(q.mu.gone, e.held)
	q.place.Queue.Add(q.now().Sub(e.since))
}

func (q *Queue) insertLocked(e *entry) {
	a := q.mu.byAccount[e.account]
	if a == nil {
		a = new(account)
		q.mu.byAccount[e.account] = a
	}
	e.setTie(q.mu.parent)
	a.add(e)
	q.mu.byFee.insert(e)
	q.mu.bytes += e.bytes
}

// fullLocked says whether the queue holds at least that share of its limit. rippled: TxQ::isFull.
func (q *Queue) fullLocked(percent int) bool {
	return q.mu.limit > 0 && q.mu.byFee.size >= q.mu.limit*percent/100
}

// drop removes a queued transaction that entered the ledger some other way.
func (q *Queue) drop(id protocol.AccountID, seq protocol.SeqProxy) {
	q.mu.Lock()
	defer q.unlock()
	if e := q.mu.byAccount[id].at(seq); e != nil {
		q.removeLocked(e)
		q.stats.Applied.Add(1)
	}
}

// apply runs the engine for a queued transaction.
func (e *entry) apply(eng *tx.Engine, v *ledger.OpenView) (tx.Result, error) {
	t, err := e.transaction()
	if err != nil {
		return tx.Result{}, err
	}
	return eng.Apply(v, t, e.flags)
}
