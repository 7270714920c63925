package node

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"ledgerlab/node/config"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
)

// Options are what New needs beside the configuration file.
type Options struct {
	Config config.Config
	// Log takes messages; nil discards them.
	Log *slog.Logger
	// Now is the wall clock; nil means time.Now.
	Now func() time.Time
	// Transport replaces the gRPC overlay, for networks in one process; nil means
	// gRPC on Config.Listen.Peer.
	Transport peer.Transport
	// Control and Web replace the listeners of the configuration when not nil.
	Control, Web net.Listener
	// Genesis is the first ledger of an empty store; the zero value means
	// ledger.DefaultGenesis.
	Genesis ledger.GenesisOptions
	// Run numbers this start in records; 0 takes it from the clock.
	Run uint64
	// Seed feeds jitter and other choices that do not touch ledgers; recorded.
	Seed uint64
	// Entropy gives random numbers whose values never reach a ledger (validation
	// cookies); nil means the operating system's.
	Entropy io.Reader
	// ProbeEvery is the pause between two looks at a disk that failed; 0 means 2 s.
	ProbeEvery time.Duration
	// Version names the program to clients; empty means "devel".
	Version string
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Genesis.Drops == 0 {
		o.Genesis = ledger.DefaultGenesis()
	}
	if o.Run == 0 {
		o.Run = uint64(o.Now().UnixNano())
	}
	if o.ProbeEvery <= 0 {
		o.ProbeEvery = probeEvery
	}
	if o.Version == "" {
		o.Version = "devel"
	}
	return o
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	faults := []error{o.Config.Validate()}
	if o.Genesis.Drops != 0 {
		faults = append(faults, o.Genesis.Validate())
	}
	return errors.Join(faults...)
}
