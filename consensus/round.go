package consensus

import "time"

// startRound begins the next round, with the previous one's figures.
func (c *Core) startRound(in StartRound) {
	c.known.add(in.Ledger)
	c.vals.gotLedger(in.Ledger)
	if c.firstRound {
		c.prevRoundTime = c.parms.IdleInterval
		c.prevCloseTime = in.Ledger.CloseTime()
		c.firstRound = false
	} else if c.rawSelf != 0 {
		c.prevCloseTime = c.rawSelf
	}
	c.started = true
	c.validating = in.Validating
	mode, l := ModeObserving, in.Ledger
	if in.Propose {
		mode = ModeProposing
	}
	c.prevID = in.LedgerID
	if l.ID() != in.LedgerID {
		if have := c.known.get(in.LedgerID); have != nil {
			l = have
		} else {
			mode = ModeWrongLedger
			c.emit(AcquireLedger{ID: in.LedgerID, Reason: ReasonPreferred})
		}
	}
	c.beginRound(l, mode, "round")
}

// beginRound resets the round's state on the ledger l; prevID is already set.
func (c *Core) beginRound(l Ledger, mode Mode, reason string) {
	c.setPhase(PhaseOpen)
	c.setMode(mode, reason)
	c.prev, c.res, c.simulate = l, nil, false
	c.convergePct, c.haveCloseTime, c.closeAvalanche, c.closeTimePct = 0, false, AvInit, 0
	c.openedAt, c.openTime = c.now.Steady, 0
	c.acquired = map[Hash]TxSet{}
	c.rawSelf = 0
	c.clearPeers()
	c.resolution = NextResolution(l.CloseResolution(), l.CloseAgree(), l.Seq()+1)
	c.playback()
	if c.positions.len() > c.prevProposers/2 {
		c.tick(false) // we may be falling behind: do not wait for the heartbeat
	}
}

func (c *Core) clearPeers() {
	c.positions.reset()
	c.rawPeers = map[NetTime]int{}
	c.dead = map[NodeID]bool{}
}

// tick is one heartbeat.
func (c *Core) tick(anyTransactions bool) {
	c.vals.expire(c.now.Network)
	c.askWanted()
	if !c.started || c.phase == PhaseAccepted {
		return
	}
	c.checkLedger()
	switch c.phase {
	case PhaseOpen:
		c.phaseOpen(anyTransactions)
	case PhaseEstablish:
		c.phaseEstablish()
	}
}

// wantedAsked bounds the ledgers asked for at one heartbeat.
const wantedAsked = 4

// askWanted repeats what is missing: the round's ledger, then validated ones.
func (c *Core) askWanted() {
	if c.started && c.phase != PhaseAccepted && c.prev.ID() != c.prevID {
		c.emit(AcquireLedger{ID: c.prevID, Reason: ReasonPreferred})
	}
	for i, w := range c.vals.wanted() {
		if i == wantedAsked {
			return
		}
		c.emit(AcquireLedger{ID: w.id, Seq: w.seq, Reason: ReasonValidated})
	}
}

// checkLedger compares the ledger of the round with what the validations prefer.
func (c *Core) checkLedger() {
	want := c.prevID
	if seq, id, ok := c.vals.preferred(c.prev, c.validatedSeq); ok {
		want = c.prev.ID()
		if seq >= c.validatedSeq {
			want = id
		}
	}
	if want != c.prevID {
		if c.mode != ModeWrongLedger {
			c.emit(ViewChange{From: c.prevID, To: want})
		}
		c.wrongLedger(want)
	} else if c.prev.ID() != c.prevID {
		c.wrongLedger(want)
	}
}

// wrongLedger leaves the round and turns to another ledger, now if it is here,
// else in mode wrongLedger until it comes.
func (c *Core) wrongLedger(id Hash) {
	c.leave("wrong_ledger")
	changed := c.prevID != id
	c.prevID = id
	if l := c.ledgerHere(id); l != nil {
		c.beginRound(l, ModeSwitchedLedger, "switched")
		return
	}
	if changed {
		if c.res != nil {
			c.res.disputes.reset()
			c.res.compared = map[Hash]bool{}
		}
		c.clearPeers()
		c.playback()
	}
	c.setMode(ModeWrongLedger, "wrong_ledger")
	c.emit(AcquireLedger{ID: id, Reason: ReasonPreferred})
}

func (c *Core) ledgerHere(id Hash) Ledger {
	if c.prev.ID() == id {
		return c.prev
	}
	return c.known.get(id)
}

// leave bows out of the round if we propose in it.
func (c *Core) leave(reason string) {
	if c.mode != ModeProposing {
		return
	}
	if c.res != nil && !c.res.position.BowOut() {
		c.res.position.Seq = SeqLeave
		c.res.position.SeenAt = c.now.Network
		c.emit(Propose{c.res.position})
	}
	c.setMode(ModeObserving, reason)
}

// phaseOpen closes the open ledger when it is time.
func (c *Core) phaseOpen(anyTransactions bool) {
	c.openTime = c.now.Steady - c.openedAt
	v := closeView{
		anyTransactions:    anyTransactions,
		prevProposers:      c.prevProposers,
		proposersClosed:    c.positions.len(),
		proposersValidated: c.vals.trustedFor(c.prevID),
		prevRoundTime:      c.prevRoundTime,
		sinceClose:         c.sinceClose(),
		openTime:           c.openTime,
		idleInterval:       max(c.parms.IdleInterval, 2*c.prev.CloseResolution()),
	}
	if shouldCloseLedger(v, &c.parms) {
		c.closeLedger()
	}
}

// sinceClose is the time since the previous close: by the ledger if its close
// time was agreed on and is not the filler "parent + 1", else by our own clock.
func (c *Core) sinceClose() time.Duration {
	last := c.prevCloseTime
	if c.mode != ModeWrongLedger && c.prev.CloseAgree() && c.prev.CloseTime() != c.prev.ParentCloseTime()+1 {
		last = c.prev.CloseTime()
	}
	return c.now.Network.Sub(last)
}

func (c *Core) closeLedger() {
	c.openTime = c.now.Steady - c.openedAt
	c.setPhase(PhaseEstablish)
	c.rawSelf = c.now.Network
	c.emit(CloseOpen{Parent: c.prev, Mode: c.mode, CloseTime: c.rawSelf})
}

func (c *Core) startSimulate() {
	if !c.started || c.phase != PhaseOpen {
		c.stats.OutOfPhase++
		return
	}
	c.simulate = true
	c.closeLedger()
}

// openClosed takes our own set and the first position on it.
func (c *Core) openClosed(set TxSet) {
	if c.phase != PhaseEstablish || c.res != nil {
		c.stats.OutOfPhase++
		return
	}
	c.res = &result{
		set: set, compared: map[Hash]bool{}, startedAt: c.now.Steady,
		position: Proposal{
			Node: c.self, PrevLedger: c.prev.ID(), Position: set.ID(), Seq: SeqJoin,
			CloseTime: c.rawSelf, SeenAt: c.now.Network,
		},
	}
	c.res.disputes.reset()
	c.peersUnchanged, c.heartbeats = 0, 0
	if c.simulate {
		c.finishSimulate()
		return
	}
	if _, here := c.acquired[set.ID()]; !here {
		c.acquired[set.ID()] = set
		c.emit(ShareTxSet{set})
	}
	if c.mode == ModeProposing {
		c.emit(Propose{c.res.position})
	}
	for _, p := range c.positions.list {
		if o := c.acquired[p.Position]; o != nil {
			c.createDisputes(o)
		}
	}
}

func (c *Core) finishSimulate() {
	c.res.state = StateYes
	c.haveCloseTime = true
	c.prevProposers = c.positions.len()
	c.accept()
}

// phaseEstablish is one heartbeat of voting.
func (c *Core) phaseEstablish() {
	if c.res == nil {
		return // the open ledger's set is not here yet
	}
	c.peersUnchanged++
	c.heartbeats++
	c.res.roundTime = c.now.Steady - c.res.startedAt
	c.convergePct = int(c.res.roundTime * 100 / max(c.prevRoundTime, c.parms.AvMinConsensusTime))
	if c.res.roundTime < c.parms.MinConsensus {
		return // everyone gets a chance to take a first position
	}
	c.updatePositions()
	if c.pause() || !c.haveConsensus() {
		return
	}
	if !c.haveCloseTime && !c.overdue() {
		return
	}
	c.prevProposers = c.positions.len()
	c.prevRoundTime = c.res.roundTime
	c.accept()
}

// overdue lets an expired round end although close times were never agreed on:
// xrpld has no such rule and can wait for ever. The ledger says "not agreed".
func (c *Core) overdue() bool {
	return c.res.state == StateExpired && c.res.roundTime > c.parms.AbandonConsensus
}

func (c *Core) pause() bool {
	behind, offline := c.vals.laggards(c.now.Network, c.prev.Seq())
	return shouldPause(pauseView{
		workingSeq: c.prev.Seq(), validatedSeq: c.validatedSeq, laggards: behind, offline: offline,
		trusted: len(c.vals.trusted), quorum: c.vals.quorum, validator: c.validating, roundTime: c.res.roundTime,
	}, &c.parms)
}

// haveConsensus tells whether the round may end, and leaves it when it expired.
func (c *Core) haveConsensus() bool {
	r := c.res
	agree := 0
	for _, p := range c.positions.list {
		if p.Position == r.position.Position {
			agree++
		}
	}
	proposing := c.mode == ModeProposing
	r.stalled = c.haveCloseTime && r.disputes.allStalled(&c.parms, proposing, c.peersUnchanged)
	r.state = checkConsensus(agreeView{
		prevProposers: c.prevProposers, proposers: c.positions.len(), agree: agree,
		finished: c.vals.after(c.prev, c.prevID), prevRoundTime: c.prevRoundTime,
		roundTime: r.roundTime, stalled: r.stalled, proposing: proposing,
	}, &c.parms)
	if r.state == StateExpired {
		if c.heartbeats < int(avStates)*c.parms.AvMinRounds {
			r.state = StateNo // the avalanche has not had its chance
			return false
		}
		c.leave("expired")
	}
	return r.state != StateNo
}

// accept ends the round with what we hold.
func (c *Core) accept() {
	r := c.res
	c.setPhase(PhaseAccepted)
	closeTime, correct := EffCloseTime(r.position.CloseTime, c.resolution, c.prev.CloseTime()), true
	if r.position.CloseTime == 0 || !c.haveCloseTime {
		closeTime, correct = c.prev.CloseTime()+1, false
	}
	list := make([]DisputeResult, 0, len(r.disputes.order))
	for _, d := range r.disputes.order {
		list = append(list, DisputeResult{ID: d.id, OurVote: d.ourVote, Yays: d.yays, Nays: d.nays, Set: d.source})
	}
	c.emit(Accept{
		Parent: c.prev, Set: r.set, CloseTime: closeTime, CloseTimeCorrect: correct, Resolution: c.resolution,
		Mode: c.mode, HaveCorrectLedger: c.mode != ModeWrongLedger, State: r.state, Disputes: list,
		SelfCloseTime: c.rawSelf, PeerCloseTimes: c.rawPeers,
		Timing: RoundTiming{
			Open: c.openTime, Establish: r.roundTime, ConvergePct: c.convergePct, Proposers: c.positions.len(),
			Rounds: c.heartbeats, PositionSeq: r.position.Seq, CloseTimePct: c.closeTimePct, Stalled: r.stalled,
			Simulated: c.simulate,
		},
	})
}
