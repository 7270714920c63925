package ingest

import (
	"sync"

	"ledgerlab/node/protocol"
)

// recentTxs keeps the last transactions that were relayed, for peers that ask for an announced one. A ring: the oldest
// makes room.
type recentTxs struct {
	mu struct {
		sync.Mutex
		ring []*protocol.Transaction
		next int
		byID map[protocol.Hash]*protocol.Transaction
	}
}

func newRecentTxs(n int) *recentTxs {
	r := new(recentTxs)
	r.mu.ring = make([]*protocol.Transaction, n)
	r.mu.byID = make(map[protocol.Hash]*protocol.Transaction)
	return r
}

func (r *recentTxs) add(t *protocol.Transaction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.mu.byID[t.ID()]; ok {
		return
	}
	if old := r.mu.ring[r.mu.next]; old != nil {
		delete(r.mu.byID, old.ID())
	}
	r.mu.ring[r.mu.next] = t
	r.mu.next = (r.mu.next + 1) % len(r.mu.ring)
	r.mu.byID[t.ID()] = t
}

func (r *recentTxs) get(id protocol.Hash) *protocol.Transaction {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mu.byID[id]
}

func (r *recentTxs) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.mu.byID)
}
