package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ledgerlab/node/record"
)

// Errors that a Backend returns, possibly wrapped, to choose the answer.
var (
	ErrNotFound    = errors.New("not found")                  // NotFound
	ErrUnsupported = errors.New("not supported here")         // Unimplemented
	ErrNotNow      = errors.New("not possible in this state") // FailedPrecondition
	ErrBusy        = errors.New("busy; try again")            // ResourceExhausted
)

// FieldError is a mistake in one field of a request: InvalidArgument.
type FieldError struct {
	Field string // path, as in "ledger.hash"
	Msg   string
}

// Error is one line.
func (e *FieldError) Error() string { return e.Field + ": " + e.Msg }

func fieldErr(field, format string, args ...any) error {
	return &FieldError{Field: field, Msg: fmt.Sprintf(format, args...)}
}

// Backend is the node as the control plane sees it. Every method must be safe
// for concurrent use and return when ctx ends.
type Backend interface {
	Info(ctx context.Context) (Info, error)

	// Sweep runs one application sweep now and returns its record; it waits for one that runs.
	Sweep(ctx context.Context) (*record.Sweep, error)
	// Trim runs the trimmer now, whatever trim.policy says. method "" and pad -1 take the flags' values.
	Trim(ctx context.Context, method string, pad int64) (*record.Trim, error)
	// Rotate asks for a rotation at the next validated ledger and returns the newest one.
	Rotate(ctx context.Context) (seq uint32, err error)
	// Memory returns a sample; full measures what costs, too.
	Memory(ctx context.Context, full bool) (Memory, error)
	// Waits returns the counters of the waiting places.
	Waits(ctx context.Context) ([]*record.Place, error)
	// Fault puts a fault on links to peers or clears it and returns how many links it met.
	Fault(ctx context.Context, f LinkFault) (links int, err error)

	// Submit hands transactions to ingest in their order and returns a func that
	// waits for one result a blob, in order. Submit itself should return as soon as
	// they are taken in: a stream of submissions goes on while earlier ones wait for
	// their batch. wait is called once, perhaps in another goroutine.
	Submit(ctx context.Context, blobs [][]byte, mode SubmitMode, failHard bool) (wait func() ([]SubmitResult, error), err error)
	// Transaction finds a transaction in the validated ledgers held here.
	Transaction(ctx context.Context, id [32]byte) (TxStatus, error)
	// AccountTransactions lists transactions that touched an account.
	AccountTransactions(ctx context.Context, q AccountTxQuery) (AccountTxs, error)
	// Account reads an account root.
	Account(ctx context.Context, address string, ref LedgerRef) (Account, error)
	// StatePage reads up to limit entries of a ledger's state from marker on.
	StatePage(ctx context.Context, ref LedgerRef, marker [32]byte, limit int) (StatePage, error)
	// Ledger describes a ledger; withTx lists its transactions.
	Ledger(ctx context.Context, ref LedgerRef, withTx bool) (LedgerInfo, error)
	// WatchLedgers calls fn in order with each ledger as it is seen validated, until
	// cancel is called. fn does not block.
	WatchLedgers(fn func(ValidatedLedger)) (cancel func())
	// Accept closes the open ledger of a stand-alone node.
	Accept(ctx context.Context) (seq uint32, hash [32]byte, err error)
	// Shutdown asks the node to end and returns at once.
	Shutdown(reason string)
}

// Info is the state of a node at one moment.
type Info struct {
	Name, Role, Mode, PublicKey, Version, Allocator, WebAddress string
	NetworkID                                                   uint32
	Validating                                                  bool
	Uptime                                                      time.Duration
	OpenSeq, ClosedSeq, ValidatedSeq                            uint32 // 0 = none yet
	ValidatedHash                                               [32]byte
	ValidatedAge                                                time.Duration // meaningful with ValidatedSeq
	CompleteLedgers                                             string
	Peers                                                       []Peer
	Quorum, Proposers                                           int
	Converge                                                    time.Duration // establish time of the last round
	LoadFactor                                                  float64
	QueueSize, OpenSize, ExpectedSize                           int
	RSSBytes                                                    int64
	ModeTimes                                                   map[string]time.Duration // add up to Uptime
	NextRotationSeq                                             uint32
	Rotation                                                    string
	RotationState                                               RotationState
}

// RotationState is where the store's rotation stands.
type RotationState struct {
	Next, Last               uint32 // ledgers; 0 = never, or not known yet
	Step                     string // "" while it waits for its ledger
	InStep                   time.Duration
	WaitsFor                 []string // why it is paused
	Paused                   time.Duration
	Rotated, Expired, Failed uint64
	LastError                string
}

// Peer is one connection.
type Peer struct {
	Name, PublicKey, Address          string
	Inbound                           bool
	Latency, Connected                time.Duration
	ValidatedSeq                      uint32
	SentBytes, ReceivedBytes, Dropped uint64
}

// Memory is a sample with its balance sheet in order.
type Memory struct {
	Sample    *record.Sample
	Lines     []MemoryLine
	Allocator string
}

// MemoryLine is one line of the sheet, or one that stands beside it.
type MemoryLine struct {
	Name   string
	Bytes  int64
	Beside bool
	Doc    string
}

// LinkFault is a disturbance of the links to peers.
type LinkFault struct {
	Peer           string // name or public key; "" = all
	Delay, Jitter  time.Duration
	Loss           float64 // share
	BandwidthBytes int64   // a second; 0 = unlimited
	Partition      bool
	In, Out        bool
	Clear          bool
}

// SubmitMode says when a submission is answered.
type SubmitMode uint8

// The submit modes.
const (
	SubmitWait  SubmitMode = iota // after the batch that held it
	SubmitAsync                   // once taken in
)

// SubmitResult is the fate of one submitted transaction.
type SubmitResult struct {
	ID                               [32]byte
	Code                             int // TER
	Token, Message                   string
	Applied, Queued, Kept, Broadcast bool
	OpenSeq                          uint32
	AccountSeq                       uint32 // next sequence of the account in the open ledger; 0 = not known
}

// TxStatus is where a transaction stands.
type TxStatus struct {
	Found     bool
	LedgerSeq uint32
	Code      int
	Token     string
	From, To  uint32 // validated ledgers that were looked at
	All       bool   // none of them was missing
}

// AccountTxQuery asks for transactions of an account.
type AccountTxQuery struct {
	Address     string
	First, Last uint32 // ledgers; 0 = the oldest held, the newest validated
	Forward     bool   // the oldest first
	Limit       int
	After       AccountTx // go on behind this one; the zero value begins
}

// AccountTx is a transaction of an account.
type AccountTx struct {
	ID         [32]byte
	Seq, Place uint32
}

// SeqRange is a range of ledgers, both ends included.
type SeqRange struct{ First, Last uint32 }

// AccountTxs answers an AccountTxQuery.
type AccountTxs struct {
	Txs         []AccountTx
	More        bool
	First, Last uint32     // ledgers that were asked for
	Missing     []SeqRange // of these not held
}

// LedgerRef chooses a ledger: by sequence, by hash, or by name (validated, closed,
// current). The zero value is the newest validated.
type LedgerRef struct {
	Seq  uint32
	Hash [32]byte
	Name string
}

// Account is an account root.
type Account struct {
	Address    string
	Sequence   uint32
	Balance    uint64 // drops
	OwnerCount uint32
	Flags      uint32
	Queued     int
	LedgerSeq  uint32
	LedgerHash [32]byte
	Validated  bool
}

// StateEntry is one entry of a ledger's state.
type StateEntry struct {
	Key  [32]byte
	Data []byte
}

// StatePage is a piece of a ledger's state.
type StatePage struct {
	Entries    []StateEntry
	Next       [32]byte // meaningful with More
	More       bool
	LedgerSeq  uint32
	LedgerHash [32]byte
}

// Header is a ledger header.
type Header struct {
	Seq                               uint32
	Hash, Parent, AccountHash, TxHash [32]byte
	TotalDrops                        uint64
	CloseTime, ParentCloseTime        uint32 // seconds since 2000
	CloseResolution, CloseFlags       uint8
}

// LedgerTx is a transaction in a ledger.
type LedgerTx struct {
	ID   [32]byte
	Code int
}

// LedgerInfo describes a ledger.
type LedgerInfo struct {
	Header            Header
	Closed, Validated bool
	Count             int
	Transactions      []LedgerTx
}

// ValidatedLedger is a ledger seen validated for the first time.
type ValidatedLedger struct {
	Header       Header
	Seen         time.Time
	Count        int
	Transactions func() []LedgerTx // called at most once a watcher that asked for them, outside fn
}
