package consensus

import "time"

// clockOddity: a round time or a time since the last close beyond this means that
// a clock jumped. xrpld: Consensus.cpp shouldCloseLedger.
const clockOddity = 10 * time.Minute

// closeView is what shouldCloseLedger looks at.
type closeView struct {
	anyTransactions    bool
	prevProposers      int
	proposersClosed    int // peers with a position: they have closed
	proposersValidated int // trusted validations of the previous ledger
	prevRoundTime      time.Duration
	sinceClose         time.Duration // since the previous close, by close times
	openTime           time.Duration // since this round began
	idleInterval       time.Duration
}

// shouldCloseLedger decides whether the open phase ends.
func shouldCloseLedger(v closeView, p *Parms) bool {
	if v.prevRoundTime < -time.Second || v.prevRoundTime > clockOddity || v.sinceClose > clockOddity {
		return true
	}
	if v.proposersClosed+v.proposersValidated > v.prevProposers/2 {
		return true // more than half of the network has closed
	}
	if !v.anyTransactions {
		return v.sinceClose >= v.idleInterval
	}
	if v.openTime < p.MinClose {
		return false
	}
	// A slow network is given time: not less than half the previous round.
	return v.openTime >= v.prevRoundTime/2
}

// agreeView is what checkConsensus looks at.
type agreeView struct {
	prevProposers int
	proposers     int // current peer positions
	agree         int // of them, equal to ours
	finished      int // trusted nodes that validated a later ledger
	prevRoundTime time.Duration
	roundTime     time.Duration
	stalled       bool
	proposing     bool
}

// reached tells whether enough of total agree. reachedMax lets a lone node accept.
func reached(agree, total int, countSelf bool, pct int, reachedMax, stalled bool) bool {
	if total == 0 {
		return reachedMax
	}
	if stalled {
		return true
	}
	if countSelf {
		agree++
		total++
	}
	return agree*100/total >= pct
}

// checkConsensus decides whether the establish phase ends, and by which rule.
func checkConsensus(v agreeView, p *Parms) State {
	if v.roundTime <= p.MinConsensus {
		return StateNo
	}
	if v.proposers < v.prevProposers*3/4 && v.roundTime < v.prevRoundTime+p.MinConsensus {
		return StateNo // fewer than before: wait a bit for the missing ones
	}
	reachedMax := v.roundTime > p.MaxConsensus
	if reached(v.agree, v.proposers, v.proposing, p.MinConsensusPct, reachedMax, v.stalled) {
		return StateYes
	}
	if reached(v.finished, v.proposers, false, p.MinConsensusPct, reachedMax, false) {
		return StateMovedOn
	}
	abandon := min(max(v.prevRoundTime*time.Duration(p.AbandonFactor), p.MaxConsensus), p.AbandonConsensus)
	if v.roundTime > abandon {
		return StateExpired
	}
	return StateNo
}

// participantsNeeded is pct percent of n, rounded to nearest, at least one.
func participantsNeeded(n, pct int) int { return max(1, (n*pct+pct/2)/100) }

// neededWeight returns the share of yes votes needed now and the avalanche state,
// which advances by at most one step: when the state has lasted minRounds and the
// round has come to the next state's time.
func neededWeight(p *Parms, s AvalancheState, percentTime, rounds, minRounds int) (weight int, next AvalancheState) {
	cur := p.Avalanche[s]
	if cur.Next != s && rounds >= minRounds {
		if n := p.Avalanche[cur.Next]; percentTime >= n.TimePct {
			return n.WeightPct, cur.Next
		}
	}
	return cur.WeightPct, s
}

// pauseView is what shouldPause looks at.
type pauseView struct {
	workingSeq   uint32 // of the previous ledger
	validatedSeq uint32
	laggards     int // trusted, fresh, behind workingSeq
	offline      int // trusted without a fresh validation
	trusted      int
	quorum       int
	validator    bool
	roundTime    time.Duration
}

// maxPausePhase: at this phase of being ahead no laggard is tolerated.
const maxPausePhase = 4

// shouldPause tells whether to wait for validators that lag behind.
func shouldPause(v pauseView, p *Parms) bool {
	ahead := v.workingSeq - min(v.validatedSeq, v.workingSeq)
	if ahead == 0 || v.laggards == 0 || v.trusted == 0 || !v.validator || v.validatedSeq == 0 || v.roundTime > p.MaxConsensus {
		return false
	}
	phase := int(ahead-1) % (maxPausePhase + 1)
	switch phase {
	case 0:
		return v.laggards+v.offline > v.trusted-v.quorum
	case maxPausePhase:
		return true
	}
	// nonLaggards/trusted < q + (1-q)*phase/4 with q = quorum/trusted, in integers.
	nonLaggards := v.trusted - (v.laggards + v.offline)
	return nonLaggards*maxPausePhase < v.quorum*maxPausePhase+(v.trusted-v.quorum)*phase
}

// QuorumOf is the quorum of n trusted validators: 80 %, rounded up (xrpld
// ValidatorList::calculateQuorum without a negative UNL). None needs none.
func QuorumOf(n int) int { return (n*8 + 9) / 10 }
