package consensus

import (
	"bytes"
	"encoding/hex"
	"time"
)

// Hash identifies a ledger, a transaction set or a transaction.
type Hash = [32]byte

// NodeID identifies a validator: its 33-byte public key, or any unique bytes.
type NodeID [33]byte

// Compare orders node ids bytewise.
func (n NodeID) Compare(o NodeID) int { return bytes.Compare(n[:], o[:]) }

// String returns the first bytes in hex, enough for a log line.
func (n NodeID) String() string { return hex.EncodeToString(n[:6]) }

// NetTime is network time: seconds since 2000-01-01T00:00:00Z. Zero means "none".
type NetTime uint32

// netEpochUnix is 2000-01-01T00:00:00Z in Unix seconds.
const netEpochUnix = 946_684_800

// NetTimeOf converts wall time to network time; times before 2000 give zero.
func NetTimeOf(t time.Time) NetTime {
	s := t.Unix() - netEpochUnix
	if s < 0 || s > 1<<32-1 {
		return 0
	}
	return NetTime(s)
}

// Time converts network time to wall time.
func (t NetTime) Time() time.Time { return time.Unix(int64(t)+netEpochUnix, 0).UTC() }

// Sub returns t-o, which may be negative.
func (t NetTime) Sub(o NetTime) time.Duration {
	return time.Duration(int64(t)-int64(o)) * time.Second
}

// Add returns t moved by d, in whole seconds, never below zero.
func (t NetTime) Add(d time.Duration) NetTime {
	s := int64(t) + int64(d/time.Second)
	if s < 0 {
		return 0
	}
	return NetTime(s)
}

// Times is both clocks at the moment of one input.
type Times struct {
	// Steady never goes back; its origin is arbitrary. Rounds are timed with it.
	Steady time.Duration
	// Network is the wall clock moved by the close-time offset.
	Network NetTime
}

// TxSet is an immutable set of transaction ids under one hash.
type TxSet interface {
	ID() Hash
	Has(id Hash) bool
	// With and Without return a changed copy; the receiver stays as it is.
	With(id Hash) TxSet
	Without(id Hash) TxSet
	// Diff returns what only this set and only the other set holds; ok is false
	// when more than limit ids differ.
	Diff(o TxSet, limit int) (only, theirs []Hash, ok bool)
}

// Editor may be implemented by a TxSet to change many ids in one go and to take
// the bodies of added transactions from the sets they were seen in.
type Editor interface {
	// Edit returns a copy with add[i], found in from[i], added and remove removed.
	Edit(add []Hash, from []TxSet, remove []Hash) TxSet
}

// Ledger is what consensus reads of a closed ledger. Implementations are
// immutable values or pointers to them.
type Ledger interface {
	ID() Hash
	Seq() uint32
	ParentCloseTime() NetTime
	CloseTime() NetTime
	CloseResolution() time.Duration
	// CloseAgree is false when the validators did not agree on the close time.
	CloseAgree() bool
	// MinSeq is the smallest sequence whose hash Ancestor can give.
	MinSeq() uint32
	// Ancestor returns the hash of the ancestor at seq (the ledger itself at its
	// own seq), zero when seq is outside [MinSeq, Seq].
	Ancestor(seq uint32) Hash
}

// Mode is how this node takes part in the current round.
type Mode uint8

// Modes of a round.
const (
	ModeObserving Mode = iota
	ModeProposing
	ModeWrongLedger    // the preferred ledger is not here yet
	ModeSwitchedLedger // the ledger was changed in the middle of a round
)

// String returns the name xrpld uses.
func (m Mode) String() string {
	switch m {
	case ModeObserving:
		return "observing"
	case ModeProposing:
		return "proposing"
	case ModeWrongLedger:
		return "wrongLedger"
	case ModeSwitchedLedger:
		return "switchedLedger"
	}
	return "unknown"
}

// Phase is the phase of the current round.
type Phase uint8

// Phases of a round.
const (
	PhaseAccepted Phase = iota // waiting for the ledger to be built, or not started
	PhaseOpen
	PhaseEstablish
)

// String returns the name xrpld uses.
func (p Phase) String() string {
	switch p {
	case PhaseAccepted:
		return "accepted"
	case PhaseOpen:
		return "open"
	case PhaseEstablish:
		return "establish"
	}
	return "unknown"
}

// State is the answer of checkConsensus: whether and why a round ends.
type State uint8

// States of agreement.
const (
	StateNo      State = iota // no agreement yet
	StateMovedOn              // the others have gone on to the next ledger
	StateExpired              // the round took too long and was abandoned
	StateYes                  // enough validators agree with us
)

// String returns a lower-case word for records.
func (s State) String() string {
	switch s {
	case StateNo:
		return "no"
	case StateMovedOn:
		return "moved_on"
	case StateExpired:
		return "expired"
	case StateYes:
		return "yes"
	}
	return "unknown"
}

// Sequence numbers of proposals with a meaning of their own.
const (
	SeqJoin  uint32 = 0          // first position of a round
	SeqLeave uint32 = 0xFFFFFFFF // bow-out: the node leaves the round
)

// Proposal is one position of one node in one round.
type Proposal struct {
	Node       NodeID
	PrevLedger Hash
	Position   Hash // transaction set
	Seq        uint32
	CloseTime  NetTime
	// SeenAt is when this node first saw (or made) it; staleness counts from it.
	SeenAt NetTime
	// Data travels with the proposal untouched (its wire form, for relaying).
	Data any
}

// BowOut reports whether the proposal says that its node leaves the round.
func (p *Proposal) BowOut() bool { return p.Seq == SeqLeave }

func (p *Proposal) stale(cutoff NetTime) bool { return p.SeenAt <= cutoff }

// Validation is a node's statement that it has built a ledger.
type Validation struct {
	Node     NodeID
	LedgerID Hash
	Seq      uint32
	SignTime NetTime
	// SeenAt is when this node received or signed it.
	SeenAt NetTime
	// Full is set when the node was proposing; partial validations never count
	// toward a quorum but do show where the node is.
	Full bool
	// Trusted is set by the store from the list of trusted keys.
	Trusted bool
	// Cookie tells two processes with one key apart.
	Cookie uint64
	// Data travels untouched.
	Data any
}

// Info is a copy of a round's state for consensus_info.
type Info struct {
	Phase           Phase
	Mode            Mode
	PrevLedger      Hash
	Seq             uint32 // of the ledger being made
	Proposers       int
	PrevProposers   int
	PrevRoundTime   time.Duration
	RoundTime       time.Duration // in establish so far
	ConvergePct     int
	CloseResolution time.Duration
	HaveCloseTime   bool
	Validating      bool
	Position        *Proposal // own, nil before the close
	Peers           []Proposal
	Acquired        []Hash
	Disputes        []DisputeInfo
	CloseTimes      map[NetTime]int
	DeadNodes       []NodeID
	Trusted         int
	Quorum          int
	Stats           Stats
}

// DisputeInfo is one disputed transaction of the round.
type DisputeInfo struct {
	ID         Hash
	Yays, Nays int
	OurVote    bool
	Votes      map[NodeID]bool
}

// Stats count inputs that were ignored, and why.
type Stats struct {
	OutOfPhase         uint64 // an answer nobody waits for any more
	Untrusted          uint64
	ProposalsOld       uint64 // sequence not newer than the known one
	ProposalsOther     uint64 // other previous ledger; stored for later
	ProposalsDead      uint64 // of a node that left the round
	NodesRefused       uint64 // NodesMax
	DiffsRefused       uint64 // DiffLimit
	ValidationsStale   uint64
	ValidationsBadSeq  uint64 // not after the node's last one
	ValidationsByzant  uint64 // two ledgers at one sequence by one node
	ValidationsCurrent uint64
}
