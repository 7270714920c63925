package ledger

import (
	"slices"

	"ledgerlab/node/protocol"
)

// threadTo writes the transaction into an entry.
func threadTo(e protocol.Entry, id protocol.Hash, seq uint32) {
	switch x := e.(type) {
	case *protocol.AccountRoot:
		x.PreviousTxnID, x.PreviousTxnLgrSeq = id, seq
	case *protocol.Object:
		x.SetHash(protocol.FieldPreviousTxnID, id)
		x.SetUint32(protocol.FieldPreviousTxnLgrSeq, seq)
	}
}

// thread writes the transaction into all changed entries, and into the owners of
// created and deleted ones. Entries that were touched but not changed are dropped.
// rippled: ApplyStateTable::apply, threadItem, threadOwners.
func (s *Sandbox) thread(id protocol.Hash) error {
	seq := s.base.header.Sequence
	plain := true
	for i := range s.items {
		it := &s.items[i]
		if it.act == actRead {
			continue
		}
		root, ok := it.cur.(*protocol.AccountRoot)
		if !ok || it.act == actErase {
			plain = false
			break
		}
		if it.act == actModify && root.Equal(it.before.(*protocol.AccountRoot)) {
			it.act = actRead
			continue
		}
		root.PreviousTxnID, root.PreviousTxnLgrSeq = id, seq
	}
	if plain {
		return nil
	}
	return s.threadAll(id, seq)
}

// threadAll is thread for transactions that touch more than account roots: in the
// order of indexes, since an owner threaded by an earlier entry counts as changed.
func (s *Sandbox) threadAll(id protocol.Hash, seq uint32) error {
	slices.SortFunc(s.items, func(a, b item) int { return compareHash(a.key, b.key) })
	n := len(s.items)
	for i := range n {
		it := &s.items[i]
		switch it.act {
		case actModify:
			if protocol.EntryEqual(it.cur, it.before) {
				it.act = actRead
				continue
			}
			s.threadItem(it, id, seq)
		case actInsert:
			if err := s.threadOwners(it.cur, id, seq); err != nil {
				return err
			}
			s.threadItem(&s.items[i], id, seq)
		case actErase:
			if err := s.threadOwners(it.before, id, seq); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Sandbox) threadItem(it *item, id protocol.Hash, seq uint32) {
	if protocol.IsThreaded(it.cur.Type(), s.base.rules.FixPreviousTxnID) {
		threadTo(it.cur, id, seq)
	}
}

// threadOwners threads the account roots of an entry's owners.
func (s *Sandbox) threadOwners(e protocol.Entry, id protocol.Hash, seq uint32) error {
	o, ok := e.(*protocol.Object)
	if !ok {
		return nil // an account root has no owner
	}
	if o.Type() == protocol.EntryRippleState {
		for _, f := range []protocol.Field{protocol.FieldLowLimit, protocol.FieldHighLimit} {
			if err := s.threadOwner(o.Amount(f).Issuer(), id, seq); err != nil {
				return err
			}
		}
		return nil
	}
	for _, f := range []protocol.Field{protocol.FieldAccount, protocol.FieldDestination} {
		if owner, ok := o.GetAccountID(f); ok {
			if err := s.threadOwner(owner, id, seq); err != nil {
				return err
			}
		}
	}
	return nil
}

// threadOwner threads one account root; if this transaction has not changed it
// otherwise it appears in the metadata with nothing but its old thread.
func (s *Sandbox) threadOwner(owner protocol.AccountID, id protocol.Hash, seq uint32) error {
	key := protocol.AccountKey(owner)
	if it := s.find(&key); it != nil && it.act != actRead && it.act != actThread {
		if it.act != actErase {
			threadTo(it.cur, id, seq)
		}
		return nil
	}
	e, err := s.base.Read(key)
	if err != nil || e == nil {
		return err
	}
	cur := e.Clone()
	threadTo(cur, id, seq)
	if it := s.find(&key); it != nil {
		it.act, it.cur = actThread, cur
		return nil
	}
	s.items = append(s.items, item{key: key, act: actThread, before: e, cur: cur})
	return nil
}
