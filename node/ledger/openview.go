package ledger

import (
	"maps"
	"slices"
	"sync/atomic"

	"ledgerlab/node/protocol"
)

// TxRecord is a transaction that a view has applied. Meta is nil in an open view.
type TxRecord struct {
	Tx   *protocol.Transaction
	Meta []byte
	TER  protocol.TER
}

// OpenView is a set of changes and transactions above a closed ledger.
type OpenView struct {
	base    *Ledger // counted
	refs    atomic.Int64
	open    bool
	header  protocol.Header
	rules   *Rules
	fees    Fees
	items   table
	txs     []TxRecord
	txIndex map[protocol.Hash]int32
}

// NewOpenView returns the open ledger that follows the base, without
// transactions. It holds a count of the base until its own last Release.
// rippled: OpenView(open_ledger_t): seq+1, parent close time of the base.
func NewOpenView(base *Ledger) *OpenView { return newView(base, true, 0) }

// NewBuildView returns the accumulator of a build above the base: entries are
// threaded and transactions yield metadata.
func NewBuildView(base *Ledger, txsHint int) *OpenView { return newView(base, false, txsHint) }

func newView(base *Ledger, open bool, txsHint int) *OpenView {
	base.mustAcquire()
	h := protocol.Header{
		Sequence:            base.header.Sequence + 1,
		Drops:               base.header.Drops,
		ParentHash:          base.hash,
		ParentCloseTime:     base.header.CloseTime,
		CloseTimeResolution: base.header.CloseTimeResolution,
	}
	v := &OpenView{
		base: base, open: open, header: h, rules: base.rules, fees: base.fees,
		items:   newCopyTable(txsHint),
		txs:     make([]TxRecord, 0, txsHint),
		txIndex: make(map[protocol.Hash]int32, txsHint),
	}
	v.refs.Store(1)
	return v
}

// Acquire adds a user. It is false when the last user has gone; then a newer view
// has been published.
func (v *OpenView) Acquire() bool { return acquire(&v.refs) }

// Release drops a user; with the last one the count of the base is given back.
func (v *OpenView) Release() {
	if v.refs.Add(-1) == 0 {
		v.base.Release()
	}
}

// Clone returns an independent copy, with one user. Its cost grows with the size
// of the view, as that of rippled's OpenView copy constructor does.
func (v *OpenView) Clone() *OpenView {
	v.base.mustAcquire()
	c := &OpenView{
		base: v.base, open: v.open, header: v.header, rules: v.rules, fees: v.fees,
		items: v.items.clone(), txs: slices.Clone(v.txs), txIndex: maps.Clone(v.txIndex),
	}
	c.refs.Store(1)
	return c
}

// Base returns the closed ledger below; it lives as long as the view does.
func (v *OpenView) Base() *Ledger { return v.base }

// Read returns the entry at key as this view sees it.
func (v *OpenView) Read(key protocol.Hash) (protocol.Entry, error) {
	if c, ok := v.items.get(key); ok {
		return c.entry, nil
	}
	return v.base.Read(key)
}

// Header returns the header so far.
func (v *OpenView) Header() *protocol.Header { return &v.header }

// Fees returns the settings in force, those of the base.
func (v *OpenView) Fees() Fees { return v.fees }

// Rules returns the amendments in force, those of the base.
func (v *OpenView) Rules() *Rules { return v.rules }

// Open says whether this is an open ledger and not the accumulator of a build.
func (v *OpenView) Open() bool { return v.open }

// HasTx says whether this view has applied the transaction.
func (v *OpenView) HasTx(id protocol.Hash) (bool, error) {
	_, ok := v.txIndex[id]
	return ok, nil
}

// TxCount is the number of transactions applied.
func (v *OpenView) TxCount() int { return len(v.txs) }

// Txs returns the transactions in the order of application; the slice must not be
// changed.
func (v *OpenView) Txs() []TxRecord { return v.txs }

// TxsByID returns the transactions sorted by identifier, the order in which
// rippled walks the open ledger's map.
func (v *OpenView) TxsByID() []*protocol.Transaction {
	out := make([]*protocol.Transaction, len(v.txs))
	for i := range v.txs {
		out[i] = v.txs[i].Tx
	}
	slices.SortFunc(out, func(a, b *protocol.Transaction) int {
		x, y := a.ID(), b.ID()
		return compareHash(x, y)
	})
	return out
}

// Changed is the number of entries that differ from the base.
func (v *OpenView) Changed() int { return v.items.len() }

// insert, modify and erase record a change of one transaction; they fold it into
// what the view already has for the entry.
func (v *OpenView) insert(key protocol.Hash, e protocol.Entry) {
	act := actInsert
	if c, ok := v.items.get(key); ok && c.act == actErase {
		act = actModify
	}
	v.items.put(key, change{act, e})
}

func (v *OpenView) modify(key protocol.Hash, e protocol.Entry) {
	act := actModify
	if c, ok := v.items.get(key); ok && c.act == actInsert {
		act = actInsert
	}
	v.items.put(key, change{act, e})
}

func (v *OpenView) erase(key protocol.Hash) {
	if c, ok := v.items.get(key); ok && c.act == actInsert {
		v.items.drop(key)
		return
	}
	v.items.put(key, change{act: actErase})
}

func (v *OpenView) addTx(r TxRecord) {
	v.txIndex[r.Tx.ID()] = int32(len(v.txs))
	v.txs = append(v.txs, r)
}
