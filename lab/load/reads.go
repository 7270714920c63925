package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"ledgerlab/api/client"
	controlv1 "ledgerlab/proto/control/v1"
)

const (
	readWorkers = 4               // reads of one kind at work at one target
	readQueue   = 64              // reads that are due and wait for a worker
	readLimit   = 5 * time.Second // of one read
)

type readKind uint8

const (
	accountRead readKind = iota
	pageRead
)

// reader offers reads of one kind to one target.
type reader struct {
	g      *Generator
	target Target
	rate   float64
	kind   readKind
	queue  chan time.Time
}

func (g *Generator) addReader(ctx context.Context, t Target, rate float64, kind readKind, stream uint64) {
	r := &reader{g: g, target: t, rate: rate, kind: kind, queue: make(chan time.Time, readQueue)}
	g.readers = append(g.readers, r)
	g.offering.Go(func() { r.schedule(ctx) })
	for w := range readWorkers {
		rng := rand.New(rand.NewPCG(g.opts.Choice^0x5eed, stream<<16|uint64(kind)<<8|uint64(w)))
		g.offering.Go(func() { r.work(ctx, rng) })
	}
}

// schedule gives reads that fall due to the workers; what finds no room is lost
// and counted.
func (r *reader) schedule(ctx context.Context) {
	defer close(r.queue)
	s := &schedule{rate: r.rate, shape: Constant()}
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		s.due(time.Since(r.g.began), func(at time.Duration) {
			select {
			case r.queue <- r.g.began.Add(at):
			default:
				r.g.track.readLost()
			}
		})
	}
}

func (r *reader) work(ctx context.Context, rng *rand.Rand) {
	for at := range r.queue {
		if time.Since(at) > r.g.opts.Late {
			r.g.track.readLost()
			continue
		}
		one, cancel := context.WithTimeout(ctx, readLimit)
		err := r.read(one, rng)
		cancel()
		if ctx.Err() != nil {
			return
		}
		r.g.track.read(time.Since(at), err)
	}
}

func (r *reader) read(ctx context.Context, rng *rand.Rand) error {
	ledger := client.Validated()
	if back := rng.IntN(r.g.opts.Held + 1); back > 0 {
		if seq := r.g.track.validated(); seq > uint32(back) {
			ledger = client.Seq(seq - uint32(back))
		}
	}
	if r.kind == pageRead {
		var marker [32]byte
		for i := 0; i < len(marker); i += 8 {
			for j, v := 0, rng.Uint64(); j < 8; j, v = j+1, v>>8 {
				marker[i+j] = byte(v)
			}
		}
		return r.page(ctx, ledger, marker)
	}
	_, err := r.target.Client.AccountInfo(ctx, r.g.addresses.get(r.g.opts.Seed, rng.IntN(r.g.opts.StateAccounts)), ledger)
	return err
}

func (r *reader) page(ctx context.Context, ledger *controlv1.LedgerRef, marker [32]byte) error {
	_, err := r.target.Client.StatePage(ctx, ledger, marker[:], r.g.opts.PageLimit)
	return err
}

// addressBook remembers addresses: deriving one costs as much as a signature.
type addressBook struct {
	mu struct {
		sync.RWMutex
		known map[int]string
	}
}

func (b *addressBook) get(seed uint64, i int) string {
	b.mu.RLock()
	a, ok := b.mu.known[i]
	b.mu.RUnlock()
	if ok {
		return a
	}
	a = AccountKey(seed, i).AccountID().String()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.known == nil {
		b.mu.known = map[int]string{}
	}
	b.mu.known[i] = a // bounded by the number of accounts of the state
	return a
}
