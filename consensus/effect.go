package consensus

import "time"

// Effect is one thing the owner must do, in the order given.
type Effect interface{ isEffect() }

// CloseOpen: take the open ledger's transactions as a set, answer OpenClosed.
type CloseOpen struct {
	Parent    Ledger
	Mode      Mode
	CloseTime NetTime
}

// ShareTxSet: tell peers that this set is here.
type ShareTxSet struct{ Set TxSet }

// ShareTx: relay a disputed transaction, found in the given set.
type ShareTx struct {
	ID  Hash
	Set TxSet
}

// Propose: sign and broadcast the own position (a bow-out has Seq SeqLeave).
type Propose struct{ Proposal Proposal }

// RelayProposal: a stored peer position that fits the round after all; pass it on.
type RelayProposal struct{ Proposal Proposal }

// AcquireTxSet: get a set, answer GotTxSet (at once if it is here). May be
// repeated for one set; the owner asks the network once.
type AcquireTxSet struct{ ID Hash }

// AcquireReason says why a ledger is wanted.
type AcquireReason uint8

// Reasons.
const (
	// ReasonPreferred: the round cannot go on without this ledger.
	ReasonPreferred AcquireReason = iota
	// ReasonValidated: a trusted validator has validated it; its ancestry is
	// wanted for the preferred branch. Often it is about to be built here.
	ReasonValidated
)

// AcquireLedger: get a ledger, answer GotLedger (at once if it is here). Repeated
// while it is wanted.
type AcquireLedger struct {
	ID     Hash
	Seq    uint32 // zero when not known
	Reason AcquireReason
}

// DisputeResult is one disputed transaction at the end of a round.
type DisputeResult struct {
	ID      Hash
	OurVote bool
	Yays    int
	Nays    int
	// Set holds the body of the transaction.
	Set TxSet
}

// Accept: the round ended; build the ledger, answer Built.
type Accept struct {
	Parent Ledger
	Set    TxSet
	// CloseTime to write in the ledger, already effective (after the parent's).
	CloseTime        NetTime
	CloseTimeCorrect bool
	Resolution       time.Duration
	Mode             Mode
	// HaveCorrectLedger is false when the round ran on a wrong ledger.
	HaveCorrectLedger bool
	State             State
	Disputes          []DisputeResult
	// Raw close times as first proposed: own, and how many peers named each.
	SelfCloseTime  NetTime
	PeerCloseTimes map[NetTime]int
	Timing         RoundTiming
}

// RoundTiming is the waterfall of one round as the core saw it.
type RoundTiming struct {
	Open         time.Duration // start of the round to close
	Establish    time.Duration // close to accept
	ConvergePct  int
	Proposers    int
	Rounds       int // heartbeats in establish
	PositionSeq  uint32
	CloseTimePct int // share of participants at the chosen close time
	Stalled      bool
	// Simulated is set in stand-alone closes.
	Simulated bool
}

// SignValidation: sign, remember, broadcast, and feed back as GotValidation.
type SignValidation struct {
	Ledger Ledger
	SetID  Hash
	Full   bool
}

// Quorum: enough trusted full validations name this ledger.
type Quorum struct {
	LedgerID Hash
	Seq      uint32
	Count    int
}

// ModeChange: the round mode changed; proposing to another one within a round is
// what the seeds call a step-out.
type ModeChange struct {
	From, To Mode
	// Reason is a closed list of words: "round", "wrong_ledger", "switched",
	// "expired".
	Reason string
}

// PhaseChange: for the consensus stream and for timing.
type PhaseChange struct{ From, To Phase }

// ViewChange: the preferred ledger is not the one the round works on.
type ViewChange struct {
	From, To Hash
}

func (CloseOpen) isEffect()      {}
func (ShareTxSet) isEffect()     {}
func (ShareTx) isEffect()        {}
func (Propose) isEffect()        {}
func (RelayProposal) isEffect()  {}
func (AcquireTxSet) isEffect()   {}
func (AcquireLedger) isEffect()  {}
func (Accept) isEffect()         {}
func (SignValidation) isEffect() {}
func (Quorum) isEffect()         {}
func (ModeChange) isEffect()     {}
func (PhaseChange) isEffect()    {}
func (ViewChange) isEffect()     {}
