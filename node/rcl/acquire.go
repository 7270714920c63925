package rcl

import (
	"context"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// Constants of TransactionAcquire.cpp.
const (
	acquireStep     = 250 * time.Millisecond // TX_ACQUIRE_TIMEOUT
	acquireStart    = 2                      // peers asked at first, one more each step
	acquireEveryone = 4                      // after so many steps without progress everyone is asked
	acquireGiveUp   = 20                     // steps without progress
	acquireNodes    = 256                    // missing nodes in one request
	acquireWindow   = 4 * acquireNodes       // missing nodes looked for, so that peers send different ones
	acquireDepth    = 3                      // levels below the root in the first request
	acquiresMax     = 5                      // jtTXN_DATA limit: sets acquired at once
	acquiresQueued  = 64
	haveSetsMax     = 512 // remembered "peer has set" announcements
)

// acquirer gets transaction sets from peers, each on a goroutine of its own. Its
// methods are called by the rcl goroutine, except have.
type acquirer struct {
	sets *Sets
	net  Network
	// done is told of each end; set is nil when it was given up.
	done func(id protocol.Hash, set *TxSet, took time.Duration)

	mu struct {
		sync.Mutex
		have    map[protocol.Hash]peer.Mask
		order   []protocol.Hash // of have, oldest first
		running map[protocol.Hash]*acquisition
		waiting []protocol.Hash
		nodes   uint64
		bad     uint64
	}
	wg sync.WaitGroup
}

// acquisition is one set on its way.
type acquisition struct {
	id     protocol.Hash
	cancel context.CancelFunc
	again  chan struct{} // somebody still needs it
	// Of the goroutine: the peers asked, so that another is taken next, and when
	// each node was last asked for, so that two peers send different ones.
	asked  peer.Mask
	flying map[shamap.NodeID]time.Time
}

func newAcquirer(sets *Sets, net Network, done func(protocol.Hash, *TxSet, time.Duration)) *acquirer {
	a := &acquirer{sets: sets, net: net, done: done}
	a.mu.have = map[protocol.Hash]peer.Mask{}
	a.mu.running = map[protocol.Hash]*acquisition{}
	return a
}

// haveSet notes that a peer says it has a set.
func (a *acquirer) haveSet(from peer.ID, id protocol.Hash) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.mu.have[id]; !ok {
		if len(a.mu.order) >= haveSetsMax {
			delete(a.mu.have, a.mu.order[0])
			a.mu.order = a.mu.order[1:]
		}
		a.mu.order = append(a.mu.order, id)
	}
	a.mu.have[id] = a.mu.have[id].With(from)
}

// want starts getting a set, or says of one on its way that it is still needed.
func (a *acquirer) want(ctx context.Context, id protocol.Hash) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q := a.mu.running[id]; q != nil {
		select {
		case q.again <- struct{}{}:
		default:
		}
		return
	}
	for _, w := range a.mu.waiting {
		if w == id {
			return
		}
	}
	if len(a.mu.running) >= acquiresMax {
		if len(a.mu.waiting) < acquiresQueued {
			a.mu.waiting = append(a.mu.waiting, id)
		}
		return
	}
	a.start(ctx, id)
}

// start needs mu held.
func (a *acquirer) start(ctx context.Context, id protocol.Hash) {
	ctx, cancel := context.WithCancel(ctx)
	q := &acquisition{id: id, cancel: cancel, again: make(chan struct{}, 1), flying: map[shamap.NodeID]time.Time{}}
	a.mu.running[id] = q
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		begin := time.Now()
		set := a.run(ctx, q)
		cancelled := ctx.Err() != nil
		cancel()
		a.ended(id)
		if !cancelled {
			a.done(id, set, time.Since(begin))
		}
	}()
}

func (a *acquirer) ended(id protocol.Hash) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.mu.running, id)
}

// next starts a waiting set if there is room.
func (a *acquirer) next(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.mu.waiting) > 0 && len(a.mu.running) < acquiresMax {
		id := a.mu.waiting[0]
		a.mu.waiting = a.mu.waiting[1:]
		if a.mu.running[id] == nil && a.sets.Get(id) == nil {
			a.start(ctx, id)
		}
	}
}

// stopAll forgets what waits and ends what runs (the round is over).
func (a *acquirer) stopAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mu.waiting = nil
	for _, q := range a.mu.running {
		q.cancel()
	}
}

func (a *acquirer) counts() (nodes, bad uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mu.nodes, a.mu.bad
}

// run gets one set; nil when given up.
func (a *acquirer) run(ctx context.Context, q *acquisition) *TxSet {
	s := shamap.NewSyncer(a.sets.syncEnv, shamap.KindTx, q.id)
	defer s.Release()
	answers := make(chan peer.Response, peer.PeersMax)
	timer := time.NewTicker(acquireStep)
	defer timer.Stop()
	idle, progress := 0, false
	a.ask(ctx, s, q, answers, acquireStart)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-q.again:
			idle = min(idle, acquireEveryone)
		case r := <-answers:
			if a.add(s, q, r) {
				progress = true
				a.askOne(ctx, s, q, answers, r.From) // it looks for what is still missing
				if s.Done() {
					return a.finish(s, q.id)
				}
			}
		case <-timer.C:
			if progress {
				progress = false
				continue
			}
			if idle++; idle > acquireGiveUp {
				return nil
			}
			more := 1
			if idle > acquireEveryone {
				more = peer.PeersMax
			}
			a.ask(ctx, s, q, answers, more)
		}
	}
}

// add gives a reply's nodes to the tree; true when one was of use.
func (a *acquirer) add(s *shamap.Syncer, q *acquisition, r peer.Response) bool {
	useful, bad := uint64(0), uint64(0)
	for _, n := range r.Nodes {
		id, err := shamap.ParseNodeID(n.ID)
		if err != nil {
			bad++
			continue
		}
		delete(q.flying, id)
		switch res, err := s.AddNode(id, n.Data); {
		case err != nil || res == shamap.AddInvalid:
			bad++
		case res == shamap.AddUseful:
			useful++
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mu.nodes += useful
	a.mu.bad += bad
	return useful > 0
}

// finish reads the transactions of a complete tree and keeps the set.
func (a *acquirer) finish(s *shamap.Syncer, id protocol.Hash) *TxSet {
	set, err := a.complete(s)
	if err != nil {
		a.sets.log.Warn("transaction set refused", "set", id, "err", err)
		return nil
	}
	return set
}

func (a *acquirer) complete(s *shamap.Syncer) (*TxSet, error) {
	m, err := s.Map()
	if err != nil {
		return nil, fmt.Errorf("rcl: acquired set: %w", err)
	}
	defer m.Release()
	txs, err := treeTxs(m, a.sets.cfg.TxsMax, a.sets.parse)
	if err != nil {
		return nil, fmt.Errorf("rcl: acquired set: %w", err)
	}
	if a.sets.cfg.Unseen != nil {
		a.sets.cfg.Unseen(txs)
	}
	return a.sets.keep(m, txs)
}

// ask sends the next request to n peers, those that have the set first and those
// not asked yet before the others.
func (a *acquirer) ask(ctx context.Context, s *shamap.Syncer, q *acquisition, answers chan peer.Response, n int) {
	a.mu.Lock()
	have := a.mu.have[q.id]
	a.mu.Unlock()
	var up peer.Mask
	for _, p := range a.net.Peers() {
		if p.Connected {
			up = up.With(p.ID)
		}
	}
	for _, mask := range []peer.Mask{up & have &^ q.asked, up & have & q.asked, up &^ have &^ q.asked, up &^ have & q.asked} {
		for ; mask != 0 && n > 0; mask &= mask - 1 {
			id := peer.ID(bits.TrailingZeros64(uint64(mask)))
			if a.askOne(ctx, s, q, answers, id) {
				q.asked = q.asked.With(id)
				n--
			}
		}
	}
	if up&^q.asked == 0 {
		q.asked = 0
	}
}

// askOne asks one peer for nodes that no other was asked for lately; when all were,
// for the first ones again.
func (a *acquirer) askOne(ctx context.Context, s *shamap.Syncer, q *acquisition, answers chan peer.Response, to peer.ID) bool {
	all, err := s.Missing(acquireWindow)
	if err != nil || len(all) == 0 {
		return false
	}
	now := time.Now()
	wants := make([]shamap.Want, 0, acquireNodes)
	for _, w := range all {
		if at, ok := q.flying[w.ID]; (!ok || now.Sub(at) >= acquireStep) && len(wants) < acquireNodes {
			wants = append(wants, w)
		}
	}
	if len(wants) == 0 {
		wants = all[:min(len(all), acquireNodes)]
	}
	r := peer.Request{Item: peer.ItemTxSet, Hash: q.id}
	for _, w := range wants {
		q.flying[w.ID] = now
		r.NodeIDs = append(r.NodeIDs, w.ID.AppendTo(nil))
	}
	if len(wants) == 1 && wants[0].ID.Depth == 0 {
		r.Depth = acquireDepth
	}
	return a.net.Ask(to, r, func(resp peer.Response, err error) {
		if err != nil || resp.Err != "" {
			return
		}
		resp.From = to
		select {
		case answers <- resp:
		case <-ctx.Done():
		}
	})
}
