package stats

import (
	"math"
	"slices"
)

// SenInterval is the rank interval of TheilSen (Sen 1968): the slopes between
// which the concordant and discordant pairs balance, so it needs no shape of
// the noise. Neighbours that resemble one another make it wider by their lag-1
// correlation. It is right for few points, where a bootstrap of blocks has too
// few blocks to draw from; below six points it is everything.
func SenInterval(t, y []float64, level float64) (slope float64, ci Interval) {
	if len(t) > maxTheilSen {
		t, y = thin(t, maxTheilSen), thin(y, maxTheilSen)
	}
	n := float64(len(t))
	slopes := make([]float64, 0, len(t)*(len(t)-1)/2)
	for i := range t {
		for j := i + 1; j < len(t); j++ {
			if dt := t[j] - t[i]; dt != 0 {
				slopes = append(slopes, (y[j]-y[i])/dt)
			}
		}
	}
	if len(t) < 6 || len(slopes) == 0 {
		return Median(slopes), Interval{math.Inf(-1), math.Inf(1), level}
	}
	slices.Sort(slopes)
	slope = Percentile(slopes, 0.5)
	// A correlation seen in few points is itself a guess: it is drawn to nought.
	r := math.Min(0.6, math.Max(0, lag1(t, y, slope))*n/(n+5))
	sd := math.Sqrt(n * (n - 1) * (2*n + 5) / 18 * (1 + r) / (1 - r))
	half := normalQuantile(0.5+level/2) * sd / 2
	mid := float64(len(slopes)-1) / 2
	return slope, Interval{rankValue(slopes, mid-half, -1), rankValue(slopes, mid+half, 1), level}
}

// rankValue interpolates between sorted values; beyond them it is infinite.
func rankValue(sorted []float64, at float64, side int) float64 {
	if at < 0 || at > float64(len(sorted)-1) {
		return math.Inf(side)
	}
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (at-float64(lo))*(sorted[hi]-sorted[lo])
}

// lag1 is the correlation of neighbouring residuals round the line.
func lag1(t, y []float64, slope float64) float64 {
	resid := make([]float64, len(t))
	for i := range t {
		resid[i] = y[i] - slope*t[i]
	}
	m, num, den := Median(resid), 0.0, 0.0
	most := math.Max(math.Abs(slices.Max(y)), math.Abs(slices.Min(y)))
	for i, v := range resid {
		den += (v - m) * (v - m)
		if i > 0 {
			num += (v - m) * (resid[i-1] - m)
		}
	}
	if den <= 1e-18*most*most*float64(len(y)) { // a straight line, but for rounding
		return 0
	}
	return num / den
}

// normalQuantile is the inverse of the normal distribution function.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
