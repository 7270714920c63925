package peer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Fault is what a link does to frames, in one direction. The zero value is a healthy link.
type Fault struct {
	Cut       bool          // nothing passes, and nobody is told
	Loss      float64       // share of frames that vanish, 0..1
	Delay     time.Duration // of each frame; order is kept
	Jitter    time.Duration // added to Delay, uniform in 0..Jitter
	Bandwidth int           // bytes a second, 0: no limit
}

// FaultDelayMax bounds Delay and Jitter.
const FaultDelayMax = time.Minute

// Validate returns all faults.
func (f Fault) Validate() error {
	var errs []error
	if !(f.Loss >= 0 && f.Loss <= 1) {
		errs = append(errs, fmt.Errorf("link loss: %v is outside 0..1", f.Loss))
	}
	if f.Delay < 0 || f.Delay > FaultDelayMax || f.Jitter < 0 || f.Jitter > FaultDelayMax {
		errs = append(errs, fmt.Errorf("link delay: %v + %v is outside 0..%v", f.Delay, f.Jitter, FaultDelayMax))
	}
	if f.Bandwidth < 0 {
		errs = append(errs, fmt.Errorf("link bandwidth: %d is negative", f.Bandwidth))
	}
	return errors.Join(errs...)
}

// lineMax bounds the frames on their way through a slow line.
const lineMax = 4096

type lateFrame struct {
	due   time.Time
	bytes []byte
}

// line passes frames through a Fault to deliver. A healthy line delivers on the caller's goroutine.
type line struct {
	fault   *atomic.Pointer[Fault]
	deliver func(frame []byte) error
	now     func() time.Time
	lost    *atomic.Uint64
	ready   chan struct{}

	mu struct {
		sync.Mutex
		rng     *rand.Rand
		queue   []lateFrame
		due     time.Time // of the newest frame in the queue
		waiting int       // frames in the queue or in the hands of run
	}
}

func newLine(fault *atomic.Pointer[Fault], seed uint64, now func() time.Time, lost *atomic.Uint64, deliver func([]byte) error) *line {
	l := &line{fault: fault, deliver: deliver, now: now, lost: lost, ready: make(chan struct{}, 1)}
	l.mu.rng = rand.New(rand.NewPCG(seed, 0x6c696e6b))
	return l
}

// push takes over frame. One goroutine calls it.
func (l *line) push(frame []byte) error {
	f := l.fault.Load()
	l.mu.Lock()
	if (f == nil || *f == Fault{}) && l.mu.waiting == 0 {
		l.mu.Unlock()
		return l.deliver(frame)
	}
	defer l.mu.Unlock()
	if f == nil {
		f = new(Fault)
	}
	if f.Cut || (f.Loss > 0 && l.mu.rng.Float64() < f.Loss) || l.mu.waiting >= lineMax {
		l.lost.Add(1)
		return nil
	}
	due := l.now().Add(f.Delay)
	if f.Jitter > 0 {
		due = due.Add(time.Duration(l.mu.rng.Int64N(int64(f.Jitter) + 1)))
	}
	if due.Before(l.mu.due) {
		due = l.mu.due
	}
	if f.Bandwidth > 0 {
		due = due.Add(time.Duration(float64(len(frame)) / float64(f.Bandwidth) * float64(time.Second)))
	}
	l.mu.due = due
	l.mu.queue = append(l.mu.queue, lateFrame{due, frame})
	l.mu.waiting++
	select {
	case l.ready <- struct{}{}:
	default:
	}
	return nil
}

// run delivers late frames until ctx ends or deliver fails.
func (l *line) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, ok := l.head()
		if !ok {
			select {
			case <-l.ready:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		timer.Reset(next.due.Sub(l.now()))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := l.deliver(next.bytes)
		l.mu.Lock()
		l.mu.waiting--
		l.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

func (l *line) head() (lateFrame, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mu.queue) == 0 {
		return lateFrame{}, false
	}
	f := l.mu.queue[0]
	l.mu.queue[0] = lateFrame{}
	l.mu.queue = l.mu.queue[1:]
	return f, true
}
