package txq

import (
	"fmt"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap/payload"
)

// held is a transaction while it waits: its blob, in the payload heap, and what was remembered beside it. Its parsed form, three times as large, is made again when it is tried.
type held struct {
	blob  *payload.Blob
	local any // the verdict on its signatures: nobody verifies twice
}

func (q *Queue) hold(t *protocol.Transaction) held {
	return held{blob: q.o.Heap.NewBlob(payload.TagQueue, t.Blob()), local: t.Local()}
}

// transaction parses what is held.
func (h *held) transaction() (*protocol.Transaction, error) {
	raw, err := h.blob.AppendTo(make([]byte, 0, h.blob.Len()))
	if err != nil {
		return nil, fmt.Errorf("queued transaction: %w", err)
	}
	t, err := protocol.ParseTransaction(raw)
	if err != nil {
		return nil, fmt.Errorf("queued transaction: %w", err)
	}
	if h.local != nil {
		t.SetLocal(h.local)
	}
	return t, nil
}

// unlock frees mu and gives back the blobs of what left the queue meanwhile.
func (q *Queue) unlock() {
	gone := q.mu.gone
	q.mu.gone = nil
	q.mu.Unlock()
	for _, h := range gone {
		h.blob.Release()
	}
}

// Close gives the blobs of all queued transactions back. The queue is empty then and may be used on.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.unlock()
	var all []*entry
	q.mu.byFee.each(func(e *entry) { all = append(all, e) })
	for _, e := range all {
		q.removeLocked(e)
	}
}
