package consensus

import (
	"errors"
	"fmt"
	"time"
)

// AvalancheState is the step of an avalanche: the longer a round lasts, the
// larger the share of yes votes a disputed transaction needs.
type AvalancheState uint8

// Avalanche states, in the order they are passed.
const (
	AvInit AvalancheState = iota
	AvMid
	AvLate
	AvStuck
	avStates
)

// Cutoff is one row of the avalanche table.
type Cutoff struct {
	// TimePct: the state begins when the round has lasted this percentage of the
	// previous round (at least AvMinConsensusTime).
	TimePct int
	// WeightPct: share of yes votes that must be exceeded.
	WeightPct int
	// Next state; the last state names itself.
	Next AvalancheState
}

// Parms are the constants of consensus, those of xrpld's ConsensusParms.h and
// ValidationParms in its newest form (with stalled and expired rounds, 2025).
type Parms struct {
	// ValidationCurrentWall: a validation is current until this long after its
	// signing time. The default value is 5m.
	ValidationCurrentWall time.Duration
	// ValidationCurrentLocal: ... and until this long after it was seen. The
	// default value is 3m.
	ValidationCurrentLocal time.Duration
	// ValidationCurrentEarly: a signing time may be this far in the future. The
	// default value is 3m.
	ValidationCurrentEarly time.Duration
	// ValidationSetExpires: validations of a ledger are kept this long, and a
	// sequence enforcer forgets after it. The default value is 10m.
	ValidationSetExpires time.Duration
	// ValidationFreshness: a validator is a laggard, not offline, while its last
	// validation is younger than this. The default value is 20s.
	ValidationFreshness time.Duration

	// ProposeFreshness: a peer position older than this is dropped. The default
	// value is 20s.
	ProposeFreshness time.Duration
	// ProposeInterval: an own position older than this is sent again; must be
	// less than ProposeFreshness. The default value is 12s.
	ProposeInterval time.Duration

	// MinConsensusPct of the proposers must agree. The default value is 80.
	MinConsensusPct int
	// IdleInterval between ledgers without transactions. The default value is 15s.
	IdleInterval time.Duration
	// MinConsensus is the shortest establish phase. The default value is 1950ms.
	MinConsensus time.Duration
	// MaxConsensus: after it a node does not pause for laggards, and a lone node
	// accepts its own set. The default value is 15s.
	MaxConsensus time.Duration
	// MinClose is the shortest open phase. The default value is 2s.
	MinClose time.Duration
	// Granularity is the heartbeat; the owner's timer uses it. The default value
	// is 1s.
	Granularity time.Duration
	// AbandonFactor times the previous round, clamped to [MaxConsensus,
	// AbandonConsensus], ends a round as expired. The default value is 10.
	AbandonFactor int
	// AbandonConsensus is the upper clamp. The default value is 120s.
	AbandonConsensus time.Duration

	// AvMinConsensusTime is the least previous round time used for the converge
	// percentage. The default value is 5s.
	AvMinConsensusTime time.Duration
	// Avalanche table by state. The default is 0/50, 50/65, 85/70, 200/95.
	Avalanche [avStates]Cutoff
	// AvCloseTimePct of the participants must name the same close time. The
	// default value is 75.
	AvCloseTimePct int
	// AvMinRounds is how many heartbeats a dispute stays in one state at least.
	// The default value is 2.
	AvMinRounds int
	// AvStalledRounds without a changed vote make a dispute stalled. The default
	// value is 4.
	AvStalledRounds int

	// RecentPositions kept for each node and replayed at round start. The default
	// value is 10.
	RecentPositions int
	// DiffLimit: sets that differ in more transactions are not compared. The
	// default value is 65536.
	DiffLimit int
	// NodesMax bounds the nodes whose positions and validations are remembered.
	// The default value is 1024.
	NodesMax int
}

// DefaultParms returns xrpld's values.
func DefaultParms() Parms {
	return Parms{
		ValidationCurrentWall:  5 * time.Minute,
		ValidationCurrentLocal: 3 * time.Minute,
		ValidationCurrentEarly: 3 * time.Minute,
		ValidationSetExpires:   10 * time.Minute,
		ValidationFreshness:    20 * time.Second,
		ProposeFreshness:       20 * time.Second,
		ProposeInterval:        12 * time.Second,
		MinConsensusPct:        80,
		IdleInterval:           15 * time.Second,
		MinConsensus:           1950 * time.Millisecond,
		MaxConsensus:           15 * time.Second,
		MinClose:               2 * time.Second,
		Granularity:            time.Second,
		AbandonFactor:          10,
		AbandonConsensus:       120 * time.Second,
		AvMinConsensusTime:     5 * time.Second,
		Avalanche: [avStates]Cutoff{
			AvInit:  {TimePct: 0, WeightPct: 50, Next: AvMid},
			AvMid:   {TimePct: 50, WeightPct: 65, Next: AvLate},
			AvLate:  {TimePct: 85, WeightPct: 70, Next: AvStuck},
			AvStuck: {TimePct: 200, WeightPct: 95, Next: AvStuck},
		},
		AvCloseTimePct:  75,
		AvMinRounds:     2,
		AvStalledRounds: 4,
		RecentPositions: 10,
		DiffLimit:       65536,
		NodesMax:        1024,
	}
}

// Validate returns every fault of the parameters, joined.
func (p *Parms) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for _, d := range []struct {
		name string
		v    time.Duration
	}{
		{"ValidationCurrentWall", p.ValidationCurrentWall},
		{"ValidationCurrentLocal", p.ValidationCurrentLocal},
		{"ValidationCurrentEarly", p.ValidationCurrentEarly},
		{"ValidationSetExpires", p.ValidationSetExpires},
		{"ValidationFreshness", p.ValidationFreshness},
		{"ProposeFreshness", p.ProposeFreshness},
		{"ProposeInterval", p.ProposeInterval},
		{"IdleInterval", p.IdleInterval},
		{"MinConsensus", p.MinConsensus},
		{"MaxConsensus", p.MaxConsensus},
		{"MinClose", p.MinClose},
		{"Granularity", p.Granularity},
		{"AbandonConsensus", p.AbandonConsensus},
		{"AvMinConsensusTime", p.AvMinConsensusTime},
	} {
		bad(d.v > 0, "%s (%s) must be positive", d.name, d.v)
	}
	bad(p.ProposeInterval < p.ProposeFreshness, "ProposeInterval (%s) must be < ProposeFreshness (%s)",
		p.ProposeInterval, p.ProposeFreshness)
	bad(p.MinConsensus < p.MaxConsensus, "MinConsensus (%s) must be < MaxConsensus (%s)", p.MinConsensus, p.MaxConsensus)
	bad(p.MaxConsensus <= p.AbandonConsensus, "MaxConsensus (%s) must be <= AbandonConsensus (%s)",
		p.MaxConsensus, p.AbandonConsensus)
	bad(p.MinConsensusPct > 50 && p.MinConsensusPct <= 100, "MinConsensusPct (%d) must be in 51..100", p.MinConsensusPct)
	bad(p.AvCloseTimePct > 50 && p.AvCloseTimePct <= 100, "AvCloseTimePct (%d) must be in 51..100", p.AvCloseTimePct)
	bad(p.AbandonFactor >= 1, "AbandonFactor (%d) must be >= 1", p.AbandonFactor)
	bad(p.AvMinRounds >= 0, "AvMinRounds (%d) must be >= 0", p.AvMinRounds)
	bad(p.AvStalledRounds >= p.AvMinRounds, "AvStalledRounds (%d) must be >= AvMinRounds (%d)", p.AvStalledRounds, p.AvMinRounds)
	bad(p.RecentPositions >= 1, "RecentPositions (%d) must be >= 1", p.RecentPositions)
	bad(p.DiffLimit >= 1, "DiffLimit (%d) must be >= 1", p.DiffLimit)
	bad(p.NodesMax >= 1, "NodesMax (%d) must be >= 1", p.NodesMax)
	errs = append(errs, p.validateAvalanche()...)
	return errors.Join(errs...)
}

func (p *Parms) validateAvalanche() (errs []error) {
	for s, c := range p.Avalanche {
		if c.Next >= avStates {
			errs = append(errs, fmt.Errorf("Avalanche[%d].Next (%d) must be < %d", s, c.Next, avStates))
			continue
		}
		if c.WeightPct < 50 || c.WeightPct > 100 {
			errs = append(errs, fmt.Errorf("Avalanche[%d].WeightPct (%d) must be in 50..100", s, c.WeightPct))
		}
		n := p.Avalanche[c.Next]
		if int(c.Next) != s && (n.TimePct < c.TimePct || n.WeightPct < c.WeightPct) {
			errs = append(errs, fmt.Errorf("Avalanche[%d] (%d/%d) must not be after Avalanche[%d] (%d/%d)",
				s, c.TimePct, c.WeightPct, c.Next, n.TimePct, n.WeightPct))
		}
	}
	return errs
}
