package rcl

import (
	"fmt"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// timeLeap: a round longer than this shrinks what TxQ expects of a ledger.
const timeLeap = 5 * time.Second

// builtKept bounds the own builds remembered for finding divergence.
const builtKept = 32

// roundState is the bookkeeping of one round.
type roundState struct {
	start        time.Time
	accepting    consensus.Accept
	acceptAt     time.Time
	snapshot     time.Duration
	setAcquire   time.Duration
	setsAcquired int
	setsFailed   int
	positions    int
	signed       string
	built        BuildResult
	builtAt      time.Time
}

// builtLedger is an own build, for comparing with what the quorum names.
type builtLedger struct {
	hash      protocol.Hash
	set       protocol.Hash
	closeTime uint32
	at        time.Time
}

// accept asks the chain for the ledger that the round agreed on.
func (d *Driver) accept(e consensus.Accept) {
	d.acq.stopAll()
	d.countRound(e)
	if e.Timing.Proposers == 0 && d.mode.now == ModeFull && d.o.PeersMin > 0 && !d.o.Standalone {
		d.setMode(ModeConnected, "no peer took part in the round")
	}
	set, okSet := e.Set.(*TxSet)
	parent, okParent := e.Parent.(*Ledger)
	if !okSet || !okParent {
		d.fail(fmt.Errorf("rcl: accept of foreign types %T, %T", e.Set, e.Parent))
		return
	}
	d.round.accepting, d.round.acceptAt = e, time.Now()
	d.d.Chain.Build(BuildRequest{
		Parent: parent, SetID: set.Hash(), Txs: set.Txs(), CloseTime: uint32(e.CloseTime),
		CloseTimeCorrect: e.CloseTimeCorrect, Resolution: uint8(e.Resolution / time.Second),
	}, func(r BuildResult) {
		d.box.post(func() { d.built(r) })
	})
}

func (d *Driver) countRound(e consensus.Accept) {
	d.counters.rounds.Add(1)
	switch {
	case e.State == consensus.StateExpired:
		d.counters.expired.Add(1)
		d.log.Warn("round expired", "seq", e.Parent.Seq()+1, "after", e.Timing.Establish)
	case e.State == consensus.StateMovedOn:
		d.counters.movedOn.Add(1)
		d.log.Warn("the others moved on", "seq", e.Parent.Seq()+1)
	}
	if !e.HaveCorrectLedger {
		d.counters.wrongLedger.Add(1)
	}
}

// built takes the ledger, validates it, and has the open ledger rebuilt on it.
func (d *Driver) built(r BuildResult) {
	e := d.round.accepting
	if r.Err != nil || r.Ledger == nil {
		d.fail(fmt.Errorf("rcl: build ledger %d: %w", e.Parent.Seq()+1, r.Err))
		return
	}
	d.round.built, d.round.builtAt = r, time.Now()
	l := r.Ledger
	set := protocol.Hash(e.Set.ID())
	delete(d.builtAt, l.Sequence-builtKept)
	d.builtAt[l.Sequence] = builtLedger{hash: l.Hash, set: set, closeTime: l.Closed, at: d.round.builtAt}
	event := peer.EventAcceptedLedger
	if !e.HaveCorrectLedger {
		event = peer.EventLostSync
	}
	d.closedStatus(l, event)
	d.feed(consensus.Built{Ledger: l, Compatible: d.d.Chain.Compatible(l.Hash)})
	d.checkPending(l)
	if d.o.Standalone {
		d.d.Chain.CheckAccept(l.Hash, l.Sequence, 0)
	}
	retry, first := retrySet(e, r.Retry)
	d.d.Open.Accept(AcceptRequest{
		Ledger: l.Hash, Seq: l.Sequence, Retry: retry, RetriesFirst: first,
		TimeLeap: e.Timing.Establish > timeLeap,
	}, func(s AcceptStats) {
		d.box.post(func() { d.opened(l, s) })
	})
}

// retrySet is what the next open ledger tries again: left over from the build, and
// disputed transactions that we voted no on.
func retrySet(e consensus.Accept, left []Tx) (retry []Tx, disputed bool) {
	retry = append(retry, left...)
	for _, dr := range e.Disputes {
		if dr.OurVote {
			continue
		}
		if set, ok := dr.Set.(*TxSet); ok {
			if t := set.Tx(protocol.Hash(dr.ID)); t != nil {
				retry, disputed = append(retry, t), true
			}
		}
	}
	return retry, disputed
}

// opened ends the round: the open ledger stands on the new closed ledger.
func (d *Driver) opened(l *Ledger, s AcceptStats) {
	d.setClosed(l)
	d.adjustCloseTime(d.round.accepting)
	d.record(s)
	d.d.Sets.NextRound()
	d.endRound()
	if d.o.Standalone {
		d.answerAccepts(l.Sequence+1, nil)
	}
}

func (d *Driver) setClosed(l *Ledger) {
	d.closed = l
	d.d.Chain.SetClosed(l.Hash)
}

// adjustCloseTime moves our clock's offset toward the mean of the close times that
// the round's participants first named. xrpld: RCLConsensus doAccept, TimeKeeper.
func (d *Driver) adjustCloseTime(e consensus.Accept) {
	if e.Mode != consensus.ModeProposing && e.Mode != consensus.ModeObserving || e.State == consensus.StateMovedOn ||
		e.Timing.Simulated {
		return
	}
	count, total := int64(1), int64(e.SelfCloseTime)
	for t, n := range e.PeerCloseTimes {
		count += int64(n)
		total += int64(t) * int64(n)
	}
	by := (total+count/2)/count - int64(e.SelfCloseTime)
	d.offset.Store(int64(nextOffset(time.Duration(d.offset.Load()), time.Duration(by)*time.Second)))
}

// nextOffset takes a quarter of a large difference and lets a small one fade.
func nextOffset(offset, by time.Duration) time.Duration {
	const s = int64(time.Second)
	o, b := int64(offset)/s, int64(by)/s
	switch {
	case b > 1:
		o += (b + 3) / 4
	case b < -1:
		o += (b - 3) / 4
	default:
		o = o * 3 / 4
	}
	return time.Duration(o * s)
}

// record reports the round that just ended.
func (d *Driver) record(s AcceptStats) {
	r, e := &d.round, d.round.accepting
	now := time.Now()
	if d.d.Hooks.Round != nil {
		l := r.built.Ledger
		build := r.builtAt.Sub(r.acceptAt)
		d.d.Hooks.Round(RoundInfo{
			Seq: l.Sequence, Hash: l.Hash, Parent: l.ParentHash, Start: r.start,
			Open: e.Timing.Open, Establish: e.Timing.Establish, Build: build, Accept: now.Sub(r.builtAt),
			Snapshot: r.snapshot, BuildWait: max(0, build-r.built.Apply-r.built.Flush),
			Apply: r.built.Apply, Flush: r.built.Flush, LockWait: s.LockWait, LockHold: s.LockHold,
			SetAcquire: r.setAcquire, SetsAcquired: r.setsAcquired, SetsFailed: r.setsFailed,
			Voting:    max(0, e.Timing.Establish-d.o.Parms.MinConsensus),
			Proposers: e.Timing.Proposers, Positions: r.positions, Disputes: len(e.Disputes),
			Heartbeats: e.Timing.Rounds, ConvergePct: e.Timing.ConvergePct, Txs: r.built.Txs, Retry: len(r.built.Retry),
			CloseTime: l.Closed, CloseAgreed: e.CloseTimeCorrect, CloseOffset: time.Duration(d.offset.Load()),
			Resolution: e.Resolution, Mode: e.Mode.String(), Result: e.State.String(), Stalled: e.Timing.Stalled,
			Simulated: e.Timing.Simulated, Validated: signedWord(r.signed),
		})
	}
}

func signedWord(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// endRound is NetworkOPs::endConsensus: choose the ledger to go on from, move the
// operating mode, begin the next round.
func (d *Driver) endRound() {
	want := d.closed.Hash
	if !d.o.Standalone {
		want = d.preferredClosed()
	}
	changed := want != d.closed.Hash
	if changed {
		if d.mode.now >= ModeTracking {
			d.setMode(ModeConnected, "the network closed another ledger")
		}
		if l, ok := d.d.Chain.Ledger(want); ok && d.d.Chain.Compatible(want) {
			d.switchTo(l, d.beginRound)
			return
		}
		d.d.Chain.Acquire(want, 0)
	} else {
		d.climb()
	}
	d.beginRoundOn(want)
}

// preferredClosed is the closed ledger of the network: by validations, else by
// what most peers report. Our own previous ledger is never gone back to.
func (d *Driver) preferredClosed() protocol.Hash {
	counts := map[consensus.Hash]int{}
	if d.mode.now >= ModeTracking {
		counts[d.closed.ID()]++
	}
	for _, p := range d.d.Net.Peers() {
		if p.Connected && !p.Status.ClosedHash.IsZero() {
			counts[consensus.Hash(p.Status.ClosedHash)]++
		}
	}
	want := protocol.Hash(d.core.PreferredLCL(d.times(), d.closed, counts))
	if want == d.closed.ParentHash || want.IsZero() {
		return d.closed.Hash
	}
	return want
}

// switchTo makes a ledger that is here the closed one, rebuilds the open ledger on
// it and goes on with then.
func (d *Driver) switchTo(l *Ledger, then func()) {
	d.log.Info("switching to another ledger", "seq", l.Sequence, "hash", l.Hash, "from", d.closed.Sequence)
	d.counters.switches.Add(1)
	d.d.Open.Accept(AcceptRequest{Ledger: l.Hash, Seq: l.Sequence, TimeLeap: true, Switched: true}, func(AcceptStats) {
		d.box.post(func() {
			d.setClosed(l)
			d.closedStatus(l, peer.EventSwitchedLedger)
			then()
		})
	})
}

func (d *Driver) beginRound() { d.beginRoundOn(d.closed.Hash) }

// beginRoundOn begins a round that should work on the given ledger.
func (d *Driver) beginRoundOn(want protocol.Hash) {
	d.round = roundState{start: d.wall()}
	d.lastProp = nil
	d.feed(consensus.StartRound{
		LedgerID: consensus.Hash(want), Ledger: d.closed,
		Propose:    d.d.Signer != nil && d.mode.now == ModeFull,
		Validating: d.d.Signer != nil,
	})
}

func (d *Driver) fail(err error) {
	if d.fatal == nil {
		d.fatal = err
	}
}

func (d *Driver) wall() time.Time { return time.Now().Add(d.o.Skew) }
