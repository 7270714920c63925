package ingest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/jobs"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// poppedMax held transactions of an account follow a success into the next batch. rippled: kMaxPoppedTransactions.
const poppedMax = 10

// batcher collects verified transactions and applies them in batches: with an interval of 0 as soon as the last batch is
// done, otherwise that long after the start of the last one; a Sync submission is never made to wait.
type batcher struct {
	d        *Door
	place    jobs.Place
	interval atomic.Int64
	ready    chan struct{}

	mu struct {
		sync.Mutex
		pending []*item
		urgent  bool
		ended   bool
	}
	apply sync.Mutex // one batch at a time: the batcher's goroutine, or Close on the driver's
	eng   *tx.Engine // under OpenLedger.modify
	last  time.Time  // start of the last batch; batcher's goroutine only
}

func newBatcher(d *Door, eng *tx.Engine) *batcher {
	b := &batcher{d: d, ready: make(chan struct{}, 1), eng: eng}
	b.interval.Store(int64(d.o.BatchInterval))
	return b
}

// push queues verified transactions; what does not fit is refused.
func (b *batcher) push(items []*item) {
	if len(items) == 0 {
		return
	}
	b.place.Arrivals.Add(uint64(len(items)))
	b.mu.Lock()
	room := max(b.d.o.PendingMax-len(b.mu.pending), 0)
	err := ErrBusy
	if b.mu.ended {
		room, err = 0, ErrEnded
	}
	var refused []*item
	if room < len(items) {
		items, refused = items[:room], items[room:]
	}
	for _, it := range items {
		b.mu.urgent = b.mu.urgent || (it.local && it.opts.Mode == Sync)
	}
	b.mu.pending = append(b.mu.pending, items...)
	b.mu.Unlock()
	b.wake()
	b.place.Refused.Add(uint64(len(refused)))
	for _, it := range refused {
		it.answer(Reply{}, err)
	}
}

func (b *batcher) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *batcher) state() (n int, urgent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.mu.pending), b.mu.urgent
}

func (b *batcher) takeAll() []*item {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.mu.pending
	b.mu.pending, b.mu.urgent = nil, false
	return items
}

// run applies batches until ctx ends.
func (b *batcher) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for ctx.Err() == nil {
		n, urgent := b.state()
		if n > 0 {
			wait := time.Duration(b.interval.Load()) - b.d.now().Sub(b.last)
			if urgent || wait <= 0 {
				b.last = b.d.now()
				b.batch(nil)
				continue
			}
			timer.Reset(wait)
		}
		select {
		case <-b.ready:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	b.mu.Lock()
	b.mu.ended = true
	left := b.mu.pending
	b.mu.pending = nil
	b.mu.Unlock()
	for _, it := range left {
		it.answer(Reply{}, ErrEnded)
	}
}

// batch applies what is pending, after first. It runs on one goroutine at a time and calls nobody under a lock.
func (b *batcher) batch(first []*item) {
	b.apply.Lock()
	items := append(first, b.takeAll()...)
	if len(items) == 0 {
		b.apply.Unlock()
		return
	}
	info, out := b.applyBatch(items)
	b.apply.Unlock()
	if len(out) > 0 && b.d.deps.Relay != nil {
		b.d.deps.Relay(out...)
	}
	b.report(items, info)
}

// applyBatch is rippled's NetworkOPs::apply: both main locks for the open ledger, the main lock alone for what follows.
func (b *batcher) applyBatch(items []*item) (BatchInfo, []peer.Outgoing) {
	d := b.d
	info := BatchInfo{At: d.now(), Size: len(items)}
	for _, it := range items {
		wait := info.At.Sub(it.verified)
		info.QueueSum += wait
		info.QueueMax = max(info.QueueMax, wait)
		b.place.Queue.Add(wait)
		if it.local {
			info.Local++
		}
	}
	d.deps.Main.Lock()
	t1 := d.now()
	d.deps.Ledger.Lock()
	t2 := d.now()
	info.Copy, info.Apply, info.Err = d.open.Modify(func(v *ledger.OpenView) (bool, error) {
		info.Seq, info.OpenTxs, info.OpenChanged = v.Header().Sequence, v.TxCount(), v.Changed()
		return b.applyAll(v, items)
	})
	t3 := d.now()
	d.deps.Ledger.Unlock()
	out := b.settle(items, &info)
	d.deps.Main.Unlock()
	end := d.now()
	info.MainWait, info.LedgerWait = t1.Sub(info.At), t2.Sub(t1)
	info.LedgerHold, info.MainHold = t3.Sub(t2), end.Sub(t1)
	b.place.LockWait.Add(t2.Sub(info.At))
	b.place.LockHold.Add(t3.Sub(t2))
	b.place.Work.Add(info.Apply)
	info.Relayed = len(out)
	return info, out
}

func (b *batcher) applyAll(v *ledger.OpenView, items []*item) (changed bool, err error) {
	for _, it := range items {
		var flags tx.Flags
		if it.opts.FailHard {
			flags |= tx.FailHard
		}
		if it.opts.Unlimited {
			flags |= tx.Unlimited
		}
		res, err := b.d.deps.Queue.Apply(b.eng, v, it.tx, flags)
		if err != nil {
			return false, err
		}
		it.res = Reply{ID: it.id, Tx: it.tx, HasResult: true, TER: res.TER, Applied: res.Applied}
		changed = changed || res.Applied
	}
	return changed, nil
}

// settle decides what becomes of each transaction, by the table of rippled's NetworkOPs::apply.
func (b *batcher) settle(items []*item, info *BatchInfo) (out []peer.Outgoing) {
	if info.Err != nil {
		return nil
	}
	var next []*item
	for _, it := range items {
		ter := it.res.TER
		b.settleOne(it, info)
		if ter.IsTes() {
			next = append(next, b.popHeld(it)...)
		}
		failHard := it.opts.FailHard && !ter.IsTes()
		if it.own() && !failHard && !ter.IsTem() && ter != protocol.TefPAST_SEQ {
			it.res.Kept = b.d.locals.add(info.Seq, it.tx) || it.res.Kept
		}
		if failHard || !(it.res.Applied || ter == protocol.TerQUEUED || (it.own() && !b.d.deps.Full() && !ter.IsTem())) {
			continue
		}
		if seen, ok := b.d.router.ShouldRelay(it.id, info.At); ok {
			it.res.Broadcast = b.d.deps.Relay != nil
			out = append(out, peer.Outgoing{ID: it.id, Blob: it.tx.Blob(), Seen: seen, Entry: it.local})
			b.d.recent.add(it.tx)
		}
	}
	info.Retried = len(next)
	if len(next) > 0 {
		b.push(next)
	}
	return out
}

func (b *batcher) settleOne(it *item, info *BatchInfo) {
	r := &it.res
	switch ter := r.TER; {
	case ter.IsTem():
		b.d.router.SetFlags(it.id, FlagBad)
		r.Status = StatusInvalid
		info.Failed++
	case r.Applied:
		r.Status = StatusIncluded
		info.Applied++
	case ter == protocol.TefPAST_SEQ:
		r.Status = StatusObsolete
		info.Failed++
	case ter == protocol.TerQUEUED:
		r.Status, r.Queued, r.Kept = StatusHeld, true, true
		if !b.d.o.HoldOnce || !it.again {
			b.d.held.add(it)
		}
		info.Queued++
	case ter.IsTer() || ter.IsTel() || ter.IsTef():
		r.Status = StatusInvalid
		if !it.opts.FailHard && b.mayHold(it, info.Seq) && b.d.held.add(it) {
			r.Status, r.Kept = StatusHeld, true
			info.Held++
			return
		}
		info.Failed++
	default:
		r.Status = StatusInvalid
		info.Failed++
	}
}

// mayHold: a client's, or one that expires soon, or one that was never held before.
func (b *batcher) mayHold(it *item, open uint32) bool {
	if b.d.o.HoldOnce && (it.again || !it.res.TER.IsTer()) {
		return false
	}
	if it.own() {
		return true
	}
	if last, has := it.tx.LastLedgerSequence(); has && last >= open && last-open <= holdLedgers {
		return true
	}
	return b.d.router.SetFlags(it.id, FlagHeld)
}

// popHeld takes the held transactions that a success of their account makes ready.
func (b *batcher) popHeld(it *item) (out []*item) {
	after := it.tx.SeqProxy()
	for range poppedMax {
		next := b.d.held.popNext(it.tx.Account(), after)
		if next == nil {
			break
		}
		next.verified, next.resub = b.d.now(), true
		out = append(out, next)
		after = next.tx.SeqProxy()
	}
	return out
}

// report answers clients and tells the hooks.
func (b *batcher) report(items []*item, info BatchInfo) {
	d := b.d
	if info.Err != nil {
		d.log.Error("batch undone", "err", info.Err)
	}
	for _, it := range items {
		if info.Err != nil {
			it.answer(Reply{}, info.Err)
			continue
		}
		if it.res.Applied && d.deps.Hooks.Applied != nil {
			d.deps.Hooks.Applied(it.tx, it.res.TER, info.Seq)
		}
		if it.own() {
			d.follow(it)
		}
		it.answer(it.res, nil)
	}
	if d.deps.Hooks.Batch != nil {
		d.deps.Hooks.Batch(info)
	}
}
