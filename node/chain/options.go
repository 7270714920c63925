package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ledgerlab/node/family"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap"
)

// Options of a Master.
type Options struct {
	// IndexBound is how many ledgers the history index remembers at most (flag
	// ledger.index_bound). Default 4,096.
	IndexBound int
	// Held is how many of the newest validated ledgers stay open in memory; older
	// ones are opened from the store when asked for. Default 32.
	Held int
	// BuiltMax bounds ledgers that were built or acquired and are not validated.
	// Default 64.
	BuiltMax int
	// Passes over a set, flag close.passes. 0 is 3. It may change hashes.
	Passes int
	// PublishGapMax: a gap longer than this is jumped over. rippled: 100.
	PublishGapMax uint32
	// History is how many ledgers behind the validated one are fetched from peers
	// when they are missing (flag ledger.history), not below what rotation deleted.
	// Default 0: none but those needed for publishing.
	History uint32
	Acquire AcquireOptions
}

// AcquireOptions bound the fetching of ledgers. rippled: InboundLedger.cpp.
type AcquireOptions struct {
	// Timeout of one request. Default 3 s.
	Timeout time.Duration
	// Grace is how long a validated ledger that this node may be about to build is
	// waited for before peers are asked. Default 1 s.
	Grace time.Duration
	// TimeoutsMax without progress fail the ledger. Default 6.
	TimeoutsMax int
	// Want is how many missing nodes are looked for at once. Default 256.
	Want int
	// PerRequest is how many are asked of one peer. Default 128.
	PerRequest int
	// ConcurrentMax bounds ledgers acquired at the same time. Default 4.
	ConcurrentMax int
	// Retain is how long a failed ledger is not asked for again. Default 5 s here
	// (rippled: 5 min, on a network where another hash will do).
	Retain time.Duration
	// ServeNodesMax bounds the nodes of one reply. Default 128.
	ServeNodesMax int
}

// Default returns the defaults.
func Default() Options {
	return Options{
		IndexBound: 4096, Held: 32, BuiltMax: 64, PublishGapMax: 100,
		Acquire: AcquireOptions{
			Timeout: 3 * time.Second, Grace: time.Second, TimeoutsMax: 6, Want: 256, PerRequest: 128,
			ConcurrentMax: 4, Retain: 5 * time.Second, ServeNodesMax: 128,
		},
	}
}

// Validate reports every fault.
func (o *Options) Validate() error {
	var errs []error
	atLeast := func(name string, v, least int) {
		if v < least {
			errs = append(errs, fmt.Errorf("chain: %s %d: want at least %d", name, v, least))
		}
	}
	atLeast("IndexBound", o.IndexBound, 2)
	atLeast("Held", o.Held, 1)
	atLeast("BuiltMax", o.BuiltMax, 4)
	atLeast("Passes", o.Passes, 0)
	if o.IndexBound < o.Held {
		errs = append(errs, fmt.Errorf("chain: IndexBound %d must be at least Held %d", o.IndexBound, o.Held))
	}
	atLeast("Acquire.Want", o.Acquire.Want, 1)
	atLeast("Acquire.PerRequest", o.Acquire.PerRequest, 1)
	atLeast("Acquire.ConcurrentMax", o.Acquire.ConcurrentMax, 1)
	atLeast("Acquire.ServeNodesMax", o.Acquire.ServeNodesMax, 1)
	atLeast("Acquire.TimeoutsMax", o.Acquire.TimeoutsMax, 1)
	if o.Acquire.Timeout <= 0 {
		errs = append(errs, errors.New("chain: Acquire.Timeout must be positive"))
	}
	return errors.Join(errs...)
}

// Peers is what acquiring needs of the overlay; *peer.Overlay satisfies it.
type Peers interface {
	Ask(to peer.ID, r peer.Request, done func(peer.Response, error)) bool
	Connected() peer.Mask
}

// Deps are what a Master needs of others.
type Deps struct {
	Env    *shamap.Env
	Family *family.Family
	// Engine belongs to the builder from now on.
	Engine *tx.Engine
	// Peers may be nil: then nothing is acquired.
	Peers Peers
	// Bulk runs a piece of work ("build", "acquire") on the thread that jobs.bulk
	// names and returns when it is done; nil runs it on the caller's goroutine.
	Bulk func(ctx context.Context, kind string, fn func(ctx context.Context) error) error
	Now  func() time.Time
	Log  *slog.Logger
	// Hooks may have nil members.
	Hooks Hooks
}

// Hooks tell of what happened. Ledgers are borrowed for the call. They run one at a
// time, off the callers' goroutines.
type Hooks struct {
	// Validated: the pointer moved.
	Validated func(l *ledger.Ledger)
	// Published is called for each validated ledger in order of sequence; before it
	// comes Gap for those that were jumped over.
	Published func(l *ledger.Ledger)
	Gap       func(first, last uint32)
	// Acquired: a ledger asked for is complete and here.
	Acquired func(id protocol.Hash, seq uint32)
	// Failed: it could not be had for now.
	Failed func(id protocol.Hash, seq uint32, reason string)
	// Diverged: the network validated another ledger than the one built here.
	Diverged func(d Divergence)
}
