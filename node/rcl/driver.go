package rcl

import (
	"context"
	"log/slog"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// Options of a driver.
type Options struct {
	// Parms are the consensus constants. Default: xrpld's.
	Parms consensus.Parms
	// Trusted are the public keys (33 bytes) of the UNL, the own included.
	Trusted [][]byte
	// Quorum overrides 80 % of Trusted. The default value is 0.
	Quorum int
	// PeersMin connected peers are needed to be connected at all. The default
	// value is 1; 0 for a network of one.
	PeersMin int
	// Standalone: no peers, no heartbeat; ledgers close by LedgerAccept only.
	Standalone bool
	// Delay holds back own proposals, validations and builds: a slow validator
	// (flag consensus.delay). The default value is 0.
	Delay time.Duration
	// Skew is added to the wall clock, for tests of clocks that differ.
	Skew time.Duration
	// QueueMax inputs may wait. The default value is 4096.
	QueueMax int
	// SetsMax transaction sets kept at once. The default value is 256.
	SetsMax int
	// SetTxsMax transactions in one set from a peer. The default value is 65536.
	SetTxsMax int
}

// Deps is what a driver works with. Signer, Signed and every hook may be nil.
type Deps struct {
	Chain  Chain
	Open   OpenLedger
	Net    Network
	Signer Signer
	Signed SignedLog
	Sets   *Sets
	// Verify checks a secp256k1 signature over a digest; safe for concurrent use.
	Verify func(public []byte, digest protocol.Hash, signature []byte) bool
	Hooks  Hooks
	Log    *slog.Logger
}

// Run drives consensus until ctx ends.
func (d *Driver) Run(ctx context.Context) error { panic("not built yet") }

// Driver is the consensus driver of one node.
type Driver struct{}

// New checks the options.
func New(o Options, deps Deps) (*Driver, error) { panic("not built yet") }

// Default returns xrpld's values.
func Default() Options {
	return Options{Parms: consensus.DefaultParms(), PeersMin: 1, QueueMax: 4096, SetsMax: 256, SetTxsMax: 65536}
}

// The handlers of peer.Handler. Safe for concurrent use; they verify on the
// caller's goroutine, then queue.

// Proposal takes a peer's proposal.
func (d *Driver) Proposal(from peer.ID, raw []byte) {}

// Validation takes a peer's validation.
func (d *Driver) Validation(from peer.ID, raw []byte) {}

// HaveSet notes that a peer has a transaction set.
func (d *Driver) HaveSet(from peer.ID, set protocol.Hash) {}

// PeerStatus notes where a peer stands.
func (d *Driver) PeerStatus(from peer.ID, s peer.Status) {}

// PeerUp notes a new session.
func (d *Driver) PeerUp(id peer.ID) {}

// PeerDown notes the end of a session.
func (d *Driver) PeerDown(id peer.ID, reason string) {}

// LedgerAcquired tells that a ledger asked for with Chain.Acquire is complete.
func (d *Driver) LedgerAcquired(l *Ledger) {}

// Validated tells that the validated pointer moved.
func (d *Driver) Validated(l *Ledger) {}

// LedgerAccept closes the open ledger at once (stand-alone only) and returns the
// sequence of the new open ledger.
func (d *Driver) LedgerAccept(ctx context.Context) (uint32, error) { return 0, nil }

// SetParms replaces the consensus constants from the next input on.
func (d *Driver) SetParms(p consensus.Parms) error { return nil }

// SetDelay changes Options.Delay.
func (d *Driver) SetDelay(delay time.Duration) {}

// Status returns the newest snapshot; never blocks.
func (d *Driver) Status() Status { return Status{} }

// Info returns the consensus_info of the RPC interface.
func (d *Driver) Info(ctx context.Context, full bool) (consensus.Info, error) {
	return consensus.Info{}, nil
}

// Now is this node's network time: wall clock, skew and close-time offset.
func (d *Driver) Now() uint32 { return 0 }
