package peer

import (
	"time"

	"ledgerlab/node/protocol"
)

// ID is the place of a peer in the configured list. It is small so that sets of peers are Masks.
type ID uint8

// PeersMax bounds the configured peers; a Mask has a bit for each (PeerFinder's own maximum is 21).
const PeersMax = 64

// Mask is a set of peers.
type Mask uint64

// Has says whether the set holds id.
func (m Mask) Has(id ID) bool { return m>>id&1 == 1 }

// With is the set with id.
func (m Mask) With(id ID) Mask { return m | 1<<id }

// Mode is the operating mode a node reports (rippled OperatingMode, with full split as server_info does).
type Mode uint8

// Operating modes.
const (
	ModeUnknown Mode = iota
	ModeConnected
	ModeSyncing
	ModeTracking
	ModeFull
	ModeValidating
	ModeProposing
)

// Event says why a status was sent (rippled NodeEvent).
type Event uint8

// Status events.
const (
	EventNone Event = iota
	EventClosingLedger
	EventAcceptedLedger
	EventSwitchedLedger
	EventLostSync
)

// Status is where a node stands.
type Status struct {
	Mode              Mode
	Event             Event
	ClosedSeq         uint32
	ClosedHash        protocol.Hash
	ParentHash        protocol.Hash
	ValidatedSeq      uint32
	ValidatedHash     protocol.Hash
	FirstSeq, LastSeq uint32 // ledgers it can serve
	NetworkTime       uint32 // seconds since 2000-01-01 by the sender's clock
}

// Item is what a Request asks for.
type Item uint8

// Items.
const (
	ItemHeader     Item = iota + 1 // the 118 bytes of a ledger header, as the one node of the reply
	ItemTxNodes                    // nodes of a ledger's transaction tree
	ItemStateNodes                 // nodes of a ledger's state tree
	ItemTxSet                      // nodes of a consensus transaction set
	ItemByHash                     // tree nodes by hash, in prefix form
)

// Request asks one peer for a header or tree nodes.
type Request struct {
	Item    Item
	Hash    protocol.Hash // of the ledger, or root of the set
	Seq     uint32        // used when Hash is zero
	NodeIDs [][]byte      // 33 bytes each (path, depth); with ItemByHash 32
	Depth   int           // levels below each node to send too, at most 3
}

// Node is one tree node in wire form, with its position.
type Node struct {
	ID   []byte
	Data []byte
}

// Response answers a Request. Err is the peer's reason when it has nothing.
type Response struct {
	From  ID
	Item  Item
	Hash  protocol.Hash
	Seq   uint32
	Nodes []Node
	Err   string
}

// Tx is a transaction from a peer. Blob lies in the frame that brought it: valid only until the handler returns.
type Tx struct {
	ID   protocol.Hash
	Blob []byte
}

// Outgoing is a transaction to relay. Blob is kept until it is sent and must not change.
type Outgoing struct {
	ID    protocol.Hash
	Blob  []byte
	Seen  Mask // peers that sent it to us
	Entry bool // it came from a client of this node
}

// Info describes a configured peer and its session, if there is one.
type Info struct {
	ID        ID
	Name      string
	Key       Key
	Address   string
	Connected bool
	Inbound   bool
	Since     time.Time     // of the session
	Latency   time.Duration // smoothed round trip of pings; 0: not yet known
	Status    Status        // last received
	StatusAt  time.Time
	Validator []byte
	Version   uint32
	SendQueue int // messages waiting to be sent
	Sessions  uint64
	LastError string  // why the last session ended
	Charges   float64 // balance at the last charge
	Counters  Counters
}

// Counters of one peer, over all its sessions.
type Counters struct {
	FramesIn, FramesOut     uint64
	BytesIn, BytesOut       uint64
	MessagesIn, MessagesOut uint64
	Dropped                 uint64 // messages the bounded send queue refused
	Suppressed              uint64 // transactions not sent because the peer came to have them while they waited
}

// Handler is what the node does with what peers send. A nil func drops its kind. Funcs are called on the reader
// goroutine of the session, one at a time for each peer, and must not block; byte slices are valid only during the call.
type Handler struct {
	Up           func(id ID)
	Down         func(id ID, reason string)
	Status       func(from ID, s Status)
	Transactions func(from ID, txs []Tx)
	// Missing reports which of the announced ids this node has not seen in full; a hash-only announcement does not
	// count as seen. Used with RelayHybrid.
	Missing func(from ID, ids []protocol.Hash) []protocol.Hash
	// Blob returns a transaction that a peer asked for, or nil.
	Blob func(id protocol.Hash) []byte
	// Known clears the ids that peer is known to have: out[i] becomes true. Asked once a flush.
	Known      func(peer ID, ids []protocol.Hash, out []bool)
	HaveSet    func(from ID, set protocol.Hash)
	Proposal   func(from ID, raw []byte)
	Validation func(from ID, raw []byte)
	Manifest   func(from ID, raw []byte)
	// Serve answers a request. It runs where Options.Dispatch puts it, never on the reader.
	Serve func(from ID, r Request) Response
}
