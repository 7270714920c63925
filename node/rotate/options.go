package rotate

import (
	"errors"
	"fmt"
	"time"

	"ledgerlab/shamap"
	"ledgerlab/store"
)

// Hash names a node.
type Hash = [32]byte

// Floors of online_delete (SHAMapStoreImp: 256, stand-alone 8; the lab's networks use 8).
const (
	FloorLab  = 8
	FloorNode = 256
)

// Freshen says which cached keys are refreshed before the swap.
type Freshen uint8

// The values of store.freshen.
const (
	FreshenKeys Freshen = iota // every key of the tree-node cache, as rippled does
	FreshenNone
)

// ParseFreshen reads a value of store.freshen.
func ParseFreshen(s string) (Freshen, error) {
	switch s {
	case "keys":
		return FreshenKeys, nil
	case "none":
		return FreshenNone, nil
	}
	return 0, fmt.Errorf("rotate: freshen %q: want keys or none", s)
}

func (f Freshen) String() string { return [...]string{"keys", "none"}[f] }

// Options are the policy.
type Options struct {
	// OnlineDelete is how many validated ledgers lie between rotations; 0 means never.
	OnlineDelete uint32
	// Floor is the least OnlineDelete that is allowed.
	Floor uint32
	// Offset is how many ledgers after the first one of a new store its first rotation comes, so that nodes do not
	// rotate in step; 0 means OnlineDelete.
	Offset uint32
	// History is how many ledgers the node wants to keep; it must not be above OnlineDelete.
	History uint32
	// Freshen says which cached keys are refreshed.
	Freshen Freshen
	// AgeThreshold is how old the validated ledger may be on a healthy node (60 s).
	AgeThreshold time.Duration
	// RecoveryWait is how long an unhealthy node waits before it looks again (2 s).
	RecoveryWait time.Duration
	// MaxWaitingLedgers is how far the chain may move on while a rotation waits; 0 means OnlineDelete.
	MaxWaitingLedgers uint32
	// DeleteBatch is how many files of the old generation are removed at once (rippled's delete_batch counts rows), and
	// BackOff the pause after them.
	DeleteBatch int
	BackOff     time.Duration
	// Advisory: a rotation also needs CanDelete at or above the sequence before the last rotation.
	Advisory bool
	// CheckEvery is how many nodes are copied between two looks at the health (1,000).
	CheckEvery int
}

// Default is rippled's, without online delete.
func Default() Options {
	return Options{
		Floor: FloorLab, AgeThreshold: 60 * time.Second, RecoveryWait: 2 * time.Second, CheckEvery: 1000,
		DeleteBatch: 100, BackOff: 100 * time.Millisecond,
	}
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.OnlineDelete != 0 && o.OnlineDelete < o.Floor {
		errs = append(errs, fmt.Errorf("rotate: online_delete %d: want 0 or at least %d", o.OnlineDelete, o.Floor))
	}
	if o.OnlineDelete != 0 && o.History > o.OnlineDelete {
		errs = append(errs, fmt.Errorf("rotate: ledger_history %d is above online_delete %d: history would be deleted",
			o.History, o.OnlineDelete))
	}
	if o.AgeThreshold <= 0 || o.RecoveryWait <= 0 || o.CheckEvery <= 0 {
		errs = append(errs, fmt.Errorf("rotate: age threshold %v, recovery wait %v and check interval %d must be positive",
			o.AgeThreshold, o.RecoveryWait, o.CheckEvery))
	}
	if o.DeleteBatch <= 0 || o.BackOff < 0 {
		errs = append(errs, fmt.Errorf("rotate: delete batch %d must be positive and back-off %v not negative", o.DeleteBatch, o.BackOff))
	}
	if o.MaxWaitingLedgers != 0 && o.MaxWaitingLedgers < o.Floor/4 {
		errs = append(errs, fmt.Errorf("rotate: max_waiting_ledgers %d: want 0 or at least %d", o.MaxWaitingLedgers, o.Floor/4))
	}
	return errors.Join(errs...)
}

// Ledger is a validated ledger with references held until Release.
type Ledger struct {
	Seq     uint32
	Hash    Hash
	State   *shamap.Map // walked without linking
	Release func()
}

func (l *Ledger) release() {
	if l != nil && l.Release != nil {
		l.Release()
	}
}

// Health is how the node stands.
type Health struct {
	// Standalone nodes have no peers to fall out of step with and are always healthy.
	Standalone bool
	// Full is the operating mode full.
	Full bool
	// Mode is its name, for messages.
	Mode string
	// ValidatedSeq is the newest validated ledger.
	ValidatedSeq uint32
	// ValidatedAge is how old that is.
	ValidatedAge time.Duration
	// Missing is how many ledgers between the last healthy moment and ValidatedSeq the node does not have.
	Missing uint32
	// OnlyBuilding says that the one missing ledger is being built just now.
	OnlyBuilding bool
}

// Deps are what the rotation needs of the rest of the node. Bulk, ClearPrior, ClearCaches, Oldest, Trim, Heal,
// TakeHoldMax, Step and Done may be nil.
type Deps struct {
	Store *store.Rotating
	// CacheKeys appends the keys of the tree-node cache.
	CacheKeys func(dst []Hash) []Hash
	// Health is asked between steps; since is the newest ledger of the last healthy moment.
	Health func(since uint32) Health
	// Oldest gives the oldest ledger at or above seq that is complete, or nil: nothing before it is kept.
	Oldest func(seq uint32) *Ledger
	// ClearPrior forgets ledgers at and below seq before their nodes go.
	ClearPrior func(seq uint32)
	// ClearCaches drops what may name nodes of the old archive: the full-below cache, cached ledgers before seq.
	ClearCaches func(seq uint32)
	// Bulk runs the steps that touch the whole state on the thread that jobs.bulk names, and returns when done.
	Bulk func(name string, fn func())
	// Trim is told "rotate_clear" after caches were cleared and "rotate_delete" after the old archive is gone.
	Trim func(reason string)
	// Heal puts a corrupt object right, from wherever it can be had.
	Heal func(h Hash, cause error) error
	// TakeHoldMax gives the longest hold of a lock of caches and store since it was last asked.
	TakeHoldMax func() time.Duration
	// Step is told the name of each step as it begins.
	Step func(name string)
	// Done is told every rotation that ended, whatever its result.
	Done func(Info)
	Now  func() time.Time
}

// Result is how a rotation ended.
type Result string

// The results.
const (
	Rotated  Result = "rotated"
	Expired  Result = "expired"  // the chain moved on too far while the node was unhealthy
	Stopping Result = "stopping" // the node is shutting down
	Failed   Result = "failed"
)

// Info is one rotation.
type Info struct {
	Seq          uint32 // validated ledger whose state was copied
	Hash         Hash
	LastRotated  uint32 // before
	Oldest       uint32 // first ledger kept
	Manual       bool
	Start        time.Time
	Result       Result
	Err          error
	Nodes        uint64 // of the state, visited
	AlreadyThere uint64 // of these in the writable generation before
	Copied       uint64 // copied from the archive meanwhile, by readers too
	Rescued      uint64 // of these in neither, stored from memory
	History      uint64 // nodes of the oldest kept ledger that the newest no longer has
	Keys         uint64 // cached keys
	Freshened    uint64 // of these copied from the archive
	KeysGone     uint64 // of these in neither generation
	Healed       uint64 // corrupt objects that were put right
	Pauses       uint64
	Paused       time.Duration
	ClearPrior   time.Duration
	Copy         time.Duration
	HistoryCopy  time.Duration
	FreshenTime  time.Duration
	Swap         time.Duration // clear, swap
	Prune        time.Duration // deletion of the old generation, its pauses included
	LockHoldMax  time.Duration // longest hold of a lock of caches and store meanwhile
	Duration     time.Duration
	DiskBefore   uint64 // both generations, bytes
	DiskAfter    uint64
}

// Status is what the rotation is doing.
type Status struct {
	Enabled     bool
	Step        string // "" while waiting for a ledger
	StepSince   time.Time
	Reasons     []string
	PausedSince time.Time // zero while not paused
	Advisory    bool
	CanDelete   uint32
	Validated   uint32
	LastRotated uint32
	Next        uint32 // ledger at which the next rotation begins, 0 when never
	Rotations   uint64
	Expired     uint64
	Failed      uint64
	Last        *Info
}
