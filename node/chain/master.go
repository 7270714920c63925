package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// Master holds the ledgers of a node.
type Master struct {
	opt Options
	d   Deps
	log *slog.Logger

	build struct {
		sync.Mutex // one build at a time
		b          *Builder
	}
	// mu guards what is in it: pointers and index. Nothing slow under it.
	mu struct {
		sync.Mutex
		closed    *ledger.Ledger // counted
		validated *ledger.Ledger // counted
		published uint32
		held      map[protocol.Hash]*slot
		bySeq     map[uint32]protocol.Hash // of the validated chain
		complete  rangeSet
		floor     uint32 // ledgers below were deleted by rotation
		target    target // what a quorum validated, perhaps not here yet
		stats     Stats
	}
	wake    chan struct{} // of the persist loop
	running atomic.Bool
	free    freeList
	acq     acquirer
	repairs chan struct{} // one place for each repair under way
}

// target is the newest ledger that a quorum has validated.
type target struct {
	id          protocol.Hash
	seq         uint32
	validations int
}

// Stats is a snapshot of counters.
type Stats struct {
	Built, Validated, Published uint64
	Opened                      uint64 // from the store
	Acquired, AcquireFailed     uint64
	AcquiredNodes               uint64
	Replayed                    uint64 // acquired by replay of their transactions
	Served, ServeRefused        uint64
	Diverged                    uint64
	Corrected                   uint64 // ledgers taken out of the range because a node was missing
	Held                        int
	FreePending                 int
	Complete                    string
}

// New returns a Master without ledgers; Load gives it its first.
func New(o Options, d Deps) (*Master, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Env == nil || d.Family == nil || d.Engine == nil {
		return nil, errors.New("chain: Env, Family and Engine are required")
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Bulk == nil {
		d.Bulk = func(ctx context.Context, _ string, fn func(context.Context) error) error { return fn(ctx) }
	}
	m := &Master{opt: o, d: d, log: d.Log.With("part", "chain"), wake: make(chan struct{}, 1)}
	m.build.b = NewBuilder(d.Engine, d.Now, o.Passes)
	m.mu.held = make(map[protocol.Hash]*slot)
	m.mu.bySeq = make(map[uint32]protocol.Hash)
	m.free.init()
	m.acq.init(m)
	m.repairs = make(chan struct{}, repairsAtOnce)
	return m, nil
}

// Run persists what is validated, publishes it, acquires what is missing and frees
// what is released, until the context ends or the store fails.
func (m *Master) Run(ctx context.Context) error {
	m.running.Store(true)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.persistLoop(ctx) })
	g.Go(func() error { return m.acq.run(ctx) })
	g.Go(func() error { return m.free.run(ctx) })
	err := g.Wait()
	m.running.Store(false)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Close releases everything the master holds; after Run has ended.
func (m *Master) Close() {
	m.mu.Lock()
	held := m.mu.held
	m.mu.held = map[protocol.Hash]*slot{}
	closed, validated := m.mu.closed, m.mu.validated
	m.mu.closed, m.mu.validated = nil, nil
	m.mu.Unlock()
	for _, s := range held {
		s.l.Release()
	}
	for _, l := range []*ledger.Ledger{closed, validated} {
		if l != nil {
			l.Release()
		}
	}
	m.free.drain()
}

// SetPeers joins the overlay, before Run.
func (m *Master) SetPeers(p Peers) { m.d.Peers = p }

// SetHooks joins the listeners, before Run.
func (m *Master) SetHooks(h Hooks) { m.d.Hooks = h }

// Closed returns the last closed ledger, acquired; nil before Load.
func (m *Master) Closed() *ledger.Ledger {
	m.mu.Lock()
	defer m.mu.Unlock()
	return acquired(m.mu.closed)
}

// Validated returns the newest validated ledger, acquired; nil when there is none.
func (m *Master) Validated() *ledger.Ledger {
	m.mu.Lock()
	defer m.mu.Unlock()
	return acquired(m.mu.validated)
}

// ValidatedSeq is the sequence of the newest validated ledger, 0 when there is none.
func (m *Master) ValidatedSeq() uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.validated == nil {
		return 0
	}
	return m.mu.validated.Sequence()
}

// Published is the sequence published last.
func (m *Master) Published() uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.published
}

func acquired(l *ledger.Ledger) *ledger.Ledger {
	if l == nil || !l.Acquire() {
		return nil
	}
	return l
}

// Range returns the unbroken range of complete ledgers that ends at the newest
// validated one; 0, 0 when there is none.
func (m *Master) Range() (first, last uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.validated == nil {
		return 0, 0
	}
	s, ok := m.mu.complete.around(m.mu.validated.Sequence())
	if !ok {
		return 0, 0
	}
	return s.first, s.last
}

// Held calls fn with each range of complete ledgers from first to last, in order.
func (m *Master) Held(first, last uint32, fn func(first, last uint32)) {
	m.mu.Lock()
	spans := m.mu.complete.within(first, last)
	m.mu.Unlock()
	for _, s := range spans {
		fn(s.first, s.last)
	}
}

// Complete returns all complete ledgers in rippled's form, "5-9,12-20".
func (m *Master) Complete() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.complete.String()
}

// Stats returns the counters.
func (m *Master) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.mu.stats
	s.Held, s.Complete = len(m.mu.held), m.mu.complete.String()
	s.FreePending = m.free.len()
	return s
}

// Compatible is false when a ledger contradicts the validated chain: it is not above
// the validated one, or does not descend from it.
func (m *Master) Compatible(id protocol.Hash) bool {
	l := m.Ledger(id)
	if l == nil {
		return false
	}
	defer l.Release()
	v := m.Validated()
	if v == nil {
		return true
	}
	defer v.Release()
	a, b := l, v // a is to descend from b, or the other way round
	if l.Sequence() < v.Sequence() {
		a, b = v, l
	}
	h, ok, err := a.HashOf(b.Sequence())
	if err != nil {
		m.noteErr(err, a)
		return false
	}
	return !ok || h == b.Hash()
}

// SetClosed makes a ledger that is here the last closed one.
func (m *Master) SetClosed(id protocol.Hash) error {
	l := m.Ledger(id)
	if l == nil {
		return fmt.Errorf("%w: closed ledger %s", ErrNotHere, id)
	}
	m.mu.Lock()
	old := m.mu.closed
	m.mu.closed = l
	m.mu.Unlock()
	if old != nil {
		if old != l {
			old.State().SetLinking(false)
		}
		old.Release()
	}
	l.State().SetLinking(true)
	return nil
}
