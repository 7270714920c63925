package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Mean of x; NaN when empty.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// StdDev is the sample standard deviation; NaN below two values.
func StdDev(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// Median of x; NaN when empty.
func Median(x []float64) float64 { return Percentile(x, 0.5) }

// Percentile interpolates linearly between order statistics (type 7, as R and
// NumPy do by default). q is in [0, 1].
func Percentile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	h := q * float64(len(s)-1)
	lo := int(math.Floor(h))
	hi := min(lo+1, len(s)-1)
	return s[lo] + (h-float64(lo))*(s[hi]-s[lo])
}

// TimeWeighted is the mean of a step-wise linear signal: the trapezoid rule
// over t (ascending), so that unequal sampling does not weigh.
func TimeWeighted(t, y []float64) float64 {
	if len(t) < 2 || t[len(t)-1] <= t[0] {
		return Mean(y)
	}
	area := 0.0
	for i := 1; i < len(t); i++ {
		area += (t[i] - t[i-1]) * (y[i] + y[i-1]) / 2
	}
	return area / (t[len(t)-1] - t[0])
}

// maxTheilSen bounds the pairs: longer series are thinned evenly first.
const maxTheilSen = 800

// TheilSen is the median of the slopes of all pairs, in units of y a unit of t.
func TheilSen(t, y []float64) float64 {
	if len(t) > maxTheilSen {
		t, y = thin(t, maxTheilSen), thin(y, maxTheilSen)
	}
	slopes := make([]float64, 0, len(t)*(len(t)-1)/2)
	for i := range t {
		for j := i + 1; j < len(t); j++ {
			if dt := t[j] - t[i]; dt != 0 {
				slopes = append(slopes, (y[j]-y[i])/dt)
			}
		}
	}
	return Median(slopes)
}

// maxBootstrap bounds the series a bootstrap draw works on; pairs grow with its
// square and draws are hundreds.
const maxBootstrap = 100

func thin(x []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = x[i*(len(x)-1)/(n-1)]
	}
	return out
}

// SlopeInterval is a moving-block bootstrap interval of TheilSen: blocks of the
// residuals keep the series' own dependence (a sawtooth of sweeps, say).
// blockLen 0 takes the cube root rule, at least 5 samples.
func SlopeInterval(t, y []float64, level float64, blockLen, draws int, rng *rand.Rand) Interval {
	if len(t) > maxBootstrap {
		t, y = thin(t, maxBootstrap), thin(y, maxBootstrap)
	}
	n := len(t)
	if n < 10 {
		return Interval{math.Inf(-1), math.Inf(1), level}
	}
	if blockLen <= 0 {
		blockLen = max(5, int(math.Ceil(math.Cbrt(float64(n))))*2)
	}
	blockLen = min(blockLen, n/2)
	slope := TheilSen(t, y)
	resid := make([]float64, n)
	for i := range y {
		resid[i] = y[i] - slope*(t[i]-t[0])
	}
	boot := make([]float64, draws)
	fake := make([]float64, n)
	for b := range boot {
		for i := 0; i < n; {
			start := rng.IntN(n - blockLen + 1)
			for k := 0; k < blockLen && i < n; k++ {
				fake[i] = slope*(t[i]-t[0]) + resid[start+k]
				i++
			}
		}
		boot[b] = TheilSen(t, fake)
	}
	a := (1 - level) / 2
	return Interval{Percentile(boot, a), Percentile(boot, 1-a), level}
}

// MSER5 is White's rule on means of five: the cut that makes the rest's
// standard error smallest, looking at the first half only. It returns the
// number of raw values to drop, and false when the best cut is at the edge of
// the search, which means that the series never settled.
func MSER5(y []float64) (cut int, settled bool) {
	const batch = 5
	m := len(y) / batch
	if m < 4 {
		return 0, false
	}
	means := make([]float64, m)
	for i := range means {
		means[i] = Mean(y[i*batch : (i+1)*batch])
	}
	best, bestAt := math.Inf(1), 0
	for d := 0; d <= m/2; d++ {
		rest := means[d:]
		mu, ss := Mean(rest), 0.0
		for _, v := range rest {
			ss += (v - mu) * (v - mu)
		}
		if se := ss / float64(len(rest)*len(rest)); se < best-1e-18 {
			best, bestAt = se, d
		}
	}
	return bestAt * batch, bestAt < m/2
}

// Steady says whether the whole slope interval, over the window's length,
// stays within tol of the mean, and the halves agree within tol as well.
func Steady(t, y []float64, tol float64, rng *rand.Rand) bool {
	if len(t) < 20 {
		return false
	}
	mean := Mean(y)
	if mean == 0 {
		return true
	}
	span := t[len(t)-1] - t[0]
	ci := SlopeInterval(t, y, 0.95, 0, 200, rng)
	half := len(y) / 2
	gap := math.Abs(Mean(y[half:])-Mean(y[:half])) / math.Abs(mean)
	return math.Abs(ci.Low*span/mean) <= tol && math.Abs(ci.High*span/mean) <= tol && gap <= tol
}
