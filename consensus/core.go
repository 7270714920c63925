package consensus

import "time"

// Config is what a Core is made of.
type Config struct {
	Parms Parms
	// Self is the key this node signs with; its own positions are not counted
	// among those of its peers. Zero for a node that does not validate.
	Self NodeID
	// Trusted validators, Self included, and their quorum (zero: 80 %).
	Trusted []NodeID
	Quorum  int
	// MinValidate: sequences up to it are not validated (again).
	MinValidate uint32
}

// Core is the consensus state of one node. See the package comment.
type Core struct {
	parms Parms
	self  NodeID
	now   Times
	out   []Effect
	stats Stats

	vals         *validations
	known        ledgerCache
	validatedSeq uint32
	minValidate  uint32

	// The round. phase, mode and prevID are always set once started.
	phase      Phase
	mode       Mode
	started    bool
	validating bool
	prevID     Hash   // the ledger the round should work on
	prev       Ledger // the ledger it does work on; differs in mode wrongLedger
	resolution time.Duration
	openedAt   time.Duration
	openTime   time.Duration
	simulate   bool

	// From one round to the next.
	prevProposers int
	prevRoundTime time.Duration
	prevCloseTime NetTime // remembered by this node's clock
	firstRound    bool

	positions positions
	recent    map[NodeID][]Proposal // last RecentPositions of each node
	dead      map[NodeID]bool       // left this round
	acquired  map[Hash]TxSet
	rawSelf   NetTime
	rawPeers  map[NetTime]int

	res *result // nil before the close
	// peersUnchanged counts heartbeats since a peer changed a vote.
	peersUnchanged int
	heartbeats     int // in establish
	convergePct    int
	haveCloseTime  bool
	closeTimePct   int
	closeAvalanche AvalancheState
}

// result is what this node holds for the outcome of the round.
type result struct {
	set       TxSet
	position  Proposal
	disputes  disputes
	compared  map[Hash]bool // sets already compared with ours
	startedAt time.Duration
	roundTime time.Duration
	state     State
	stalled   bool
}

// New returns a Core that waits for StartRound. The parameters must be valid.
func New(cfg Config) *Core {
	c := &Core{
		parms: cfg.Parms, self: cfg.Self, minValidate: cfg.MinValidate,
		firstRound: true, recent: map[NodeID][]Proposal{}, dead: map[NodeID]bool{},
		acquired: map[Hash]TxSet{}, rawPeers: map[NetTime]int{},
	}
	c.vals = newValidations(&c.parms, &c.stats)
	c.vals.setTrusted(cfg.Trusted, cfg.Quorum, c.known.get)
	return c
}

// Step takes one input at the given times and returns what to do, in order. The
// returned slice belongs to the caller.
func (c *Core) Step(now Times, in Input) []Effect {
	c.now = now
	switch in := in.(type) {
	case Tick:
		c.tick(in.OpenTransactions > 0)
	case GotProposal:
		c.gotProposal(in.Proposal)
	case GotTxSet:
		c.gotTxSet(in.Set)
	case GotValidation:
		c.gotValidation(in.Validation)
	case GotLedger:
		c.gotLedger(in.Ledger)
	case OpenClosed:
		c.openClosed(in.Set)
	case Built:
		c.built(in)
	case StartRound:
		c.startRound(in)
	case Simulate:
		c.startSimulate()
	case SetTrusted:
		c.vals.setTrusted(in.Nodes, in.Quorum, c.known.get)
	case SetValidated:
		c.validatedSeq = max(c.validatedSeq, in.Seq)
	case SetMinValidate:
		c.minValidate = max(c.minValidate, in.Seq)
	case SetParms:
		c.parms = in.Parms
	}
	out := c.out
	c.out = nil
	return out
}

func (c *Core) emit(e Effect) { c.out = append(c.out, e) }

func (c *Core) setPhase(p Phase) {
	if c.phase != p {
		c.emit(PhaseChange{From: c.phase, To: p})
		c.phase = p
	}
}

func (c *Core) setMode(m Mode, reason string) {
	if c.mode != m {
		c.emit(ModeChange{From: c.mode, To: m, Reason: reason})
		c.mode = m
	}
}

// gotValidation stores a validation and tells a quorum.
func (c *Core) gotValidation(val Validation) {
	status := c.vals.add(c.now.Network, val, c.known.get)
	if status != ValCurrent {
		return
	}
	if !c.vals.trusted[val.Node] {
		c.stats.Untrusted++
		return
	}
	if c.known.get(val.LedgerID) == nil {
		c.emit(AcquireLedger{ID: val.LedgerID, Seq: val.Seq, Reason: ReasonValidated})
	}
	if n := c.vals.trustedFor(val.LedgerID); n >= c.vals.quorum && n > 0 && val.Seq > c.validatedSeq {
		c.emit(Quorum{LedgerID: val.LedgerID, Seq: val.Seq, Count: n})
	}
}

// gotLedger makes a ledger known, and starts the round on it if it waited for it.
func (c *Core) gotLedger(l Ledger) {
	c.known.add(l)
	c.vals.gotLedger(l)
	if c.started && c.phase != PhaseAccepted && l.ID() == c.prevID && c.prev.ID() != c.prevID {
		c.beginRound(l, ModeSwitchedLedger, "switched")
	}
}

// built takes the ledger made of the agreed set and validates it when it may.
func (c *Core) built(in Built) {
	if c.phase != PhaseAccepted || c.res == nil {
		c.stats.OutOfPhase++
		return
	}
	c.known.add(in.Ledger)
	c.vals.gotLedger(in.Ledger)
	seq := in.Ledger.Seq()
	if c.validating && in.Compatible && c.worthSigning(in.Ledger) && seq > c.minValidate &&
		c.vals.local.try(c.now.Network, seq, c.parms.ValidationSetExpires) {
		c.emit(SignValidation{Ledger: in.Ledger, SetID: c.res.set.ID(), Full: c.mode == ModeProposing})
	}
}

// worthSigning is false for the ledger of a round that the others left behind: our
// position was not theirs, so it is most likely another ledger than theirs.
//
// Beyond xrpld's rule: when it is one that trusted validators have signed, it is
// theirs after all, and is signed. Under loss of proposals most rounds of some node
// end like this, and with one or two of five silent each time nothing is validated
// although all are on one chain.
func (c *Core) worthSigning(l Ledger) bool {
	return c.res.state != StateMovedOn || c.vals.trustedFor(l.ID()) > 0
}

// PreferredLCL is the closed ledger to go on from between rounds: what the
// validations prefer, and without any what most peers report (ties by the larger
// hash), and without those our own.
func (c *Core) PreferredLCL(now Times, lcl Ledger, peers map[Hash]int) Hash {
	c.vals.expire(now.Network)
	if seq, id, ok := c.vals.preferred(lcl, c.validatedSeq); ok {
		if seq >= c.validatedSeq {
			return id
		}
		return lcl.ID()
	}
	best, count := lcl.ID(), 0
	for id, n := range peers {
		if n > count || n == count && n > 0 && compareHash(id, best) > 0 {
			best, count = id, n
		}
	}
	return best
}

// TrustedFor counts the trusted full validations of a ledger.
func (c *Core) TrustedFor(id Hash) int { return c.vals.trustedFor(id) }

// Quorum is the number of trusted full validations a ledger needs.
func (c *Core) Quorum() int { return c.vals.quorum }

// Validations returns the trusted full validations of a ledger, ordered by node.
func (c *Core) Validations(id Hash) []Validation {
	l := c.vals.byLedger[id]
	if l == nil {
		return nil
	}
	var out []Validation
	for _, n := range sortedNodes(l.byNode) {
		if v := l.byNode[n]; v.Trusted && v.Full {
			out = append(out, v)
		}
	}
	return out
}

// SignedSince counts the trusted nodes, this one apart, whose last validation was
// signed after a time.
func (c *Core) SignedSince(t NetTime) (n int) {
	for node, val := range c.vals.current {
		if val.Trusted && node != c.self && val.SignTime > t {
			n++
		}
	}
	return n
}

// Offline lists the trusted nodes without a fresh validation, ordered by node.
func (c *Core) Offline(now Times) []NodeID {
	var out []NodeID
	for _, n := range sortedNodes(c.vals.trusted) {
		val, ok := c.vals.current[n]
		if !ok || int64(now.Network) >= int64(val.SeenAt)+secs(c.parms.ValidationFreshness) {
			out = append(out, n)
		}
	}
	return out
}

// ledgerCache remembers the newest ledgers it was given, for ancestry.
type ledgerCache struct {
	byID  map[Hash]Ledger
	order []Hash // oldest first
}

// ledgersKept is the skip list's reach: older ledgers need no ancestry.
const ledgersKept = 256

func (lc *ledgerCache) get(id Hash) Ledger { return lc.byID[id] }

func (lc *ledgerCache) add(l Ledger) {
	if lc.byID == nil {
		lc.byID = map[Hash]Ledger{}
	}
	if _, ok := lc.byID[l.ID()]; ok {
		return
	}
	if len(lc.order) >= ledgersKept {
		delete(lc.byID, lc.order[0])
		lc.order = lc.order[1:]
	}
	lc.byID[l.ID()] = l
	lc.order = append(lc.order, l.ID())
}
