package peer

import (
	"context"
	"math/bits"
	"sync"
	"time"

	"ledgerlab/node/protocol"
)

// fetcher asks for announced transactions: the first announcer first, another one when it does not answer in time.
type fetcher struct {
	wait  time.Duration
	max   int
	now   func() time.Time
	ask   func(from ID, ids []protocol.Hash)
	stats *Stats
	ready chan struct{}

	mu struct {
		sync.Mutex
		wanted map[protocol.Hash]*want
		due    []dueWant // by time; entries of transactions that came are skipped
	}
}

type want struct {
	others Mask // announced it and were not asked yet
	tries  int
}

type dueWant struct {
	at    time.Time
	id    protocol.Hash
	tries int
}

func newFetcher(o Options, now func() time.Time, stats *Stats, ask func(ID, []protocol.Hash)) *fetcher {
	f := &fetcher{wait: o.FetchWait, max: o.FetchMax, now: now, ask: ask, stats: stats, ready: make(chan struct{}, 1)}
	f.mu.wanted = make(map[protocol.Hash]*want)
	return f
}

// announced asks from for those ids that nobody was asked for yet and remembers it for the others.
func (f *fetcher) announced(from ID, ids []protocol.Hash) {
	var ask []protocol.Hash
	now := f.now()
	f.mu.Lock()
	for _, id := range ids {
		if w, ok := f.mu.wanted[id]; ok {
			w.others = w.others.With(from)
			continue
		}
		if len(f.mu.wanted) >= f.max {
			f.stats.FetchRefused.Add(1)
			continue
		}
		f.mu.wanted[id] = &want{tries: 1}
		f.mu.due = append(f.mu.due, dueWant{now.Add(f.wait), id, 1})
		ask = append(ask, id)
	}
	f.mu.Unlock()
	if len(ask) == 0 {
		return
	}
	f.stats.Fetched.Add(uint64(len(ask)))
	f.ask(from, ask)
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// arrived forgets ids that came in full, from whomever.
func (f *fetcher) arrived(ids []Tx) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.mu.wanted) == 0 {
		return
	}
	for i := range ids {
		delete(f.mu.wanted, ids[i].ID)
	}
}

// drop marks the ids that came while the request for them waited to be sent.
func (f *fetcher) drop(ids []protocol.Hash, out []bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, id := range ids {
		_, wanted := f.mu.wanted[id]
		out[i] = !wanted
	}
}

// run asks others for what did not come, until ctx ends.
func (f *fetcher) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if next, ok := f.expire(); ok {
			timer.Reset(next)
		} else {
			timer.Stop()
		}
		select {
		case <-timer.C:
		case <-f.ready:
		case <-ctx.Done():
			return
		}
	}
}

// expire handles what is overdue and returns the wait until the next.
func (f *fetcher) expire() (wait time.Duration, ok bool) {
	now := f.now()
	again := make(map[ID][]protocol.Hash)
	f.mu.Lock()
	for len(f.mu.due) > 0 {
		d := f.mu.due[0]
		w := f.mu.wanted[d.id]
		if w != nil && w.tries == d.tries {
			if wait = d.at.Sub(now); wait > 0 {
				ok = true
				break
			}
			if w.others == 0 {
				f.stats.FetchLost.Add(1)
				delete(f.mu.wanted, d.id)
			} else {
				other := ID(bits.TrailingZeros64(uint64(w.others)))
				w.others &^= 1 << other
				w.tries++
				again[other] = append(again[other], d.id)
				f.mu.due = append(f.mu.due, dueWant{now.Add(f.wait), d.id, w.tries})
			}
		}
		f.mu.due = f.mu.due[1:]
	}
	f.mu.Unlock()
	for other, ids := range again {
		f.stats.Refetched.Add(uint64(len(ids)))
		f.ask(other, ids)
	}
	return wait, ok
}
