package ingest

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/node/txq"
)

// Options of a Door.
type Options struct {
	BatchInterval time.Duration // pause between batches; 0: as soon as the last is done; hot (flag open.batch_interval)
	VerifyBatch   int           // signatures verified together; 1: each by itself; hot (flag verify.batch)
	VerifyLinger  time.Duration // wait of the first signature for others
	LocalMax      int           // clients' transactions waiting for verification; more are refused and counted
	PendingMax    int           // verified transactions waiting for a batch; more are refused and counted
	HeldMax       int           // transactions held for a later ledger
	LocalTxsMax   int           // clients' transactions re-applied until validated
	TrackMax      int           // clients' transactions whose outcome is waited for
	RecentMax     int           // transactions kept to answer peers that ask by hash
	HoldOnce      bool          // hold as rippled 1.10 did: only ter codes, tried once at the next close; the recorded chains are of that time
	Router        RouterOptions
	Engine        tx.Options // SignatureGood is set by the Door

	Log *slog.Logger     // nil: discarded
	Now func() time.Time // nil: time.Now
}

// Default returns rippled's values, and for what rippled leaves unbounded wide bounds.
func Default() Options {
	return Options{
		VerifyBatch: 64, VerifyLinger: 5 * time.Millisecond, LocalMax: 20_000, PendingMax: 50_000, HeldMax: 50_000,
		LocalTxsMax: 100_000, TrackMax: 200_000, RecentMax: 16_384, Router: DefaultRouter(),
	}
}

// Validate returns all faults.
func (o Options) Validate() error {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(o.BatchInterval < 0 || o.BatchInterval > intervalMax, "open.batch_interval: %v is outside 0..%v", o.BatchInterval, intervalMax)
	fault(o.VerifyBatch < 1 || o.VerifyBatch > verifyBatchMax, "verify.batch: %d is outside 1..%d", o.VerifyBatch, verifyBatchMax)
	fault(o.VerifyLinger < 0 || o.VerifyLinger > time.Second, "verify linger: %v is outside 0..1s", o.VerifyLinger)
	for name, n := range map[string]int{
		"local": o.LocalMax, "pending": o.PendingMax, "held": o.HeldMax, "local retry": o.LocalTxsMax, "tracked": o.TrackMax, "recent": o.RecentMax,
	} {
		fault(n < 1, "ingest: limit of %s transactions: %d is below 1", name, n)
	}
	errs = append(errs, o.Router.Validate())
	return errors.Join(errs...)
}

const (
	intervalMax    = 10 * time.Second
	verifyBatchMax = 256
)

// Signature is one signature to verify.
type Signature struct{ Pub, Msg, Sig []byte }

// Verifier verifies many signatures; crypto.BatchVerifier does. Verify answers in order and empties the batch. Verdicts
// never depend on neighbours.
type Verifier interface {
	Add(pub, msg, sig []byte) bool
	Verify() []bool
}

// Deps is what the Door needs of the rest of the node.
type Deps struct {
	Queue    *txq.Queue
	Verifier Verifier                          // belongs to the verify worker
	Verify   func(pub, msg, sig []byte) bool   // one signature, the same rule
	Relay    func(txs ...peer.Outgoing)        // the overlay; nil: alone
	Limit    func() int                        // peers' transactions that may wait (jobs.Queue.QueueLimit); nil: 250
	Full     func() bool                       // the node is in mode full or above; nil: yes
	Accept   func() bool                       // peers' transactions are wanted now; nil: yes
	Main     sync.Locker                       // the main lock; nil: its own
	Ledger   sync.Locker                       // the ledger master's lock; nil: its own
	Blame    func(from peer.ID, reason string) // a peer sent something bad; nil: nothing
	Hooks    Hooks
}

// Hooks are told what happened, outside all locks, on the goroutine that did it; they must not block.
type Hooks struct {
	Batch    func(BatchInfo)
	Accepted func(AcceptInfo)
	Outcome  func(Outcome)
	Applied  func(t *protocol.Transaction, ter protocol.TER, seq uint32) // into the open ledger: proposed transactions
}

// Closed is a closed ledger with its transactions, where they are known.
type Closed struct {
	Ledger *ledger.Ledger
	Txs    []*protocol.Transaction // nil: read from the ledger
}
