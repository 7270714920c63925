package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// acquireQueueMax bounds ledgers that wait for their acquisition.
const acquireQueueMax = 256

// acquirer fetches ledgers from peers, a few at a time.
type acquirer struct {
	m  *Master
	mu struct {
		sync.Mutex
		active map[protocol.Hash]uint32    // queued or running
		failed map[protocol.Hash]time.Time // not asked for again before
		tries  map[protocol.Hash]int
	}
	queue chan wanted
	next  uint32 // rotates over peers
}

type wanted struct {
	id    protocol.Hash
	seq   uint32
	grace time.Duration
}

func (a *acquirer) init(m *Master) {
	a.m = m
	a.queue = make(chan wanted, acquireQueueMax)
	a.mu.active = make(map[protocol.Hash]uint32)
	a.mu.failed = make(map[protocol.Hash]time.Time)
	a.mu.tries = make(map[protocol.Hash]int)
}

// Acquire gets a ledger from peers, unless it is here or on its way. seq 0: unknown.
func (m *Master) Acquire(id protocol.Hash, seq uint32) { m.acquire(id, seq, 0) }

// acquire does so after a time of grace in which the ledger may still be built here.
func (m *Master) acquire(id protocol.Hash, seq uint32, grace time.Duration) {
	if m.d.Peers == nil {
		return
	}
	if l := m.Ledger(id); l != nil {
		l.Release()
		return
	}
	a := &m.acq
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, on := a.mu.active[id]; on {
		return
	}
	if until, bad := a.mu.failed[id]; bad && m.d.Now().Before(until) {
		return
	}
	select {
	case a.queue <- wanted{id, seq, grace}:
		a.mu.active[id] = seq
	default: // full; whoever needs it asks again
	}
}

// acquireTriesMax: a ledger that failed so often is not waited for by publish.
const acquireTriesMax = 2

// possible says whether it makes sense to wait for a ledger.
func (a *acquirer) possible(id protocol.Hash) bool {
	if a.m.d.Peers == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mu.tries[id] < acquireTriesMax
}

func (a *acquirer) run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for range a.m.opt.Acquire.ConcurrentMax {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case w := <-a.queue:
					a.serve(ctx, w)
				}
			}
		})
	}
	<-ctx.Done()
	return ctx.Err()
}

// serve acquires one ledger and tells of the outcome.
func (a *acquirer) serve(ctx context.Context, w wanted) {
	m := a.m
	job := inbound{m: m, id: w.id, seq: w.seq}
	if l := job.wait(ctx, w.grace); l != nil { // built here meanwhile
		l.Release()
		a.mu.Lock()
		delete(a.mu.active, w.id)
		a.mu.Unlock()
		m.signal()
		return
	}
	l, err := job.run(ctx)
	a.mu.Lock()
	delete(a.mu.active, w.id)
	if err != nil {
		a.mu.failed[w.id] = m.d.Now().Add(m.opt.Acquire.Retain)
		a.mu.tries[w.id]++
	} else {
		delete(a.mu.failed, w.id)
		delete(a.mu.tries, w.id)
	}
	a.forgetOld()
	a.mu.Unlock()
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		m.count(func(s *Stats) { s.AcquireFailed++ })
		m.log.Warn("ledger could not be acquired", "hash", w.id, "seq", w.seq, "cause", err)
		if m.d.Hooks.Failed != nil {
			m.d.Hooks.Failed(w.id, w.seq, err.Error())
		}
		m.signal()
		return
	}
	m.count(func(s *Stats) { s.Acquired++; s.AcquiredNodes += uint64(job.nodes) })
	m.keepAcquired(l)
	if m.d.Hooks.Acquired != nil {
		m.d.Hooks.Acquired(w.id, l.Sequence())
	}
	l.Release()
	m.signal()
}

// forgetOld bounds the memory of failures. Under mu.
func (a *acquirer) forgetOld() {
	if len(a.mu.failed) <= acquireQueueMax {
		return
	}
	now := a.m.d.Now()
	for id, until := range a.mu.failed {
		if now.After(until) {
			delete(a.mu.failed, id)
			delete(a.mu.tries, id)
		}
	}
}

func (m *Master) count(f func(*Stats)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.mu.stats)
}

// keepAcquired holds an acquired ledger; one of the validated chain enters the range.
func (m *Master) keepAcquired(l *ledger.Ledger) {
	m.keep(l)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.bySeq[l.Sequence()] == l.Hash() {
		if s := m.mu.held[l.Hash()]; s != nil {
			s.validated = true
		}
		m.mu.complete.add(l.Sequence())
	}
}

// inbound is the acquisition of one ledger.
type inbound struct {
	m     *Master
	id    protocol.Hash
	seq   uint32
	nodes int
	fails int // timeouts since the last progress
}

// wait gives the node time to build the ledger itself; nil when it did not.
func (j *inbound) wait(ctx context.Context, grace time.Duration) *ledger.Ledger {
	const looks = 10
	for range looks {
		if l := j.m.Ledger(j.id); l != nil || grace == 0 {
			return l
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(grace / looks):
		}
	}
	return j.m.Ledger(j.id)
}

func (j *inbound) run(ctx context.Context) (*ledger.Ledger, error) {
	h, err := j.header(ctx, j.id)
	if err != nil {
		return nil, err
	}
	if j.seq != 0 && h.Sequence != j.seq {
		return nil, fmt.Errorf("ledger %s has sequence %d, not %d", j.id, h.Sequence, j.seq)
	}
	if l := j.replay(ctx, h); l != nil {
		return l, nil
	}
	state, err := j.tree(ctx, shamap.KindState, h.AccountHash, peer.ItemStateNodes)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	txs, err := j.tree(ctx, shamap.KindTxMeta, h.TxHash, peer.ItemTxNodes)
	if err != nil {
		state.Release()
		return nil, fmt.Errorf("transactions: %w", err)
	}
	l, err := ledger.Assemble(j.m.d.Env, h, state, txs)
	if err != nil {
		state.Release()
		txs.Release()
		return nil, err
	}
	l.OnLastRelease(j.m.freeLater)
	b := j.m.d.Family.NewBatch()
	b.PutLedger(j.id, h.AppendPrefixed(nil))
	if err := b.Commit(false); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// header takes a header from the store or from peers.
func (j *inbound) header(ctx context.Context, id protocol.Hash) (protocol.Header, error) {
	if h, err := j.m.storedHeader(id); err == nil {
		return h, nil
	}
	for {
		answers, err := j.ask(ctx, []peer.Request{{Item: peer.ItemHeader, Hash: id}})
		if err != nil {
			return protocol.Header{}, fmt.Errorf("header: %w", err)
		}
		for _, r := range answers {
			for _, n := range r.Nodes {
				if h, err := parseHeader(id, n.Data); err == nil {
					j.fails = 0
					return h, nil
				}
			}
		}
	}
}

// tree completes one tree. Nodes are parsed and written in bulk jobs, the waiting is
// done outside them.
func (j *inbound) tree(ctx context.Context, kind shamap.Kind, root protocol.Hash, item peer.Item) (*shamap.Map, error) {
	env := j.m.d.Env
	if root.IsZero() {
		return shamap.New(env, kind), nil
	}
	s := shamap.NewSyncer(env, kind, root)
	defer s.Release()
	for !s.Done() {
		var wants []shamap.Want
		err := j.m.d.Bulk(ctx, "acquire", func(context.Context) (err error) {
			wants, err = s.Missing(j.m.opt.Acquire.Want)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(wants) == 0 {
			if s.Done() {
				break
			}
			return nil, errors.New("nothing is missing, yet the tree is not complete")
		}
		answers, err := j.ask(ctx, j.requests(item, wants))
		if err != nil {
			return nil, err
		}
		if err := j.m.d.Bulk(ctx, "acquire", func(context.Context) error { return j.add(s, answers) }); err != nil {
			return nil, err
		}
	}
	var m *shamap.Map
	err := j.m.d.Bulk(ctx, "acquire", func(context.Context) (err error) {
		b := j.m.d.Family.NewBatch()
		if _, err = s.Flush(b); err != nil {
			return err
		}
		if err = b.Commit(false); err != nil {
			return err
		}
		m, err = s.Map()
		return err
	})
	return m, err
}

// requests spreads the wanted nodes over requests.
func (j *inbound) requests(item peer.Item, wants []shamap.Want) []peer.Request {
	var out []peer.Request
	for len(wants) > 0 {
		n := min(len(wants), j.m.opt.Acquire.PerRequest)
		r := peer.Request{Item: item, Hash: j.id, Depth: 1}
		for _, w := range wants[:n] {
			r.NodeIDs = append(r.NodeIDs, w.ID.AppendTo(nil))
		}
		out = append(out, r)
		wants = wants[n:]
	}
	return out
}

// add gives answers to the syncer and writes what is useful.
func (j *inbound) add(s *shamap.Syncer, answers []peer.Response) error {
	useful := 0
	for _, r := range answers {
		for _, n := range r.Nodes {
			id, err := shamap.ParseNodeID(n.ID)
			if err != nil {
				break // the rest of this answer is not worth looking at
			}
			res, err := s.AddNode(id, n.Data)
			if err != nil || res == shamap.AddInvalid {
				break
			}
			if res == shamap.AddUseful {
				useful++
			}
		}
	}
	j.nodes += useful
	if useful > 0 {
		j.fails = 0
		return nil
	}
	return j.failed("answers hold nothing useful")
}

// failed counts a round without progress.
func (j *inbound) failed(why string) error {
	if j.fails++; j.fails > j.m.opt.Acquire.TimeoutsMax {
		return fmt.Errorf("no progress in %d tries: %s", j.fails, why)
	}
	return nil
}
