package consensus

import (
	"maps"
	"slices"
	"time"
)

// Started is false until the first StartRound.
func (c *Core) Started() bool { return c.started }

// Phase is the present phase.
func (c *Core) Phase() Phase { return c.phase }

// Mode is the present mode of the round.
func (c *Core) Mode() Mode { return c.mode }

// Prev is the ledger the round works on, nil before the first round.
func (c *Core) Prev() Ledger { return c.prev }

// PrevID is the ledger the round should work on.
func (c *Core) PrevID() Hash { return c.prevID }

// PrevRoundTime is how long the last establish phase took.
func (c *Core) PrevRoundTime() time.Duration { return c.prevRoundTime }

// Stats returns a copy of the counters.
func (c *Core) Stats() Stats { return c.stats }

// Proposers counts the peer positions of the round.
func (c *Core) Proposers() int { return c.positions.len() }

// Info copies the state of the round; with full also positions, disputes and sets.
func (c *Core) Info(full bool) Info {
	in := Info{
		Phase: c.phase, Mode: c.mode, PrevLedger: c.prevID, Proposers: c.positions.len(),
		PrevProposers: c.prevProposers, PrevRoundTime: c.prevRoundTime, ConvergePct: c.convergePct,
		CloseResolution: c.resolution, HaveCloseTime: c.haveCloseTime, Validating: c.validating,
		Trusted: len(c.vals.trusted), Quorum: c.vals.quorum, Stats: c.stats,
	}
	if c.prev != nil {
		in.Seq = c.prev.Seq() + 1
	}
	if c.res != nil {
		p := c.res.position
		in.Position, in.RoundTime = &p, c.res.roundTime
	}
	if full {
		c.fill(&in)
	}
	return in
}

func (c *Core) fill(in *Info) {
	for _, p := range c.positions.list {
		in.Peers = append(in.Peers, *p)
	}
	in.Acquired = slices.SortedFunc(maps.Keys(c.acquired), compareHash)
	in.CloseTimes = maps.Clone(c.rawPeers)
	in.DeadNodes = sortedNodes(c.dead)
	if c.res == nil {
		return
	}
	for _, d := range c.res.disputes.order {
		in.Disputes = append(in.Disputes, DisputeInfo{
			ID: d.id, Yays: d.yays, Nays: d.nays, OurVote: d.ourVote, Votes: maps.Clone(d.votes),
		})
	}
}
