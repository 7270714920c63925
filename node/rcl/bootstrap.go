package rcl

import (
	"bytes"
	"fmt"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// bootState is the state before the first round. A private network whose nodes all
// stopped must come back from its newest ledger, so a starting node does not close
// ledgers on its own: it waits until a quorum of its network says where it stands.
type bootState struct {
	waiting  string
	since    consensus.NetTime // when this process began
	quorumAt time.Time         // when a quorum was first heard of
	busy     bool              // a switch is under way
	// signed is the newest ledger this key signed, if it is not here any more: a
	// node that is missing may have seen it validated.
	signed uint32
}

// signedWait replaces StartWait while a ledger that we signed, and that may be
// validated somewhere, is with none of those heard of.
const signedWait = 15 * time.Second

// start loads what this node has. Stand-alone begins its first round at once.
func (d *Driver) start() error {
	d.mode.since, d.boot.since = d.origin, d.netNow()
	d.mode.acct[d.mode.now].Entered++
	d.valid = d.d.Chain.Validated()
	d.closed = d.d.Chain.Closed()
	if d.closed == nil {
		return fmt.Errorf("rcl: the chain has no closed ledger to start from")
	}
	if d.valid != nil {
		d.setValidated(d.valid.Sequence)
	}
	if err := d.loadSigned(); err != nil {
		return err
	}
	d.boot.waiting = "peers"
	if d.boot.busy {
		return nil
	}
	if d.o.Standalone || d.o.PeersMin == 0 {
		d.beginAlone()
		return nil
	}
	d.sendStatus(peer.EventNone)
	return nil
}

// beginAlone begins without a network: stand-alone, or a network of one.
func (d *Driver) beginAlone() {
	d.setMode(ModeFull, "no network to wait for")
	d.beginRound()
}

func (d *Driver) setValidated(seq uint32) { d.feed(consensus.SetValidated{Seq: seq}) }

// loadSigned takes up where this key left off: nothing at or before its last
// validation is signed again, and that one is sent again if its ledger is here.
func (d *Driver) loadSigned() error {
	if d.d.Signed == nil || d.d.Signer == nil {
		return nil
	}
	raw, err := d.d.Signed.Load()
	if err != nil {
		return fmt.Errorf("rcl: last signed validation: %w", err)
	}
	if raw == nil {
		return nil
	}
	v, err := protocol.ParseValidation(raw)
	if err != nil || !bytes.Equal(v.SigningPubKey, d.d.Signer.Public()) {
		d.log.Warn("the last signed validation is of another key or unreadable", "err", err)
		return nil
	}
	d.feed(consensus.SetMinValidate{Seq: v.LedgerSequence})
	d.signTime = v.SigningTime
	l, ok := d.d.Chain.Ledger(v.LedgerHash)
	if !ok {
		d.boot.signed = v.LedgerSequence
		return nil
	}
	d.feed(consensus.GotLedger{Ledger: l})
	d.takeValidation(d.self, message{raw: raw, val: v}, true)
	d.lastVal = raw
	d.d.Net.BroadcastValidation(raw, 0)
	if l.Sequence > d.closed.Sequence { // built and signed, though not yet validated
		d.boot.busy = true
		d.switchTo(l, func() {
			d.boot.busy = false
			if d.o.Standalone || d.o.PeersMin == 0 {
				d.beginAlone()
			}
		})
	}
	return nil
}

// report is where one node of the network stands.
type report struct {
	closedSeq    uint32
	closed       protocol.Hash
	validatedSeq uint32
	validated    protocol.Hash
}

// reports lists this node, if it validates, and the connected validators that have
// sent their status. missing are the others.
func (d *Driver) reports() (list []report, missing []consensus.NodeID) {
	heard := map[consensus.NodeID]bool{}
	if d.trusted[d.self] {
		heard[d.self] = true
		list = append(list, d.ownReport())
	}
	for _, p := range d.d.Net.Peers() {
		if !p.Connected || p.Status.ClosedHash.IsZero() || len(p.Validator) != len(consensus.NodeID{}) {
			continue
		}
		if n := consensus.NodeID(p.Validator); d.trusted[n] && !heard[n] {
			heard[n] = true
			s := p.Status
			list = append(list, report{s.ClosedSeq, s.ClosedHash, s.ValidatedSeq, s.ValidatedHash})
		}
	}
	for n := range d.trusted {
		if !heard[n] {
			missing = append(missing, n)
		}
	}
	return list, missing
}

func (d *Driver) ownReport() report {
	r := report{closedSeq: d.closed.Sequence, closed: d.closed.Hash}
	if d.valid != nil {
		r.validatedSeq, r.validated = d.valid.Sequence, d.valid.Hash
	}
	return r
}

// bootstrap decides whether, and from which ledger, the first round begins. Called
// whenever something was heard, and at each heartbeat.
func (d *Driver) bootstrap() {
	if d.boot.busy || d.mode.now == ModeDisconnected {
		return
	}
	list, missing := d.reports()
	target, running := d.runningLedger()
	if !running {
		if len(list) < d.core.Quorum() {
			d.boot.quorumAt = time.Time{}
			d.boot.waiting = fmt.Sprintf("%d of %d validators needed for quorum are connected; missing: %s",
				len(list), d.core.Quorum(), d.names(missing))
			return
		}
		if d.boot.quorumAt.IsZero() {
			d.boot.quorumAt = time.Now()
		}
		if len(missing) > 0 && time.Since(d.boot.quorumAt) < d.startWait(list) {
			d.boot.waiting = "the rest of the network: " + d.names(missing)
			return
		}
		target = newestCommon(list)
	}
	if target == d.closed.Hash {
		d.firstRound(list, running)
		return
	}
	l, ok := d.d.Chain.Ledger(target)
	if !ok {
		d.boot.waiting = fmt.Sprintf("ledger %s of the network is being acquired", target)
		d.d.Chain.Acquire(target, 0)
		return
	}
	if !d.d.Chain.Compatible(target) {
		d.boot.waiting = fmt.Sprintf("the network's ledger %s contradicts our validated ledger %d", target, d.valid.Sequence)
		return
	}
	d.boot.busy = true
	d.switchTo(l, func() {
		d.boot.busy = false
		d.bootstrap()
	})
}

// startWait is how long to wait for missing nodes beyond a quorum.
func (d *Driver) startWait(list []report) time.Duration {
	for _, r := range list {
		if max(r.closedSeq, r.validatedSeq) >= d.boot.signed {
			return d.o.StartWait
		}
	}
	return max(d.o.StartWait, signedWait)
}

// runningLedger is what the validations prefer in a network that runs already:
// others have signed since this process began. (A validation sent again after a
// restart is older.)
func (d *Driver) runningLedger() (protocol.Hash, bool) {
	if d.core.SignedSince(d.boot.since) == 0 {
		return protocol.Hash{}, false
	}
	return protocol.Hash(d.core.PreferredLCL(d.times(), d.closed, nil)), true
}

// newestCommon chooses the ledger to go on from: the closed ledger that most
// report, among those not before the newest validated one (so that nothing
// validated is lost); ties go to the later, then to the larger hash.
func newestCommon(list []report) protocol.Hash {
	var best report
	for _, r := range list {
		if r.validatedSeq > best.validatedSeq {
			best.validatedSeq, best.validated = r.validatedSeq, r.validated
		}
	}
	counts := map[protocol.Hash]int{}
	for _, r := range list {
		if r.closedSeq > best.validatedSeq || r.closed == best.validated || best.validatedSeq == 0 {
			counts[r.closed]++
		}
	}
	choice, count, seq := best.validated, 0, uint32(0)
	for _, r := range list {
		n := counts[r.closed]
		if n > count || n == count && n > 0 && (r.closedSeq > seq || r.closedSeq == seq && r.closed.Compare(choice) > 0) {
			choice, count, seq = r.closed, n, r.closedSeq
		}
	}
	return choice
}

// firstRound begins. When a quorum stands on the same ledger and nobody runs yet,
// the network starts at once: all of them propose.
func (d *Driver) firstRound(list []report, running bool) {
	same := 0
	for _, r := range list {
		if r.closed == d.closed.Hash {
			same++
		}
	}
	d.boot.waiting = ""
	d.setMode(ModeTracking, "the network's ledger is here")
	if !running && same >= d.core.Quorum() {
		d.setMode(ModeFull, "a quorum stands on the same ledger")
	} else {
		d.climb()
	}
	d.beginRound()
}
