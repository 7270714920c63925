package consensus

import (
	"bytes"
	"maps"
	"slices"
)

// positions holds the current position of each peer, ordered by node.
type positions struct{ list []*Proposal }

func (ps *positions) reset()   { ps.list = nil }
func (ps *positions) len() int { return len(ps.list) }

func (ps *positions) find(n NodeID) (int, bool) {
	return slices.BinarySearchFunc(ps.list, n, func(p *Proposal, n NodeID) int { return p.Node.Compare(n) })
}

func (ps *positions) set(p Proposal) {
	i, ok := ps.find(p.Node)
	if ok {
		ps.list[i] = &p
		return
	}
	ps.list = slices.Insert(ps.list, i, &p)
}

func (ps *positions) remove(n NodeID) {
	if i, ok := ps.find(n); ok {
		ps.list = slices.Delete(ps.list, i, i+1)
	}
}

// gotProposal stores the position for replay and counts it if it fits the round.
func (c *Core) gotProposal(p Proposal) {
	if !c.vals.trusted[p.Node] || p.Node == c.self {
		c.stats.Untrusted++
		return
	}
	list, ok := c.recent[p.Node]
	if !ok && len(c.recent) >= c.parms.NodesMax {
		c.stats.NodesRefused++
		return
	}
	if len(list) >= c.parms.RecentPositions {
		list = slices.Delete(list, 0, len(list)-c.parms.RecentPositions+1)
	}
	c.recent[p.Node] = append(list, p)
	c.takeProposal(p)
}

// playback counts the stored positions that belong to the round just begun.
func (c *Core) playback() {
	for _, n := range slices.SortedFunc(maps.Keys(c.recent), NodeID.Compare) {
		for _, p := range c.recent[n] {
			if p.PrevLedger == c.prevID && c.takeProposal(p) {
				c.emit(RelayProposal{p})
			}
		}
	}
}

// takeProposal is true when the position counts in this round.
func (c *Core) takeProposal(p Proposal) bool {
	if !c.started || c.phase == PhaseAccepted {
		return false
	}
	if p.PrevLedger != c.prevID {
		c.stats.ProposalsOther++
		return false
	}
	if c.dead[p.Node] {
		c.stats.ProposalsDead++
		return false
	}
	if i, ok := c.positions.find(p.Node); ok && p.Seq <= c.positions.list[i].Seq {
		c.stats.ProposalsOld++
		return false
	}
	if p.BowOut() {
		c.dropPeer(p.Node)
		c.dead[p.Node] = true
		return true
	}
	c.positions.set(p)
	if p.Seq == SeqJoin {
		c.rawPeers[p.CloseTime]++
	}
	if set := c.acquired[p.Position]; set != nil {
		if c.res != nil {
			c.updateDisputes(p.Node, set)
		}
	} else {
		c.emit(AcquireTxSet{p.Position})
	}
	return true
}

func (c *Core) dropPeer(n NodeID) {
	if c.res != nil {
		c.res.disputes.unVote(n)
	}
	c.positions.remove(n)
}

// gotTxSet takes a peer's set and the votes it implies.
func (c *Core) gotTxSet(set TxSet) {
	if !c.started || c.phase == PhaseAccepted {
		c.stats.OutOfPhase++
		return
	}
	id := set.ID()
	if _, here := c.acquired[id]; here {
		return
	}
	c.acquired[id] = set
	if c.res == nil {
		return // disputes are made at the close
	}
	for _, p := range c.positions.list {
		if p.Position == id {
			c.updateDisputes(p.Node, set)
		}
	}
}

// updateDisputes counts the votes of a node whose position is the given set.
func (c *Core) updateDisputes(n NodeID, set TxSet) {
	c.createDisputes(set)
	for _, d := range c.res.disputes.order {
		if d.setVote(n, set.Has(d.id)) {
			c.peersUnchanged = 0
		}
	}
}

// createDisputes makes a dispute of every transaction in which a set differs from
// ours, once a set.
func (c *Core) createDisputes(o TxSet) {
	r := c.res
	if r.compared[o.ID()] {
		return
	}
	r.compared[o.ID()] = true
	if o.ID() == r.set.ID() {
		return
	}
	ours, theirs, ok := r.set.Diff(o, c.parms.DiffLimit)
	if !ok {
		c.stats.DiffsRefused++
		return
	}
	first := len(r.disputes.order)
	c.addDisputes(ours, r.set, true)
	c.addDisputes(theirs, o, false)
	if len(r.disputes.order) > first {
		r.disputes.sort()
	}
}

func (c *Core) addDisputes(ids []Hash, source TxSet, ours bool) {
	for _, id := range ids {
		if c.res.disputes.has(id) {
			continue
		}
		d := newDispute(id, source, ours)
		for _, p := range c.positions.list {
			if set := c.acquired[p.Position]; set != nil && d.setVote(p.Node, set.Has(id)) {
				c.peersUnchanged = 0
			}
		}
		c.res.disputes.add(d)
		if ours {
			c.emit(ShareTx{ID: id, Set: source})
		}
	}
}

// updatePositions drops stale peers, updates our votes and the close time, and
// sends a new position when something changed or ours has become old.
func (c *Core) updatePositions() {
	r := c.res
	votes := c.freshCloseTimes()
	set := c.vote()
	closeTime := c.closeTimeVote(votes)
	ours := RoundCloseTime(r.position.CloseTime, c.resolution)
	if set == nil && (closeTime != ours || r.position.stale(c.now.Network.Add(-c.parms.ProposeInterval))) {
		set = r.set
	}
	if set == nil {
		return
	}
	r.set = set
	r.position.Position, r.position.CloseTime, r.position.SeenAt = set.ID(), closeTime, c.now.Network
	if !r.position.BowOut() {
		r.position.Seq++
	}
	if _, here := c.acquired[set.ID()]; !here {
		c.acquired[set.ID()] = set
		if !r.position.BowOut() {
			c.emit(ShareTxSet{set})
		}
		for _, p := range c.positions.list {
			if p.Position == set.ID() {
				c.updateDisputes(p.Node, set)
			}
		}
	}
	if c.mode == ModeProposing && !r.position.BowOut() {
		c.emit(Propose{r.position})
	}
}

// freshCloseTimes drops stale positions and counts the rounded close times of the
// others.
func (c *Core) freshCloseTimes() map[NetTime]int {
	cutoff := c.now.Network.Add(-c.parms.ProposeFreshness)
	votes := map[NetTime]int{}
	for _, p := range slices.Clone(c.positions.list) {
		if p.stale(cutoff) {
			c.dropPeer(p.Node)
			continue
		}
		votes[RoundCloseTime(p.CloseTime, c.resolution)]++
	}
	return votes
}

// vote updates our vote on every dispute; the changed set, nil when unchanged.
func (c *Core) vote() TxSet {
	var add, remove []Hash
	var from []TxSet
	for _, d := range c.res.disputes.order {
		if !d.updateVote(c.convergePct, c.mode == ModeProposing, &c.parms) {
			continue
		}
		if d.ourVote {
			add, from = append(add, d.id), append(from, d.source)
		} else {
			remove = append(remove, d.id)
		}
	}
	if len(add)+len(remove) == 0 {
		return nil
	}
	if e, ok := c.res.set.(Editor); ok {
		return e.Edit(add, from, remove)
	}
	set := c.res.set
	for _, id := range add {
		set = set.With(id)
	}
	for _, id := range remove {
		set = set.Without(id)
	}
	return set
}

// closeTimeVote chooses the close time most named, if enough name it, and notes
// whether there is agreement. Zero: no time has enough votes.
func (c *Core) closeTimeVote(votes map[NetTime]int) NetTime {
	ours := RoundCloseTime(c.res.position.CloseTime, c.resolution)
	if c.positions.len() == 0 {
		c.haveCloseTime, c.closeTimePct = true, 100
		return ours
	}
	c.haveCloseTime, c.closeTimePct = false, 0
	// Rounds are not counted for close times, hence zeros.
	var needed int
	needed, c.closeAvalanche = neededWeight(&c.parms, c.closeAvalanche, c.convergePct, 0, 0)
	participants := c.positions.len()
	if c.mode == ModeProposing {
		votes[ours]++
		participants++
	}
	thresh := participantsNeeded(participants, needed)
	agreed := participantsNeeded(participants, c.parms.AvCloseTimePct)
	var chosen NetTime
	for _, t := range slices.Sorted(maps.Keys(votes)) {
		if v := votes[t]; v >= thresh {
			chosen, thresh = t, v
			c.closeTimePct = v * 100 / participants
			c.haveCloseTime = v >= agreed
		}
	}
	return chosen
}

func compareHash(a, b Hash) int { return bytes.Compare(a[:], b[:]) }
