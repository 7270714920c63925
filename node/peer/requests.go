package peer

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of a Request.
var (
	ErrNotConnected = errors.New("peer is not connected")
	ErrTimeout      = errors.New("no answer in time")
	ErrBusy         = errors.New("too many open requests")
	ErrInvalid      = errors.New("request is not valid")
)

// openRequestsMax bounds the unanswered requests to one peer.
const openRequestsMax = 1024

type openRequest struct {
	done  func(Response, error)
	timer *time.Timer
}

// requestTable holds the unanswered requests of one session. Each done is called exactly once, outside the lock.
type requestTable struct {
	mu struct {
		sync.Mutex
		open   map[uint64]*openRequest
		last   uint64
		closed bool
	}
}

func newRequestTable() *requestTable {
	t := new(requestTable)
	t.mu.open = make(map[uint64]*openRequest)
	return t
}

func (t *requestTable) add(wait time.Duration, done func(Response, error)) (cookie uint64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.mu.closed:
		return 0, ErrNotConnected
	case len(t.mu.open) >= openRequestsMax:
		return 0, ErrBusy
	}
	t.mu.last++
	cookie = t.mu.last
	t.mu.open[cookie] = &openRequest{done, time.AfterFunc(wait, func() { t.finish(cookie, Response{}, ErrTimeout) })}
	return cookie, nil
}

// finish answers a request; one that is not open any more is late and ignored.
func (t *requestTable) finish(cookie uint64, r Response, err error) bool {
	t.mu.Lock()
	o, ok := t.mu.open[cookie]
	delete(t.mu.open, cookie)
	t.mu.Unlock()
	if !ok {
		return false
	}
	o.timer.Stop()
	o.done(r, err)
	return true
}

func (t *requestTable) close() {
	t.mu.Lock()
	t.mu.closed = true
	open := t.mu.open
	t.mu.open = nil
	t.mu.Unlock()
	for _, o := range open {
		o.timer.Stop()
		o.done(Response{}, ErrNotConnected)
	}
}

func (r Request) validate() error {
	want := 33
	if r.Item == ItemByHash {
		want = 32
	}
	if r.Item < ItemHeader || r.Item > ItemByHash || len(r.NodeIDs) > nodeIDCountMax || r.Depth < 0 || r.Depth > depthMax {
		return fmt.Errorf("%w: item %d, %d nodes, depth %d", ErrInvalid, r.Item, len(r.NodeIDs), r.Depth)
	}
	for _, id := range r.NodeIDs {
		if len(id) != want {
			return fmt.Errorf("%w: node id of %d bytes, want %d", ErrInvalid, len(id), want)
		}
	}
	return nil
}
