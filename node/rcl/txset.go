package rcl

import (
	"bytes"
	"fmt"
	"slices"

	"ledgerlab/consensus"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// TxSet is an immutable set of transactions: a SHAMap of kind tx (no metadata)
// and the parsed transactions, ordered by id. It satisfies consensus.TxSet.
type TxSet struct {
	id    protocol.Hash
	tree  *shamap.Map // immutable; owned by the Sets that made it
	txs   []Tx        // ordered by id, no duplicates
	store *Sets
}

var (
	_ consensus.TxSet  = (*TxSet)(nil)
	_ consensus.Editor = (*TxSet)(nil)
)

// ID returns the root hash.
func (s *TxSet) ID() consensus.Hash { return consensus.Hash(s.id) }

// Hash returns the root hash.
func (s *TxSet) Hash() protocol.Hash { return s.id }

// Len is the number of transactions.
func (s *TxSet) Len() int { return len(s.txs) }

// Txs returns the transactions ordered by id; the slice must not be changed.
func (s *TxSet) Txs() []Tx { return s.txs }

// Tx returns one transaction, nil when it is not in the set.
func (s *TxSet) Tx(id protocol.Hash) Tx {
	if i, ok := findTx(s.txs, id); ok {
		return s.txs[i]
	}
	return nil
}

// Has tells whether the set holds a transaction.
func (s *TxSet) Has(id consensus.Hash) bool {
	_, ok := findTx(s.txs, protocol.Hash(id))
	return ok
}

func findTx(txs []Tx, id protocol.Hash) (int, bool) {
	return slices.BinarySearchFunc(txs, id, func(t Tx, id protocol.Hash) int { return t.ID().Compare(id) })
}

// With returns the set with a transaction whose body is in another set kept by
// the same store; the set itself when no such body is known.
func (s *TxSet) With(id consensus.Hash) consensus.TxSet {
	if t := s.store.find(protocol.Hash(id)); t != nil {
		return s.change([]Tx{t}, nil)
	}
	return s
}

// Without returns the set without a transaction.
func (s *TxSet) Without(id consensus.Hash) consensus.TxSet {
	return s.change(nil, []consensus.Hash{id})
}

// Edit applies many changes at once, taking bodies from the sets they were seen in.
func (s *TxSet) Edit(add []consensus.Hash, from []consensus.TxSet, remove []consensus.Hash) consensus.TxSet {
	txs := make([]Tx, 0, len(add))
	for i, id := range add {
		if o, ok := from[i].(*TxSet); ok {
			if t := o.Tx(protocol.Hash(id)); t != nil {
				txs = append(txs, t)
			}
		}
	}
	return s.change(txs, remove)
}

// change makes, registers and returns the changed set. An error of the tree (it
// lies wholly in memory) leaves the set as it is.
func (s *TxSet) change(add []Tx, remove []consensus.Hash) consensus.TxSet {
	gone := make(map[consensus.Hash]bool, len(remove))
	changes := make([]shamap.Change, 0, len(add)+len(remove))
	for _, id := range remove {
		gone[id] = true
		changes = append(changes, shamap.Change{Key: id})
	}
	txs := slices.DeleteFunc(slices.Clone(s.txs), func(t Tx) bool { return gone[consensus.Hash(t.ID())] })
	for _, t := range add {
		changes = append(changes, shamap.Change{Key: t.ID(), Data: t.Blob()})
	}
	o, err := s.store.derive(s.tree, changes, sortTxs(append(txs, add...)))
	if err != nil {
		s.store.log.Error("transaction set not changed", "set", s.id, "err", err)
		return s
	}
	return o
}

// Diff returns the ids only in this set and only in the other one.
func (s *TxSet) Diff(other consensus.TxSet, limit int) (only, theirs []consensus.Hash, ok bool) {
	o, same := other.(*TxSet)
	if !same {
		return nil, nil, false
	}
	complete, err := shamap.Diff(s.tree, o.tree, limit, func(key [32]byte, inA, _ []byte) bool {
		if inA != nil {
			only = append(only, key)
		} else {
			theirs = append(theirs, key)
		}
		return true
	})
	if err != nil {
		s.store.log.Error("transaction sets not compared", "set", s.id, "other", o.id, "err", err)
		return nil, nil, false
	}
	return only, theirs, complete
}

// sortTxs orders by id and drops duplicates, in place.
func sortTxs(txs []Tx) []Tx {
	slices.SortFunc(txs, func(a, b Tx) int { return a.ID().Compare(b.ID()) })
	return slices.CompactFunc(txs, func(a, b Tx) bool { return a.ID() == b.ID() })
}

// treeTxs reads the transactions of a complete tree.
func treeTxs(tree *shamap.Map, limit int, parse func(id protocol.Hash, blob []byte) (Tx, error)) (txs []Tx, err error) {
	walkErr := tree.Walk([32]byte{}, func(key [32]byte, data []byte) bool {
		if len(txs) >= limit {
			err = fmt.Errorf("more than %d transactions", limit)
			return false
		}
		var t Tx
		if t, err = parse(key, bytes.Clone(data)); err != nil {
			err = fmt.Errorf("transaction %s: %w", protocol.Hash(key), err)
			return false
		}
		if t.ID() != key {
			err = fmt.Errorf("transaction %s lies under key %s", t.ID(), protocol.Hash(key))
			return false
		}
		txs = append(txs, t)
		return true
	})
	if walkErr != nil {
		return nil, walkErr
	}
	return txs, err
}
