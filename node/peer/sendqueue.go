package peer

import (
	"sync"
	"time"

	"ledgerlab/node/protocol"
)

// message is one message on its way out. data is shared between peers and never written.
type message struct {
	kind kind
	id   protocol.Hash // of a transaction, full or announced
	data []byte        // nil: the id is the message

	onRequest bool // a transaction the peer asked for: sent even if it seems to have it
}

func (m *message) payload() []byte {
	if m.data == nil {
		return m.id[:]
	}
	return m.data
}

// urgency says when a message goes and what it may overtake.
type urgency uint8

const (
	whenFlushed urgency = iota // with the next flush
	prompt                     // at once, behind what waits
	atOnce                     // at once, before all that waits
)

// sendQueue holds what waits for one peer. It never blocks the caller: what does not fit is refused.
type sendQueue struct {
	messagesMax, bytesMax int
	ready                 chan struct{} // holds a token when something changed

	mu struct {
		sync.Mutex
		urgent, normal []message // urgent ones are taken first
		bytes          int
		first          time.Time // when the oldest pending message came
		prompt         bool      // flush at once
	}
}

func newSendQueue(messagesMax, bytesMax int) *sendQueue {
	return &sendQueue{messagesMax: messagesMax, bytesMax: bytesMax, ready: make(chan struct{}, 1)}
}

// push adds messages in order and returns how many were refused.
func (q *sendQueue) push(now time.Time, u urgency, flushBytes int, msgs ...message) (refused int) {
	q.mu.Lock()
	wasEmpty := len(q.mu.urgent)+len(q.mu.normal) == 0
	before := q.mu.bytes
	for i := range msgs {
		size := messageBytes(len(msgs[i].payload()))
		if len(q.mu.urgent)+len(q.mu.normal) >= q.messagesMax || q.mu.bytes+size > q.bytesMax {
			refused++
			continue
		}
		q.mu.bytes += size
		if u == atOnce {
			q.mu.urgent = append(q.mu.urgent, msgs[i])
		} else {
			q.mu.normal = append(q.mu.normal, msgs[i])
		}
	}
	if wasEmpty {
		q.mu.first = now
	}
	q.mu.prompt = q.mu.prompt || (u == prompt && q.mu.bytes > before)
	wake := q.mu.bytes > before && (wasEmpty || u != whenFlushed || (before < flushBytes && q.mu.bytes >= flushBytes))
	q.mu.Unlock()
	if wake {
		q.wake()
	}
	return refused
}

func (q *sendQueue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// state says what waits: nothing, or since when and whether it must go at once.
func (q *sendQueue) state(flushBytes int) (pending bool, first time.Time, now bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.mu.urgent)+len(q.mu.normal) > 0, q.mu.first, q.mu.prompt || len(q.mu.urgent) > 0 || q.mu.bytes >= flushBytes
}

// take removes messages of at most bytesMax together (one at least), urgent ones first, and of no kind more than a frame
// may hold.
func (q *sendQueue) take(bytesMax int, into []message) []message {
	q.mu.Lock()
	defer q.mu.Unlock()
	size := 0
	var counts [len(specs)]int
	for _, list := range []*[]message{&q.mu.urgent, &q.mu.normal} {
		n := 0
		for ; n < len(*list); n++ {
			s := messageBytes(len((*list)[n].payload()))
			k := (*list)[n].kind
			if size+s > bytesMax && len(into)+n > 0 || counts[k] >= specs[k].countMax {
				break
			}
			counts[k]++
			size += s
		}
		into = append(into, (*list)[:n]...)
		rest := copy(*list, (*list)[n:])
		clear((*list)[rest:])
		*list = (*list)[:rest]
		if rest > 0 {
			break
		}
	}
	q.mu.bytes -= size
	q.mu.prompt = q.mu.prompt && len(q.mu.normal) > 0
	return into
}

func (q *sendQueue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.mu.urgent) + len(q.mu.normal)
}
