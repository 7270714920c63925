package peer

import (
	"context"
	"time"

	"ledgerlab/node/protocol"
)

// Overlay holds the sessions of a node.
type Overlay struct{}

// New checks the options and returns an overlay without sessions.
func New(o Options, t Transport, h Handler) (*Overlay, error) { panic("not built yet") }

// Run accepts and dials until ctx ends, then waits for every session.
func (o *Overlay) Run(ctx context.Context) error { panic("not built yet") }

// Relay sends transactions by the relay policy. It never blocks.
func (o *Overlay) Relay(txs ...Outgoing) { panic("not built yet") }

// BroadcastProposal sends to all connected peers not in except, at once. raw must not change afterwards.
func (o *Overlay) BroadcastProposal(raw []byte, except Mask) { panic("not built yet") }

// BroadcastValidation is like BroadcastProposal.
func (o *Overlay) BroadcastValidation(raw []byte, except Mask) { panic("not built yet") }

// BroadcastManifest is like BroadcastProposal, but may wait for the flush.
func (o *Overlay) BroadcastManifest(raw []byte, except Mask) { panic("not built yet") }

// BroadcastHaveSet announces a transaction set, at once.
func (o *Overlay) BroadcastHaveSet(set protocol.Hash) { panic("not built yet") }

// SetStatus sends the status to all peers and to those that connect later.
func (o *Overlay) SetStatus(s Status) { panic("not built yet") }

// Request asks one peer and waits for its answer, RequestWait at most.
func (o *Overlay) Request(ctx context.Context, to ID, r Request) (Response, error) {
	panic("not built yet")
}

// Ask is Request without waiting: done is called exactly once, on another goroutine, unless Ask returns false because
// the peer is not connected.
func (o *Overlay) Ask(to ID, r Request, done func(Response, error)) bool { panic("not built yet") }

// Peers describes all configured peers, in their order.
func (o *Overlay) Peers() []Info { panic("not built yet") }

// Connected is the set of connected peers.
func (o *Overlay) Connected() Mask { panic("not built yet") }

// SetMode changes the relay policy (flag relay.mode).
func (o *Overlay) SetMode(m RelayMode) error { panic("not built yet") }

// SetFlush changes the wait for more messages (flag relay.flush).
func (o *Overlay) SetFlush(d time.Duration) error { panic("not built yet") }

// SetFault changes the fault injected on what goes to (Out) or comes from (In) a peer.
func (o *Overlay) SetFault(id ID, out, in Fault) error { panic("not built yet") }

// Fault is what a link does to frames. The zero value is a healthy link.
type Fault struct {
	Cut       bool          // nothing passes, and nobody is told
	Loss      float64       // share of frames that vanish, 0..1
	Delay     time.Duration // of each frame; order is kept
	Jitter    time.Duration // added to Delay, uniform in 0..Jitter
	Bandwidth int           // bytes a second, 0: no limit
}
