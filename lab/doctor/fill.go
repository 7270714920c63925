package doctor

import (
	"math"
	"slices"
)

// Fill says how a cache stands against its target.
type Fill struct {
	Cache   string
	Entries float64 // at the end
	Tracked float64 // with those that others hold
	Target  float64 // 0 = none
	Bytes   float64 // estimate of its memory
	Rate    Trend   // entries (or bytes) a second
	Filling bool
	// HeldElsewhere marks entries that the cache only tracks: ledgers hold them.
	HeldElsewhere bool
	// Level is where it will level off and After how many seconds from the end of
	// the watch; both 0 when it is not filling. ByFit says that its curve bends and
	// the level is read from it; else the target stands, at the present rate.
	Level, After float64
	ByFit        bool
}

// full is the share of its target from which a cache counts as full.
const full = 0.98

// heldPatience is how long, in seconds, entries that ledgers hold may rise in a
// straight line before they count as growth: a state that becomes resident bends.
const heldPatience = 720

// fillsOf judges one cache: what it holds itself against its target and, where
// it tracks more than that, what others hold.
func fillsOf(c *Cache, per periods, level float64, o Options) []Fill {
	own := *c
	if c.Strong.Len() == c.Entries.Len() && c.Strong.Len() > 0 {
		own.Entries = c.Strong
	}
	f := fillOf(&own, per, level, o)
	f.Tracked = c.Entries.Last()
	out := []Fill{f}
	if own.Entries.Len() == c.Strong.Len() && c.Strong.Len() > 0 {
		held := *c
		held.Name, held.Target, held.AgeSeconds = c.Name+heldSuffix, 0, 0
		held.Entries = Series{T: c.Entries.T, Y: make([]float64, c.Entries.Len())}
		for i := range held.Entries.Y {
			held.Entries.Y[i] = c.Entries.Y[i] - c.Strong.Y[i]
		}
		h := fillOf(&held, per, level, o)
		h.Tracked, h.HeldElsewhere = c.Entries.Last(), true
		if h.stillRising(&held, o) {
			h.levelOff(&held, per, o)
			h.Filling = h.ByFit || c.Entries.Span() < heldPatience
		}
		out = append(out, h)
	}
	return out
}

const heldSuffix = ", held by ledgers"

// fillOf judges one count.
func fillOf(c *Cache, per periods, level float64, o Options) Fill {
	size := c.entrySize()
	f := Fill{Cache: c.Name, Entries: c.Entries.Last(), Target: c.Target, Bytes: c.Entries.Last() * size}
	f.Rate = trend(c.Entries, max(per.sweep, per.rotation), level, size, o)
	if !c.bounded() {
		return f
	}
	f.Filling = f.stillRising(c, o)
	if f.Filling {
		f.levelOff(c, per, o)
	}
	return f
}

// stillRising says that the cache took entries throughout the watch and is below
// its target. Few windows are no excuse: until it is known to be at rest, a
// cache that holds more at the end than at the begin is filling.
func (f *Fill) stillRising(c *Cache, o Options) bool {
	if c.Target > 0 && f.Entries >= full*c.Target {
		return false
	}
	switch f.Rate.State {
	case Grows:
		return true
	case AtRest:
		// The bound of the whole: what it may still gain while the watch would call
		// it at rest must not be mistaken for growth elsewhere.
		return false
	case Open:
	}
	// Too few floors for an interval: the lowest of each third must rise,
	// and by more than the ups and downs of a cache at rest.
	n := c.Entries.Len()
	if n < 6 {
		return false
	}
	a, b, z := slices.Min(c.Entries.Y[:n/3]), slices.Min(c.Entries.Y[n/3:2*n/3]), slices.Min(c.Entries.Y[2*n/3:])
	return a < b && b < z && z-a > 0.03*z && (z-a)*c.entrySize() > o.Least*c.Entries.Span()*2/3
}

// levelOff fits the entries by a saturating exponential and reads its level; a
// straight line leads to the target.
func (f *Fill) levelOff(c *Cache, per periods, o Options) {
	t, y := floors(c.Entries, windowOf(c.Entries.Span(), max(per.sweep, per.rotation), o))
	if len(t) < 6 {
		t, y = c.Entries.T, c.Entries.Y
	}
	level, tau, ok := saturation(t, y)
	end := c.Entries.T[len(c.Entries.T)-1]
	if ok && (c.Target == 0 || level <= c.Target) {
		f.Level, f.ByFit = level, true
		left := level - y[len(y)-1]
		if goal := 0.02 * math.Abs(level); left > goal {
			f.After = max(0, t[len(t)-1]+tau*math.Log(left/goal)-end)
		}
		return
	}
	rate := f.Rate.Slope
	if !(rate > 0) {
		rate = (y[len(y)-1] - y[0]) / max(1, t[len(t)-1]-t[0])
	}
	switch {
	case c.Target > 0:
		f.Level = c.Target
		if rate > 0 {
			f.After = (c.Target - f.Entries) / rate
		}
	case c.AgeSeconds > 0: // what is older goes
		f.Level, f.After = f.Entries+max(0, rate)*c.AgeSeconds, c.AgeSeconds
	}
}

// saturation fits y = level - a*exp(-t/tau) by a search over tau with linear
// least squares inside. ok is false when a straight line does as well, or when
// the level lies further off than three times what was seen to grow.
func saturation(t, y []float64) (level, tau float64, ok bool) {
	if len(t) < 5 {
		return 0, 0, false
	}
	span := t[len(t)-1] - t[0]
	if span <= 0 {
		return 0, 0, false
	}
	best := math.Inf(1)
	for k := range 60 {
		try := span * math.Pow(10, -1.5+float64(k)*2.0/59) // 0.03 to 3 spans
		l, a, sse := linear(t, y, func(x float64) float64 { return -math.Exp(-(x - t[0]) / try) })
		if a > 0 && sse < best {
			best, level, tau = sse, l, try
		}
	}
	_, _, straight := linear(t, y, func(x float64) float64 { return x - t[0] })
	grown := y[len(y)-1] - y[0]
	return level, tau, best < 0.8*straight && grown > 0 && level-y[len(y)-1] < 3*grown
}

// linear fits y = c0 + c1*g(t) by least squares.
func linear(t, y []float64, g func(float64) float64) (c0, c1, sse float64) {
	n := float64(len(t))
	var sx, sy, sxx, sxy float64
	for i := range t {
		x := g(t[i])
		sx += x
		sy += y[i]
		sxx += x * x
		sxy += x * y[i]
	}
	det := n*sxx - sx*sx
	if det == 0 {
		return sy / n, 0, math.Inf(1)
	}
	c1 = (n*sxy - sx*sy) / det
	c0 = (sy - c1*sx) / n
	for i := range t {
		d := y[i] - c0 - c1*g(t[i])
		sse += d * d
	}
	return c0, c1, sse
}
