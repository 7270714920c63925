package ingest

import (
	"errors"
	"fmt"
	"time"

	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// Mode says when Submit answers.
type Mode uint8

const (
	Sync  Mode = iota // applied at once, with all that is pending; the reply has the result
	Async             // answered at once; the reply has no result
	Wait              // answered after the next periodic batch, with the result
)

func (m Mode) String() string {
	switch m {
	case Sync:
		return "sync"
	case Async:
		return "async"
	case Wait:
		return "wait"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// SubmitOptions of one submission.
type SubmitOptions struct {
	Mode      Mode
	FailHard  bool // neither relayed nor retried unless it succeeds
	Unlimited bool // an operator's
}

// Reply answers a submission.
type Reply struct {
	ID        protocol.Hash
	Tx        *protocol.Transaction
	HasResult bool // false for Async: nothing is said yet
	TER       protocol.TER
	Status    Status
	Applied   bool // in the open ledger now
	Broadcast bool // sent to peers
	Queued    bool // in the fee queue
	Kept      bool // will be tried again by this node
}

// Accepted says whether anything came of it.
func (r Reply) Accepted() bool { return r.Applied || r.Broadcast || r.Queued || r.Kept }

// Status of a transaction after a batch. rippled: TransStatus.
type Status uint8

// Statuses.
const (
	StatusNew Status = iota
	StatusInvalid
	StatusIncluded
	StatusObsolete
	StatusHeld
)

func (s Status) String() string {
	return [...]string{"new", "invalid", "included", "obsolete", "held"}[min(s, StatusHeld)]
}

// InvalidError is a transaction that fails before any ledger is asked.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return "invalid transaction: " + e.Reason }

// Errors of Submit.
var (
	ErrBusy  = errors.New("too many transactions are waiting")
	ErrEnded = errors.New("the node is ending")
)

// BatchInfo describes one batch.
type BatchInfo struct {
	At                                     time.Time // when its locks were asked for
	Seq                                    uint32    // of the open ledger
	Size, Local                            int
	Applied, Queued, Held, Failed, Retried int // Retried: held ones that a success made ready for the next batch
	Relayed                                int
	OpenTxs, OpenChanged                   int           // transactions and entries of the view that was copied
	QueueSum, QueueMax                     time.Duration // from verified to the start
	MainWait, LedgerWait                   time.Duration
	Copy, Apply                            time.Duration // set-up, and all transactions together
	LedgerHold, MainHold                   time.Duration
	Err                                    error
}

// AcceptInfo describes one rebuild of the open ledger.
type AcceptInfo struct {
	At                         time.Time
	Seq                        uint32 // of the new open ledger
	LockWait, LockHold         time.Duration
	Learn                      time.Duration // fee queue: the closed ledger
	Reapply, FromQueue, Locals time.Duration
	Old, Retries, LocalTxs     int // transactions given to each step
	LeftOver                   int // not applied, to be retried by whoever sent them
	Txs                        int // in the new open ledger
	Recovered                  int // relayed again
}

// Fate is how a tracked transaction ended.
type Fate uint8

// Fates.
const (
	Validated Fate = iota // in a validated ledger
	Refused               // a final code at submission
	Expired               // LastLedgerSequence has passed
	Forgotten             // neither held, queued, open nor kept any more: this node will not try again
)

func (f Fate) String() string {
	return [...]string{"validated", "refused", "expired", "forgotten"}[min(f, Forgotten)]
}

// Outcome is the end of a client's transaction.
type Outcome struct {
	ID       protocol.Hash
	Fate     Fate
	TER      protocol.TER
	Seq      uint32 // validated ledger, or the one that decided
	Received time.Time
}

// item is one transaction on its way in.
type item struct {
	id       protocol.Hash
	blob     []byte
	tx       *protocol.Transaction
	from     peer.ID
	local    bool
	opts     SubmitOptions
	received time.Time // at the door
	verified time.Time
	reply    func(Reply, error) // nil for peers; called once

	good  bool // the verdict of the verify worker
	again bool // held, and given back at a close
	resub bool // given back for any reason: rippled does not count such a one as local
	res   Reply
}

// own says whether it is a client's and comes for the first time.
func (it *item) own() bool { return it.local && !it.resub }

func (it *item) answer(r Reply, err error) {
	if it.reply != nil {
		it.reply(r, err)
	}
}
