package rcl

import (
	"time"

	"ledgerlab/node/protocol"
)

// OperatingMode is how well a node is in step with its network (xrpld
// OperatingMode).
type OperatingMode uint8

// Operating modes, worst first.
const (
	ModeDisconnected OperatingMode = iota
	ModeConnected
	ModeSyncing
	ModeTracking
	ModeFull
	modes
)

// String returns the name xrpld uses.
func (m OperatingMode) String() string {
	return [...]string{"disconnected", "connected", "syncing", "tracking", "full", "unknown"}[min(m, modes)]
}

// Hooks observe the driver. Each is called synchronously on the rcl goroutine and
// must not block or call back; nil ones are skipped.
type Hooks struct {
	Round      func(RoundInfo)
	Mode       func(ModeInfo)
	StepOut    func(StepOutInfo)
	Phase      func(phase string)
	Validation func(ValidationInfo)
	Validated  func(ValidatedInfo)
	Divergence func(DivergenceInfo)
}

// RoundInfo is the waterfall of one closed ledger.
type RoundInfo struct {
	Seq    uint32
	Hash   protocol.Hash
	Parent protocol.Hash
	Start  time.Time // wall time when the round began
	// The waterfall; the parts follow one another and sum to the interval from
	// Start to the start of the next round, but for the driver's own time.
	Open      time.Duration
	Establish time.Duration
	Build     time.Duration // request to result, waiting for a worker included
	Accept    time.Duration // rebuild of the open ledger, lock wait included
	// Parts of the parts.
	Snapshot  time.Duration // taking the open ledger's set at close
	BuildWait time.Duration // Build minus Apply and Flush
	Apply     time.Duration
	Flush     time.Duration
	LockWait  time.Duration
	LockHold  time.Duration
	// SetAcquire is the longest wait for a peer's transaction set in this round,
	// SetsAcquired how many came from peers and SetsFailed how many did not come.
	SetAcquire   time.Duration
	SetsAcquired int
	SetsFailed   int
	// Voting is the time from the own first position to the end of establish
	// beyond the least possible (MinConsensus), in which votes changed.
	Voting      time.Duration
	Proposers   int
	Positions   int // own positions sent
	Disputes    int
	Heartbeats  int // in establish
	ConvergePct int
	Txs         int
	Retry       int
	CloseTime   uint32
	CloseAgreed bool
	CloseOffset time.Duration // of this node's clock after the round
	Resolution  time.Duration
	Mode        string // of the round
	Result      string // yes, moved_on, expired
	Stalled     bool
	Simulated   bool
	Validated   string // full, partial, none: the validation signed
}

// ModeInfo is one change of the operating mode.
type ModeInfo struct {
	From, To OperatingMode
	Reason   string
	Lasted   time.Duration // in From
	At       time.Time
}

// StepOutInfo is a validator that left proposing within or between rounds.
type StepOutInfo struct {
	Seq    uint32
	To     string
	Reason string
	At     time.Time
}

// ValidationInfo is one validation received or signed.
type ValidationInfo struct {
	Key     []byte
	Ledger  protocol.Hash
	Seq     uint32
	Full    bool
	Trusted bool
	Own     bool
	Raw     []byte
	At      time.Time
}

// ValidatedInfo is a ledger that reached the quorum here.
type ValidatedInfo struct {
	Seq         uint32
	Hash        protocol.Hash
	Validations int
	// SinceBuilt is the wait from the own build to the quorum; zero when the
	// quorum came first.
	SinceBuilt time.Duration
	At         time.Time
}

// DivergenceInfo is a ledger built here whose sequence the quorum gave to another.
type DivergenceInfo struct {
	Seq              uint32
	Ours, Theirs     protocol.Hash
	Set, TheirSet    protocol.Hash // agreed sets, theirs zero when unknown
	CloseTime        uint32
	SetDiffers       bool
	CloseTimeDiffers bool
	// TheirSetKnown: the quorum's validations named their set.
	TheirSetKnown bool
	At            time.Time
}

// StateTime is how often and how long a node was in an operating mode.
type StateTime struct {
	Entered  uint64
	Duration time.Duration
}

// Status is a snapshot of the driver; see Driver.Status.
type Status struct {
	Mode          OperatingMode
	Phase         string
	RoundMode     string
	Validator     bool
	Proposing     bool
	Seq           uint32 // of the ledger being made
	ClosedSeq     uint32
	ClosedHash    protocol.Hash
	ValidatedSeq  uint32
	ValidatedHash protocol.Hash
	Proposers     int
	PrevProposers int
	PrevRound     time.Duration
	CloseOffset   time.Duration
	Trusted       int
	Quorum        int
	// Waiting says what the node waits for, empty when nothing.
	Waiting    string
	Accounting [modes]StateTime
	Counters   Counters
	Started    time.Time
	At         time.Time
}

// Counters count what the driver took in, refused and did, since its start.
type Counters struct {
	Proposals          uint64
	ProposalsBad       uint64 // malformed or badly signed
	ProposalsDuplicate uint64
	ProposalsUntrusted uint64
	Validations        uint64
	ValidationsBad     uint64
	ValidationsDup     uint64
	ValidationsUntrust uint64
	QueueRefused       uint64
	SetsBuilt          uint64
	SetsAcquired       uint64
	SetsFailed         uint64
	SetNodes           uint64
	SetNodesBad        uint64
	Rounds             uint64
	RoundsExpired      uint64
	RoundsMovedOn      uint64
	RoundsWrongLedger  uint64
	Switches           uint64
	StepOuts           uint64
	DeparturesFull     uint64
	ValidationsFull    uint64 // signed
	ValidationsPartial uint64 // signed
	Divergences        uint64
}
