package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"ledgerlab/api/client"
	controlv1 "ledgerlab/proto/control/v1"
)

const (
	staleLedgers = 4                      // a signed payment with less life left is signed anew
	idlePause    = 5 * time.Millisecond   // when no account is free to sign for
	retryPause   = 500 * time.Millisecond // before a broken stream or question is tried again
	maxBatch     = 512                    // payments of one message
	dueTicks     = 256                    // ticks whose sends may wait for a stream that is held up
)

// dueSend is a send that fell due: its intended time on the wall clock in ns, and
// its payment where a stream is replayed.
type dueSend struct {
	at int64
	p  *payment
}

// lane brings payments of its share of the accounts to one target. An account
// belongs to one lane, so its payments arrive in order.
type lane struct {
	g        *Generator
	target   Target
	accounts []*account
	ready    chan *payment  // signed
	due      chan []dueSend // sends that fell due
	ask      chan *account  // whose next sequence is not known
	rng      *rand.Rand     // used by the signer only

	mu struct {
		sync.Mutex
		cursor  int
		signed  map[*account]int    // in ready
		pending map[uint64][]*entry // batches without an answer
		batch   uint64
		stream  *client.Submitter // nil = broken
	}
}

func newLane(g *Generator, target Target, index int, accounts []*account) *lane {
	pool := max(64, int(2*g.opts.Rate)/len(g.opts.Targets)) // two seconds' worth
	l := &lane{
		g: g, target: target, accounts: accounts,
		ready: make(chan *payment, min(pool, max(1, len(accounts)*g.opts.InFlight/2))),
		due:   make(chan []dueSend, dueTicks),
		ask:   make(chan *account, len(accounts)),
		rng:   rand.New(rand.NewPCG(g.opts.Choice, uint64(index))),
	}
	l.mu.signed, l.mu.pending = map[*account]int{}, map[uint64][]*entry{}
	return l
}

// sign keeps the pool of signed payments full.
func (l *lane) sign(ctx context.Context) error {
	for ctx.Err() == nil {
		a, seq, epoch := l.pick()
		if a == nil {
			if err := pause(ctx, idlePause); err != nil {
				return nil
			}
			continue
		}
		to := l.g.payee(l.rng, a.index)
		p, err := l.g.tmpl.sign(a, to.id, 1+l.rng.Uint64N(l.g.opts.Amount), seq, l.g.track.validated()+l.g.opts.Expire)
		if err != nil {
			return err
		}
		p.epoch = epoch
		select {
		case l.ready <- p:
		case <-ctx.Done():
		}
	}
	return nil
}

// pick takes the next account in turn that is free, and its next sequence.
func (l *lane) pick() (a *account, seq, epoch uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range l.accounts {
		a := l.accounts[l.mu.cursor]
		l.mu.cursor = (l.mu.cursor + 1) % len(l.accounts)
		if a.free(l.g.opts.InFlight - l.mu.signed[a]) {
			for a.live[a.next] {
				a.next++
			}
			seq = a.next
			a.next++
			l.mu.signed[a]++
			return a, seq, a.epoch
		}
	}
	return nil, 0, 0
}

// take returns a signed payment that is still good, or nil.
func (l *lane) take() *payment {
	for {
		var p *payment
		select {
		case p = <-l.ready:
		default:
			return nil
		}
		l.mu.Lock()
		if l.mu.signed[p.acc]--; l.mu.signed[p.acc] == 0 {
			delete(l.mu.signed, p.acc)
		}
		good := p.epoch == p.acc.epoch
		if good && p.expire < l.g.track.validated()+staleLedgers {
			// those signed after it would leave a gap: all of the account are void
			good = false
			p.acc.void()
			p.acc.hint = p.seq
			l.settle(p.acc)
		}
		if good {
			p.acc.unanswered++
		}
		l.mu.Unlock()
		if good {
			return p
		}
	}
}

// send makes the sends that fall due until the lane's due channel is closed.
func (l *lane) send() {
	for times := range l.due {
		for len(times) > 0 {
			n := min(len(times), maxBatch)
			l.sendBatch(times[:n])
			times = times[n:]
		}
	}
}

func (l *lane) sendBatch(times []dueSend) {
	stream := l.stream()
	var entries []*entry
	var blobs [][]byte
	now := time.Now().UnixNano()
	for _, d := range times {
		switch {
		case now-d.at > l.g.opts.Late.Nanoseconds():
			l.g.track.miss("late")
			continue
		case stream == nil:
			l.g.track.miss("node down")
			continue
		}
		p := d.p
		if p == nil {
			p = l.take()
		} else {
			l.scripted(p)
		}
		if p == nil {
			l.g.track.miss("no account free")
			continue
		}
		entries = append(entries, &entry{p: p, lane: l, intended: d.at})
		blobs = append(blobs, p.blob)
		p.blob = nil // not needed again
	}
	if len(entries) == 0 {
		return
	}
	l.g.track.send(entries)
	l.mu.Lock()
	l.mu.batch++
	id := l.mu.batch
	l.mu.pending[id] = entries
	l.mu.Unlock()
	if err := stream.Send(id, blobs, l.g.opts.Async); err != nil {
		stream.Close() // the receiver sees it and cleans up
	}
}

// scripted notes a payment of a stream that is about to leave.
func (l *lane) scripted(p *payment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.epoch = p.acc.epoch
	p.acc.unanswered++
}

func (l *lane) stream() *client.Submitter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.stream
}

// receive keeps a stream open and takes the answers.
func (l *lane) receive(ctx context.Context) {
	for ctx.Err() == nil {
		s, err := l.target.Client.NewSubmitter(ctx)
		if err == nil {
			l.setStream(s)
			err = l.answers(s)
			l.setStream(nil)
			s.Close()
		}
		l.broken()
		if ctx.Err() != nil {
			return
		}
		l.g.opts.Log.Warn("stream of payments broke", "node", l.target.Name, "err", err)
		if pause(ctx, retryPause) != nil {
			return
		}
	}
}

func (l *lane) setStream(s *client.Submitter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.stream = s
}

// answers takes results until the stream ends.
func (l *lane) answers(s *client.Submitter) error {
	for {
		id, results, err := s.Recv()
		if err != nil {
			return err
		}
		l.mu.Lock()
		entries := l.mu.pending[id]
		delete(l.mu.pending, id)
		l.mu.Unlock()
		if len(entries) != len(results) {
			return errors.New("the node answered another number of payments than it got")
		}
		for i, e := range entries {
			l.answer(e, results[i])
		}
	}
}

// answer settles one result.
func (l *lane) answer(e *entry, r *controlv1.SubmitResult) {
	open := l.g.track.answer(e, r.Accepted, r.Token)
	l.mu.Lock()
	defer l.mu.Unlock()
	a := e.p.acc
	a.unanswered--
	if r.AccountSeq != 0 {
		a.hint = r.AccountSeq
	}
	switch {
	case open:
		a.live[e.p.seq] = true
	case !r.Accepted && e.p.epoch == a.epoch:
		a.void()
	}
	l.settle(a)
}

// settle finds the next sequence of a dirty account once all its answers are in.
// l.mu must be held.
func (l *lane) settle(a *account) {
	switch {
	case !a.dirty || a.asking || a.unanswered > 0 || l.g.opts.Stream != nil:
	case a.hint != 0:
		a.resync(a.hint)
	default:
		a.asking = true
		l.ask <- a // has room for every account, and each is in it once
	}
}

// broken gives up the answers of a stream that ended.
func (l *lane) broken() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, entries := range l.mu.pending {
		delete(l.mu.pending, id)
		for _, e := range entries {
			e.p.acc.unanswered--
			e.p.acc.void()
			e.p.acc.hint = 0
		}
		for _, e := range entries {
			l.settle(e.p.acc)
		}
	}
}

// ended settles a payment that is final.
func (l *lane) ended(o outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := o.e.p.acc
	delete(a.live, o.e.p.seq)
	if !o.found { // its sequence was not used
		a.void()
		a.hint = 0
		l.settle(a)
	}
}

// asker asks the node for the sequence of accounts that lost theirs.
func (l *lane) asker(ctx context.Context) {
	for {
		select {
		case a := <-l.ask:
			seq, err := nextSequence(ctx, l.target.Client, a.address)
			if err != nil && pause(ctx, retryPause/10) != nil {
				return
			}
			l.mu.Lock()
			a.asking = false
			if err == nil {
				a.hint = seq
			}
			l.settle(a) // without a word it is asked again
			l.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// nextSequence asks for the sequence in the open ledger, or in the newest
// validated one where the node does not tell the former.
func nextSequence(ctx context.Context, c *client.Client, address string) (uint32, error) {
	info, err := c.AccountInfo(ctx, address, client.Current())
	if err != nil {
		info, err = c.AccountInfo(ctx, address, client.Validated())
	}
	return info.GetSequence(), err
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
