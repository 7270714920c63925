package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"ledgerlab/api/client"
	"ledgerlab/node/protocol"
	controlv1 "ledgerlab/proto/control/v1"
)

const (
	tick        = 10 * time.Millisecond
	startAtOnce = 32 // questions at work at once while sequences are fetched
)

// Generator is traffic being offered.
type Generator struct {
	opts      Options
	tmpl      template
	accounts  []*account
	lanes     []*lane
	track     *tracker
	readers   []*reader
	addresses addressBook
	gaps      atomic.Int64 // ledgers whose transactions were never seen

	began, ended time.Time
	stopOffer    context.CancelFunc
	stopAll      context.CancelFunc
	offering     sync.WaitGroup // schedulers and senders
	all          sync.WaitGroup
	ctx          context.Context
	fault        atomic.Pointer[error]

	mu struct {
		sync.Mutex
		report *Report
	}
}

// Start fetches the accounts' sequences, signs the first payments and begins to
// offer. ctx ends the traffic at once; Stop ends it in order.
func Start(ctx context.Context, o Options) (*Generator, error) {
	o = o.Default()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	g := &Generator{opts: o, tmpl: template{networkID: o.NetworkID, fee: protocol.Drops(o.Fee)}, track: newTracker(o.Points)}
	switch {
	case o.Stream != nil:
		if err := o.Stream.adopt(); err != nil {
			return nil, err
		}
	case o.Rate > 0:
		if err := g.openAccounts(ctx); err != nil {
			return nil, err
		}
	}
	g.ctx, g.stopAll = context.WithCancel(ctx)
	if err := g.startWatch(ctx); err != nil {
		g.stopAll()
		g.all.Wait()
		return nil, err
	}
	var offer context.Context
	offer, g.stopOffer = context.WithCancel(g.ctx)
	if err := g.startLanes(ctx); err != nil {
		g.stopAll()
		g.all.Wait()
		return nil, err
	}
	g.began = time.Now()
	g.startOffer(offer)
	return g, nil
}

// openAccounts derives the keys and asks for the sequences, spread over targets.
func (g *Generator) openAccounts(ctx context.Context) error {
	g.accounts = make([]*account, g.opts.Accounts)
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(startAtOnce)
	for i := range g.accounts {
		eg.Go(func() error {
			key := AccountKey(g.opts.Seed, i)
			a := &account{index: i, key: key, id: key.AccountID(), live: map[uint32]bool{}}
			a.address = a.id.String()
			g.accounts[i] = a
			seq, err := nextSequence(ctx, g.opts.Targets[i%len(g.opts.Targets)].Client, a.address)
			var call *client.Error
			if errors.As(err, &call) && call.Code == codes.NotFound {
				return &NoAccountError{Number: i, Address: a.address, Accounts: g.opts.Accounts, Seed: g.opts.Seed, err: err}
			}
			if err != nil {
				return fmt.Errorf("load account %d (%s) of seed %d: %w", i, a.address, g.opts.Seed, err)
			}
			a.next = seq
			return nil
		})
	}
	return eg.Wait()
}

// NoAccountError is an account that traffic was to use and the ledger does not have.
type NoAccountError struct {
	Number, Accounts int
	Address          string
	Seed             uint64
	err              error
}

// Error is one line.
func (e *NoAccountError) Error() string {
	return fmt.Sprintf("load: %d accounts of seed %d are wanted, but the ledger lacks number %d of them (%s): ask for fewer, or give the seed that its prepared state was made with",
		e.Accounts, e.Seed, e.Number, e.Address)
}

// Unwrap gives the node's answer.
func (e *NoAccountError) Unwrap() error { return e.err }

// startLanes opens streams and fills the pools.
func (g *Generator) startLanes(ctx context.Context) error {
	if g.opts.Rate == 0 {
		return nil
	}
	n := len(g.opts.Targets)
	for t, target := range g.opts.Targets {
		var mine []*account
		for i := t; i < len(g.accounts); i += n {
			mine = append(mine, g.accounts[i])
		}
		l := newLane(g, target, t, mine)
		g.lanes = append(g.lanes, l)
		g.all.Go(func() { l.receive(g.ctx) })
		if g.opts.Stream == nil {
			g.all.Go(func() { g.failed(l.sign(g.ctx)) })
			g.all.Go(func() { l.asker(g.ctx) })
		}
	}
	for _, l := range g.lanes {
		for g.opts.Stream == nil && len(l.ready) < cap(l.ready)/2 || l.stream() == nil {
			if err := errors.Join(g.err(), pause(ctx, idlePause)); err != nil {
				return fmt.Errorf("load: node %s takes no payments yet: %w", l.target.Name, err)
			}
		}
	}
	return nil
}

func (g *Generator) failed(err error) {
	if err != nil {
		g.fault.CompareAndSwap(nil, &err)
	}
}

func (g *Generator) err() error {
	if p := g.fault.Load(); p != nil {
		return *p
	}
	return nil
}

// startOffer starts what sends by the clock.
func (g *Generator) startOffer(ctx context.Context) {
	for _, l := range g.lanes {
		g.offering.Go(l.send)
	}
	if len(g.lanes) > 0 {
		g.offering.Go(func() { g.schedule(ctx) })
	}
	for t, target := range g.opts.Targets {
		if g.opts.Reads > 0 {
			g.addReader(ctx, target, g.opts.Reads, accountRead, uint64(t))
		}
		if g.opts.Pages > 0 {
			g.addReader(ctx, target, g.opts.Pages, pageRead, uint64(t))
		}
	}
}

// schedule deals the sends that fall due to the lanes in turn. Ticks that come
// late are made up for within the bound of Late only: the lanes miss what is older.
func (g *Generator) schedule(ctx context.Context) {
	defer func() {
		for _, l := range g.lanes {
			close(l.due)
		}
	}()
	next := g.dealer()
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		sends := make([][]dueSend, len(g.lanes))
		n := int64(0)
		more := next(time.Since(g.began), func(lane int, d dueSend) {
			sends[lane] = append(sends[lane], d)
			n++
		})
		g.track.intend(n)
		for i, l := range g.lanes {
			if len(sends[i]) == 0 {
				continue
			}
			select {
			case l.due <- sends[i]:
			default:
				for range sends[i] {
					g.track.miss("stream held up")
				}
			}
		}
		if !more {
			return
		}
	}
}

// dealer returns a func that gives the sends due up to a time, each with its lane,
// and reports whether there will be more.
func (g *Generator) dealer() func(upTo time.Duration, give func(lane int, d dueSend)) bool {
	if g.opts.Stream != nil {
		items := g.opts.Stream.items
		return func(upTo time.Duration, give func(int, dueSend)) bool {
			for len(items) > 0 && items[0].at <= upTo {
				give(items[0].account%len(g.lanes), dueSend{g.began.Add(items[0].at).UnixNano(), items[0].p})
				items = items[1:]
			}
			return len(items) > 0
		}
	}
	s := &schedule{rate: g.opts.Rate, shape: g.opts.Shape}
	turn := 0
	return func(upTo time.Duration, give func(int, dueSend)) bool {
		s.due(upTo, func(at time.Duration) {
			give(turn, dueSend{at: g.began.Add(at).UnixNano()})
			turn = (turn + 1) % len(g.lanes)
		})
		return true
	}
}

// payee draws who is paid: any account but the payer.
func (g *Generator) payee(rng *rand.Rand, payer int) *account {
	i := rng.IntN(len(g.accounts) - 1)
	if i >= payer {
		i++
	}
	return g.accounts[i]
}

// Counts returns the figures so far.
func (g *Generator) Counts() Counts { return g.track.counts() }

// Stop ends offering, waits until every payment is final or ctx ends, and reports.
// It may be called again and then returns the same report.
func (g *Generator) Stop(ctx context.Context) (*Report, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.report != nil {
		return g.mu.report, g.err()
	}
	g.stopOffer()
	g.offering.Wait()
	g.ended = time.Now()
	select {
	case <-g.track.drained():
	case <-ctx.Done():
	case <-g.ctx.Done():
	}
	g.stopAll()
	g.all.Wait()
	g.mu.report = g.buildReport()
	return g.mu.report, g.err()
}

// ledger takes a validated ledger.
func (g *Generator) ledger(header *controlv1.LedgerHeader, seen int64, txs []*controlv1.LedgerTransaction) {
	outs := g.track.ledger(header.GetSeq(), seen, func(yield func([32]byte, int32)) {
		for _, tx := range txs {
			if len(tx.TxId) == 32 {
				yield([32]byte(tx.TxId), tx.Code)
			}
		}
	})
	for _, o := range outs {
		o.e.lane.ended(o)
	}
}

// tokenOf names a result code.
func tokenOf(code int32) string { return protocol.TER(code).String() }
