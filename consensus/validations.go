package consensus

import (
	"maps"
	"slices"
	"time"
)

// ValStatus is what became of a validation.
type ValStatus uint8

// Outcomes of adding a validation.
const (
	ValCurrent     ValStatus = iota // new and current
	ValStale                        // too old, too early, or older than the node's last
	ValBadSeq                       // not after a sequence the node validated before
	ValMultiple                     // the same ledger again, from another process
	ValConflicting                  // another ledger at one sequence: Byzantine or restarted
)

// String returns the name xrpld uses.
func (s ValStatus) String() string {
	switch s {
	case ValCurrent:
		return "current"
	case ValStale:
		return "stale"
	case ValBadSeq:
		return "badSeq"
	case ValMultiple:
		return "multiple"
	case ValConflicting:
		return "conflicting"
	}
	return "unknown"
}

// seqEnforcer lets a node validate ever larger sequences only, and forgets after
// a while so that a network can go on after a reset.
type seqEnforcer struct {
	seq  uint32
	when NetTime
}

func (e *seqEnforcer) expire(now NetTime, expires time.Duration) {
	if now > e.when.Add(expires) {
		e.seq = 0
	}
}

// try records seq and is true when it is larger than all before.
func (e *seqEnforcer) try(now NetTime, seq uint32, expires time.Duration) bool {
	e.expire(now, expires)
	if seq <= e.seq {
		return false
	}
	e.seq, e.when = seq, now
	return true
}

// seqID names a ledger that is wanted but not here.
type seqID struct {
	seq uint32
	id  Hash
}

// ledgerVals are the validations of one ledger.
type ledgerVals struct {
	seq     uint32
	touched NetTime
	byNode  map[NodeID]Validation
}

// valLedgersMax bounds the ledgers whose validations are remembered, beyond their
// expiry: one every 150 ms for ten minutes.
const valLedgersMax = 4096

// validations is the store of current validations. xrpld: Validations.h.
type validations struct {
	parms *Parms

	trusted map[NodeID]bool
	quorum  int

	current   map[NodeID]Validation // the last of each node
	enforcers map[NodeID]*seqEnforcer
	byLedger  map[Hash]*ledgerVals
	bySeq     map[uint32]map[NodeID]Validation

	// Invariant: the trie holds exactly one tip for each entry of last.
	trie *LedgerTrie
	last map[NodeID]Ledger
	// acquiring: ledgers validated by trusted nodes that are not here.
	acquiring map[seqID]map[NodeID]bool

	local seqEnforcer // of the own validations
	stats *Stats
}

func newValidations(p *Parms, stats *Stats) *validations {
	return &validations{
		parms: p, trusted: map[NodeID]bool{}, current: map[NodeID]Validation{},
		enforcers: map[NodeID]*seqEnforcer{}, byLedger: map[Hash]*ledgerVals{},
		bySeq: map[uint32]map[NodeID]Validation{}, trie: NewLedgerTrie(), last: map[NodeID]Ledger{},
		acquiring: map[seqID]map[NodeID]bool{}, stats: stats,
	}
}

// isCurrent: signed neither too long ago nor too far ahead, and seen lately.
func (v *validations) isCurrent(now NetTime, val *Validation) bool {
	p := v.parms
	return int64(val.SignTime) > int64(now)-secs(p.ValidationCurrentEarly) &&
		int64(val.SignTime) < int64(now)+secs(p.ValidationCurrentWall) &&
		(val.SeenAt == 0 || int64(val.SeenAt) < int64(now)+secs(p.ValidationCurrentLocal))
}

func secs(d time.Duration) int64 { return int64(d / time.Second) }

// add takes a validation. When it moves a trusted node to a ledger that is not
// here, the ledger is noted as wanted (see wanted).
func (v *validations) add(now NetTime, val Validation, known func(Hash) Ledger) ValStatus {
	if !v.isCurrent(now, &val) {
		v.stats.ValidationsStale++
		return ValStale
	}
	val.Trusted = v.trusted[val.Node]
	if _, ok := v.enforcers[val.Node]; !ok && len(v.enforcers) >= v.parms.NodesMax {
		v.stats.NodesRefused++
		return ValStale
	}
	if s := v.checkSeq(now, &val); s != ValCurrent {
		return s
	}
	v.remember(now, val)
	old, had := v.current[val.Node]
	if had && val.SignTime <= old.SignTime {
		v.stats.ValidationsStale++
		return ValStale
	}
	v.current[val.Node] = val
	if val.Trusted {
		if had {
			v.unwant(old)
		}
		v.updateTrie(val, known)
	}
	v.stats.ValidationsCurrent++
	return ValCurrent
}

// checkSeq applies the node's enforcer and tells apart what a repeated sequence
// means.
func (v *validations) checkSeq(now NetTime, val *Validation) ValStatus {
	e := v.enforcers[val.Node]
	if e == nil {
		e = &seqEnforcer{}
		v.enforcers[val.Node] = e
	}
	if e.try(now, val.Seq, v.parms.ValidationSetExpires) {
		if v.bySeq[val.Seq] == nil {
			v.bySeq[val.Seq] = map[NodeID]Validation{}
		}
		v.bySeq[val.Seq][val.Node] = *val
		return ValCurrent
	}
	prior, ok := v.bySeq[val.Seq][val.Node]
	switch {
	case !ok || prior.SignTime == val.SignTime && prior.LedgerID == val.LedgerID && prior.Cookie == val.Cookie:
		v.stats.ValidationsBadSeq++
		return ValBadSeq
	case prior.LedgerID != val.LedgerID:
		v.stats.ValidationsByzant++
		return ValConflicting
	}
	v.stats.ValidationsBadSeq++
	return ValMultiple
}

func (v *validations) remember(now NetTime, val Validation) {
	l := v.byLedger[val.LedgerID]
	if l == nil {
		l = &ledgerVals{seq: val.Seq, byNode: map[NodeID]Validation{}}
		v.byLedger[val.LedgerID] = l
	}
	l.byNode[val.Node] = val
	l.touched = now
}

// updateTrie moves the node's tip to its new ledger if that is here, else notes
// the ledger as wanted; the node's old tip stays until then.
func (v *validations) updateTrie(val Validation, known func(Hash) Ledger) {
	if l := known(val.LedgerID); l != nil {
		v.setTip(val.Node, l)
		return
	}
	key := seqID{val.Seq, val.LedgerID}
	if v.acquiring[key] == nil {
		v.acquiring[key] = map[NodeID]bool{}
	}
	v.acquiring[key][val.Node] = true
}

func (v *validations) setTip(n NodeID, l Ledger) {
	if old := v.last[n]; old != nil {
		v.trie.Remove(old)
	}
	v.last[n] = l
	v.trie.Insert(l)
}

// unwant removes the node from what its former validation made wanted.
func (v *validations) unwant(old Validation) {
	key := seqID{old.Seq, old.LedgerID}
	if nodes := v.acquiring[key]; nodes != nil {
		delete(nodes, old.Node)
		if len(nodes) == 0 {
			delete(v.acquiring, key)
		}
	}
}

// removeTip takes a node out of the trie and of what is wanted.
func (v *validations) removeTip(val Validation) {
	v.unwant(val)
	if old := v.last[val.Node]; old != nil {
		v.trie.Remove(old)
		delete(v.last, val.Node)
	}
}

// gotLedger resolves a wanted ledger.
func (v *validations) gotLedger(l Ledger) {
	key := seqID{l.Seq(), l.ID()}
	nodes := v.acquiring[key]
	delete(v.acquiring, key)
	for _, n := range sortedNodes(nodes) {
		v.setTip(n, l)
	}
}

// expire drops validations that are no longer current, and old ledgers' ones.
func (v *validations) expire(now NetTime) {
	for n, val := range v.current {
		if !v.isCurrent(now, &val) {
			if val.Trusted {
				v.removeTip(val)
			}
			delete(v.current, n)
		}
	}
	for n, e := range v.enforcers {
		if e.expire(now, v.parms.ValidationSetExpires); e.seq == 0 {
			delete(v.enforcers, n)
		}
	}
	for id, l := range v.byLedger {
		if now > l.touched.Add(v.parms.ValidationSetExpires) {
			delete(v.byLedger, id)
			delete(v.bySeq, l.seq)
		}
	}
	v.bound()
}

// bound drops the half not touched for longest when too many are remembered. Not
// those of the lowest sequences: one liar with large ones would push out the rest.
func (v *validations) bound() {
	if len(v.byLedger) <= valLedgersMax {
		return
	}
	ids := slices.SortedFunc(maps.Keys(v.byLedger), func(a, b Hash) int {
		if d := int64(v.byLedger[a].touched) - int64(v.byLedger[b].touched); d != 0 {
			return int(d)
		}
		return compareHash(a, b)
	})
	for _, id := range ids[:len(ids)/2] {
		delete(v.bySeq, v.byLedger[id].seq)
		delete(v.byLedger, id)
	}
}

// setTrusted replaces the trusted nodes.
func (v *validations) setTrusted(nodes []NodeID, quorum int, known func(Hash) Ledger) {
	v.trusted = map[NodeID]bool{}
	for _, n := range nodes {
		v.trusted[n] = true
	}
	v.quorum = quorum
	if quorum == 0 {
		v.quorum = QuorumOf(len(nodes))
	}
	for _, n := range slices.SortedFunc(maps.Keys(v.current), NodeID.Compare) {
		val := v.current[n]
		was := val.Trusted
		val.Trusted = v.trusted[n]
		v.current[n] = val
		if was && !val.Trusted {
			v.removeTip(val)
		}
		if !was && val.Trusted {
			v.updateTrie(val, known)
		}
	}
	for _, l := range v.byLedger {
		for n, val := range l.byNode {
			val.Trusted = v.trusted[n]
			l.byNode[n] = val
		}
	}
}
