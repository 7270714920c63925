package chain

import (
	"context"
	"sync"

	"ledgerlab/node/ledger"
)

// freeList takes ledgers whose last user has gone and frees their trees off the
// goroutine that let go. It is bounded by what the master holds and readers pin.
type freeList struct {
	mu struct {
		sync.Mutex
		pending []*ledger.Ledger
		running bool
	}
	wake chan struct{}
}

// freeBudget is how many nodes are freed between two looks at the context.
const freeBudget = 4096

func (f *freeList) init() { f.wake = make(chan struct{}, 1) }

func (f *freeList) len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mu.pending)
}

// freeLater is the OnLastRelease of every ledger of the master.
func (m *Master) freeLater(l *ledger.Ledger) {
	f := &m.free
	f.mu.Lock()
	running := f.mu.running
	if running {
		f.mu.pending = append(f.mu.pending, l)
	}
	f.mu.Unlock()
	if !running {
		l.Free()
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *freeList) run(ctx context.Context) error {
	f.mu.Lock()
	f.mu.running = true
	f.mu.Unlock()
	defer f.drain()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.wake:
		}
		for ctx.Err() == nil {
			l := f.pop()
			if l == nil {
				break
			}
			for !l.FreeSome(freeBudget) && ctx.Err() == nil {
			}
			if ctx.Err() != nil {
				l.Free()
			}
		}
	}
}

func (f *freeList) pop() *ledger.Ledger {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.mu.pending) == 0 {
		return nil
	}
	l := f.mu.pending[0]
	f.mu.pending = f.mu.pending[1:]
	return l
}

// drain frees what is left; later releases free at once.
func (f *freeList) drain() {
	f.mu.Lock()
	f.mu.running = false
	f.mu.Unlock()
	for l := f.pop(); l != nil; l = f.pop() {
		l.Free()
	}
}
