package load

import (
	"fmt"
	"math"
	"time"
)

// Shape says how the rate moves: the integral of the factor on the rate from the
// start to t, in seconds. It never falls.
type Shape func(t time.Duration) float64

// Constant keeps the rate.
func Constant() Shape { return func(t time.Duration) float64 { return t.Seconds() } }

// Ramp moves the factor evenly from one value to another over a time, and keeps it.
func Ramp(from, to float64, over time.Duration) Shape {
	return func(t time.Duration) float64 {
		in := min(t, over).Seconds()
		sum := from * in
		if over > 0 {
			sum += (to - from) * in * in / (2 * over.Seconds())
		}
		return sum + to*max(0, (t-over).Seconds())
	}
}

// Burst alternates between a high factor and 1, high first.
func Burst(factor float64, high, low time.Duration) Shape {
	period := (high + low).Seconds()
	return func(t time.Duration) float64 {
		whole, in := math.Floor(t.Seconds()/period), math.Mod(t.Seconds(), period)
		h := high.Seconds()
		return whole*(factor*h+low.Seconds()) + factor*min(in, h) + max(0, in-h)
	}
}

// Steps runs through factors, each for its time, and keeps the last.
func Steps(steps ...Step) (Shape, error) {
	if len(steps) == 0 {
		return nil, fmt.Errorf("load: a stepped rate needs a step")
	}
	for _, s := range steps {
		if s.Factor < 0 || s.For <= 0 {
			return nil, fmt.Errorf("load: step of %v for %v; factor and time must be positive", s.Factor, s.For)
		}
	}
	return func(t time.Duration) (sum float64) {
		for i, s := range steps {
			in := min(t, s.For)
			if i == len(steps)-1 {
				in = t
			}
			sum += s.Factor * in.Seconds()
			if t -= in; t <= 0 {
				break
			}
		}
		return sum
	}, nil
}

// Step is one level of a stepped rate.
type Step struct {
	Factor float64
	For    time.Duration
}

// schedule gives intended times in order. It is used by one goroutine.
type schedule struct {
	rate   float64
	shape  Shape
	issued int64
	last   time.Duration // up to which all were given
}

// due calls fn with the intended time, after the start, of every send that falls
// due up to t. Within the stretch since the last call the time is found by
// halving, to a microsecond.
func (s *schedule) due(t time.Duration, fn func(at time.Duration)) {
	total := int64(s.rate * s.shape(t))
	lo := s.last
	for ; s.issued < total; s.issued++ {
		want := float64(s.issued+1) / s.rate
		hi := t
		for hi-lo > time.Microsecond {
			mid := lo + (hi-lo)/2
			if s.shape(mid) < want {
				lo = mid
			} else {
				hi = mid
			}
		}
		fn(hi)
	}
	s.last = t
}
