package probe

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// Options of a Sampler.
type Options struct {
	Period time.Duration // mean time between samples; default 370 ms, at least 20 ms
	Jitter float64       // share of the period by which each step may differ; default 0.1
	Seed   uint64        // of the jitter
	Limit  int           // samples kept in all; above it they are dropped and counted; default 1,000,000
}

// DefaultOptions is a period that divides neither seconds nor usual sweep
// intervals, with jitter.
func DefaultOptions() Options {
	return Options{Period: 370 * time.Millisecond, Jitter: 0.1, Limit: 1_000_000}
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	if o.Period < 20*time.Millisecond {
		faults = append(faults, errors.New("probe: period is below 20 ms"))
	}
	if o.Jitter < 0 || o.Jitter > 0.5 {
		faults = append(faults, errors.New("probe: jitter must be between 0 and 0.5"))
	}
	if o.Limit < 1 {
		faults = append(faults, errors.New("probe: limit is below 1"))
	}
	return errors.Join(faults...)
}

// PeriodFor returns a sampling period near 370 ms of which sweep is no
// multiple: sweeps over samples are kept away from whole numbers.
func PeriodFor(sweep time.Duration) time.Duration {
	p := 370 * time.Millisecond
	for range 20 {
		if r := float64(sweep) / float64(p); sweep <= 0 || abs(r-float64(int64(r+0.5))) > 0.1 {
			return p
		}
		p += 7 * time.Millisecond
	}
	return p
}

func abs(f float64) float64 { return max(f, -f) }

// Sampler follows processes and the machine. Run owns the clock; Take hands
// over what was gathered so far.
type Sampler struct {
	opts   Options
	pids   []int
	reader *reader
	now    func() time.Time

	mu struct {
		sync.Mutex
		samples []Sample
		host    []Host
		dropped uint64
		gone    []bool
	}
}

// New prepares a sampler for the processes pids. It starts nothing.
func New(opts Options, pids []int) (*Sampler, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	r, err := newReader()
	if err != nil {
		return nil, err
	}
	s := &Sampler{opts: opts, pids: pids, reader: r, now: time.Now}
	s.mu.gone = make([]bool, len(pids))
	return s, nil
}

// Run samples until ctx ends.
func (s *Sampler) Run(ctx context.Context) {
	rng := rand.New(rand.NewPCG(s.opts.Seed, 0x5a3b1e))
	timer := time.NewTimer(0)
	defer timer.Stop()
	due := s.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		s.step(due)
		shift := 1 + s.opts.Jitter*(2*rng.Float64()-1)
		due = due.Add(time.Duration(float64(s.opts.Period) * shift))
		if now := s.now(); due.Before(now) {
			due = now // no burst after a stall
		}
		timer.Reset(time.Until(due))
	}
}

func (s *Sampler) step(due time.Time) {
	now := s.now()
	batch := make([]Sample, 0, len(s.pids))
	var targets int64
	lost := make([]int, 0)
	for i, pid := range s.pids {
		if p, ok := s.reader.process(pid, now); ok {
			p.Target = i
			targets += p.CPUNS()
			batch = append(batch, p)
		} else {
			lost = append(lost, i)
		}
	}
	self, _ := s.reader.process(os.Getpid(), now)
	h := s.reader.host(now, targets, self.CPUNS())
	h.LateNS = int64(now.Sub(due))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range lost {
		s.mu.gone[i] = true
	}
	if len(s.mu.samples)+len(batch) > s.opts.Limit {
		s.mu.dropped += uint64(len(batch))
		return
	}
	s.mu.samples = append(s.mu.samples, batch...)
	s.mu.host = append(s.mu.host, h)
}

// Take returns and forgets what was gathered, and the number of samples that
// the limit refused.
func (s *Sampler) Take() (samples []Sample, host []Host, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	samples, host, dropped = s.mu.samples, s.mu.host, s.mu.dropped
	s.mu.samples, s.mu.host, s.mu.dropped = nil, nil, 0
	return samples, host, dropped
}

// Gone tells which targets were not there at the last look.
func (s *Sampler) Gone() []bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]bool(nil), s.mu.gone...)
}

// Machine is a single look at the machine's load over a span.
type Machine struct {
	PSICPUAvg10  float64 // per cent of the last ten seconds
	ForeignShare float64 // share of all CPUs used by other processes
}

// Look measures the machine for the given span. own are processes not to be
// called foreign; this one never is.
func Look(ctx context.Context, span time.Duration, own []int) (Machine, error) {
	r, err := newReader()
	if err != nil {
		return Machine{}, err
	}
	read := func() Host {
		now := time.Now()
		var sum int64
		for _, pid := range own {
			p, _ := r.process(pid, now)
			sum += p.CPUNS()
		}
		self, _ := r.process(os.Getpid(), now)
		return r.host(now, sum, self.CPUNS())
	}
	a := read()
	select {
	case <-ctx.Done():
		return Machine{}, ctx.Err()
	case <-time.After(span):
	}
	b := read()
	total := float64(b.TimeNS-a.TimeNS) * float64(max(b.CPUs, 1))
	return Machine{PSICPUAvg10: b.PSICPUAvg10, ForeignShare: float64(b.ForeignNS()-a.ForeignNS()) / total}, nil
}
