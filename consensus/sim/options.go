package sim

import (
	"errors"
	"fmt"
	"time"

	"ledgerlab/consensus"
)

// Options of a run.
type Options struct {
	// Nodes are the validators, all trusting one another. The default value is 5.
	Nodes int
	// Seed of all chance. The default value is 1.
	Seed uint64
	// Parms of every core. Default: xrpld's.
	Parms consensus.Parms
	// Ledgers: the run ends when every honest node has validated so many.
	// The default value is 20.
	Ledgers uint32
	// Limit ends a run that does not get there. The default value is 1h.
	Limit time.Duration

	// DelayMin and DelayMax bound the delay of a message, drawn evenly. The
	// defaults are 10ms and 100ms.
	DelayMin, DelayMax time.Duration
	// Loss is the share of messages that vanish. The default value is 0.
	Loss float64
	// LossUntil ends the loss. The default value is 0: never.
	LossUntil time.Duration
	// Build is how long a ledger takes to build. The default value is 50ms.
	Build time.Duration
	// Skew: each clock is off by up to this. The default value is 0.
	Skew time.Duration
	// Slow: the last so many nodes send SlowBy later and build SlowBy longer.
	Slow   int
	SlowBy time.Duration
	// Liars: the first so many nodes tell different peers different things.
	Liars int
	// TxEvery is the time between transactions; each reaches each node on its
	// own. The default value is 200ms; 0 means none.
	TxEvery time.Duration
	// TxMiss is the share of nodes that a transaction does not reach, so that
	// positions differ. The default value is 0.
	TxMiss float64
	// Cuts are partitions.
	Cuts []Cut
	// Stops take nodes away and bring them back from their validated ledger.
	Stops []Stop
}

// Cut separates the nodes below Below from the others for a while.
type Cut struct {
	From, To time.Duration
	Below    int
}

// Stop takes a node away for a while.
type Stop struct {
	Node     int
	From, To time.Duration
}

// Default returns a healthy network of five.
func Default() Options {
	return Options{
		Nodes: 5, Seed: 1, Parms: consensus.DefaultParms(), Ledgers: 20, Limit: time.Hour,
		DelayMin: 10 * time.Millisecond, DelayMax: 100 * time.Millisecond, Build: 50 * time.Millisecond,
		TxEvery: 200 * time.Millisecond,
	}
}

// Validate returns every fault of the options, joined.
func (o *Options) Validate() error {
	errs := []error{o.Parms.Validate()}
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.Nodes >= 1 && o.Nodes <= 1000, "Nodes (%d) must be in 1..1000", o.Nodes)
	bad(o.Ledgers >= 1, "Ledgers (%d) must be >= 1", o.Ledgers)
	bad(o.Limit > 0, "Limit (%s) must be positive", o.Limit)
	bad(o.DelayMin >= 0 && o.DelayMax >= o.DelayMin, "DelayMin (%s) must be >= 0 and <= DelayMax (%s)", o.DelayMin, o.DelayMax)
	bad(o.Loss >= 0 && o.Loss < 1, "Loss (%v) must be in [0, 1)", o.Loss)
	bad(o.TxMiss >= 0 && o.TxMiss < 1, "TxMiss (%v) must be in [0, 1)", o.TxMiss)
	bad(o.Slow >= 0 && o.Liars >= 0 && o.Slow+o.Liars <= o.Nodes, "Slow (%d) + Liars (%d) must be <= Nodes (%d)",
		o.Slow, o.Liars, o.Nodes)
	for i, s := range o.Stops {
		bad(s.Node >= 0 && s.Node < o.Nodes && s.From < s.To, "Stops[%d] (node %d, %s to %s) is not possible", i, s.Node, s.From, s.To)
	}
	for i, c := range o.Cuts {
		bad(c.Below > 0 && c.Below < o.Nodes && c.From < c.To, "Cuts[%d] (below %d, %s to %s) is not possible", i, c.Below, c.From, c.To)
	}
	return errors.Join(errs...)
}
