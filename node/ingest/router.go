package ingest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// Flags are what the Router remembers of a transaction. rippled: HashRouter.h and apply.cpp.
type Flags uint16

// Router flags.
const (
	FlagBad       Flags = 0x0002
	FlagHeld      Flags = 0x0008
	FlagSigBad    Flags = 0x0100
	FlagSigGood   Flags = 0x0200
	FlagLocalBad  Flags = 0x0400
	FlagLocalGood Flags = 0x0800
	FlagFull      Flags = 0x4000 // ours: seen in full, not only by its hash
)

// RouterOptions bound the Router.
type RouterOptions struct {
	Capacity int           // ids remembered; the least recently used goes first, and is counted
	Process  time.Duration // an id is processed again after this time
	Relay    time.Duration // an id is relayed again after this time
}

// DefaultRouter has rippled's times (10 s, 30 s). The capacity holds the unique transactions of two ledgers at 7,600 a
// ledger more than eight times over, so a verdict outlives two ledgers far beyond the rates of the lab.
func DefaultRouter() RouterOptions {
	return RouterOptions{Capacity: 131_072, Process: 10 * time.Second, Relay: 30 * time.Second}
}

// Validate returns all faults.
func (o RouterOptions) Validate() error {
	var errs []error
	if o.Capacity < 1 {
		errs = append(errs, fmt.Errorf("hash router: capacity %d is below 1", o.Capacity))
	}
	if o.Process <= 0 || o.Relay <= 0 {
		errs = append(errs, fmt.Errorf("hash router: times %v, %v must be positive", o.Process, o.Relay))
	}
	return errors.Join(errs...)
}

type routed struct {
	flags     Flags
	peers     peer.Mask // sent it to us, in full or by hash
	processed time.Time
	relayed   time.Time
}

// Router suppresses what was seen before. rippled: HashRouter. One lock a call; calls take whole frames.
type Router struct {
	o         RouterOptions
	evictions atomic.Uint64
	mu        struct {
		sync.Mutex
		entries *simplelru.LRU[protocol.Hash, *routed]
	}
}

// NewRouter returns an empty router.
func NewRouter(o RouterOptions) (*Router, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	lru, err := simplelru.NewLRU[protocol.Hash, *routed](o.Capacity, nil)
	if err != nil {
		return nil, fmt.Errorf("hash router: %w", err)
	}
	r := &Router{o: o}
	r.mu.entries = lru
	return r, nil
}

// entryLocked finds or makes the entry of an id and marks it as used.
func (r *Router) entryLocked(id protocol.Hash) *routed {
	if e, ok := r.mu.entries.Get(id); ok {
		return e
	}
	e := new(routed)
	if r.mu.entries.Add(id, e) {
		r.evictions.Add(1)
	}
	return e
}

// Arrived notes that a peer sent these transactions in full and says which of them to process: not processed within the
// last Process, and not known to be bad. bad counts those that are.
func (r *Router) Arrived(from peer.ID, txs []peer.Tx, now time.Time, process []bool) (bad int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range txs {
		e := r.entryLocked(txs[i].ID)
		e.peers = e.peers.With(from)
		e.flags |= FlagFull
		if process[i] = now.Sub(e.processed) >= r.o.Process; !process[i] {
			continue
		}
		if e.flags&FlagBad != 0 {
			process[i] = false
			bad++
			continue
		}
		e.processed = now
	}
	return bad
}

// Missing notes that a peer announced these ids, and returns those not seen in full.
func (r *Router) Missing(from peer.ID, ids []protocol.Hash) (missing []protocol.Hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		e := r.entryLocked(id)
		e.peers = e.peers.With(from)
		if e.flags&FlagFull == 0 {
			missing = append(missing, id)
		}
	}
	return missing
}

// Known says of each id whether the peer is known to have it.
func (r *Router) Known(p peer.ID, ids []protocol.Hash, out []bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, id := range ids {
		if e, ok := r.mu.entries.Peek(id); ok {
			out[i] = e.peers.Has(p)
		}
	}
}

// Flags returns what is known of an id.
func (r *Router) Flags(id protocol.Hash) Flags {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.mu.entries.Get(id); ok {
		return e.flags
	}
	return 0
}

// SetFlags adds flags and says whether any of them is new.
func (r *Router) SetFlags(id protocol.Hash, f Flags) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entryLocked(id)
	fresh := e.flags&f != f
	e.flags |= f
	return fresh
}

// ShouldRelay says whether to relay now, at most once every Relay, and who need not get it.
func (r *Router) ShouldRelay(id protocol.Hash, now time.Time) (seen peer.Mask, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entryLocked(id)
	if !e.relayed.IsZero() && now.Sub(e.relayed) < r.o.Relay {
		return e.peers, false
	}
	e.relayed = now
	return e.peers, true
}

// Len is the number of ids remembered.
func (r *Router) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mu.entries.Len()
}

// Evictions counts the ids that were forgotten for want of room.
func (r *Router) Evictions() uint64 { return r.evictions.Load() }
