package rcl

import (
	"time"

	"ledgerlab/node/protocol"
)

// pendingMax bounds the ledgers with a quorum that are waited for.
const pendingMax = 64

// quorumOf is a quorum for a ledger that is not here.
type quorumOf struct {
	seq   uint32
	count int
}

// quorum takes a ledger that enough trusted validators signed.
func (d *Driver) quorum(id protocol.Hash, seq uint32, count int) {
	if d.valid != nil && seq <= d.valid.Sequence {
		return
	}
	d.divergence(id, seq)
	if _, ok := d.d.Chain.Ledger(id); ok {
		d.d.Chain.CheckAccept(id, seq, count)
		return
	}
	if len(d.pending) >= pendingMax {
		d.dropPending()
	}
	d.pending[id] = quorumOf{seq, count}
	if d.overdue(id, seq) {
		d.d.Chain.Acquire(id, seq)
	}
}

func (d *Driver) dropPending() {
	var oldest protocol.Hash
	low := ^uint32(0)
	for id, q := range d.pending {
		if q.seq < low {
			low, oldest = q.seq, id
		}
	}
	delete(d.pending, oldest)
}

// checkPending accepts a ledger that came after its quorum.
func (d *Driver) checkPending(l *Ledger) {
	q, ok := d.pending[l.Hash]
	if !ok {
		return
	}
	delete(d.pending, l.Hash)
	if d.valid == nil || q.seq > d.valid.Sequence {
		d.d.Chain.CheckAccept(l.Hash, q.seq, q.count)
	}
}

// divergence compares our own build with the ledger that the quorum names.
func (d *Driver) divergence(id protocol.Hash, seq uint32) {
	b, ok := d.builtAt[seq]
	if !ok || b.hash == id {
		return
	}
	delete(d.builtAt, seq)
	info := DivergenceInfo{Seq: seq, Ours: b.hash, Theirs: id, Set: b.set, CloseTime: b.closeTime, At: d.wall()}
	for _, v := range d.core.Validations(id) {
		if p, ok := v.Data.(*protocol.Validation); ok && !p.ConsensusHash.IsZero() {
			info.TheirSet, info.TheirSetKnown = p.ConsensusHash, true
			info.SetDiffers = p.ConsensusHash != b.set
			info.CloseTimeDiffers = p.CloseTime != 0 && p.CloseTime != b.closeTime
			break
		}
	}
	d.counters.divergences.Add(1)
	d.log.Error("our ledger differs from the one the quorum validated", "seq", seq, "ours", b.hash, "theirs", id,
		"differs", info.Part(), "set", b.set, "their_set", info.TheirSet)
	if d.d.Hooks.Divergence != nil {
		d.d.Hooks.Divergence(info)
	}
}

// Part names what differs: the agreed set, the close time, or with both equal the
// state that applying the set gave.
func (i DivergenceInfo) Part() string {
	switch {
	case !i.TheirSetKnown:
		return "unknown"
	case i.SetDiffers:
		return "set"
	case i.CloseTimeDiffers:
		return "close time"
	}
	return "state"
}

// validated takes a move of the validated pointer.
func (d *Driver) validated(l *Ledger) {
	if d.valid != nil && l.Sequence <= d.valid.Sequence {
		return
	}
	d.valid = l
	for id, q := range d.pending {
		if q.seq <= l.Sequence {
			delete(d.pending, id)
		}
	}
	info := ValidatedInfo{Seq: l.Sequence, Hash: l.Hash, Validations: d.core.TrustedFor(l.ID()), At: d.wall()}
	if b, ok := d.builtAt[l.Sequence]; ok && b.hash == l.Hash {
		info.SinceBuilt = time.Since(b.at)
	}
	d.setValidated(l.Sequence)
	d.sendStatus(0)
	if d.d.Hooks.Validated != nil {
		d.d.Hooks.Validated(info)
	}
}
