package doctor

import (
	"errors"
	"fmt"
	"math"

	"ledgerlab/lab/stats"
)

// Options of a diagnosis.
type Options struct {
	// Resolve is the growth that must not be missed, bytes a second; a layer is at
	// rest only when its interval lies below it. Default 1 MiB a minute.
	Resolve float64
	// Kept is the same for free memory that an allocator keeps, which a trim can
	// give back. Default four times Resolve.
	Kept float64
	// Least is the growth below which nothing is named, bytes a second. Default an
	// eighth of Resolve.
	Least float64
	// Level of the intervals over all layers together. Default 0.95.
	Level float64
	// Windows is the least number of floors a trend is judged from. Default 8.
	Windows int
	// WindowsMax is the most the watch is cut into. Default 40.
	WindowsMax int
	// Stacks is the number of stacks named. Default 5.
	Stacks int
}

const (
	mib    = 1 << 20
	minute = 60.0
)

// Default is what the command takes.
func Default() Options {
	return Options{Resolve: mib / minute, Kept: 4 * mib / minute, Least: mib / minute / 8, Level: 0.95, Windows: 8, WindowsMax: 40, Stacks: 5}
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	if !(o.Resolve > 0) || !(o.Least > 0) || o.Least >= o.Resolve {
		faults = append(faults, fmt.Errorf("doctor: least %v and resolve %v: want 0 < least < resolve", o.Least, o.Resolve))
	}
	if !(o.Kept >= o.Resolve) {
		faults = append(faults, fmt.Errorf("doctor: kept %v is below resolve %v", o.Kept, o.Resolve))
	}
	if !(o.Level > 0.5 && o.Level < 1) {
		faults = append(faults, fmt.Errorf("doctor: level %v: above 0.5 and below 1", o.Level))
	}
	if o.Windows < 6 || o.WindowsMax < o.Windows || o.WindowsMax > 400 {
		faults = append(faults, fmt.Errorf("doctor: windows %d to %d: from 6 to 400", o.Windows, o.WindowsMax))
	}
	if o.Stacks < 0 {
		faults = append(faults, errors.New("doctor: stacks below 0"))
	}
	return errors.Join(faults...)
}

// of gives the options for layers of one cause.
func (o Options) of(c Cause) Options {
	if c == Retention {
		o.Resolve = o.Kept
	}
	return o
}

// State is what a trend lets one say.
type State string

// The states of a layer.
const (
	Grows  State = "grows"
	AtRest State = "at_rest"
	Open   State = "open"
)

// Trend is the slope of the floors of a series, bytes (or entries) a second.
type Trend struct {
	Slope, Low, High float64
	Windows          int     // floors it is from
	Window           float64 // seconds each
	State            State
	// Need is the length of watch, in seconds, that would settle an open trend.
	Need float64
}

// windowOf is the length of a window for a series whose longest saw-tooth has
// the given period: a quarter more than it, and no more windows than WindowsMax.
func windowOf(span, period float64, o Options) float64 {
	return max(period*1.25, span/float64(o.WindowsMax))
}

// floors are the lowest readings of each window and their times.
func floors(s Series, window float64) (t, y []float64) {
	if s.Len() == 0 || window <= 0 {
		return nil, nil
	}
	end := s.T[len(s.T)-1]
	n := int((end - s.T[0]) / window)
	begin := end - float64(n)*window // what is left over is the oldest
	for i := 0; i < s.Len() && n > 0; {
		if s.T[i] < begin {
			i++
			continue
		}
		w := min(int((s.T[i]-begin)/window), n-1)
		low := i
		for i < s.Len() && min(int((s.T[i]-begin)/window), n-1) == w {
			if s.Y[i] < s.Y[low] {
				low = i
			}
			i++
		}
		t, y = append(t, s.T[low]), append(y, s.Y[low])
	}
	return t, y
}

// trend judges a series whose longest period is known. level is that of this one
// interval; scale turns a unit of the series into bytes.
func trend(s Series, period, level, scale float64, o Options) Trend {
	span := s.Span()
	r := Trend{Window: windowOf(span, period, o), State: Open}
	t, y := floors(s, r.Window)
	r.Windows = len(t)
	if r.Windows < o.Windows {
		r.Low, r.High = math.Inf(-1), math.Inf(1)
		if r.Windows >= 2 {
			r.Slope = stats.TheilSen(t, y)
		}
		r.Need = float64(o.Windows+1) * max(period*1.25, span/float64(o.WindowsMax))
		return r
	}
	slope, ci := stats.SenInterval(t, y, level)
	r.Slope, r.Low, r.High = slope, ci.Low, ci.High
	switch {
	case r.Low*scale > o.Least:
		r.State = Grows
	case r.High*scale < o.Resolve:
		r.State = AtRest
	default:
		// An interval narrows with the watch to the power of three halves.
		wide := (r.High - r.Low) * scale / (o.Resolve - o.Least)
		r.Need = span * min(8, max(1.3, math.Pow(wide, 2.0/3)))
		if math.IsInf(wide, 0) || math.IsNaN(wide) {
			r.Need = span * 2
		}
	}
	return r
}

// periods are the longest times between events that give memory back.
type periods struct {
	sweep, rotation, collection float64
}

// longest is the period that every layer is judged by.
func (p periods) longest() float64 { return max(p.sweep, p.rotation, p.collection) }

// periodsOf reads them from a watch. A single event, or none, in the whole watch
// tells nothing of its period: the span itself stands for a lone one.
func periodsOf(w *Watch, span float64) periods {
	return periods{sweep: period(w.Sweeps, span), rotation: period(w.Rotations, span), collection: period(w.Collections, span)}
}

func period(at []float64, span float64) float64 {
	switch len(at) {
	case 0:
		return 0
	case 1:
		return span
	}
	gaps := make([]float64, 0, len(at)-1)
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, at[i]-at[i-1])
	}
	return stats.Percentile(gaps, 0.9)
}
