package ingest

import (
	"fmt"
	"slices"

	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Passes of a rebuild. rippled: LEDGER_TOTAL_PASSES, LEDGER_RETRY_PASSES.
const (
	totalPasses = 3
	retryPasses = 1
)

// AcceptRequest is the rebuild of the open ledger on a new closed one.
type AcceptRequest struct {
	Closed Closed
	// Retries were left over from the build, or are disputed ones this node voted against.
	Retries      []*protocol.Transaction
	RetriesFirst bool          // at least one of them was disputed
	Salt         protocol.Hash // hash of the agreed set: orders the retries
	// Slow: the round took over five seconds, or the ledger was switched.
	Slow bool
}

// Accept rebuilds the open ledger on req.Closed: retries, the old open ledger's transactions, the fee queue, clients'
// own. It holds both main locks, waits for a batch at work, and blocks until the new ledger is in place. Afterwards the
// held transactions go to the next batch. rippled: RCLConsensus::doAccept and OpenLedger::accept.
func (d *Door) Accept(req AcceptRequest) (AcceptInfo, error) {
	info := AcceptInfo{At: d.now(), Seq: req.Closed.Ledger.Sequence() + 1, Retries: len(req.Retries)}
	txs, err := closedTxs(req.Closed)
	if err != nil {
		return info, err
	}
	if err := d.deps.Queue.ProcessClosed(req.Closed.Ledger, txs, req.Slow); err != nil {
		return info, err
	}
	asked := d.now()
	info.Learn = asked.Sub(info.At)
	d.deps.Main.Lock()
	d.deps.Ledger.Lock()
	got := d.now()
	a := accept{d: d, info: &info, salt: req.Salt, in: make(map[protocol.Hash]bool, len(txs))}
	for _, t := range txs {
		a.in[t.ID()] = true
	}
	err = d.open.replace(req.Closed.Ledger, func(old, next *ledger.OpenView) error { return a.rebuild(req, old, next) })
	d.deps.Ledger.Unlock()
	d.deps.Main.Unlock()
	info.LockWait, info.LockHold = got.Sub(asked), d.now().Sub(got)
	d.acceptPlace.Arrivals.Add(1)
	d.acceptPlace.LockWait.Add(info.LockWait)
	d.acceptPlace.LockHold.Add(info.LockHold)
	d.acceptPlace.Work.Add(info.LockHold)
	if err != nil {
		return info, err
	}
	if len(a.out) > 0 && d.deps.Relay != nil {
		d.deps.Relay(a.out...)
	}
	if !d.o.HoldOnce {
		d.pushHeld()
	}
	if d.deps.Hooks.Accepted != nil {
		d.deps.Hooks.Accepted(info)
	}
	return info, nil
}

// pushHeld gives the held transactions to the next batch.
func (d *Door) pushHeld() {
	items := d.held.takeAll(d.open.parentOf())
	now := d.now()
	for _, it := range items {
		it.verified, it.again, it.resub = now, true, true
	}
	d.batcher.push(items)
}

// accept is one rebuild.
type accept struct {
	d    *Door
	info *AcceptInfo
	salt protocol.Hash
	in   map[protocol.Hash]bool // transactions of the closed ledger
	out  []peer.Outgoing
}

func (a *accept) rebuild(req AcceptRequest, old, next *ledger.OpenView) error {
	start := a.d.now()
	retries := append([]*protocol.Transaction(nil), req.Retries...)
	var err error
	if req.RetriesFirst {
		if retries, err = a.apply(next, nil, retries); err != nil {
			return err
		}
	}
	current := a.remaining(old)
	a.info.Old = len(current)
	if retries, err = a.apply(next, current, retries); err != nil {
		return err
	}
	a.info.LeftOver = len(retries)
	t1 := a.d.now()
	if _, err = a.d.deps.Queue.Accept(a.d.batcher.eng, next); err != nil {
		return err
	}
	t2 := a.d.now()
	// What is in either ledger already would only be refused again.
	locals := a.d.locals.set(func(id protocol.Hash) bool {
		open, _ := next.HasTx(id)
		return open || a.in[id]
	})
	a.info.LocalTxs = len(locals)
	for _, t := range locals {
		if _, err := a.d.deps.Queue.Apply(a.d.batcher.eng, next, t, 0); err != nil {
			return err
		}
	}
	t3 := a.d.now()
	a.info.Reapply, a.info.FromQueue, a.info.Locals = t1.Sub(start), t2.Sub(t1), t3.Sub(t2)
	a.recover(next)
	return nil
}

// remaining are the transactions of the old open ledger that the closed one does not hold, by id.
func (a *accept) remaining(old *ledger.OpenView) []*protocol.Transaction {
	var out []*protocol.Transaction
	for _, r := range old.Txs() {
		if !a.in[r.Tx.ID()] {
			out = append(out, r.Tx)
		}
	}
	slices.SortFunc(out, func(x, y *protocol.Transaction) int { return x.ID().Compare(y.ID()) })
	return out
}

// recover relays again what is in the new open ledger and was not relayed lately.
func (a *accept) recover(next *ledger.OpenView) {
	a.info.Txs = next.TxCount()
	now := a.d.now()
	for _, r := range next.Txs() {
		if seen, ok := a.d.router.ShouldRelay(r.Tx.ID(), now); ok {
			a.out = append(a.out, peer.Outgoing{ID: r.Tx.ID(), Blob: r.Tx.Blob(), Seen: seen})
			a.d.recent.add(r.Tx)
		}
	}
	a.info.Recovered = len(a.out)
}

// apply tries txs once and then retries in passes: the first may fail softly, the last may not. It returns what is left.
// rippled: OpenLedger::apply.
func (a *accept) apply(v *ledger.OpenView, txs, retries []*protocol.Transaction) ([]*protocol.Transaction, error) {
	for _, t := range txs {
		r, err := a.one(v, t, true)
		if err != nil {
			return nil, err
		}
		if r == again {
			retries = append(retries, t)
		}
	}
	sortCanonical(a.salt, retries)
	soft := true
	for pass := range totalPasses {
		left := retries[:0]
		changes := 0
		for _, t := range retries {
			r, err := a.one(v, t, soft)
			switch {
			case err != nil:
				return nil, err
			case r == again:
				left = append(left, t)
			case r == done:
				changes++
			}
		}
		retries = left
		if changes == 0 && !soft {
			break
		}
		if changes == 0 || pass >= retryPasses {
			soft = false
		}
	}
	return retries, nil
}

type result uint8

const (
	done result = iota
	failed
	again
)

// one applies a transaction past the fee queue: what is in anybody's set is kept in the ledger.
// rippled: OpenLedger::applyOne.
func (a *accept) one(v *ledger.OpenView, t *protocol.Transaction, soft bool) (result, error) {
	if a.in[t.ID()] {
		return failed, nil
	}
	var flags tx.Flags
	if soft {
		flags = tx.Retry
	}
	res, err := a.d.batcher.eng.Apply(v, t, flags)
	switch {
	case err != nil:
		return failed, fmt.Errorf("re-apply %s: %w", t.ID(), err)
	case res.Applied:
		return done, nil
	case res.TER.IsTef(), res.TER.IsTem(), res.TER.IsTel():
		return failed, nil
	}
	return again, nil
}

// closedTxs returns the transactions of a closed ledger.
func closedTxs(c Closed) ([]*protocol.Transaction, error) {
	if c.Txs != nil || c.Ledger.Header().TxHash.IsZero() {
		return c.Txs, nil
	}
	var out []*protocol.Transaction
	var bad error
	err := c.Ledger.Txs().Walk(protocol.Hash{}, func(_ [32]byte, data []byte) bool {
		var blob []byte
		var t *protocol.Transaction
		if blob, _, bad = protocol.SplitTxNode(data); bad == nil {
			t, bad = protocol.ParseTransaction(append([]byte(nil), blob...))
		}
		out = append(out, t)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, fmt.Errorf("transactions of ledger %d: %w", c.Ledger.Sequence(), err)
	}
	return out, nil
}
