package sim

import (
	"maps"
	"slices"
	"time"

	"ledgerlab/consensus"
)

// node is one validator: a core, and as much of a driver as it needs.
type node struct {
	s      *Sim
	index  int
	id     consensus.NodeID
	trust  []consensus.NodeID
	skew   time.Duration
	slowBy time.Duration
	liar   bool
	up     bool
	epoch  int // counts starts; messages to an earlier life are dropped

	core    *consensus.Core
	inputs  []consensus.Input
	feeding bool
	lcl     *ledger
	valid   *ledger
	ledgers map[consensus.Hash]*ledger
	sets    map[consensus.Hash]*txSet
	open    map[consensus.Hash]bool
	pending map[consensus.Hash]bool // quorum reached, ledger not here
	asking  map[consensus.Hash]time.Duration
	peerLCL map[int]consensus.Hash
	signAt  consensus.NetTime
	signed  uint32 // survives a restart, as the log of signed validations does
	synced  bool
}

func newNode(s *Sim, i int, trust []consensus.NodeID) *node {
	n := &node{s: s, index: i, id: nodeID(i), trust: trust, liar: i < s.o.Liars, valid: s.world.genesis, synced: true}
	if s.o.Skew > 0 {
		n.skew = time.Duration(s.rng.Int64N(int64(2*s.o.Skew)+1)) - s.o.Skew
	}
	if i >= s.o.Nodes-s.o.Slow {
		n.slowBy = s.o.SlowBy
	}
	return n
}

func (n *node) start() {
	n.epoch++
	n.up = true
	n.core = consensus.New(consensus.Config{Parms: n.s.o.Parms, Self: n.id, Trusted: n.trust, MinValidate: n.signed})
	n.lcl = n.valid
	n.ledgers = map[consensus.Hash]*ledger{}
	n.sets, n.open = map[consensus.Hash]*txSet{}, map[consensus.Hash]bool{}
	n.pending, n.asking = map[consensus.Hash]bool{}, map[consensus.Hash]time.Duration{}
	n.peerLCL = map[int]consensus.Hash{}
	n.inputs, n.feeding = nil, false
	n.have(n.lcl)
	n.feed(consensus.SetValidated{Seq: n.valid.seq})
	n.beginRound(n.lcl.id)
	n.tick(n.epoch)
}

func (n *node) stop() { n.up = false }

func (n *node) restart() {
	n.synced = false
	n.start()
}

// tick is the heartbeat of one life of the node.
func (n *node) tick(epoch int) {
	if !n.up || n.epoch != epoch {
		return
	}
	n.feed(consensus.Tick{OpenTransactions: len(n.open)})
	n.s.after(n.s.o.Parms.Granularity, func() { n.tick(epoch) })
}

func (n *node) times() consensus.Times {
	return consensus.Times{Steady: n.s.now, Network: netStart + consensus.NetTime((n.s.now+n.skew+time.Hour)/time.Second) - 3600}
}

func (n *node) feed(in consensus.Input) {
	n.inputs = append(n.inputs, in)
	if n.feeding {
		return
	}
	n.feeding = true
	for len(n.inputs) > 0 {
		in := n.inputs[0]
		n.inputs = n.inputs[1:]
		for _, e := range n.core.Step(n.times(), in) {
			n.effect(e)
		}
	}
	n.feeding = false
}

func (n *node) effect(e consensus.Effect) {
	switch e := e.(type) {
	case consensus.CloseOpen:
		set := newTxSet(slices.Collect(maps.Keys(n.open)))
		n.sets[set.id] = set
		n.feed(consensus.OpenClosed{Set: set})
	case consensus.ShareTxSet:
		n.sets[e.Set.ID()] = e.Set.(*txSet)
	case consensus.Propose:
		n.propose(e.Proposal)
	case consensus.AcquireTxSet:
		n.acquireSet(e.ID)
	case consensus.AcquireLedger:
		n.acquireLedger(e.ID)
	case consensus.Accept:
		n.accept(e)
	case consensus.SignValidation:
		n.validate(e)
	case consensus.Quorum:
		n.quorum(e.LedgerID)
	case consensus.ModeChange:
		if e.From == consensus.ModeProposing && e.Reason != "round" {
			n.s.res.StepOuts++
		}
	case consensus.ViewChange:
		n.synced = false
	}
}

// peers calls f for every other node that is up.
func (n *node) peers(f func(p *node)) {
	for _, p := range n.s.nodes {
		if p != n && p.up {
			f(p)
		}
	}
}

func (n *node) propose(p consensus.Proposal) {
	n.s.note(n.index, "propose", p.Position)
	n.peers(func(to *node) {
		p := p
		if n.liar {
			n.twist(&p)
		}
		n.s.send(n, to, func() {
			p.SeenAt = to.times().Network
			to.feed(consensus.GotProposal{Proposal: p})
		})
	})
}

// twist makes a liar's position: another set, another close time, or the truth.
func (n *node) twist(p *consensus.Proposal) {
	switch n.s.rng.IntN(3) {
	case 0:
		set := newTxSet([]consensus.Hash{{byte(n.s.rng.IntN(256))}})
		n.sets[set.id] = set
		p.Position = set.id
	case 1:
		p.CloseTime += consensus.NetTime(n.s.rng.IntN(60))
	}
}

// acquireSet asks everyone; who has the set answers.
func (n *node) acquireSet(id consensus.Hash) {
	if set := n.sets[id]; set != nil {
		n.feed(consensus.GotTxSet{Set: set})
		return
	}
	n.peers(func(p *node) {
		n.s.send(n, p, func() {
			if set := p.sets[id]; set != nil {
				p.s.send(p, n, func() {
					n.sets[id] = set
					n.feed(consensus.GotTxSet{Set: set})
				})
			}
		})
	})
}

func (n *node) acquireLedger(id consensus.Hash) {
	if l := n.ledgers[id]; l != nil {
		n.feed(consensus.GotLedger{Ledger: l})
		return
	}
	if at, ok := n.asking[id]; ok && n.s.now-at < time.Second {
		return
	}
	n.asking[id] = n.s.now
	n.peers(func(p *node) {
		n.s.send(n, p, func() {
			if l := p.ledgers[id]; l != nil {
				p.s.send(p, n, func() { n.gotLedger(l) })
			}
		})
	})
}

// have makes a ledger and its ancestors known here.
func (n *node) have(l *ledger) {
	for ; l != nil && n.ledgers[l.id] == nil; l = l.parent {
		n.ledgers[l.id] = l
	}
}

func (n *node) gotLedger(l *ledger) {
	delete(n.asking, l.id)
	n.have(l)
	n.feed(consensus.GotLedger{Ledger: l})
	n.checkPending(l)
}

func (n *node) checkPending(l *ledger) {
	if n.pending[l.id] {
		delete(n.pending, l.id)
		n.accepted(l)
	}
}

func (n *node) quorum(id consensus.Hash) {
	if l := n.ledgers[id]; l != nil {
		n.accepted(l)
		return
	}
	n.pending[id] = true
}

// accepted moves the validated pointer.
func (n *node) accepted(l *ledger) {
	if l.seq <= n.valid.seq {
		return
	}
	n.valid = l
	if !n.liar {
		n.s.fullyValidated(n, l)
	}
	n.feed(consensus.SetValidated{Seq: l.seq})
}

func (n *node) accept(a consensus.Accept) {
	if !n.liar {
		n.s.res.Rounds[a.State.String()]++
		n.s.res.LongestRound = max(n.s.res.LongestRound, a.Timing.Establish)
		n.s.res.Disputes += len(a.Disputes)
	}
	epoch := n.epoch
	n.s.after(n.s.o.Build+n.slowBy, func() {
		if n.up && n.epoch == epoch {
			n.built(a)
		}
	})
}

func (n *node) built(a consensus.Accept) {
	l := n.s.world.child(a)
	n.s.note(n.index, "built", l.id)
	n.have(l)
	for _, id := range l.set.ids {
		delete(n.open, id)
	}
	n.feed(consensus.Built{Ledger: l, Compatible: l.Ancestor(n.valid.seq) == n.valid.id || l.seq <= n.valid.seq})
	n.checkPending(l)
	n.lcl = l
	n.peers(func(p *node) { n.s.send(n, p, func() { p.peerLCL[n.index] = l.id }) })
	n.endRound(a)
}

// endRound chooses the ledger to go on from and begins the next round.
func (n *node) endRound(a consensus.Accept) {
	counts := map[consensus.Hash]int{n.lcl.id: 1}
	for _, id := range n.peerLCL {
		counts[id]++
	}
	want := n.core.PreferredLCL(n.times(), n.lcl, counts)
	if n.lcl.parent != nil && want == n.lcl.parent.id {
		want = n.lcl.id
	}
	n.synced = want == n.lcl.id && a.HaveCorrectLedger
	if l := n.ledgers[want]; l != nil && want != n.lcl.id {
		n.s.res.Switches++
		n.lcl = l
		n.reopen()
	}
	n.beginRound(want)
}

// reopen drops from the open ledger what the new closed ledger has.
func (n *node) reopen() {
	for l := n.lcl; l != nil && l.seq+64 > n.lcl.seq; l = l.parent {
		for _, id := range l.set.ids {
			delete(n.open, id)
		}
	}
}

func (n *node) beginRound(want consensus.Hash) {
	n.feed(consensus.StartRound{LedgerID: want, Ledger: n.lcl, Propose: n.synced, Validating: true})
}

func (n *node) submit(id consensus.Hash) {
	if n.up {
		n.open[id] = true
	}
}

func (n *node) validate(e consensus.SignValidation) {
	n.signAt = max(n.times().Network, n.signAt+1)
	n.signed = max(n.signed, e.Ledger.Seq())
	v := consensus.Validation{
		Node: n.id, LedgerID: e.Ledger.ID(), Seq: e.Ledger.Seq(), SignTime: n.signAt, SeenAt: n.times().Network, Full: e.Full,
	}
	n.s.note(n.index, "validate", v.LedgerID)
	n.feed(consensus.GotValidation{Validation: v})
	n.peers(func(to *node) {
		v := v
		if n.liar {
			v.Full = true
			if n.s.rng.IntN(2) == 0 {
				v.LedgerID = to.lcl.id
				v.Seq = to.lcl.seq
			}
		}
		n.s.send(n, to, func() {
			v.SeenAt = to.times().Network
			to.feed(consensus.GotValidation{Validation: v})
		})
	})
}
