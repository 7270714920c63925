package ingest

import (
	"fmt"
	"time"

	"ledgerlab/node/jobs"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// TxResult is a transaction of a validated ledger with its final code.
type TxResult struct {
	ID  protocol.Hash
	TER protocol.TER
}

// OnValidated tells the door of a validated ledger: local transactions it settles are let go, and tracked ones end.
func (d *Door) OnValidated(v ledger.ReadView, results []TxResult) error {
	seq := v.Header().Sequence
	d.validated.Store(seq)
	ids := make([]protocol.Hash, len(results))
	for i := range results {
		ids[i] = results[i].ID
	}
	if err := d.locals.sweep(v, ids); err != nil {
		return fmt.Errorf("local transactions at ledger %d: %w", seq, err)
	}
	open := d.open.Current()
	out := d.tracker.validated(seq, results, func(t *protocol.Transaction) bool {
		in, _ := open.HasTx(t.ID())
		return in || d.locals.has(t.ID()) || d.deps.Queue.Has(t)
	})
	open.Release()
	if d.deps.Hooks.Outcome != nil {
		for _, o := range out {
			d.deps.Hooks.Outcome(o)
		}
	}
	return nil
}

// follow starts to track a client's transaction, or ends it when nothing came of it. One that is tried again later is
// tracked already, and a code it gets then decides nothing: it may be in a ledger.
func (d *Door) follow(it *item) {
	if it.res.Accepted() {
		d.tracker.add(it)
		return
	}
	if d.deps.Hooks.Outcome != nil {
		d.deps.Hooks.Outcome(Outcome{ID: it.id, Fate: Refused, TER: it.res.TER, Received: it.received})
	}
}

// CloseSet applies the held transactions, with what is pending, and returns the transactions of the open ledger by id:
// this node's position. rippled: RCLConsensus::onClose.
func (d *Door) CloseSet() []*protocol.Transaction {
	if held := d.held.takeAll(d.open.parentOf()); len(held) > 0 {
		now := d.now()
		for _, it := range held {
			it.verified, it.again, it.resub = now, true, true
		}
		d.batcher.batch(held)
	}
	v := d.open.Current()
	defer v.Release()
	return v.TxsByID()
}

// Flush applies what is verified and pending, with the held transactions that successes make ready, and returns when
// nothing is left.
func (d *Door) Flush() {
	for {
		d.batcher.batch(nil)
		if n, _ := d.batcher.state(); n == 0 {
			return
		}
	}
}

// Open is the open ledger.
func (d *Door) Open() *OpenLedger { return d.open }

// Router is the memory of ids.
func (d *Door) Router() *Router { return d.router }

// Stats are the counters.
func (d *Door) Stats() *Stats { return &d.stats }

// VerifyPlace is the instrument of the waiting place before the verify worker (the seed's 250 drop), BatchPlace of that
// before the one writer, AcceptPlace of the rebuild.
func (d *Door) VerifyPlace() *jobs.Place { return &d.verify.place }

// BatchPlace is the instrument of the waiting place before the one writer of the open ledger.
func (d *Door) BatchPlace() *jobs.Place { return &d.batcher.place }

// AcceptPlace is the instrument of the rebuild of the open ledger.
func (d *Door) AcceptPlace() *jobs.Place { return &d.acceptPlace }

// Sizes are the current lengths of everything that waits.
type Sizes struct {
	VerifyRemote, VerifyLocal, Pending, Held, Locals, Tracked, Router, Recent int
	RouterEvictions                                                           uint64
	HeldRefused, LocalsRefused, TrackRefused                                  uint64
}

// Sizes reads all lengths.
func (d *Door) Sizes() Sizes {
	remote, local := d.verify.waiting()
	pending, _ := d.batcher.state()
	return Sizes{
		VerifyRemote: remote, VerifyLocal: local, Pending: pending, Held: d.held.len(), Locals: d.locals.len(), Tracked: d.tracker.len(),
		Router: d.router.Len(), Recent: d.recent.len(), RouterEvictions: d.router.Evictions(),
		HeldRefused: d.held.refused.Load(), LocalsRefused: d.locals.refused.Load(), TrackRefused: d.tracker.refused.Load(),
	}
}

// SetBatchInterval changes the pause between batches (flag open.batch_interval).
func (d *Door) SetBatchInterval(v time.Duration) error {
	if v < 0 || v > intervalMax {
		return fmt.Errorf("open.batch_interval: %v is outside 0..%v", v, intervalMax)
	}
	d.batcher.interval.Store(int64(v))
	d.batcher.wake()
	return nil
}

// SetVerifyBatch changes the number of signatures verified together (flag verify.batch).
func (d *Door) SetVerifyBatch(n int) error {
	if n < 1 || n > verifyBatchMax {
		return fmt.Errorf("verify.batch: %d is outside 1..%d", n, verifyBatchMax)
	}
	d.verifyBatch.Store(int64(n))
	return nil
}
