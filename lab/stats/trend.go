package stats

import (
	"math"
	"math/rand/v2"
)

// Trend is the change of y over the whole range of t by least squares, with a
// two-sided permutation p (2,000 draws).
func Trend(t, y []float64, rng *rand.Rand) (change, p float64) {
	if len(t) < 3 {
		return math.NaN(), math.NaN()
	}
	mt, my := Mean(t), Mean(y)
	var sxx, sxy float64
	lo, hi := t[0], t[0]
	for i := range t {
		sxx += (t[i] - mt) * (t[i] - mt)
		sxy += (t[i] - mt) * (y[i] - my)
		lo, hi = math.Min(lo, t[i]), math.Max(hi, t[i])
	}
	if sxx == 0 {
		return math.NaN(), math.NaN()
	}
	const draws = 2000
	hits := 1
	for range draws {
		perm, s := rng.Perm(len(y)), 0.0
		for i := range t {
			s += (t[i] - mt) * (y[perm[i]] - my)
		}
		if math.Abs(s) >= math.Abs(sxy)-1e-12*math.Abs(sxx) {
			hits++
		}
	}
	return sxy / sxx * (hi - lo), float64(hits) / (draws + 1)
}
