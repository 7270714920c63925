package txq

import (
	"errors"
	"fmt"
	"time"

	"ledgerlab/shamap/payload"
)

const (
	// BaseLevel is the level of a transaction that pays exactly its base fee (rippled TxQ::baseLevel).
	BaseLevel Level = 256
	// retriesAllowed for one queued transaction (rippled MaybeTx::retriesAllowed).
	retriesAllowed = 10
	// percentMax bounds growth (rippled normalConsensusIncreasePercent).
	percentMax = 1000
)

// Options of a Queue. The defaults are rippled's (TxQ::Setup).
type Options struct {
	Initial       int     // transactions expected in a ledger at the start, and never less (flag fee.initial)
	Target        int     // above it ledgers count as full even when under the expected number; 0: none
	Max           int     // largest expected number; 0: none
	Growth        float64 // growth of the expected number after a full ledger, 0.2 is 20 % (flag fee.growth)
	SlowCutPct    int     // share in percent taken off after a slow ledger
	PerAccount    int     // queued transactions of one account (flag fee.per_account)
	QueueLedgers  int     // ledgers' worth of transactions queued (flag fee.queue_ledgers)
	QueueMin      int     // the queue's limit is never less
	MaxBytes      int64   // of queued transactions (flag fee.max_bytes)
	RetryPct      int     // a replacement must pay that much more, in percent
	MinMultiplier Level   // lowest escalation multiplier
	LastBuffer    uint32  // a queued transaction must live this many ledgers beyond the open one

	// Heap holds the blobs of queued transactions, under the tag queue; nil: a Go heap of its own.
	Heap *payload.Heap

	Now func() time.Time // nil: time.Now; used for the waiting-place instrument alone
}

// Default returns rippled's values.
func Default() Options {
	return Options{
		Initial: 32, Target: 256, Growth: 0.2, SlowCutPct: 50, PerAccount: 10, QueueLedgers: 20, QueueMin: 2000,
		MaxBytes: 256 << 20, RetryPct: 25, MinMultiplier: BaseLevel * 500, LastBuffer: 2,
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
	fault(o.Initial < 1, "fee.initial: %d is below 1", o.Initial)
	fault(o.Target < 0, "fee target: %d is negative", o.Target)
	fault(o.Max < 0 || (o.Max > 0 && o.Max < o.Initial), "fee maximum: %d is below fee.initial %d", o.Max, o.Initial)
	fault(!(o.Growth >= 0 && o.Growth <= percentMax/100), "fee.growth: %v is outside 0..%d", o.Growth, percentMax/100)
	fault(o.SlowCutPct < 0 || o.SlowCutPct > 100, "fee cut after a slow ledger: %d %% is outside 0..100", o.SlowCutPct)
	fault(o.PerAccount < 1, "fee.per_account: %d is below 1", o.PerAccount)
	fault(o.QueueLedgers < 1, "fee.queue_ledgers: %d is below 1", o.QueueLedgers)
	fault(o.QueueMin < 1, "fee queue minimum: %d is below 1", o.QueueMin)
	fault(o.MaxBytes < 1, "fee.max_bytes: %d is below 1", o.MaxBytes)
	fault(o.RetryPct < 0, "fee replacement: %d %% is negative", o.RetryPct)
	fault(o.MinMultiplier < 1, "fee multiplier: %d is below 1", o.MinMultiplier)
	return errors.Join(errs...)
}

// growthPct is the growth in whole percent, as rippled counts.
func (o Options) growthPct() uint64 { return uint64(o.Growth*100 + 0.5) }
