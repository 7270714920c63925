package ingest

import (
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/protocol"
)

// tracker follows clients' accepted transactions until they end.
type tracker struct {
	max     int
	refused atomic.Uint64
	mu      struct {
		sync.Mutex
		open map[protocol.Hash]tracked
	}
}

type tracked struct {
	received time.Time
	last     uint32 // LastLedgerSequence, 0 for none
	tx       *protocol.Transaction
}

func newTracker(limit int) *tracker {
	t := &tracker{max: limit}
	t.mu.open = make(map[protocol.Hash]tracked)
	return t
}

func (t *tracker) add(it *item) {
	last, _ := it.tx.LastLedgerSequence()
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.mu.open[it.id]; !ok && len(t.mu.open) >= t.max {
		t.refused.Add(1)
		return
	}
	t.mu.open[it.id] = tracked{it.received, last, it.tx}
}

// validated ends those in a validated ledger, those that expired with it, and those that nothing here will try again.
func (t *tracker) validated(seq uint32, results []TxResult, kept func(*protocol.Transaction) bool) (out []Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range results {
		if e, ok := t.mu.open[r.ID]; ok {
			out = append(out, Outcome{ID: r.ID, Fate: Validated, TER: r.TER, Seq: seq, Received: e.received})
			delete(t.mu.open, r.ID)
		}
	}
	for id, e := range t.mu.open {
		o := Outcome{ID: id, Seq: seq, Received: e.received}
		switch {
		case e.last != 0 && e.last <= seq:
			o.Fate, o.TER = Expired, protocol.TefMAX_LEDGER
		case e.last == 0 && !kept(e.tx):
			o.Fate, o.TER = Forgotten, protocol.TelLOCAL_ERROR
		default:
			continue
		}
		out = append(out, o)
		delete(t.mu.open, id)
	}
	return out
}

func (t *tracker) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.mu.open)
}
