package node

import (
	"sync"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/ingest"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// watchers are told of each validated ledger, in order.
type watchers struct {
	mu struct { // guards its fields; the funcs are called outside it
		sync.Mutex
		next uint64
		fns  map[uint64]func(api.ValidatedLedger)
		seq  uint32
		seen time.Time
	}
}

// add registers fn until cancel is called.
func (w *watchers) add(fn func(api.ValidatedLedger)) (cancel func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.fns == nil {
		w.mu.fns = make(map[uint64]func(api.ValidatedLedger))
	}
	id := w.mu.next
	w.mu.next++
	w.mu.fns[id] = fn
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.mu.fns, id)
	}
}

// ledger tells everybody and returns the time since the ledger before was seen,
// 0 for the first one and after a gap.
func (w *watchers) ledger(l *ledger.Ledger, results []ingest.TxResult, seen time.Time) (interval time.Duration) {
	v := api.ValidatedLedger{Header: apiHeader(l.Header(), l.Hash()), Seen: seen, Count: len(results), Transactions: func() []api.LedgerTx {
		out := make([]api.LedgerTx, len(results))
		for i, r := range results {
			out[i] = api.LedgerTx{ID: r.ID, Code: int(r.TER)}
		}
		return out
	}}
	w.mu.Lock()
	if w.mu.seq != 0 && l.Sequence() == w.mu.seq+1 {
		interval = seen.Sub(w.mu.seen)
	}
	w.mu.seq, w.mu.seen = l.Sequence(), seen
	fns := make([]func(api.ValidatedLedger), 0, len(w.mu.fns))
	for _, fn := range w.mu.fns {
		fns = append(fns, fn)
	}
	w.mu.Unlock()
	for _, fn := range fns {
		fn(v)
	}
	return interval
}

func apiHeader(h *protocol.Header, hash protocol.Hash) api.Header {
	return api.Header{
		Seq: h.Sequence, Hash: hash, Parent: h.ParentHash, AccountHash: h.AccountHash, TxHash: h.TxHash,
		TotalDrops: h.Drops, CloseTime: h.CloseTime, ParentCloseTime: h.ParentCloseTime,
		CloseResolution: h.CloseTimeResolution, CloseFlags: h.CloseFlags,
	}
}
