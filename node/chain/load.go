package chain

import (
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

// loadFallbackMax is how many ledgers behind the durable marker are tried when the
// newest cannot be opened.
const loadFallbackMax = 256

// Load gives the master its first ledger: the last validated one on disk or, when
// the store is empty, the one that first makes. What first returns is written,
// synced and becomes closed and validated.
func (m *Master) Load(first func() (*ledger.Ledger, error)) error {
	st := m.d.Family.Store().State()
	if st.Validated.Seq == 0 {
		return m.loadFirst(first)
	}
	h, err := protocol.ParseHeader(st.Validated.Header)
	if err != nil {
		return fmt.Errorf("chain: marker of ledger %d: %w", st.Validated.Seq, err)
	}
	if got := h.Hash(); got != protocol.Hash(st.Validated.Hash) {
		return fmt.Errorf("chain: marker of ledger %d: its header hashes to %s, the marker says %s", st.Validated.Seq, got,
			protocol.Hash(st.Validated.Hash))
	}
	l, err := m.loadNewest(h)
	if err != nil {
		return err
	}
	m.adopt(l)
	m.findRange(l, st.Oldest)
	m.log.Info("ledger loaded", "seq", l.Sequence(), "hash", l.Hash(), "complete", m.Complete())
	return nil
}

func (m *Master) loadFirst(first func() (*ledger.Ledger, error)) error {
	l, err := first()
	if err != nil {
		return fmt.Errorf("chain: first ledger: %w", err)
	}
	l.OnLastRelease(m.freeLater)
	if _, _, err := m.flush(l); err != nil {
		l.Release()
		return err
	}
	if err := m.persist(l); err != nil {
		l.Release()
		return err
	}
	if err := m.d.Family.Store().SetOldest(l.Sequence()); err != nil {
		l.Release()
		return fmt.Errorf("chain: oldest ledger: %w", err)
	}
	m.adopt(l)
	m.mu.Lock()
	m.mu.complete.add(l.Sequence())
	m.mu.Unlock()
	return nil
}

// loadNewest opens the ledger of the marker, or the newest before it that opens.
func (m *Master) loadNewest(h protocol.Header) (*ledger.Ledger, error) {
	wanted := h.Sequence
	var firstErr error
	for range loadFallbackMax {
		l, err := ledger.Open(m.d.Env, h)
		if err == nil {
			if h.Sequence != wanted {
				m.log.Error("newest ledger could not be opened, an older one was", "wanted", wanted, "opened", h.Sequence, "cause", firstErr)
			}
			l.OnLastRelease(m.freeLater)
			return l, nil
		}
		if firstErr == nil {
			firstErr = err
		}
		if h, err = m.storedHeader(h.ParentHash); err != nil {
			break
		}
	}
	return nil, fmt.Errorf("chain: ledger %d cannot be opened, nor any before it: %w", wanted, firstErr)
}

// adopt takes the caller's count of a ledger and makes it closed and validated.
func (m *Master) adopt(l *ledger.Ledger) {
	l.Acquire()
	l.Acquire()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.closed, m.mu.validated = l, l
	m.mu.published = l.Sequence()
	m.mu.held[l.Hash()] = &slot{l: l, validated: true}
	m.mu.bySeq[l.Sequence()] = l.Hash()
	l.State().SetLinking(true)
}

// findRange walks the stored headers back from l: what has a header and both roots
// in the store, down to the oldest that rotation left.
func (m *Master) findRange(l *ledger.Ledger, oldest uint32) {
	st := m.d.Family.Store()
	here := func(h protocol.Hash) bool {
		ok, err := st.Has(h)
		return err == nil && ok
	}
	m.mu.Lock()
	m.mu.complete.add(l.Sequence())
	m.mu.floor = oldest
	m.mu.Unlock()
	h := *l.Header()
	for range m.opt.IndexBound {
		if h.Sequence <= max(oldest, 1) {
			return
		}
		parent, err := m.storedHeader(h.ParentHash)
		if err != nil || !here(parent.AccountHash) || !parent.TxHash.IsZero() && !here(parent.TxHash) {
			return
		}
		m.mu.Lock()
		m.mu.complete.add(parent.Sequence)
		m.mu.bySeq[parent.Sequence] = h.ParentHash
		m.mu.Unlock()
		h = parent
	}
}

// flush writes a ledger's new nodes and its header as one batch, not yet synced.
func (m *Master) flush(l *ledger.Ledger) (nodes, bytes int, err error) {
	b := m.d.Family.NewBatch()
	n, err := l.State().Flush(b)
	if err != nil {
		return 0, 0, fmt.Errorf("chain: flush state of %d: %w", l.Sequence(), err)
	}
	k, err := l.Txs().Flush(b)
	if err != nil {
		return 0, 0, fmt.Errorf("chain: flush transactions of %d: %w", l.Sequence(), err)
	}
	b.PutLedger(l.Hash(), l.Header().AppendPrefixed(nil))
	bytes = b.Size()
	if err := b.Commit(false); err != nil {
		return 0, 0, fmt.Errorf("chain: write ledger %d: %w", l.Sequence(), err)
	}
	return n + k, bytes, nil
}

// persist syncs the store and moves the durable marker to l.
func (m *Master) persist(l *ledger.Ledger) error {
	if err := m.d.Family.Sync(); err != nil {
		return fmt.Errorf("chain: sync ledger %d: %w", l.Sequence(), err)
	}
	err := m.d.Family.Store().SetValidated(store.Validated{
		Seq: l.Sequence(), Hash: store.HexHash(l.Hash()), Header: l.Header().AppendTo(nil),
	})
	if err != nil {
		return fmt.Errorf("chain: marker of ledger %d: %w", l.Sequence(), err)
	}
	return nil
}
