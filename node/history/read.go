package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

// Found is where a ledger is.
type Found struct {
	Hash      protocol.Hash
	CloseTime uint32
	Txs       uint32
}

// Ledger finds a ledger by its sequence.
func (x *Index) Ledger(seq uint32) (Found, bool, error) {
	v, ok, err := x.get(ledgerKey(seq))
	if err != nil || !ok {
		return Found{}, false, err
	}
	if len(v) != ledgerValueLen {
		return Found{}, false, fmt.Errorf("%w of ledger %d", errFormat, seq)
	}
	return Found{protocol.Hash(v), binary.BigEndian.Uint32(v[32:]), binary.BigEndian.Uint32(v[36:])}, true, nil
}

// Current says whether the writable generation has a ledger: one that only the
// archive has is lost with the next rotation.
func (x *Index) Current(seq uint32) (bool, error) {
	g, err := x.writable()
	if err != nil {
		return false, err
	}
	defer g.release()
	return g.Has(ledgerKey(seq))
}

// Tx finds the ledger of a transaction.
func (x *Index) Tx(id protocol.Hash) (seq, place uint32, ok bool, err error) {
	v, ok, err := x.get(txKey(id))
	if err != nil || !ok {
		return 0, 0, false, err
	}
	if len(v) != txValueLen {
		return 0, 0, false, fmt.Errorf("%w of transaction %s", errFormat, id)
	}
	if v[0] != id[31] {
		return 0, 0, false, nil
	}
	return binary.BigEndian.Uint32(v[1:]), binary.BigEndian.Uint32(v[5:]), true, nil
}

// get looks in the writable generation, then in the archive.
func (x *Index) get(k store.Hash) (v []byte, ok bool, err error) {
	x.n.lookups.Add(1)
	gs, err := x.pair()
	if err != nil {
		return nil, false, err
	}
	defer release(gs)
	for _, g := range gs {
		if g == nil {
			continue
		}
		v, err := g.Get(k, nil)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			x.n.failed.Add(1)
			return nil, false, fmt.Errorf("history: look up in %s: %w", g.name, err)
		}
		return v, true, nil
	}
	return nil, false, nil
}

// Entry is one transaction of an account.
type Entry struct {
	Seq, Place uint32
	ID         protocol.Hash
}

// compare orders entries as the ledgers applied them.
func (e Entry) compare(o Entry) int {
	switch {
	case e.Seq != o.Seq:
		return cmpUint(e.Seq, o.Seq)
	default:
		return cmpUint(e.Place, o.Place)
	}
}

func cmpUint(a, b uint32) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// Query asks for transactions of an account.
type Query struct {
	Account protocol.AccountID
	// First and Last bound the ledgers, both included.
	First, Last uint32
	// Forward is the oldest first; otherwise the newest.
	Forward bool
	// After continues behind an entry of an earlier answer.
	After *Entry
	// Limit bounds the answer.
	Limit int
}

// Account returns the transactions of an account, and whether there are more.
func (x *Index) Account(q Query) (list []Entry, more bool, err error) {
	x.n.lookups.Add(1)
	first, last := accountKey(q.Account, q.First, 0), end(accountKey(q.Account, q.Last, 0), 1+accountLen+4)
	if q.After != nil {
		k := accountKey(q.Account, q.After.Seq, q.After.Place)
		if q.Forward {
			first = end(k, 1+accountLen+8)
		} else {
			last = k // its own key is left out below
		}
	}
	gs, err := x.pair()
	if err != nil {
		return nil, false, err
	}
	defer release(gs)
	for _, g := range gs {
		if g == nil {
			continue
		}
		var fault error
		n := 0
		err := g.Range(first, last, !q.Forward, func(k store.Hash, v []byte) bool {
			e, ferr := parseEntry(k, v)
			if fault = ferr; fault != nil {
				return false
			}
			if q.After != nil && e.compare(*q.After) == 0 {
				return true
			}
			list = append(list, e)
			n++
			return n <= q.Limit // one more tells that there are more
		})
		if err = errors.Join(err, fault); err != nil {
			x.n.failed.Add(1)
			return nil, false, fmt.Errorf("history: account in %s: %w", g.name, err)
		}
	}
	slices.SortFunc(list, func(a, b Entry) int {
		if q.Forward {
			return a.compare(b)
		}
		return b.compare(a)
	})
	list = slices.Compact(list) // entered into both generations
	if len(list) > q.Limit {
		return list[:q.Limit], true, nil
	}
	return list, false, nil
}

func parseEntry(k store.Hash, v []byte) (Entry, error) {
	if len(v) != len(protocol.Hash{}) {
		return Entry{}, fmt.Errorf("%w of %d bytes under an account", errFormat, len(v))
	}
	at := 1 + accountLen
	return Entry{binary.BigEndian.Uint32(k[at:]), binary.BigEndian.Uint32(k[at+4:]), protocol.Hash(v)}, nil
}
