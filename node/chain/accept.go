package chain

import (
	"context"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// Build makes the child of a ledger on a bulk worker, writes its nodes without
// syncing, keeps it, and calls done once on that worker's goroutine.
func (m *Master) Build(ctx context.Context, r Request, done func(Built)) {
	if !r.Parent.Acquire() {
		done(Built{Err: ledger.ErrReleased})
		return
	}
	go func() {
		defer r.Parent.Release()
		var b Built
		err := m.d.Bulk(ctx, "build", func(context.Context) error {
			var err error
			b, err = m.BuildNow(r)
			return err
		})
		b.Err = err
		done(b)
	}()
}

// BuildNow is Build on the caller's goroutine. The ledger is kept by the master and
// acquired for the caller.
func (m *Master) BuildNow(r Request) (Built, error) {
	m.build.Lock()
	defer m.build.Unlock()
	b, err := m.build.b.Build(r)
	if err != nil {
		m.noteErr(err, r.Parent)
		return Built{}, err
	}
	b.Ledger.OnLastRelease(m.freeLater)
	if known := m.Ledger(b.Ledger.Hash()); known != nil {
		b.Ledger.Release()
		b.Ledger = known
		return b, nil
	}
	start := m.d.Now()
	if b.Stats.Nodes, b.Stats.Bytes, err = m.flush(b.Ledger); err != nil {
		b.Ledger.Release()
		return Built{}, err
	}
	b.Stats.Flush = m.d.Now().Sub(start)
	m.keep(b.Ledger)
	m.mu.Lock()
	m.mu.stats.Built++
	m.mu.Unlock()
	return b, nil
}

// keep holds a complete, flushed ledger; it takes its own count.
func (m *Master) keep(l *ledger.Ledger) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.mu.held[l.Hash()]; ok {
		return
	}
	l.Acquire()
	m.mu.held[l.Hash()] = &slot{l: l}
	m.trimBuilt()
	if m.mu.target.id == l.Hash() {
		m.signal()
	}
}

// trimBuilt bounds the ledgers that are not validated: the lowest go. Under mu.
func (m *Master) trimBuilt() {
	for {
		n, lowest := 0, protocol.Hash{}
		low := uint32(1<<32 - 1)
		for id, s := range m.mu.held {
			if !s.validated && id != m.mu.target.id {
				if n++; s.l.Sequence() < low {
					low, lowest = s.l.Sequence(), id
				}
			}
		}
		if n <= m.opt.BuiltMax {
			return
		}
		m.release(lowest)
	}
}

func (m *Master) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// CheckAccept tells that a quorum of validations names a ledger. When it is here it
// is synced and becomes the validated one, in the background; otherwise it is
// acquired first.
func (m *Master) CheckAccept(id protocol.Hash, seq uint32, validations int) {
	m.mu.Lock()
	if m.mu.validated != nil && seq <= m.mu.validated.Sequence() || seq < m.mu.target.seq {
		m.mu.Unlock()
		return
	}
	m.mu.target = target{id, seq, validations}
	_, here := m.mu.held[id]
	inStep := m.mu.closed != nil && m.mu.closed.Sequence()+1 >= seq
	m.mu.Unlock()
	switch {
	case here:
	case inStep: // this node is about to build it
		m.acquire(id, seq, m.opt.Acquire.Grace)
	default:
		m.Acquire(id, seq)
	}
	m.signal()
}

// persistLoop makes validated what a quorum named and publishes it.
func (m *Master) persistLoop(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wake:
		}
		if err := m.Advance(); err != nil {
			m.log.Error("chain stops", "cause", err)
			return err
		}
	}
}

// Advance does one step of the persist loop: it makes the target validated if it is
// here, publishes, and asks for history that is missing. Run calls it; a stand-alone caller may instead.
func (m *Master) Advance() error {
	m.mu.Lock()
	t := m.mu.target
	s := m.mu.held[t.id]
	var l *ledger.Ledger
	if s != nil && (m.mu.validated == nil || t.seq > m.mu.validated.Sequence()) {
		l = acquired(s.l)
	}
	m.mu.Unlock()
	if l != nil {
		err := m.accept(l)
		l.Release()
		if err != nil {
			return err
		}
	}
	m.publish()
	m.backfill()
	return nil
}

// accept persists a ledger and moves the validated pointer to it.
func (m *Master) accept(l *ledger.Ledger) error {
	if err := m.persist(l); err != nil {
		return err
	}
	links := m.ancestors(l)
	m.mu.Lock()
	old := m.mu.validated
	l.Acquire()
	m.mu.validated = l
	m.mu.stats.Validated++
	if s := m.mu.held[l.Hash()]; s != nil {
		s.validated = true
	}
	m.mu.bySeq[l.Sequence()] = l.Hash()
	m.mu.complete.add(l.Sequence())
	diverged := m.markAncestors(l, links)
	m.trimHistory(l.Sequence())
	m.mu.Unlock()
	if old != nil {
		old.Release()
	}
	m.reportDiverged(diverged, l)
	if m.d.Hooks.Validated != nil {
		m.d.Hooks.Validated(l)
	}
	return nil
}

// ancestors returns the hashes of the ledgers between the validated one and l.
func (m *Master) ancestors(l *ledger.Ledger) map[uint32]protocol.Hash {
	from := m.ValidatedSeq() + 1
	if l.Sequence() > protocol.SkipListLen {
		from = max(from, l.Sequence()-protocol.SkipListLen)
	}
	links := make(map[uint32]protocol.Hash)
	for seq := from; seq < l.Sequence(); seq++ {
		h, ok, err := l.HashOf(seq)
		if err != nil || !ok {
			continue
		}
		links[seq] = h
	}
	return links
}

// markAncestors enters the ledgers on the way to l that are here, and returns those
// of l's sequence that were built here and are another, acquired. Under mu.
func (m *Master) markAncestors(l *ledger.Ledger, links map[uint32]protocol.Hash) []*ledger.Ledger {
	for seq, id := range links {
		m.mu.bySeq[seq] = id
		if s := m.mu.held[id]; s != nil {
			s.validated = true
			m.mu.complete.add(seq)
		}
	}
	var out []*ledger.Ledger
	for id, s := range m.mu.held {
		if s.validated || s.l.Sequence() > l.Sequence() {
			continue
		}
		if s.l.Sequence() == l.Sequence() && id != l.Hash() {
			m.mu.stats.Diverged++
			if ours := acquired(s.l); ours != nil {
				out = append(out, ours)
			}
		}
		if m.mu.closed == nil || m.mu.closed.Hash() != id {
			m.release(id)
		}
	}
	return out
}

// reportDiverged says what this node got otherwise than the network. It releases
// the ledgers.
func (m *Master) reportDiverged(ours []*ledger.Ledger, theirs *ledger.Ledger) {
	for _, l := range ours {
		d, err := explain(l, theirs)
		l.Release()
		m.log.Error("another ledger was validated than the one built here", "seq", d.Seq, "ours", d.Ours,
			"validated", d.Validated, "differs", d.Parts, "only_ours", len(d.OnlyOurs), "only_theirs", len(d.OnlyTheirs),
			"results", len(d.Results), "entries", len(d.Entries), "cause", err)
		if m.d.Hooks.Diverged != nil {
			m.d.Hooks.Diverged(d)
		}
	}
}

// trimHistory bounds held ledgers and the index. Under mu.
func (m *Master) trimHistory(newest uint32) {
	for id, s := range m.mu.held {
		if s.validated && !s.opened && s.l.Sequence()+uint32(m.opt.Held) <= newest {
			m.release(id)
		}
	}
	for len(m.mu.bySeq) > m.opt.IndexBound {
		low := newest
		for seq := range m.mu.bySeq {
			low = min(low, seq)
		}
		delete(m.mu.bySeq, low)
	}
}

// publish calls the hook for every validated ledger in order, jumps over gaps that
// are too long or cannot be filled, and asks for what is missing.
func (m *Master) publish() {
	for {
		m.mu.Lock()
		v := m.mu.validated
		if v == nil || m.mu.published >= v.Sequence() {
			m.mu.Unlock()
			return
		}
		next, last := m.mu.published+1, v.Sequence()
		have := m.mu.complete.has(next)
		id := m.mu.bySeq[next]
		m.mu.Unlock()
		switch {
		case have:
			if l, err := m.LedgerBySeq(next); err == nil {
				m.setPublished(next)
				if m.d.Hooks.Published != nil {
					m.d.Hooks.Published(l)
				}
				l.Release()
			}
		case last-next >= m.opt.PublishGapMax:
			m.jump(next, last-1)
		case id.IsZero() || !m.acq.possible(id):
			m.jump(next, next)
		default:
			m.Acquire(id, next)
			return // Acquired wakes the loop
		}
	}
}

func (m *Master) setPublished(seq uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.published = seq
	m.mu.stats.Published++
}

func (m *Master) jump(first, last uint32) {
	m.mu.Lock()
	m.mu.published = last
	m.mu.Unlock()
	m.log.Warn("ledgers are not published: they are not here", "first", first, "last", last)
	if m.d.Hooks.Gap != nil {
		m.d.Hooks.Gap(first, last)
	}
}

// ValidatedAge is how long ago the validated ledger closed, by network time now.
func (m *Master) ValidatedAge(now uint32) time.Duration {
	v := m.Validated()
	if v == nil {
		return 0
	}
	defer v.Release()
	if now <= v.Header().CloseTime {
		return 0
	}
	return time.Duration(now-v.Header().CloseTime) * time.Second
}
