package rcl

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ledgerlab/consensus"
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
	// Delay holds back own proposals and validations: a slow validator (flag
	// consensus.delay). The default value is 0.
	Delay time.Duration
	// Skew is added to the wall clock, for tests of clocks that differ.
	Skew time.Duration
	// Cookie tells this process from another with the same key; a random number.
	Cookie uint64
	// QueueMax inputs from peers may wait. The default value is 4096.
	QueueMax int
	// StartWait: how long a starting node waits for the rest of its network once
	// it has heard of a quorum. The default value is 3s.
	StartWait time.Duration
}

// Default returns xrpld's values.
func Default() Options {
	return Options{Parms: consensus.DefaultParms(), PeersMin: 1, QueueMax: 4096, StartWait: 3 * time.Second}
}

// Validate returns every fault of the options, joined.
func (o *Options) Validate() error {
	errs := []error{o.Parms.Validate()}
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for i, k := range o.Trusted {
		bad(len(k) == 33, "Trusted[%d] has %d bytes, must be 33", i, len(k))
	}
	bad(o.Quorum >= 0, "Quorum (%d) must be >= 0", o.Quorum)
	bad(len(o.Trusted) == 0 || o.Quorum <= len(o.Trusted), "Quorum (%d) must be <= the %d trusted keys", o.Quorum, len(o.Trusted))
	bad(o.PeersMin >= 0, "PeersMin (%d) must be >= 0", o.PeersMin)
	bad(o.Delay >= 0 && o.Delay <= time.Minute, "Delay (%s) must be in 0..1m", o.Delay)
	bad(o.QueueMax >= 16, "QueueMax (%d) must be >= 16", o.QueueMax)
	bad(o.StartWait >= 0, "StartWait (%s) must be >= 0", o.StartWait)
	return errors.Join(errs...)
}

// Deps is what a driver works with. Signer, Signed, ShareTx and every hook may be
// nil.
type Deps struct {
	Chain  Chain
	Open   OpenLedger
	Net    Network
	Sets   *Sets
	Signer Signer
	Signed SignedLog
	// Verify checks a secp256k1 signature over a digest; safe for concurrent use.
	Verify func(public []byte, digest protocol.Hash, signature []byte) bool
	// ShareTx relays a disputed transaction of ours that peers may lack.
	ShareTx func(t Tx)
	Hooks   Hooks
	Log     *slog.Logger
}

func (d *Deps) validate() error {
	var errs []error
	for _, m := range []struct {
		name string
		nil  bool
	}{
		{"Chain", d.Chain == nil},
		{"Open", d.Open == nil},
		{"Net", d.Net == nil},
		{"Sets", d.Sets == nil},
		{"Verify", d.Verify == nil},
	} {
		if m.nil {
			errs = append(errs, fmt.Errorf("Deps.%s is missing", m.name))
		}
	}
	return errors.Join(errs...)
}
