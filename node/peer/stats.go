package peer

import "sync/atomic"

// Stats counts what the overlay did, over all peers.
type Stats struct {
	Full         atomic.Uint64 // transactions queued in full, one a peer
	Announced    atomic.Uint64 // hashes queued, one a peer
	Fetched      atomic.Uint64 // announced transactions asked for
	Refetched    atomic.Uint64 // asked for again, from another peer
	FetchLost    atomic.Uint64 // given up: nobody else announced them
	FetchRefused atomic.Uint64 // not asked for: FetchMax
	Requests     atomic.Uint64
	Timeouts     atomic.Uint64 // requests without an answer in time
	Served       atomic.Uint64
	ServeRefused atomic.Uint64 // requests not served: ServeMax or the job queue
	Late         atomic.Uint64 // replies nobody waited for
	LinkLost     atomic.Uint64 // frames that an injected fault dropped
	Charged      atomic.Uint64 // sessions ended by Charge
	Refused      atomic.Uint64 // connections with a key that is not in the list
	bad          map[Reason]*atomic.Uint64
}

func newStats() *Stats {
	s := &Stats{bad: make(map[Reason]*atomic.Uint64)}
	for _, r := range Reasons() {
		s.bad[r] = new(atomic.Uint64)
	}
	return s
}

// BadFrames counts the peers closed over a frame, by reason.
func (s *Stats) BadFrames() map[Reason]uint64 {
	out := make(map[Reason]uint64, len(s.bad))
	for r, n := range s.bad {
		out[r] = n.Load()
	}
	return out
}
