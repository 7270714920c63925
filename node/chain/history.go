package chain

import (
	"errors"
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/store"
)

// slot is a ledger held open in memory, with one count.
type slot struct {
	l         *ledger.Ledger
	validated bool
	opened    bool // from the store, for a reader
}

// openedMax bounds ledgers that were opened from the store for readers.
const openedMax = 16

// ErrNotHere says that a ledger is not in the complete range.
var ErrNotHere = errors.New("chain: ledger is not here")

// Ledger returns a complete ledger by hash, acquired, or nil.
func (m *Master) Ledger(id protocol.Hash) *ledger.Ledger {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.mu.held[id]; s != nil {
		return acquired(s.l)
	}
	for _, l := range []*ledger.Ledger{m.mu.closed, m.mu.validated} {
		if l != nil && l.Hash() == id {
			return acquired(l)
		}
	}
	return nil
}

// LedgerBySeq returns a validated ledger of the complete range, acquired. One that
// turns out to be incomplete leaves the range before the answer ErrNotHere.
func (m *Master) LedgerBySeq(seq uint32) (*ledger.Ledger, error) {
	id, ok, err := m.HashBySeq(seq)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: %d", ErrNotHere, seq)
	}
	return m.open(id, seq)
}

// LedgerByHash returns a complete ledger, from memory or, when it belongs to the
// validated chain, from the store; acquired.
func (m *Master) LedgerByHash(id protocol.Hash) (*ledger.Ledger, error) {
	if l := m.Ledger(id); l != nil {
		return l, nil
	}
	h, err := m.storedHeader(id)
	if err != nil {
		return nil, err
	}
	if want, ok, err := m.HashBySeq(h.Sequence); err != nil || !ok || want != id {
		return nil, errors.Join(err, fmt.Errorf("%w: %s", ErrNotHere, id))
	}
	return m.open(id, h.Sequence)
}

// open returns the ledger from memory or the store.
func (m *Master) open(id protocol.Hash, seq uint32) (*ledger.Ledger, error) {
	if l := m.Ledger(id); l != nil {
		return l, nil
	}
	l, err := m.openStored(id)
	if err != nil {
		m.drop(seq, err)
		return nil, fmt.Errorf("%w: %d: %w", ErrNotHere, seq, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.mu.held[id]; s != nil { // another reader was first
		defer l.Release()
		return acquired(s.l), nil
	}
	m.mu.stats.Opened++
	m.trimOpened()
	m.mu.held[id] = &slot{l: l, validated: true, opened: true}
	l.Acquire()
	return l, nil
}

// trimOpened makes room for one more opened ledger: the lowest goes. Under mu.
func (m *Master) trimOpened() {
	n, lowest := 0, protocol.Hash{}
	low := uint32(1<<32 - 1)
	for id, s := range m.mu.held {
		if s.opened {
			if n++; s.l.Sequence() < low {
				low, lowest = s.l.Sequence(), id
			}
		}
	}
	if n >= openedMax {
		m.release(lowest)
	}
}

// release forgets a held ledger. Under mu; freeing happens elsewhere.
func (m *Master) release(id protocol.Hash) {
	if s := m.mu.held[id]; s != nil {
		delete(m.mu.held, id)
		s.l.Release()
	}
}

// storedHeader reads a header from the store.
func (m *Master) storedHeader(id protocol.Hash) (protocol.Header, error) {
	body, typ, err := m.d.Family.Store().Get(id, nil)
	if err != nil {
		return protocol.Header{}, fmt.Errorf("%w: header %s: %w", ErrNotHere, id, err)
	}
	if typ != store.Ledger {
		return protocol.Header{}, fmt.Errorf("chain: object %s is no ledger header", id)
	}
	return parsePrefixedHeader(id, body)
}

func parsePrefixedHeader(id protocol.Hash, b []byte) (protocol.Header, error) {
	if len(b) != 4+protocol.HeaderSize || [4]byte(b[:4]) != protocol.PrefixLedger {
		return protocol.Header{}, fmt.Errorf("chain: header %s has a wrong form", id)
	}
	return parseHeader(id, b[4:])
}

// parseHeader reads a header and checks its hash.
func parseHeader(id protocol.Hash, b []byte) (protocol.Header, error) {
	h, err := protocol.ParseHeader(b)
	if err != nil {
		return protocol.Header{}, fmt.Errorf("chain: header %s: %w", id, err)
	}
	if got := h.Hash(); got != id {
		return protocol.Header{}, fmt.Errorf("chain: header %s hashes to %s", id, got)
	}
	return h, nil
}

func (m *Master) openStored(id protocol.Hash) (*ledger.Ledger, error) {
	h, err := m.storedHeader(id)
	if err != nil {
		return nil, err
	}
	l, err := ledger.Open(m.d.Env, h)
	if err != nil {
		return nil, err
	}
	l.OnLastRelease(m.freeLater)
	return l, nil
}

// HashBySeq returns the hash of a validated ledger of the complete range.
func (m *Master) HashBySeq(seq uint32) (protocol.Hash, bool, error) {
	m.mu.Lock()
	id, known := m.mu.bySeq[seq]
	in := m.mu.complete.has(seq)
	v := acquired(m.mu.validated)
	m.mu.Unlock()
	if v != nil {
		defer v.Release()
	}
	if !in || v == nil {
		return protocol.Hash{}, false, nil
	}
	if known {
		return id, true, nil
	}
	return m.skipHash(v, seq)
}

// skipHash finds a hash through the skip lists: of the newest ledger, or of the
// first ledger above seq whose number is a multiple of 256.
func (m *Master) skipHash(v *ledger.Ledger, seq uint32) (protocol.Hash, bool, error) {
	if h, ok, err := v.HashOf(seq); err != nil || ok {
		return h, ok, err
	}
	flag := (seq + protocol.SkipListLen - 1) / protocol.SkipListLen * protocol.SkipListLen
	id, ok, err := v.HashOf(flag)
	if err != nil || !ok || flag == seq {
		return id, ok, err
	}
	l, err := m.open(id, flag)
	if err != nil {
		return protocol.Hash{}, false, err
	}
	defer l.Release()
	return l.HashOf(seq)
}

// drop takes a ledger that cannot be read out of the complete range.
func (m *Master) drop(seq uint32, cause error) {
	m.mu.Lock()
	was := m.mu.complete.has(seq)
	if was {
		m.mu.complete.remove(seq)
		m.mu.stats.Corrected++
	}
	if id, ok := m.mu.bySeq[seq]; ok {
		m.release(id)
	}
	m.mu.Unlock()
	if was {
		m.log.Warn("ledger taken out of the complete range", "seq", seq, "cause", cause)
	}
}

// Incomplete tells that a read of a ledger of the range met this error; a missing or
// corrupt node takes the ledger out of the range.
func (m *Master) Incomplete(seq uint32, err error) { m.noteSeq(err, seq) }

func (m *Master) noteErr(err error, l *ledger.Ledger) { m.noteSeq(err, l.Sequence()) }

func (m *Master) noteSeq(err error, seq uint32) {
	var missing shamap.ErrMissing
	var corrupt shamap.ErrCorrupt
	if errors.As(err, &missing) || errors.As(err, &corrupt) {
		m.drop(seq, err)
	}
}

// ClearPrior forgets the ledgers up to and including seq: rotation is about to
// delete their nodes.
func (m *Master) ClearPrior(seq uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.complete.removeThrough(seq)
	m.mu.floor = max(m.mu.floor, seq+1)
	for s, id := range m.mu.bySeq {
		if s <= seq {
			delete(m.mu.bySeq, s)
			m.release(id)
		}
	}
}

// OldestFrom returns the oldest complete ledger at or above seq, acquired, or nil.
func (m *Master) OldestFrom(seq uint32) *ledger.Ledger {
	for {
		m.mu.Lock()
		i := m.mu.complete.at(seq)
		if i == len(m.mu.complete.spans) {
			m.mu.Unlock()
			return nil
		}
		first := max(seq, m.mu.complete.spans[i].first)
		m.mu.Unlock()
		l, err := m.LedgerBySeq(first)
		if err == nil {
			return l
		}
		seq = first + 1
	}
}

// Missing is how many ledgers between since and the newest validated one are not
// here; rotation waits while there are some. What lies before the oldest complete
// ledger is history that this node never had.
func (m *Master) Missing(since uint32) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	spans := m.mu.complete.spans
	if m.mu.validated == nil || len(spans) == 0 {
		return 0
	}
	last := m.mu.validated.Sequence()
	from := max(since, m.mu.floor, spans[0].first)
	if from > last {
		return 0
	}
	missing := last - from + 1
	for _, s := range spans {
		if lo, hi := max(s.first, from), min(s.last, last); lo <= hi {
			missing -= hi - lo + 1
		}
	}
	return missing
}
