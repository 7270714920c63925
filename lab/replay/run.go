package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"ledgerlab/lab/stats"
	"ledgerlab/node/memory"
	"ledgerlab/shamap/payload"
	"ledgerlab/shamap/payload/heaptrace"
)

// batchMax is the number of ops handed to a thread at once.
const batchMax = 1024

// player replays one trace.
type player struct {
	opt   Options
	scan  *scan
	crew  *crew
	heap  *payload.Heap
	trim  *memory.Trimmer
	slots map[uint64]int // address in the trace to slot
	free  []int          // slots without a chunk
	sizes []op           // by slot: size and tag of what is in it

	ops    []op // gathered for cur
	cur    *worker
	freed  uint64 // bytes given back, for the policy freed
	live   int64
	clock  time.Time // of the trace
	start  time.Time // of this machine
	res    Result
	emit   func(Point)
	nextAt int64 // of the next weighing
}

// Run replays the trace in f in this process. emit, if not nil, is told each
// weighing as it is made. The whole process should do nothing else.
func Run(ctx context.Context, f io.ReadSeeker, o Options, emit func(Point)) (Result, error) {
	if err := o.Validate(); err != nil {
		return Result{}, err
	}
	s, err := scanTrace(f)
	if err != nil {
		return Result{}, err
	}
	if lost := s.cut || s.footer == nil || s.footer.Lost > 0; lost && !o.Lossy {
		return Result{}, ErrDamaged
	}
	if s.header.Kind != "c" {
		return Result{}, fmt.Errorf("replay: the trace is of payloads in %s memory; record with heap.payload=c", s.header.Kind)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Result{}, fmt.Errorf("replay: %w", err)
	}
	p, err := newPlayer(s, o, emit)
	if err != nil {
		return Result{}, err
	}
	defer p.crew.end()
	p.older()
	r, err := heaptrace.NewReader(f)
	if err != nil {
		return Result{}, err
	}
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, heaptrace.ErrCut) {
			break
		}
		if err != nil {
			return Result{}, err
		}
		if it.Event == nil {
			continue
		}
		if err := p.event(ctx, it.Event); err != nil {
			return Result{}, err
		}
	}
	return p.finish()
}

func newPlayer(s *scan, o Options, emit func(Point)) (*player, error) {
	if !o.Tuning.Zero() {
		if err := memory.Tune(o.Tuning); err != nil {
			return nil, err
		}
	}
	h, err := payload.NewHeap("c")
	if err != nil {
		return nil, err
	}
	if emit == nil {
		emit = func(Point) {}
	}
	p := &player{
		opt: o, scan: s, heap: h, crew: newCrew(h), slots: make(map[uint64]int, len(s.older)), emit: emit,
		clock: time.Unix(0, s.header.BegunNS), start: time.Now(),
	}
	p.res = Result{
		Allocator: string(memory.Detect().Allocator), Trace: s.header.Allocator, Older: uint64(len(s.older)),
		StartedNS: s.header.StartedNS, BegunNS: s.header.BegunNS, Seconds: float64(s.end) / 1e9,
	}
	if s.footer != nil {
		p.res.Lost = s.footer.Lost
	}
	t := memory.Options{Triggers: o.Triggers, Method: memory.MethodMalloc, Policy: o.Policy, Pad: o.Pad, MinInterval: o.MinInterval}
	p.trim, err = memory.New(t, memory.Sources{
		Now: func() time.Time { return p.clock }, Freed: func() uint64 { return p.freed },
		Done: func(i memory.TrimInfo) { p.res.TrimCPU += i.ThreadCPU.Seconds() },
	})
	return p, err
}

// older makes the chunks from before the trace, in a mixed order, on the threads
// that allocate in it by their shares.
func (p *player) older() {
	rng := rand.New(rand.NewPCG(p.opt.Seed, 0x01de5))
	list := p.scan.older
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	threads, total := []uint32{}, uint64(0)
	for t, n := range p.scan.threads {
		threads, total = append(threads, t), total+n
	}
	slices.Sort(threads)
	for i := 0; i < len(list); i += batchMax {
		thread := uint32(0)
		if total > 0 {
			at := rng.Uint64N(total)
			for _, thread = range threads {
				n := p.scan.threads[thread]
				if at < n {
					break
				}
				at -= n
			}
		}
		p.cur = p.crew.of(thread)
		for _, o := range list[i:min(i+batchMax, len(list))] {
			p.give(o.addr, o.size, o.tag)
		}
		p.flush()
	}
	p.scan.older = nil
	p.res.Allocs = 0
}

// event gathers the ops of one event, after the weighings that come before it.
func (p *player) event(ctx context.Context, e *heaptrace.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for e.TimeNS >= p.nextAt {
		p.flush()
		if err := p.pace(ctx, p.nextAt); err != nil {
			return err
		}
		if err := p.weigh(p.nextAt); err != nil {
			return err
		}
		p.nextAt += p.opt.Every.Nanoseconds()
	}
	p.clock = time.Unix(0, p.scan.header.BegunNS+e.TimeNS)
	if e.Mark != "" {
		p.flush()
		if info, tried := p.trim.Trigger(memory.Trigger(e.Mark)); tried {
			p.res.Returned += info.RSSBefore - info.RSSAfter
		}
		return nil
	}
	if w := p.crew.of(e.Thread); w != p.cur {
		p.flush()
		p.cur = w
	}
	for _, c := range e.Chunks {
		if e.Free {
			p.take(c)
		} else {
			p.give(c.Addr, c.Size, c.Tag)
		}
		if len(p.ops) >= batchMax {
			p.flush()
		}
	}
	return nil
}

// give allocates. An address that is live already lost its end in the recording.
func (p *player) give(addr uint64, size uint32, tag uint8) {
	if slot, ok := p.slots[addr]; ok && addr != 0 {
		p.end(slot, addr)
	}
	var slot int
	if n := len(p.free); n > 0 {
		slot, p.free = p.free[n-1], p.free[:n-1]
	} else {
		slot = len(p.sizes)
		p.sizes = append(p.sizes, op{})
		p.crew.slots = append(p.crew.slots, nil)
	}
	o := op{slot: slot, size: size, tag: tag}
	p.sizes[slot] = o
	if addr != 0 {
		p.slots[addr] = slot
	}
	p.ops = append(p.ops, o)
	p.live += int64(size)
	p.res.Allocs++
}

// take gives back; an end without a begin is one whose begin was lost.
func (p *player) take(c heaptrace.Chunk) {
	if slot, ok := p.slots[c.Addr]; ok {
		p.end(slot, c.Addr)
	}
}

func (p *player) end(slot int, addr uint64) {
	o := p.sizes[slot]
	o.free = true
	p.ops = append(p.ops, o)
	p.live -= int64(o.size)
	p.freed += uint64(o.size)
	p.res.Frees++
	delete(p.slots, addr)
	p.free = append(p.free, slot)
}

// flush carries out what was gathered.
func (p *player) flush() {
	if len(p.ops) == 0 {
		return
	}
	p.crew.run(p.cur, p.ops)
	p.ops = p.ops[:0]
}

// pace waits until a moment of the trace is due.
func (p *player) pace(ctx context.Context, at int64) error {
	if p.opt.Speed == 0 {
		return nil
	}
	due := p.start.Add(time.Duration(float64(at) / p.opt.Speed))
	wait := time.Until(due)
	if wait <= 0 {
		p.res.Behind = max(p.res.Behind, -wait.Seconds())
		return nil
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// weigh measures the C heap as the balance sheet does.
func (p *player) weigh(at int64) error {
	sheet, err := memory.ReadSheet(time.Now, p.tags)
	if err != nil {
		return err
	}
	pt := Point{Seconds: float64(at) / 1e9, Live: p.live, CHeap: cHeap(&sheet)}
	pt.Then, pt.ThenC = p.scan.then(at)
	if out, ok := p.scan.outside(at); ok {
		pt.RSS = out + pt.CHeap
	}
	p.res.Points = append(p.res.Points, pt)
	p.emit(pt)
	return nil
}

func (p *player) tags() []memory.TagBytes {
	return []memory.TagBytes{{Tag: "payload", Bytes: p.heap.Stats().Total.UsableBytes}}
}

// finish weighs once more and sums up.
func (p *player) finish() (Result, error) {
	p.flush()
	if err := p.weigh(p.scan.end); err != nil {
		return Result{}, err
	}
	r := &p.res
	c := p.trim.Counts()
	r.Trims, r.Skipped, r.Took = c.Trims, c.Skipped, time.Since(p.start).Seconds()
	r.Threads, r.Shared = len(p.crew.list), p.crew.shared
	var t, heap, rss, then []float64
	for _, x := range r.Points {
		t, heap, rss, then = append(t, x.Seconds), append(heap, float64(x.CHeap)), append(rss, float64(x.RSS)), append(then, float64(x.Then))
		r.PeakRSS = max(r.PeakRSS, x.RSS)
	}
	r.MeanCHeap, r.MeanRSS, r.MeanThen = stats.TimeWeighted(t, heap), stats.TimeWeighted(t, rss), stats.TimeWeighted(t, then)
	return *r, nil
}
