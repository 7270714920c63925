package rcl

import "sync"

// mailbox is the driver's one input queue. What peers send is bounded and refused
// when full; what this node's own parts answer (built ledgers, acquired sets) is
// never refused, its number being bounded by what was asked for.
type mailbox struct {
	max  int
	wake chan struct{} // capacity 1

	mu struct {
		sync.Mutex
		queue   []func()
		peers   int // of queue, from peers
		refused uint64
	}
}

func newMailbox(limit int) *mailbox {
	return &mailbox{max: limit, wake: make(chan struct{}, 1)}
}

// post queues an answer of an own part.
func (m *mailbox) post(f func()) {
	m.mu.Lock()
	m.mu.queue = append(m.mu.queue, f)
	m.mu.Unlock()
	m.signal()
}

// offer queues what a peer sent; false when the queue is full.
func (m *mailbox) offer(f func()) bool {
	m.mu.Lock()
	if m.mu.peers >= m.max {
		m.mu.refused++
		m.mu.Unlock()
		return false
	}
	m.mu.peers++
	m.mu.queue = append(m.mu.queue, f)
	m.mu.Unlock()
	m.signal()
	return true
}

func (m *mailbox) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take returns all that waits, in order of arrival.
func (m *mailbox) take() []func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.mu.queue
	m.mu.queue, m.mu.peers = nil, 0
	return q
}

func (m *mailbox) refusedCount() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.refused
}
