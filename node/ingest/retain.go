package ingest

import (
	"slices"
	"sync"
	"sync/atomic"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// holdLedgers is how long a client's transaction is tried again. rippled: LocalTxs::holdLedgers.
const holdLedgers = 5

// heldTxs are transactions that may apply to a later ledger. rippled: LedgerMaster::mHeldTransactions.
type heldTxs struct {
	max     int
	refused atomic.Uint64
	mu      struct {
		sync.Mutex
		byAccount map[protocol.AccountID][]*item // by SeqProxy, then id
		size      int
	}
}

func newHeldTxs(limit int) *heldTxs {
	h := &heldTxs{max: limit}
	h.mu.byAccount = make(map[protocol.AccountID][]*item)
	return h
}

func compareItems(a, b *item) int {
	if c := a.tx.SeqProxy().Compare(b.tx.SeqProxy()); c != 0 {
		return c
	}
	return a.id.Compare(b.id)
}

// add holds a transaction; false when there is no room. One that is held already stays as it is.
func (h *heldTxs) add(it *item) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	acct := it.tx.Account()
	list := h.mu.byAccount[acct]
	i, found := slices.BinarySearchFunc(list, it, compareItems)
	if found {
		return true
	}
	if h.mu.size >= h.max {
		h.refused.Add(1)
		return false
	}
	held := *it // the batch that brought it still answers and reports the original
	held.reply = nil
	h.mu.byAccount[acct] = slices.Insert(list, i, &held)
	h.mu.size++
	return true
}

// popNext removes and returns the account's transaction that follows one with this SeqProxy, or nil.
// rippled: CanonicalTXSet::popAcctTransaction.
func (h *heldTxs) popNext(acct protocol.AccountID, after protocol.SeqProxy) *item {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.mu.byAccount[acct]
	i := slices.IndexFunc(list, func(it *item) bool { return it.tx.SeqProxy().Compare(after) > 0 })
	if i < 0 {
		return nil
	}
	it := list[i]
	if s := it.tx.SeqProxy(); !s.Ticket && s.Value != after.Value+1 {
		return nil
	}
	if list = slices.Delete(list, i, i+1); len(list) == 0 {
		delete(h.mu.byAccount, acct)
	} else {
		h.mu.byAccount[acct] = list
	}
	h.mu.size--
	return it
}

// takeAll empties the set, in canonical order under the salt.
func (h *heldTxs) takeAll(salt protocol.Hash) []*item {
	h.mu.Lock()
	all := make([]*item, 0, h.mu.size)
	for _, list := range h.mu.byAccount {
		all = append(all, list...)
	}
	clear(h.mu.byAccount)
	h.mu.size = 0
	h.mu.Unlock()
	slices.SortFunc(all, func(a, b *item) int {
		return protocol.NewCanonicalKey(salt, a.tx).Compare(protocol.NewCanonicalKey(salt, b.tx))
	})
	return all
}

func (h *heldTxs) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mu.size
}

// localTxs are clients' transactions that are applied again whenever the open ledger is rebuilt, until they are
// validated or cannot be any more. rippled: LocalTxs.
type localTxs struct {
	max     int
	refused atomic.Uint64
	mu      struct {
		sync.Mutex
		txs map[protocol.Hash]localTx
	}
}

type localTx struct {
	tx     *protocol.Transaction
	expire uint32 // the last validated ledger after which it is tried
}

func newLocalTxs(limit int) *localTxs {
	l := &localTxs{max: limit}
	l.mu.txs = make(map[protocol.Hash]localTx)
	return l
}

// add keeps a transaction that was submitted while the open ledger had this sequence; false when there is no room.
func (l *localTxs) add(open uint32, t *protocol.Transaction) bool {
	expire := open + holdLedgers
	if last, has := t.LastLedgerSequence(); has {
		expire = min(expire, last+1)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mu.txs) >= l.max {
		l.refused.Add(1)
		return false
	}
	l.mu.txs[t.ID()] = localTx{t, expire}
	return true
}

// set returns all that are not to be skipped, in canonical order under the zero salt.
func (l *localTxs) set(skip func(id protocol.Hash) bool) []*protocol.Transaction {
	l.mu.Lock()
	var all []*protocol.Transaction
	for id, t := range l.mu.txs {
		if !skip(id) {
			all = append(all, t.tx)
		}
	}
	l.mu.Unlock()
	sortCanonical(protocol.Hash{}, all)
	return all
}

// sweep removes what the validated ledger settles: those it holds, and those that cannot apply after it.
func (l *localTxs) sweep(v ledger.ReadView, validated []protocol.Hash) error {
	seq := v.Header().Sequence
	l.mu.Lock()
	for _, id := range validated {
		delete(l.mu.txs, id)
	}
	rest := make([]localTx, 0, len(l.mu.txs))
	for id, t := range l.mu.txs {
		if t.expire < seq {
			delete(l.mu.txs, id)
			continue
		}
		rest = append(rest, t)
	}
	l.mu.Unlock()
	for _, t := range rest {
		gone, err := passed(v, t.tx)
		if err != nil {
			return err
		}
		if gone {
			l.remove(t.tx.ID())
		}
	}
	return nil
}

// passed says whether a ledger is beyond the transaction's sequence or ticket.
func passed(v ledger.ReadView, t *protocol.Transaction) (bool, error) {
	root, err := ledger.ReadAccount(v, t.Account())
	if err != nil || root == nil {
		return false, err
	}
	s := t.SeqProxy()
	if !s.Ticket {
		return root.Sequence > s.Value, nil
	}
	if s.Value >= root.Sequence {
		return false, nil
	}
	e, err := v.Read(protocol.TicketKey(t.Account(), s.Value))
	return e == nil, err
}

func (l *localTxs) remove(id protocol.Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.mu.txs, id)
}

func (l *localTxs) has(id protocol.Hash) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.mu.txs[id]
	return ok
}

func (l *localTxs) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.mu.txs)
}

func sortCanonical(salt protocol.Hash, txs []*protocol.Transaction) {
	type keyed struct {
		key protocol.CanonicalKey
		tx  *protocol.Transaction
	}
	all := make([]keyed, len(txs))
	for i, t := range txs {
		all[i] = keyed{protocol.NewCanonicalKey(salt, t), t}
	}
	slices.SortFunc(all, func(a, b keyed) int { return a.key.Compare(b.key) })
	for i := range all {
		txs[i] = all[i].tx
	}
}
