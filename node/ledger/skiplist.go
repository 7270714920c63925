package ledger

import (
	"fmt"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// skipLen is how many parent hashes the rolling list holds, and the distance of the
// ledgers in the long list. rippled: Ledger::updateSkipList.
const skipLen = protocol.SkipListLen

// skipChanges returns the changes of the skip lists that ledger seq makes.
func skipChanges(state *shamap.Map, seq uint32, parent protocol.Hash, out []shamap.Change) ([]shamap.Change, error) {
	if seq == 0 {
		return out, nil
	}
	prev := seq - 1
	if prev%skipLen == 0 {
		c, err := skipAppend(state, protocol.SkipListPageKey(prev), prev, parent, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	c, err := skipAppend(state, protocol.SkipListKey(), prev, parent, skipLen)
	if err != nil {
		return nil, err
	}
	return append(out, c), nil
}

// skipAppend adds a hash to the list at key; a list at its bound loses the oldest.
func skipAppend(state *shamap.Map, key protocol.Hash, prev uint32, parent protocol.Hash, bound int) (shamap.Change, error) {
	list, err := skipRead(state, key)
	if err != nil {
		return shamap.Change{}, err
	}
	if list == nil {
		list = protocol.NewSkipList()
	}
	protocol.PushSkipList(list, parent, prev, bound)
	return shamap.Change{Key: key, Data: list.Bytes()}, nil
}

// skipRead returns the list at key, nil when there is none.
func skipRead(state *shamap.Map, key protocol.Hash) (*protocol.Object, error) {
	data, ok, err := state.Get(key, nil)
	if err != nil || !ok {
		return nil, err
	}
	list, err := protocol.ParseObject(data)
	if err != nil {
		return nil, fmt.Errorf("ledger: skip list %s: %w", key, err)
	}
	return list, nil
}

// HashOf returns the hash of an earlier ledger from the skip lists of this one;
// ok is false when the lists do not reach it. rippled: View.cpp hashOfSeq.
func (l *Ledger) HashOf(seq uint32) (protocol.Hash, bool, error) {
	switch {
	case seq > l.header.Sequence:
		return protocol.Hash{}, false, nil
	case seq == l.header.Sequence:
		return l.hash, true, nil
	case seq+1 == l.header.Sequence:
		return l.header.ParentHash, true, nil
	}
	if l.header.Sequence-seq <= skipLen {
		list, err := skipRead(l.state, protocol.SkipListKey())
		if err != nil || list == nil {
			return protocol.Hash{}, false, err
		}
		h, ok := protocol.SkipListHash(list, seq)
		return h, ok, nil
	}
	if seq%skipLen != 0 {
		return protocol.Hash{}, false, nil
	}
	list, err := skipRead(l.state, protocol.SkipListPageKey(seq))
	if err != nil || list == nil {
		return protocol.Hash{}, false, err
	}
	last, hashes := list.Uint32(protocol.FieldLastLedgerSequence), list.Blob(protocol.FieldHashes)
	back := int(int64(last)-int64(seq)) / skipLen
	at := len(hashes)/32 - 1 - back
	if last < seq || at < 0 {
		return protocol.Hash{}, false, nil
	}
	return protocol.Hash(hashes[32*at : 32*at+32]), true, nil
}

// Ancestors returns the hashes of the ledgers just before this one as far as the
// rolling list reaches, oldest first; the last is the parent.
func (l *Ledger) Ancestors() ([]protocol.Hash, error) {
	list, err := skipRead(l.state, protocol.SkipListKey())
	if err != nil || list == nil {
		return nil, err
	}
	hashes, _ := list.GetHashes(protocol.FieldHashes)
	return hashes, nil
}
