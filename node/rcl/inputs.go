package rcl

import (
	"bytes"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// message is a proposal or validation with its wire form, for relaying.
type message struct {
	raw  []byte
	from peer.Mask
	val  *protocol.Validation // of a validation
}

// The handlers of peer.Handler. They parse and verify on the caller's goroutine,
// then queue; raw is valid only during the call.

// Proposal takes a peer's proposal.
func (d *Driver) Proposal(from peer.ID, raw []byte) {
	p, err := protocol.ParseProposal(bytes.Clone(raw))
	if err != nil || len(p.PublicKey) != 33 {
		d.counters.proposalsBad.Add(1)
		return
	}
	node := consensus.NodeID(p.PublicKey)
	if node == d.self {
		return
	}
	if !d.trusted[node] {
		d.counters.proposalsUntrusted.Add(1)
		return
	}
	if !d.seen.first(p.ID()) {
		d.counters.proposalsDup.Add(1)
		return
	}
	if !d.d.Verify(p.PublicKey, p.SigningHash(), p.Signature) {
		d.counters.proposalsBad.Add(1)
		return
	}
	d.counters.proposals.Add(1)
	d.acq.haveSet(from, p.TxSet) // who proposes or relays a position can send its set
	msg := message{raw: p.AppendTo(nil), from: peerMask(from)}
	d.box.offer(func() {
		d.feed(consensus.GotProposal{Proposal: consensus.Proposal{
			Node: node, PrevLedger: consensus.Hash(p.PrevLedger), Position: consensus.Hash(p.TxSet), Seq: p.Seq,
			CloseTime: consensus.NetTime(p.CloseTime), SeenAt: d.netNow(), Data: msg,
		}})
		d.d.Net.BroadcastProposal(msg.raw, msg.from)
	})
}

// Validation takes a peer's validation.
func (d *Driver) Validation(from peer.ID, raw []byte) {
	v, err := protocol.ParseValidation(bytes.Clone(raw))
	if err != nil || len(v.SigningPubKey) != 33 {
		d.counters.validationsBad.Add(1)
		return
	}
	node := consensus.NodeID(v.SigningPubKey)
	if node == d.self {
		return
	}
	if !d.trusted[node] {
		d.counters.validationsUntrusted.Add(1)
		return
	}
	if !d.seen.first(v.ID()) {
		d.counters.validationsDup.Add(1)
		return
	}
	if !d.d.Verify(v.SigningPubKey, v.SigningHash(), v.Signature) {
		d.counters.validationsBad.Add(1)
		return
	}
	d.counters.validations.Add(1)
	msg := message{raw: bytes.Clone(raw), from: peerMask(from), val: v}
	d.box.offer(func() {
		d.takeValidation(node, msg, false)
		d.d.Net.BroadcastValidation(msg.raw, msg.from)
	})
}

// takeValidation gives a verified validation to the core.
func (d *Driver) takeValidation(node consensus.NodeID, msg message, own bool) {
	v := msg.val
	d.feed(consensus.GotValidation{Validation: consensus.Validation{
		Node: node, LedgerID: consensus.Hash(v.LedgerHash), Seq: v.LedgerSequence,
		SignTime: consensus.NetTime(v.SigningTime), SeenAt: d.netNow(), Full: v.IsFull(), Cookie: v.Cookie, Data: v,
	}})
	if d.d.Hooks.Validation != nil {
		d.d.Hooks.Validation(ValidationInfo{
			Key: v.SigningPubKey, Ledger: v.LedgerHash, Seq: v.LedgerSequence, Full: v.IsFull(),
			Trusted: d.trusted[node], Own: own, Raw: msg.raw, At: d.wall(),
		})
	}
	if !d.core.Started() && !own {
		d.bootstrap()
	}
}

// HaveSet notes that a peer has a transaction set.
func (d *Driver) HaveSet(from peer.ID, set protocol.Hash) { d.acq.haveSet(from, set) }

// PeerStatus notes that a peer said where it stands (Network.Peers tells what).
func (d *Driver) PeerStatus(peer.ID, peer.Status) {
	d.box.offer(func() {
		if !d.core.Started() && !d.o.Standalone {
			d.bootstrap()
		}
	})
}

// PeerUp notes a new session: what we said last is said again, so that the peer
// need not wait for the next round.
func (d *Driver) PeerUp(peer.ID) {
	d.box.offer(func() {
		if d.lastProp != nil && d.core.Phase() == consensus.PhaseEstablish && d.core.Mode() == consensus.ModeProposing {
			d.d.Net.BroadcastProposal(d.lastProp, 0)
		}
		if d.lastVal != nil {
			d.d.Net.BroadcastValidation(d.lastVal, 0)
		}
	})
}

// PeerDown notes the end of a session.
func (d *Driver) PeerDown(peer.ID, string) {}

// LedgerAcquired tells that a ledger asked for with Chain.Acquire is complete.
func (d *Driver) LedgerAcquired(l *Ledger) {
	d.box.post(func() { d.ledgerHere(l) })
}

// Validated tells that the validated pointer moved.
func (d *Driver) Validated(l *Ledger) {
	d.box.post(func() { d.validated(l) })
}
