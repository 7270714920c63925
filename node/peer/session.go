package peer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/protocol"
	peerv1 "ledgerlab/proto/peer/v1"
)

// version of the frames, told in the hello.
const version = 1

// helloWait bounds the time to the first frame.
const helloWait = 5 * time.Second

// frameTarget bounds the frames of a backlog, so that one frame never holds up the next urgent message for long.
const frameTarget = 256 << 10

// session is one connection with one peer. Its reader is the goroutine of run; it starts the writer and two lines.
type session struct {
	o       *Overlay
	peer    *peerState
	conn    Conn
	inbound bool
	since   time.Time
	queue   *sendQueue
	open    *requestTable
	out, in *line
	ctx     context.Context
	cancel  context.CancelCauseFunc
	serving atomic.Int32
	serve   chan func()

	up       bool         // reader only
	pingSent atomic.Int64 // ns of the open ping, 0: answered
	sending  atomic.Int64 // ns since when the transport takes a frame, 0: none
}

func newSession(ctx context.Context, o *Overlay, p *peerState, c Conn, inbound bool) *session {
	s := &session{
		o: o, peer: p, conn: c, inbound: inbound, since: o.now(), open: newRequestTable(),
		queue: newSendQueue(o.opts.QueueMax, o.opts.QueueBytesMax), serve: make(chan func(), o.opts.ServeMax),
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.out = newLine(&p.faultOut, o.seed(), o.now, &o.stats.LinkLost, s.send)
	s.in = newLine(&p.faultIn, o.seed(), o.now, &o.stats.LinkLost, s.receive)
	return s
}

// run owns the connection until it ends and returns why.
func (s *session) run() error {
	var wg sync.WaitGroup
	end := func(err error) {
		if err != nil {
			s.cancel(err)
		}
	}
	stop := context.AfterFunc(s.ctx, s.conn.Close)
	defer stop()
	hello := time.AfterFunc(helloWait, func() { s.cancel(errors.New("no hello in time")) })
	defer hello.Stop()

	wg.Go(func() { end(s.write()) })
	wg.Go(func() { end(s.out.run(s.ctx)) })
	wg.Go(func() { end(s.in.run(s.ctx)) })
	wg.Go(func() { end(s.watch()) })
	wg.Go(s.serveLoop)
	for {
		b, err := s.conn.Recv()
		if err != nil {
			end(fmt.Errorf("receive: %w", err))
			break
		}
		hello.Stop()
		if len(b) > s.o.opts.FrameBytesMax {
			err = &FrameError{BadOversize, 0, fmt.Sprintf("%d bytes", len(b))}
		} else {
			err = s.in.push(b)
		}
		if err != nil {
			end(err)
			break
		}
	}
	s.conn.Close()
	wg.Wait()
	s.open.close()
	return context.Cause(s.ctx)
}

// write sends the hello and then what the queue holds, until the session ends.
func (s *session) write() error {
	hello := appendMessage(nil, kindHello, marshal(&peerv1.Hello{
		Version: version, NetworkId: s.o.opts.NetworkID, Name: s.o.opts.Name, Validator: s.o.opts.Validator,
	}))
	if err := s.out.push(hello); err != nil {
		return err
	}
	flush := time.NewTimer(time.Hour)
	flush.Stop()
	defer flush.Stop()
	var batch []message
	for {
		pending, first, now := s.queue.state(s.o.opts.FlushBytes)
		if pending && !now {
			wait := s.o.flush() - s.o.now().Sub(first)
			now = wait <= 0
			flush.Reset(max(wait, 0))
		}
		if pending && now {
			flush.Stop()
			batch = s.queue.take(frameTarget, batch[:0])
			if err := s.sendBatch(batch); err != nil {
				return err
			}
			clear(batch)
			continue
		}
		select {
		case <-s.queue.ready:
		case <-flush.C:
		case <-s.ctx.Done():
			return nil
		}
	}
}

// watch pings, and ends a session whose peer does not answer or takes nothing: a stopped process keeps its sockets open.
func (s *session) watch() error {
	tick := time.NewTicker(s.o.opts.PingEvery)
	defer tick.Stop()
	for seq := uint32(1); ; seq++ {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return nil
		}
		now := s.o.now()
		if since := s.sending.Load(); since != 0 && now.UnixNano()-since >= int64(s.o.opts.PingEvery) {
			return errors.New("peer takes nothing")
		}
		if s.pingSent.Load() != 0 {
			return errors.New("ping without answer")
		}
		s.pingSent.Store(now.UnixNano())
		s.push(atOnce, message{kind: kindPing, data: marshal(&peerv1.Ping{Seq: seq})})
	}
}

// sendBatch makes one frame of the batch, without the transactions the peer came to have meanwhile.
func (s *session) sendBatch(batch []message) error {
	batch = s.dropKnown(batch)
	size := 0
	for i := range batch {
		size += messageBytes(len(batch[i].payload()))
	}
	if size == 0 {
		return nil
	}
	frame := make([]byte, 0, size)
	for i := range batch {
		frame = appendMessage(frame, batch[i].kind, batch[i].payload())
	}
	s.peer.messagesOut.Add(uint64(len(batch)))
	return s.out.push(frame)
}

// dropKnown drops what the peer came to have, and requests for what came, while they waited.
func (s *session) dropKnown(batch []message) []message {
	if known := s.o.handler.Known; known != nil {
		batch = s.drop(batch, func(m *message) bool {
			return m.kind == kindTransaction && !m.onRequest || m.kind == kindHaveTransaction
		}, func(ids []protocol.Hash, out []bool) { known(s.peer.id, ids, out) })
	}
	return s.drop(batch, func(m *message) bool { return m.kind == kindGetTransaction }, s.o.fetch.drop)
}

// drop removes those of the chosen messages that test marks; test sees all of a frame at once.
func (s *session) drop(batch []message, chosen func(*message) bool, test func([]protocol.Hash, []bool)) []message {
	var ids []protocol.Hash
	for i := range batch {
		if chosen(&batch[i]) {
			ids = append(ids, batch[i].id)
		}
	}
	if len(ids) == 0 {
		return batch
	}
	gone := make([]bool, len(ids))
	test(ids, gone)
	kept, n := batch[:0], 0
	for i := range batch {
		if chosen(&batch[i]) {
			if n++; gone[n-1] {
				s.peer.suppressed.Add(1)
				continue
			}
		}
		kept = append(kept, batch[i])
	}
	return kept
}

// send is the end of the out line.
func (s *session) send(frame []byte) error {
	s.peer.framesOut.Add(1)
	s.peer.bytesOut.Add(uint64(len(frame)))
	s.sending.Store(s.o.now().UnixNano())
	err := s.conn.Send(frame)
	s.sending.Store(0)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// push queues messages for this peer; what does not fit is dropped and counted.
func (s *session) push(u urgency, msgs ...message) {
	if n := s.queue.push(s.o.now(), u, s.o.opts.FlushBytes, msgs...); n > 0 {
		s.peer.dropped.Add(uint64(n))
	}
}

// receive is the end of the in line.
func (s *session) receive(b []byte) error {
	var f frame
	if err := f.parse(b); err != nil {
		return err
	}
	s.peer.framesIn.Add(1)
	s.peer.bytesIn.Add(uint64(len(b)))
	s.peer.messagesIn.Add(uint64(f.messages))
	if !s.up {
		if f.hello == nil {
			return &FrameError{BadOrder, 0, "the first frame has no hello"}
		}
		if err := s.greeted(f.hello); err != nil {
			return err
		}
	} else if f.hello != nil {
		return &FrameError{BadOrder, 0, "a second hello"}
	}
	s.handle(&f)
	return nil
}

func (s *session) greeted(h *peerv1.Hello) error {
	if h.Version != version || h.NetworkId != s.o.opts.NetworkID {
		return &FrameError{BadNetwork, 0, fmt.Sprintf("version %d, network %d; ours are %d, %d", h.Version, h.NetworkId, version, s.o.opts.NetworkID)}
	}
	if len(h.Validator) != 0 && len(h.Validator) != 33 {
		return &FrameError{BadContent, 0, fmt.Sprintf("validator key of %d bytes", len(h.Validator))}
	}
	s.up = true
	s.o.sessionUp(s, h)
	return nil
}

// handle hands the messages over by kind, in the order of the field numbers.
func (s *session) handle(f *frame) {
	h, id := &s.o.handler, s.peer.id
	if f.status != nil {
		st := statusFromProto(f.status)
		s.peer.setStatus(st, s.o.now())
		if h.Status != nil {
			h.Status(id, st)
		}
	}
	s.handleTransactions(f)
	for _, set := range f.sets {
		if h.HaveSet != nil {
			h.HaveSet(id, set)
		}
	}
	each(f.raw[kindProposal], id, h.Proposal)
	each(f.raw[kindValidation], id, h.Validation)
	each(f.raw[kindManifest], id, h.Manifest)
	for _, r := range f.requests {
		s.serveRequest(r)
	}
	for _, r := range f.replies {
		if !s.open.finish(r.Cookie, responseFromProto(r, id), nil) {
			s.o.stats.Late.Add(1)
		}
	}
	for _, p := range f.pings {
		s.handlePing(p)
	}
}

func each(raws [][]byte, id ID, fn func(ID, []byte)) {
	if fn == nil {
		return
	}
	for _, raw := range raws {
		fn(id, raw)
	}
}

func (s *session) handleTransactions(f *frame) {
	h, id := &s.o.handler, s.peer.id
	if len(f.txs) > 0 {
		txs := make([]Tx, len(f.txs))
		for i, blob := range f.txs {
			txs[i] = Tx{transactionID(blob), blob}
		}
		s.o.fetch.arrived(txs)
		if h.Transactions != nil {
			h.Transactions(id, txs)
		}
	}
	if len(f.have) > 0 && h.Missing != nil {
		if missing := h.Missing(id, f.have); len(missing) > 0 {
			s.o.fetch.announced(id, missing)
		}
	}
	if len(f.get) > 0 && h.Blob != nil {
		for _, want := range f.get {
			if blob := h.Blob(want); blob != nil {
				s.push(whenFlushed, message{kind: kindTransaction, id: want, data: blob, onRequest: true})
			}
		}
	}
}

func (s *session) handlePing(p *peerv1.Ping) {
	if !p.Pong {
		s.push(atOnce, message{kind: kindPing, data: marshal(&peerv1.Ping{Seq: p.Seq, Pong: true})})
		return
	}
	if sent := s.pingSent.Swap(0); sent != 0 {
		s.peer.addLatency(time.Duration(s.o.now().UnixNano() - sent))
	}
}

// serveRequest has a request served elsewhere; what the bound refuses is counted and never answered.
func (s *session) serveRequest(p *peerv1.GetLedger) {
	serve := s.o.handler.Serve
	if serve == nil {
		return
	}
	if s.serving.Add(1) > int32(s.o.opts.ServeMax) {
		s.serving.Add(-1)
		s.o.stats.ServeRefused.Add(1)
		return
	}
	work := func() {
		defer s.serving.Add(-1)
		if s.ctx.Err() != nil {
			return
		}
		r := requestFromProto(p)
		resp := serve(s.peer.id, r)
		resp.Item, resp.Hash, resp.Seq = r.Item, r.Hash, max(resp.Seq, r.Seq)
		s.push(prompt, message{kind: kindReply, data: marshal(responseToProto(resp, p.Cookie))})
		s.o.stats.Served.Add(1)
	}
	ok := true
	if s.o.opts.Dispatch != nil {
		ok = s.o.opts.Dispatch(work)
	} else {
		s.serve <- work // never full: serving is bounded by its size
	}
	if !ok {
		s.serving.Add(-1)
		s.o.stats.ServeRefused.Add(1)
	}
}

func (s *session) serveLoop() {
	for {
		select {
		case work := <-s.serve:
			work()
		case <-s.ctx.Done():
			return
		}
	}
}

func transactionID(blob []byte) protocol.Hash {
	return protocol.SHA512Half(protocol.PrefixTxID[:], blob)
}
