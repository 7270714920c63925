package rcl

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
)

// liveCounters are written by the rcl goroutine and by handlers.
type liveCounters struct {
	proposals, proposalsBad, proposalsDup, proposalsUntrusted         atomic.Uint64
	validations, validationsBad, validationsDup, validationsUntrusted atomic.Uint64
	setsBuilt, setsAcquired, setsFailed                               atomic.Uint64
	rounds, expired, movedOn, wrongLedger, switches, stepOuts         atomic.Uint64
	departures, signedFull, signedPartial, divergences                atomic.Uint64
}

// Counters returns the counts since the start.
func (d *Driver) Counters() Counters {
	c := &d.counters
	nodes, bad := d.acq.counts()
	return Counters{
		Proposals: c.proposals.Load(), ProposalsBad: c.proposalsBad.Load(), ProposalsDuplicate: c.proposalsDup.Load(),
		ProposalsUntrusted: c.proposalsUntrusted.Load(), Validations: c.validations.Load(),
		ValidationsBad: c.validationsBad.Load(), ValidationsDup: c.validationsDup.Load(),
		ValidationsUntrust: c.validationsUntrusted.Load(), QueueRefused: d.box.refusedCount(),
		SetsBuilt: c.setsBuilt.Load(), SetsAcquired: c.setsAcquired.Load(), SetsFailed: c.setsFailed.Load(),
		SetNodes: nodes, SetNodesBad: bad, Rounds: c.rounds.Load(), RoundsExpired: c.expired.Load(),
		RoundsMovedOn: c.movedOn.Load(), RoundsWrongLedger: c.wrongLedger.Load(), Switches: c.switches.Load(),
		StepOuts: c.stepOuts.Load(), DeparturesFull: c.departures.Load(), ValidationsFull: c.signedFull.Load(),
		ValidationsPartial: c.signedPartial.Load(), Divergences: c.divergences.Load(),
	}
}

// Status returns the newest snapshot; never blocks.
func (d *Driver) Status() Status {
	s := *d.status.Load()
	s.Counters = d.Counters()
	return s
}

// Mode returns the operating mode of the newest snapshot.
func (d *Driver) Mode() OperatingMode { return d.status.Load().Mode }

// publish stores a snapshot; called after every batch of inputs.
func (d *Driver) publish() {
	now := time.Now()
	in := d.core.Info(false)
	s := &Status{
		Mode: d.mode.now, Phase: in.Phase.String(), RoundMode: in.Mode.String(), Validator: d.d.Signer != nil,
		Proposing: in.Mode == consensus.ModeProposing, Seq: in.Seq, Proposers: in.Proposers,
		PrevProposers: in.PrevProposers, PrevRound: in.PrevRoundTime, CloseOffset: time.Duration(d.offset.Load()),
		Trusted: in.Trusted, Quorum: in.Quorum, Accounting: d.mode.accounting(now), Started: d.origin, At: now,
		Waiting: d.waiting(),
	}
	if d.closed != nil {
		s.ClosedSeq, s.ClosedHash = d.closed.Sequence, d.closed.Hash
	}
	if d.valid != nil {
		s.ValidatedSeq, s.ValidatedHash = d.valid.Sequence, d.valid.Hash
	}
	d.status.Store(s)
}

// waiting says in words what keeps this node, or its network, from validating.
func (d *Driver) waiting() string {
	switch {
	case d.o.Standalone:
		return ""
	case !d.core.Started():
		return d.boot.waiting
	case d.core.Mode() == consensus.ModeWrongLedger:
		return fmt.Sprintf("ledger %X of the network is being acquired", d.core.PrevID())
	}
	off := d.core.Offline(d.times())
	if len(d.trusted)-len(off) >= d.core.Quorum() {
		return ""
	}
	return fmt.Sprintf("%d of %d validators needed for quorum are heard of; missing: %s",
		len(d.trusted)-len(off), d.core.Quorum(), d.names(off))
}

// names lists validators by the name of their peer, else by key.
func (d *Driver) names(nodes []consensus.NodeID) string {
	byKey := map[consensus.NodeID]string{d.self: "this node"}
	for _, p := range d.d.Net.Peers() {
		if len(p.Validator) == len(consensus.NodeID{}) {
			byKey[consensus.NodeID(p.Validator)] = p.Name
		}
	}
	list := make([]string, len(nodes))
	for i, n := range nodes {
		if list[i] = byKey[n]; list[i] == "" {
			list[i] = hex.EncodeToString(n[:])
		}
	}
	return strings.Join(list, ", ")
}

// Info returns the state of consensus for consensus_info.
func (d *Driver) Info(ctx context.Context, full bool) (consensus.Info, error) {
	answer := make(chan consensus.Info, 1)
	d.box.post(func() { answer <- d.core.Info(full) })
	select {
	case in := <-answer:
		return in, nil
	case <-ctx.Done():
		return consensus.Info{}, ctx.Err()
	}
}

func (d *Driver) closedStatus(l *Ledger, event peer.Event) {
	s := d.peerStatus(event)
	s.ClosedSeq, s.ClosedHash, s.ParentHash = l.Sequence, l.Hash, l.ParentHash
	d.d.Net.SetStatus(s)
}

func (d *Driver) sendStatus(event peer.Event) { d.d.Net.SetStatus(d.peerStatus(event)) }

func (d *Driver) peerStatus(event peer.Event) peer.Status {
	s := peer.Status{Mode: d.peerMode(), Event: event, NetworkTime: uint32(d.netNow())}
	if d.closed != nil {
		s.ClosedSeq, s.ClosedHash, s.ParentHash = d.closed.Sequence, d.closed.Hash, d.closed.ParentHash
	}
	if d.valid != nil {
		s.ValidatedSeq, s.ValidatedHash = d.valid.Sequence, d.valid.Hash
	}
	s.FirstSeq, s.LastSeq = d.d.Chain.Range()
	return s
}

func (d *Driver) peerMode() peer.Mode {
	switch d.mode.now {
	case ModeConnected:
		return peer.ModeConnected
	case ModeSyncing:
		return peer.ModeSyncing
	case ModeTracking:
		return peer.ModeTracking
	case ModeFull:
		if d.core.Mode() == consensus.ModeProposing {
			return peer.ModeProposing
		}
		if d.d.Signer != nil {
			return peer.ModeValidating
		}
		return peer.ModeFull
	}
	return peer.ModeUnknown
}
