package rcl

import (
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// aheadGrace: a ledger that a validator has signed and that we are about to build
// ourselves is asked of peers only after this time.
const aheadGrace = 4 * time.Second

// effect carries out one answer of the core.
func (d *Driver) effect(e consensus.Effect) {
	switch e := e.(type) {
	case consensus.CloseOpen:
		d.closeOpen(e)
	case consensus.ShareTxSet:
		d.d.Net.BroadcastHaveSet(protocol.Hash(e.Set.ID()))
	case consensus.ShareTx:
		if set, ok := e.Set.(*TxSet); ok && d.d.ShareTx != nil {
			if t := set.Tx(protocol.Hash(e.ID)); t != nil {
				d.d.ShareTx(t)
			}
		}
	case consensus.Propose:
		d.propose(e.Proposal)
	case consensus.RelayProposal:
		if msg, ok := e.Proposal.Data.(message); ok {
			d.d.Net.BroadcastProposal(msg.raw, msg.from)
		}
	case consensus.AcquireTxSet:
		d.acquireSet(protocol.Hash(e.ID))
	case consensus.AcquireLedger:
		d.acquireLedger(e)
	case consensus.Accept:
		d.accept(e)
	case consensus.SignValidation:
		d.signValidation(e)
	case consensus.Quorum:
		d.quorum(protocol.Hash(e.LedgerID), e.Seq, e.Count)
	case consensus.ModeChange:
		d.roundMode(e)
	case consensus.PhaseChange:
		d.phase(e)
	case consensus.ViewChange:
		d.log.Info("another ledger is preferred", "ours", protocol.Hash(e.From), "preferred", protocol.Hash(e.To))
		if d.mode.now >= ModeTracking {
			d.setMode(ModeConnected, "another ledger is preferred")
		}
	}
}

// closeOpen snapshots the open ledger as our set.
func (d *Driver) closeOpen(e consensus.CloseOpen) {
	d.sendStatus(peer.EventClosingLedger)
	begin := time.Now()
	set, err := d.d.Sets.Make(d.d.Open.Close())
	d.round.snapshot = time.Since(begin)
	if err != nil {
		d.fail(err)
		return
	}
	d.counters.setsBuilt.Add(1)
	d.feed(consensus.OpenClosed{Set: set})
}

// propose signs and sends our position.
func (d *Driver) propose(p consensus.Proposal) {
	msg := protocol.Proposal{
		PrevLedger: protocol.Hash(p.PrevLedger), TxSet: protocol.Hash(p.Position), Seq: p.Seq,
		CloseTime: uint32(p.CloseTime), PublicKey: d.d.Signer.Public(),
	}
	msg.Signature = d.d.Signer.SignDigest(msg.SigningHash())
	raw := msg.AppendTo(nil)
	d.lastProp = raw
	d.round.positions++
	d.later(func() { d.d.Net.BroadcastProposal(raw, 0) })
}

// acquireSet answers at once when the set is here.
func (d *Driver) acquireSet(id protocol.Hash) {
	set := d.d.Sets.Get(id)
	if set == nil && id.IsZero() { // the empty set is nobody's to give
		var err error
		if set, err = d.d.Sets.Make(nil); err != nil {
			d.log.Error("empty transaction set", "err", err)
		}
	}
	if set != nil {
		d.feed(consensus.GotTxSet{Set: set})
		return
	}
	d.acq.want(d.ctx, id)
}

// setEnded takes the end of an acquisition.
func (d *Driver) setEnded(id protocol.Hash, set *TxSet, took time.Duration) {
	d.round.setAcquire = max(d.round.setAcquire, took)
	d.acq.next(d.ctx)
	if set == nil {
		d.round.setsFailed++
		d.counters.setsFailed.Add(1)
		d.log.Warn("transaction set not obtained", "set", id, "after", took)
		return
	}
	d.round.setsAcquired++
	d.counters.setsAcquired.Add(1)
	d.d.Net.BroadcastHaveSet(id)
	d.feed(consensus.GotTxSet{Set: set})
}

// acquireLedger answers at once when the ledger is here.
func (d *Driver) acquireLedger(e consensus.AcquireLedger) {
	id := protocol.Hash(e.ID)
	if l, ok := d.d.Chain.Ledger(id); ok {
		delete(d.asked, id)
		d.feed(consensus.GotLedger{Ledger: l})
		return
	}
	if e.Reason == consensus.ReasonValidated && !d.overdue(id, e.Seq) {
		return
	}
	d.d.Chain.Acquire(id, e.Seq)
}

// overdue is false while we may still build the ledger ourselves.
func (d *Driver) overdue(id protocol.Hash, seq uint32) bool {
	if seq != 0 && (seq <= d.closed.Sequence || seq > d.closed.Sequence+2) {
		return true
	}
	now := time.Now()
	first, ok := d.asked[id]
	if !ok {
		if len(d.asked) >= 256 {
			clear(d.asked)
		}
		d.asked[id] = now
		return false
	}
	return now.Sub(first) > aheadGrace
}

// ledgerHere takes a ledger acquired from peers.
func (d *Driver) ledgerHere(l *Ledger) {
	delete(d.asked, l.Hash)
	d.feed(consensus.GotLedger{Ledger: l})
	d.checkPending(l)
	if !d.core.Started() {
		d.bootstrap()
	}
}

// signValidation signs, remembers, counts and sends a validation.
func (d *Driver) signValidation(e consensus.SignValidation) {
	l, ok := e.Ledger.(*Ledger)
	if !ok || d.d.Signer == nil {
		return
	}
	d.signTime = max(uint32(d.netNow()), d.signTime+1)
	v := &protocol.Validation{
		Flags: protocol.VfFullyCanonicalSig, LedgerSequence: l.Sequence, CloseTime: l.Closed, SigningTime: d.signTime,
		Cookie: d.o.Cookie, LedgerHash: l.Hash, ConsensusHash: protocol.Hash(e.SetID), SigningPubKey: d.d.Signer.Public(),
	}
	d.round.signed = "partial"
	if e.Full {
		v.Flags |= protocol.VfFullValidation
		d.round.signed = "full"
		d.counters.signedFull.Add(1)
	} else {
		d.counters.signedPartial.Add(1)
	}
	if d.valid != nil {
		v.ValidatedHash = d.valid.Hash
	}
	v.Signature = d.d.Signer.SignDigest(v.SigningHash())
	raw := v.AppendTo(nil)
	if d.d.Signed != nil {
		if err := d.d.Signed.Store(raw); err != nil {
			d.log.Error("validation not remembered, so not sent", "seq", l.Sequence, "err", err)
			return
		}
	}
	d.lastVal = raw
	d.takeValidation(d.self, message{raw: raw, val: v}, true)
	d.later(func() { d.d.Net.BroadcastValidation(raw, 0) })
}
