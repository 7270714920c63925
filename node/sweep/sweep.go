package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"ledgerlab/cache"
)

// Reclaimed is what giving dead payloads back to their heap did.
type Reclaimed struct {
	Nodes     int
	Bytes     int64
	Left      int // still in limbo: readers were inside older guards
	LeftBytes int64
	Duration  time.Duration
}

// Info is one sweep.
type Info struct {
	Seq      uint64 // counts sweeps from 1
	Reason   string // "timer" or what the request gave
	Start    time.Time
	Interval time.Duration // as set when the sweep began
	Caches   []cache.SweepStats
	Freed    int64         // payload bytes given back to their heap
	Limbo    int64         // payload bytes that readers in older guards still hold
	Sweeping time.Duration // caches, drops included
	Reclaim  time.Duration
	Between  time.Duration // the EachCache hooks
	After    time.Duration // the AfterSweep hook
	Duration time.Duration
}

// Own is the time of the sweep itself, without the hooks: what arms that trim and arms that do not have in common.
func (i Info) Own() time.Duration { return i.Duration - i.Between - i.After }

// Options are what a Sweeper needs.
type Options struct {
	// Interval between the end of one sweep and the begin of the next; 0 means only on request.
	Interval time.Duration
	// Sweepables in rippled's order (Application::doSweep).
	Sweepables []cache.Sweepable
	// EachCache, if set, is called after every single Sweepable and a reclaim of what it dropped
	// (trim.trigger=each_cache).
	EachCache func(name string)
	// Reclaim advances the payload epochs and frees what no reader can hold any more; nil means nothing to do.
	Reclaim func() (freedBytes, limboBytes int64)
	// AfterSweep, if set, is called once a sweep after the reclaim: the trimmer.
	AfterSweep func(reason string)
	// Done, if set, is told each sweep after AfterSweep and before the timer is armed again.
	Done func(Info)
	// Now gives start times and durations.
	Now func() time.Time
	// Run, if set, runs each sweep, for instance as a job; nil means on the Sweeper's own goroutine, which is
	// locked to its thread.
	Run func(ctx context.Context, name string, fn func()) error
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.Interval < 0 {
		errs = append(errs, fmt.Errorf("sweep: interval %v is negative", o.Interval))
	}
	if o.Now == nil {
		errs = append(errs, errors.New("sweep: no clock given"))
	}
	return errors.Join(errs...)
}

// Sweeper is the sweep timer.
type Sweeper struct {
	o        Options
	interval atomic.Int64
	changed  chan struct{} // the interval was set
	requests chan request
	seq      uint64 // the Run goroutine's
	last     atomic.Pointer[Info]
}

type request struct {
	reason string
	done   chan Info
}

// New makes a Sweeper that does nothing until Run.
func New(o Options) (*Sweeper, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Sweeper{o: o, changed: make(chan struct{}, 1), requests: make(chan request)}
	s.interval.Store(int64(o.Interval))
	return s, nil
}

// SetInterval changes the interval at once; 0 stops the timer.
func (s *Sweeper) SetInterval(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("sweep: interval %v is negative", d)
	}
	s.interval.Store(int64(d))
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

// Interval is the interval as set.
func (s *Sweeper) Interval() time.Duration { return time.Duration(s.interval.Load()) }

// Last is the latest sweep, or nil.
func (s *Sweeper) Last() *Info { return s.last.Load() }

// Sweep asks for a sweep now and waits for it.
func (s *Sweeper) Sweep(ctx context.Context, reason string) (Info, error) {
	r := request{reason: reason, done: make(chan Info, 1)}
	select {
	case s.requests <- r:
	case <-ctx.Done():
		return Info{}, fmt.Errorf("sweep: request: %w", ctx.Err())
	}
	select {
	case info := <-r.done:
		return info, nil
	case <-ctx.Done():
		return Info{}, fmt.Errorf("sweep: request: %w", ctx.Err())
	}
}

// Run sweeps until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	pprof.Do(ctx, pprof.Labels("part", "sweep"), func(ctx context.Context) { err = s.loop(ctx) })
	return err
}

func (s *Sweeper) loop(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if d := s.Interval(); d > 0 {
			timer.Reset(d)
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.changed:
		case <-timer.C:
			s.run(ctx, "timer")
		case r := <-s.requests:
			r.done <- s.run(ctx, r.reason)
		}
	}
}

func (s *Sweeper) run(ctx context.Context, reason string) Info {
	if s.o.Run == nil {
		return s.sweep(reason)
	}
	var info Info
	if err := s.o.Run(ctx, "sweep", func() { info = s.sweep(reason) }); err != nil {
		return Info{Reason: reason}
	}
	return info
}

func (s *Sweeper) sweep(reason string) Info {
	s.seq++
	info := Info{Seq: s.seq, Reason: reason, Start: s.o.Now(), Interval: s.Interval()}
	for _, c := range s.o.Sweepables {
		info.Caches = append(info.Caches, c.Sweep(s.o.Now()))
		if s.o.EachCache != nil {
			s.reclaim(&info)
			start := s.o.Now()
			s.o.EachCache(c.Name())
			info.Between += s.o.Now().Sub(start)
		}
	}
	swept := s.o.Now()
	s.reclaim(&info)
	reclaimed := s.o.Now()
	if s.o.AfterSweep != nil {
		s.o.AfterSweep(reason)
	}
	end := s.o.Now()
	info.Sweeping = swept.Sub(info.Start) - info.Between
	info.After, info.Duration = end.Sub(reclaimed), end.Sub(info.Start)
	s.last.Store(&info)
	if s.o.Done != nil {
		s.o.Done(info)
	}
	return info
}

// reclaim gives dead payloads back to their heap and adds to the info.
func (s *Sweeper) reclaim(info *Info) {
	if s.o.Reclaim == nil {
		return
	}
	start := s.o.Now()
	freed, limbo := s.o.Reclaim()
	info.Freed, info.Limbo = info.Freed+freed, limbo
	info.Reclaim += s.o.Now().Sub(start)
}
