package consensus

import "slices"

// dispute is one transaction that some positions hold and others do not. xrpld:
// DisputedTx.h in its 2025 form, with stalled().
type dispute struct {
	id      Hash
	source  TxSet // holds the body
	ourVote bool
	yays    int // peers, without us
	nays    int
	votes   map[NodeID]bool
	// unchanged counts heartbeats since our own vote last changed.
	unchanged int
	state     AvalancheState
	// rounds counts heartbeats in the present avalanche state.
	rounds int
}

func newDispute(id Hash, source TxSet, ours bool) *dispute {
	return &dispute{id: id, source: source, ourVote: ours, votes: map[NodeID]bool{}}
}

// setVote notes the vote of a peer and tells whether it is a new or changed one.
func (d *dispute) setVote(n NodeID, yes bool) bool {
	old, known := d.votes[n]
	if known && old == yes {
		return false
	}
	if known {
		d.count(old, -1)
	}
	d.count(yes, 1)
	d.votes[n] = yes
	return true
}

// unVote forgets a peer.
func (d *dispute) unVote(n NodeID) {
	if old, ok := d.votes[n]; ok {
		d.count(old, -1)
		delete(d.votes, n)
	}
}

func (d *dispute) count(yes bool, by int) {
	if yes {
		d.yays += by
	} else {
		d.nays += by
	}
}

// updateVote counts one heartbeat and tells whether our vote changed.
func (d *dispute) updateVote(percentTime int, proposing bool, p *Parms) bool {
	if d.ourVote && d.nays == 0 || !d.ourVote && d.yays == 0 {
		return false // nobody disagrees with us
	}
	d.rounds++
	required, next := neededWeight(p, d.state, percentTime, d.rounds, p.AvMinRounds)
	if next != d.state {
		d.state, d.rounds = next, 0
	}
	var vote bool
	if proposing {
		ours := 0
		if d.ourVote {
			ours = 100
		}
		vote = (d.yays*100+ours)/(d.nays+d.yays+1) > required
	} else {
		vote = d.yays > d.nays // an observer only recognises agreement
	}
	if vote == d.ourVote {
		d.unchanged++
		return false
	}
	d.unchanged, d.ourVote = 0, vote
	return true
}

// stalled tells whether the vote on this transaction is settled: nothing changed
// for several heartbeats in the last avalanche state, and all but a few agree.
func (d *dispute) stalled(p *Parms, proposing bool, peersUnchanged int) bool {
	last := p.Avalanche[d.state].Next == d.state
	if !last || d.rounds < p.AvMinRounds {
		return false
	}
	if proposing && d.unchanged < p.AvMinRounds {
		return false
	}
	// Either side unchanged for long is enough: a peer that flips its vote for
	// ever must not be able to hold up the round.
	if peersUnchanged < p.AvStalledRounds && proposing && d.unchanged < p.AvStalledRounds {
		return false
	}
	yes, total := d.yays, d.yays+d.nays
	if proposing {
		total++
		if d.ourVote {
			yes++
		}
	}
	if total == 0 {
		return false
	}
	weight := yes * 100 / total
	return weight > p.MinConsensusPct || weight < 100-p.MinConsensusPct
}

// disputes holds the disputes of a round, ordered by transaction id so that
// effects come in the same order for the same inputs.
type disputes struct {
	byID  map[Hash]*dispute
	order []*dispute
}

func (ds *disputes) reset() { ds.byID, ds.order = map[Hash]*dispute{}, nil }

func (ds *disputes) has(id Hash) bool { _, ok := ds.byID[id]; return ok }

func (ds *disputes) add(d *dispute) {
	ds.byID[d.id] = d
	ds.order = append(ds.order, d)
}

// sort restores the order after a batch of adds.
func (ds *disputes) sort() {
	slices.SortFunc(ds.order, func(a, b *dispute) int { return slices.Compare(a.id[:], b.id[:]) })
}

func (ds *disputes) unVote(n NodeID) {
	for _, d := range ds.order {
		d.unVote(n)
	}
}

// allStalled is false when there are no disputes.
func (ds *disputes) allStalled(p *Parms, proposing bool, peersUnchanged int) bool {
	for _, d := range ds.order {
		if !d.stalled(p, proposing, peersUnchanged) {
			return false
		}
	}
	return len(ds.order) > 0
}
