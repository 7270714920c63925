package jobs

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"
)

// BulkMode says where bulk jobs run (flag jobs.bulk).
type BulkMode uint8

const (
	BulkOwn    BulkMode = iota // a dedicated locked thread per kind (xrpld's rotation)
	BulkPool                   // whole on one worker of the pool (xrpld's build)
	BulkSpread                 // split over the workers where the job offers chunks
)

func (m BulkMode) String() string {
	switch m {
	case BulkOwn:
		return "own"
	case BulkPool:
		return "pool"
	case BulkSpread:
		return "spread"
	}
	return fmt.Sprintf("bulkMode(%d)", uint8(m))
}

// ParseBulkMode reads own, pool or spread.
func ParseBulkMode(s string) (BulkMode, error) {
	for _, m := range []BulkMode{BulkOwn, BulkPool, BulkSpread} {
		if m.String() == s {
			return m, nil
		}
	}
	return 0, fmt.Errorf("jobs.bulk: %q is not one of own, pool, spread", s)
}

const (
	// QueueLimitDefault, QueueLimitMin and QueueLimitMax bound the waiting transaction jobs (rippled MAX_TRANSACTIONS).
	QueueLimitDefault = 250
	QueueLimitMin     = 100
	QueueLimitMax     = 1000
	// WorkersMax is rippled's bound of [workers].
	WorkersMax = 1024
)

// Options of a Queue.
type Options struct {
	Workers    int      // worker threads, 1..1024; hot
	QueueLimit int      // waiting jobs of type TransactionPeer, 100..1000; hot (flag relay.queue_limit)
	WaitingMax int      // waiting jobs of all other types together; more are refused and counted
	Bulk       BulkMode // hot (flag jobs.bulk)

	Log *slog.Logger     // nil: discarded
	Now func() time.Time // nil: time.Now
}

// Default is rippled's choice for a small node: 2 + min(cores, 4) workers.
func Default() Options {
	return Options{Workers: 2 + min(runtime.NumCPU(), 4), QueueLimit: QueueLimitDefault, WaitingMax: 100_000, Bulk: BulkOwn}
}

// Validate returns all faults.
func (o Options) Validate() error {
	var errs []error
	if o.Workers < 1 || o.Workers > WorkersMax {
		errs = append(errs, fmt.Errorf("jobs.workers: %d is outside 1..%d", o.Workers, WorkersMax))
	}
	if o.QueueLimit < QueueLimitMin || o.QueueLimit > QueueLimitMax {
		errs = append(errs, fmt.Errorf("relay.queue_limit: %d is outside %d..%d", o.QueueLimit, QueueLimitMin, QueueLimitMax))
	}
	if o.WaitingMax < 1 {
		errs = append(errs, fmt.Errorf("jobs waiting limit: %d is below 1", o.WaitingMax))
	}
	if o.Bulk > BulkSpread {
		errs = append(errs, fmt.Errorf("jobs.bulk: unknown mode %d", o.Bulk))
	}
	return errors.Join(errs...)
}
