package peer

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/protocol"
	peerv1 "ledgerlab/proto/peer/v1"
)

// Overlay holds the sessions of a node.
type Overlay struct {
	opts      Options
	transport Transport
	handler   Handler
	log       *slog.Logger
	now       func() time.Time
	stats     *Stats
	fetch     *fetcher
	peers     []*peerState // by ID
	byKey     map[Key]*peerState
	mode      atomic.Uint32
	flushNs   atomic.Int64

	mu struct {
		sync.Mutex
		rng    *rand.Rand
		status []byte // own, encoded; nil before the first SetStatus
	}
}

// New checks the options and returns an overlay without sessions.
func New(o Options, t Transport, h Handler) (*Overlay, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	v := &Overlay{opts: o, transport: t, handler: h, log: o.Log, now: o.Now, stats: newStats(), byKey: make(map[Key]*peerState)}
	if v.log == nil {
		v.log = slog.New(slog.DiscardHandler)
	}
	if v.now == nil {
		v.now = time.Now
	}
	if v.mu.rng = o.Rand; v.mu.rng == nil {
		sum := fnv.New64a()
		sum.Write([]byte(o.Name))
		v.mu.rng = rand.New(rand.NewPCG(sum.Sum64(), 0))
	}
	for i, cfg := range o.Peers {
		if cfg.Key == t.Key() {
			return nil, fmt.Errorf("peers: %s has the key of this node", cfg.Name)
		}
		p := &peerState{id: ID(i), cfg: cfg}
		v.peers = append(v.peers, p)
		v.byKey[cfg.Key] = p
	}
	v.mode.Store(uint32(o.Mode))
	v.flushNs.Store(int64(o.Flush))
	v.fetch = newFetcher(o, v.now, v.stats, v.askTransactions)
	return v, nil
}

// Run accepts and dials until ctx ends, then waits for every session.
func (o *Overlay) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	spawn := func(part string, fn func(context.Context)) {
		wg.Go(func() { pprof.Do(ctx, pprof.Labels("part", part), fn) })
	}
	spawn("peer fetch", o.fetch.run)
	for _, p := range o.peers {
		if p.cfg.Address != "" && o.transport.Key().Less(p.cfg.Key) {
			spawn("peer dial", func(ctx context.Context) { o.dial(ctx, p) })
		}
	}
	err := o.transport.Serve(ctx, o.known, o.opts.FrameBytesMax, func(k Key, c Conn) {
		if p := o.byKey[k]; p != nil {
			pprof.Do(ctx, pprof.Labels("part", "peer"), func(ctx context.Context) { o.attend(ctx, p, c, true) })
		}
	})
	cancel()
	wg.Wait()
	return err
}

func (o *Overlay) known(k Key) bool {
	_, ok := o.byKey[k]
	if !ok {
		o.stats.Refused.Add(1)
	}
	return ok
}

// dial keeps a session with p: bounded backoff, doubled after a failure, jittered so that nodes do not dial in step.
func (o *Overlay) dial(ctx context.Context, p *peerState) {
	wait := o.opts.DialMin
	for ctx.Err() == nil {
		start := o.now()
		c, err := o.transport.Dial(ctx, p.cfg, o.opts.FrameBytesMax)
		if err == nil {
			o.attend(ctx, p, c, false)
		} else if ctx.Err() == nil {
			p.setError(err)
		}
		if o.now().Sub(start) > o.opts.DialMax {
			wait = o.opts.DialMin // it held: not a failure of dialing
		}
		timer := time.NewTimer(wait + time.Duration(o.seed()%uint64(wait/4+1)))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		wait = min(2*wait, o.opts.DialMax)
	}
}

// attend runs one session to its end. Only the lower key dials, so a second connection of a pair replaces a dead one.
func (o *Overlay) attend(ctx context.Context, p *peerState, c Conn, inbound bool) {
	s := newSession(ctx, o, p, c, inbound)
	err := s.run()
	if bad := (*FrameError)(nil); asFrameError(err, &bad) {
		o.stats.bad[bad.Reason].Add(1)
	}
	p.setError(err)
	if p.session.CompareAndSwap(s, nil) { // not when a newer one took its place: then the peer is still up
		o.log.Info("peer left", slog.String("peer", p.cfg.Name), slog.Any("reason", err))
		if o.handler.Down != nil {
			o.handler.Down(p.id, err.Error())
		}
	}
}

// sessionUp makes a greeted session the peer's own and sends it our status.
func (o *Overlay) sessionUp(s *session, h *peerv1.Hello) {
	p := s.peer
	p.greet(h, s.since)
	if old := p.session.Swap(s); old != nil {
		old.cancel(errReplaced)
	}
	o.log.Info("peer joined", slog.String("peer", p.cfg.Name), slog.Bool("inbound", s.inbound))
	o.mu.Lock()
	status := o.mu.status
	o.mu.Unlock()
	if status != nil {
		s.push(atOnce, message{kind: kindStatus, data: status})
	}
	if o.handler.Up != nil {
		o.handler.Up(p.id)
	}
}

func (o *Overlay) seed() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.mu.rng.Uint64()
}

func (o *Overlay) flush() time.Duration { return time.Duration(o.flushNs.Load()) }

// Relay sends transactions by the relay policy. It never blocks.
func (o *Overlay) Relay(txs ...Outgoing) {
	hybrid := RelayMode(o.mode.Load()) == RelayHybrid
	msgs := make([]message, 0, len(txs))
	for _, p := range o.peers {
		s := p.session.Load()
		if s == nil {
			continue
		}
		msgs = msgs[:0]
		for i := range txs {
			t := &txs[i]
			switch {
			case t.Seen.Has(p.id):
			case hybrid && !t.Entry:
				msgs = append(msgs, message{kind: kindHaveTransaction, id: t.ID})
				o.stats.Announced.Add(1)
			default:
				msgs = append(msgs, message{kind: kindTransaction, id: t.ID, data: t.Blob})
				o.stats.Full.Add(1)
			}
		}
		if len(msgs) > 0 {
			s.push(whenFlushed, msgs...)
		}
	}
}

func (o *Overlay) askTransactions(from ID, ids []protocol.Hash) {
	s := o.peers[from].session.Load()
	if s == nil {
		return // asked of another one when the time is up
	}
	msgs := make([]message, len(ids))
	for i, id := range ids {
		msgs[i] = message{kind: kindGetTransaction, id: id}
	}
	s.push(whenFlushed, msgs...)
}

func (o *Overlay) broadcast(u urgency, m message, except Mask) {
	for _, p := range o.peers {
		if s := p.session.Load(); s != nil && !except.Has(p.id) {
			s.push(u, m)
		}
	}
}

// BroadcastProposal sends to all connected peers not in except, at once. raw must not change afterwards.
func (o *Overlay) BroadcastProposal(raw []byte, except Mask) {
	o.broadcast(atOnce, message{kind: kindProposal, data: raw}, except)
}

// BroadcastValidation is like BroadcastProposal.
func (o *Overlay) BroadcastValidation(raw []byte, except Mask) {
	o.broadcast(atOnce, message{kind: kindValidation, data: raw}, except)
}

// BroadcastManifest is like BroadcastProposal, but waits for the flush.
func (o *Overlay) BroadcastManifest(raw []byte, except Mask) {
	o.broadcast(whenFlushed, message{kind: kindManifest, data: raw}, except)
}

// BroadcastHaveSet announces a transaction set, at once.
func (o *Overlay) BroadcastHaveSet(set protocol.Hash) {
	o.broadcast(atOnce, message{kind: kindHaveSet, id: set}, 0)
}

// SetStatus sends the status to all peers and to those that connect later.
func (o *Overlay) SetStatus(st Status) {
	raw := marshal(statusToProto(st))
	o.mu.Lock()
	o.mu.status = raw
	o.mu.Unlock()
	o.broadcast(atOnce, message{kind: kindStatus, data: raw}, 0)
}

// Request asks one peer and waits for its answer, RequestWait at most.
func (o *Overlay) Request(ctx context.Context, to ID, r Request) (Response, error) {
	type answer struct {
		r   Response
		err error
	}
	got := make(chan answer, 1)
	if err := o.ask(to, r, func(r Response, err error) { got <- answer{r, err} }); err != nil {
		return Response{}, err
	}
	select {
	case a := <-got:
		return a.r, a.err
	case <-ctx.Done():
		return Response{}, ctx.Err()
	}
}

// Ask is Request without waiting: done is called exactly once, on the session's reader or a timer, and must not block;
// unless Ask returns false, because the peer is not connected or the request is not valid.
func (o *Overlay) Ask(to ID, r Request, done func(Response, error)) bool {
	return o.ask(to, r, done) == nil
}

func (o *Overlay) ask(to ID, r Request, done func(Response, error)) error {
	if err := r.validate(); err != nil {
		return err
	}
	if int(to) >= len(o.peers) {
		return ErrNotConnected
	}
	s := o.peers[to].session.Load()
	if s == nil {
		return ErrNotConnected
	}
	cookie, err := s.open.add(o.opts.RequestWait, func(resp Response, err error) {
		if errors.Is(err, ErrTimeout) {
			o.stats.Timeouts.Add(1)
		}
		done(resp, err)
	})
	if err != nil {
		return err
	}
	o.stats.Requests.Add(1)
	s.push(prompt, message{kind: kindRequest, data: marshal(requestToProto(r, cookie))})
	return nil
}

// Connected is the set of connected peers.
func (o *Overlay) Connected() Mask {
	var m Mask
	for _, p := range o.peers {
		if p.session.Load() != nil {
			m = m.With(p.id)
		}
	}
	return m
}

// Stats are the counters over all peers.
func (o *Overlay) Stats() *Stats { return o.stats }

// Mode is the relay policy.
func (o *Overlay) Mode() RelayMode { return RelayMode(o.mode.Load()) }

// SetMode changes the relay policy (flag relay.mode).
func (o *Overlay) SetMode(m RelayMode) error {
	if m > RelayHybrid {
		return fmt.Errorf("relay.mode: unknown mode %d", m)
	}
	o.mode.Store(uint32(m))
	return nil
}

// SetFlush changes the wait for more messages (flag relay.flush).
func (o *Overlay) SetFlush(d time.Duration) error {
	if d < 0 || d > time.Second {
		return fmt.Errorf("relay.flush: %v is outside 0..1s", d)
	}
	o.flushNs.Store(int64(d))
	return nil
}

// SetFault changes the fault injected on what goes out to a peer and on what comes in from it.
func (o *Overlay) SetFault(id ID, out, in Fault) error {
	if int(id) >= len(o.peers) {
		return fmt.Errorf("no peer %d", id)
	}
	for _, f := range []Fault{out, in} {
		if err := f.Validate(); err != nil {
			return err
		}
	}
	o.peers[id].faultOut.Store(&out)
	o.peers[id].faultIn.Store(&in)
	return nil
}
