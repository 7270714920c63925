package rcl

import (
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// Tx is a parsed transaction.
type Tx = *protocol.Transaction

// Chain is the ledgers of this node. Its methods are called on the rcl goroutine
// and must not block; long work runs elsewhere and answers through the Driver.
type Chain interface {
	// Closed is the last closed ledger: at start the one to go on from (the
	// newest this node has complete), later the one last given to SetClosed.
	Closed() *Ledger
	// Validated is the newest validated ledger, nil when there is none.
	Validated() *Ledger
	// Ledger finds a complete ledger that is here: built, acquired or stored.
	Ledger(id protocol.Hash) (*Ledger, bool)
	// Acquire gets a ledger from peers; repeated calls for one ledger are cheap.
	// When it is complete: Driver.LedgerAcquired.
	Acquire(id protocol.Hash, seq uint32)
	// Build makes the child of a ledger on a bulk worker and calls done once,
	// on any goroutine.
	Build(req BuildRequest, done func(BuildResult))
	// SetClosed moves the last closed ledger, after a build or a switch.
	SetClosed(id protocol.Hash)
	// CheckAccept tells that a quorum of trusted full validations names a ledger
	// that is here. The chain checks that it may be current, syncs the batch,
	// moves the validated pointer and calls Driver.Validated.
	CheckAccept(id protocol.Hash, seq uint32, validations int)
	// Compatible is false when a ledger contradicts the validated chain.
	Compatible(id protocol.Hash) bool
	// Range is the first and last ledger that can be served to peers.
	Range() (first, last uint32)
}

// BuildRequest is a ledger to make.
type BuildRequest struct {
	Parent *Ledger
	SetID  protocol.Hash // salt of the canonical order
	Txs    []Tx          // ordered by id
	// CloseTime is effective (after the parent's); CloseTimeCorrect false sets
	// the header's flag.
	CloseTime        uint32
	CloseTimeCorrect bool
	Resolution       uint8 // seconds
}

// BuildResult is a ledger made, not yet the closed one.
type BuildResult struct {
	Ledger *Ledger
	// Retry are the transactions left over after the passes.
	Retry []Tx
	// Txs counts the transactions in the ledger.
	Txs   int
	Apply time.Duration // applying transactions
	Flush time.Duration // hashing and writing nodes
	Err   error
}

// OpenLedger is the open ledger's side of a round. Called on the rcl goroutine.
type OpenLedger interface {
	// Pending counts the transactions of the open ledger; never blocks.
	Pending() int
	// Close applies held transactions and returns a snapshot of the open ones.
	Close() []Tx
	// Accept rebuilds the open ledger on a new closed one off this goroutine and
	// calls done once, when it is in place.
	Accept(req AcceptRequest, done func(AcceptStats))
}

// AcceptRequest is the rebuild of the open ledger after a round or a switch.
type AcceptRequest struct {
	Ledger protocol.Hash
	Seq    uint32
	// Retry: left over from the build, and disputed ones voted no.
	Retry        []Tx
	RetriesFirst bool
	// TimeLeap: the round took over 5 s, or the ledger was switched (TxQ).
	TimeLeap bool
	// Switched: the ledger was not built by this round.
	Switched bool
}

// AcceptStats is what a rebuild reports for the round record.
type AcceptStats struct {
	LockWait time.Duration
	LockHold time.Duration
	Txs      int // in the new open ledger
}

// Network is the overlay; *peer.Overlay satisfies it.
type Network interface {
	BroadcastProposal(raw []byte, except peer.Mask)
	BroadcastValidation(raw []byte, except peer.Mask)
	BroadcastHaveSet(set protocol.Hash)
	SetStatus(s peer.Status)
	// Ask calls done exactly once on another goroutine, unless it returns false.
	Ask(to peer.ID, r peer.Request, done func(peer.Response, error)) bool
	// Peers describes the configured peers with their last status.
	Peers() []peer.Info
}

// Signer holds the validator's key. A node that does not validate has none.
type Signer interface {
	Public() []byte
	// SignDigest signs with secp256k1, canonical DER.
	SignDigest(h protocol.Hash) []byte
}

// SignedLog remembers the newest validation this key signed, so that a restarted
// node signs nothing at or before it and can send it again. Load returns nil
// when there is none. Store is called before the validation is sent.
type SignedLog interface {
	Load() (raw []byte, err error)
	Store(raw []byte) error
}

// Ledger is a closed ledger as consensus sees it. Immutable.
type Ledger struct {
	Hash       protocol.Hash
	ParentHash protocol.Hash
	Sequence   uint32
	Closed     uint32 // close time
	ParentTime uint32 // parent's close time
	Resolution uint8  // seconds
	Agreed     bool   // the close time was agreed on
	// Ancestors are the hashes of the ledgers just before this one, oldest first
	// (skip list, at most 256), so the last is the parent.
	Ancestors []protocol.Hash
}

var _ consensus.Ledger = (*Ledger)(nil)

// ID returns the ledger hash.
func (l *Ledger) ID() consensus.Hash { return consensus.Hash(l.Hash) }

// Seq returns the ledger sequence.
func (l *Ledger) Seq() uint32 { return l.Sequence }

// ParentCloseTime returns the close time of the parent.
func (l *Ledger) ParentCloseTime() consensus.NetTime { return consensus.NetTime(l.ParentTime) }

// CloseTime returns the close time.
func (l *Ledger) CloseTime() consensus.NetTime { return consensus.NetTime(l.Closed) }

// CloseResolution returns the close-time resolution.
func (l *Ledger) CloseResolution() time.Duration { return time.Duration(l.Resolution) * time.Second }

// CloseAgree is false when the close time was not agreed on.
func (l *Ledger) CloseAgree() bool { return l.Agreed }

// MinSeq is the oldest sequence whose hash Ancestor gives.
func (l *Ledger) MinSeq() uint32 { return l.Sequence - uint32(min(len(l.Ancestors), int(l.Sequence))) }

// Ancestor returns the hash at a sequence, zero outside [MinSeq, Sequence].
func (l *Ledger) Ancestor(seq uint32) consensus.Hash {
	switch {
	case seq == l.Sequence:
		return consensus.Hash(l.Hash)
	case seq < l.MinSeq() || seq > l.Sequence:
		return consensus.Hash{}
	}
	return consensus.Hash(l.Ancestors[len(l.Ancestors)-int(l.Sequence-seq)])
}
