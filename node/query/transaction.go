package query

import (
	"errors"
	"fmt"

	"ledgerlab/node/history"
	"ledgerlab/node/protocol"
)

// Found is a transaction and the validated ledger that holds it.
type Found struct {
	Where
	Tx        Tx
	CloseTime uint32
}

// Searched is the span of ledgers a search looked at; All says that none in it was
// missing.
type Searched struct {
	First, Last uint32
	All         bool
}

// Transaction searches the validated ledgers here for a transaction. from and to bound
// the search, 0 leaves them to the range. What the index has is looked up there; up to
// SearchMax other ledgers are searched one by one, the newest first.
func (q *Querier) Transaction(id protocol.Hash, from, to uint32) (Found, Searched, error) {
	s, err := q.bounds(from, to)
	if err != nil {
		return Found{}, Searched{}, fmt.Errorf("transaction %s: %w", id, err)
	}
	if f, ok := q.indexed(id, s); ok {
		return f, s, nil
	}
	looked := uint32(0)
	for _, gap := range reversed(q.unindexed(s)) {
		for seq := gap.Last; seq >= gap.First && seq > 0; seq-- {
			if looked++; looked > q.o.SearchMax {
				s.First = seq + 1 // what lies below was not looked at, though the index may have parts of it
				return Found{}, s, fmt.Errorf("transaction %s: %w", id, ErrNotFound)
			}
			f, ok, err := q.txIn(seq, id)
			if err != nil {
				s.All = false
				continue
			}
			if ok {
				return f, s, nil
			}
		}
	}
	return Found{}, s, fmt.Errorf("transaction %s: %w", id, ErrNotFound)
}

// bounds fits a span into the unbroken range of ledgers here.
func (q *Querier) bounds(from, to uint32) (Searched, error) {
	first, last := q.c.Range()
	if last == 0 {
		return Searched{}, ErrNotFound
	}
	if to == 0 || to > last {
		to = last
	}
	return Searched{First: max(from, first), Last: to, All: true}, nil
}

// indexed looks a transaction up in the index and reads it from its ledger.
func (q *Querier) indexed(id protocol.Hash, s Searched) (Found, bool) {
	if q.ix == nil {
		return Found{}, false
	}
	seq, _, ok, err := q.ix.Tx(id)
	if err != nil || !ok || seq < s.First || seq > s.Last {
		return Found{}, false
	}
	f, ok, err := q.txIn(seq, id)
	return f, ok && err == nil
}

// unindexed returns what of a span the index does not have: all of it without one.
func (q *Querier) unindexed(s Searched) []history.Span {
	if q.ix == nil {
		return []history.Span{{First: s.First, Last: s.Last}}
	}
	held, err := q.ix.Held(s.First, s.Last)
	if err != nil {
		held = nil
	}
	return history.Gaps(s.First, s.Last, held)
}

func reversed(list []history.Span) []history.Span {
	out := make([]history.Span, len(list))
	for i, s := range list {
		out[len(list)-1-i] = s
	}
	return out
}

func (q *Querier) txIn(seq uint32, id protocol.Hash) (Found, bool, error) {
	l, err := q.c.LedgerBySeq(seq)
	if err != nil {
		return Found{}, false, err
	}
	defer l.Release()
	blob, meta, ok, err := l.Tx(id)
	if err != nil || !ok {
		if err != nil {
			q.c.Incomplete(seq, err)
		}
		return Found{}, false, err
	}
	m, err := protocol.ParseMetadata(meta)
	if err != nil {
		return Found{}, false, err
	}
	return Found{
		Where:     Where{Seq: seq, Hash: l.Hash(), Validated: true},
		Tx:        Tx{ID: id, Blob: blob, Meta: meta, Index: m.Index, Result: m.Result},
		CloseTime: l.Header().CloseTime,
	}, true, nil
}

// ErrNoIndex says that this node keeps no index of accounts.
var ErrNoIndex = errors.New("this node keeps no index of transactions (flag store.index)")

// AccountTxs are transactions of an account in a range of ledgers.
type AccountTxs struct {
	Txs  []history.Entry
	More bool
	// First and Last were asked for; Missing of them are not held, or not entered yet.
	First, Last uint32
	Missing     []history.Span
}

// AccountTransactions lists the validated transactions that touched an account, as far
// as their ledgers are here, and names the ledgers of the range that are not. First
// and Last 0 leave the bounds to the range.
func (q *Querier) AccountTransactions(h history.Query) (AccountTxs, error) {
	if q.ix == nil {
		return AccountTxs{}, ErrNoIndex
	}
	first, last := q.c.Range()
	if last == 0 {
		return AccountTxs{}, fmt.Errorf("transactions of %s: %w", h.Account, ErrNotFound)
	}
	if h.First == 0 {
		h.First = first
	}
	if h.Last == 0 {
		h.Last = last
	}
	out := AccountTxs{First: h.First, Last: h.Last}
	held, err := q.ix.Held(h.First, h.Last)
	if err != nil {
		return out, err
	}
	var complete []history.Span
	q.c.Held(h.First, h.Last, func(first, last uint32) { complete = append(complete, history.Span{First: first, Last: last}) })
	both := history.Both(held, complete)
	out.Missing = history.Gaps(h.First, h.Last, both)
	if len(both) == 0 {
		return out, nil
	}
	h.First, h.Last = both[0].First, both[len(both)-1].Last
	list, more, err := q.ix.Account(h)
	if err != nil {
		return out, err
	}
	out.More = more
	for _, e := range list {
		if history.In(both, e.Seq) { // the index is ahead of a rotation that gives ledgers up
			out.Txs = append(out.Txs, e)
		}
	}
	return out, nil
}
