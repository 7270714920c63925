package query

import (
	"fmt"
	"slices"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// Item is one entry of a page.
type Item struct {
	Key  protocol.Hash
	Data []byte
}

// Page is a piece of a ledger's state in the order of keys.
type Page struct {
	Where
	Items []Item
	// Next is the first key after the page, when More.
	Next protocol.Hash
	More bool
}

// StatePage reads entries from a key on, up to limit and the bounds of the options.
// Keys between pages are never skipped nor repeated: Next is the key the following
// page starts with. "current" pages the closed ledger, since a page must not change.
func (q *Querier) StatePage(r Ref, from protocol.Hash, limit int) (Page, error) {
	l, err := q.ledger(r)
	if err != nil {
		return Page{}, err
	}
	defer l.Release()
	if limit <= 0 || limit > q.o.PageMax {
		limit = q.o.PageMax
	}
	p := Page{Where: q.where(l), Items: make([]Item, 0, min(limit, 256))}
	size := 0
	err = l.State().Walk(from, func(key [32]byte, data []byte) bool {
		if len(p.Items) == limit || size >= q.o.PageBytesMax {
			p.Next, p.More = key, true
			return false
		}
		size += len(data)
		p.Items = append(p.Items, Item{key, slices.Clone(data)})
		return true
	})
	if err != nil {
		q.c.Incomplete(l.Sequence(), err)
		return Page{}, fmt.Errorf("state of ledger %d: %w", l.Sequence(), err)
	}
	return p, nil
}

// Tx is a transaction of a ledger with its metadata.
type Tx struct {
	ID   protocol.Hash
	Blob []byte
	Meta []byte
	// Index is its place in the order of application, Result its code.
	Index  uint32
	Result protocol.TER
}

// Ledger is a header, and the transactions when asked for.
type Ledger struct {
	Where
	Header protocol.Header
	Txs    []Tx // in the order of application
}

// Ledger describes a closed ledger.
func (q *Querier) Ledger(r Ref, withTxs bool) (Ledger, error) {
	l, err := q.ledger(r)
	if err != nil {
		return Ledger{}, err
	}
	defer l.Release()
	out := Ledger{Where: q.where(l), Header: *l.Header()}
	if !withTxs {
		return out, nil
	}
	if out.Txs, err = readTxs(l); err != nil {
		q.c.Incomplete(l.Sequence(), err)
		return Ledger{}, fmt.Errorf("transactions of ledger %d: %w", l.Sequence(), err)
	}
	return out, nil
}

// readTxs reads all transactions of a ledger in the order of application.
func readTxs(l *ledger.Ledger) ([]Tx, error) {
	var out []Tx
	var fault error
	err := l.Txs().Walk([32]byte{}, func(key [32]byte, data []byte) bool {
		t, err := parseTx(key, slices.Clone(data))
		if err != nil {
			fault = err
			return false
		}
		out = append(out, t)
		return true
	})
	if err == nil {
		err = fault
	}
	slices.SortFunc(out, func(a, b Tx) int { return int(a.Index) - int(b.Index) })
	return out, err
}

func parseTx(id protocol.Hash, leaf []byte) (Tx, error) {
	blob, meta, m, err := ledger.ParseTx(id, leaf)
	if err != nil {
		return Tx{}, err
	}
	return Tx{ID: id, Blob: blob, Meta: meta, Index: m.Index, Result: m.Result}, nil
}
