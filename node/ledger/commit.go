package ledger

import (
	"fmt"

	"ledgerlab/node/protocol"
)

// Commit folds the changes into the view below and records the transaction. In a
// closed view entries are threaded and the metadata is returned; in an open one it
// is nil. delivered is the DeliveredAmount field, nil for none.
// rippled: ApplyStateTable::apply.
func (s *Sandbox) Commit(tx *protocol.Transaction, result protocol.TER, delivered *protocol.Amount) ([]byte, error) {
	v := s.base
	var meta []byte
	if !v.open {
		if err := s.thread(tx.ID()); err != nil {
			return nil, fmt.Errorf("ledger: thread %s: %w", tx.ID(), err)
		}
		meta = protocol.BuildMetadata(result, uint32(len(v.txs)), delivered, s.affected())
	}
	for i := range s.items {
		it := &s.items[i]
		switch it.act {
		case actInsert:
			v.insert(it.key, it.cur)
		case actModify, actThread:
			v.modify(it.key, it.cur)
		case actErase:
			v.erase(it.key)
		}
	}
	v.header.Drops -= uint64(s.fee)
	v.addTx(TxRecord{Tx: tx, Meta: meta, TER: result})
	clear(s.nodes)
	s.nodes = s.nodes[:0]
	s.Discard()
	return meta, nil
}

// affected returns the changed entries; thread has dropped those that are as before.
func (s *Sandbox) affected() []protocol.AffectedNode {
	s.nodes = s.nodes[:0]
	for i := range s.items {
		it := &s.items[i]
		n := protocol.AffectedNode{Index: it.key, Before: it.before, After: it.cur}
		switch it.act {
		case actRead:
			continue
		case actInsert:
			n.Kind = protocol.NodeCreated
		case actModify:
			n.Kind = protocol.NodeModified
		case actThread:
			n.Kind, n.ThreadOnly = protocol.NodeModified, true
		case actErase:
			n.Kind = protocol.NodeDeleted
		}
		s.nodes = append(s.nodes, n)
	}
	return s.nodes
}
