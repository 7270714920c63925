package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MDE is the smallest true mean difference that n blocks with standard
// deviation sd would find with the given power at a two-sided level alpha:
// (t[1-alpha/2] + t[power]) sd / sqrt(n). It is NaN below two blocks and +Inf
// where the exact test cannot reach alpha at all.
func MDE(n int, sd, alpha, power float64) float64 {
	if n < 2 {
		return math.NaN()
	}
	if SmallestP(n) > alpha {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	return (t.Quantile(1-alpha/2) + t.Quantile(power)) * sd / math.Sqrt(float64(n))
}

// BlocksFor is the smallest number of blocks whose MDE is at most effect, or 0
// when limit blocks would not be enough.
func BlocksFor(effect, sd, alpha, power float64, limit int) int {
	for n := 2; n <= limit; n++ {
		if MDE(n, sd, alpha, power) <= math.Abs(effect) {
			return n
		}
	}
	return 0
}

// BlocksForMargin is the smallest number of blocks whose expected 90 % interval
// fits inside +/- margin round a true ratio of one, with the given power.
func BlocksForMargin(margin, sd, power float64, limit int) int {
	for n := 4; n <= limit; n++ {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
		if (t.Quantile(0.95)+t.Quantile((1+power)/2))*sd/math.Sqrt(float64(n)) <= margin && SmallestP(n) <= 0.1 {
			return n
		}
	}
	return 0
}

// BinomialBand is the central band of counts of successes among n trials of
// probability p, holding at least level of the mass.
func BinomialBand(n int, p, level float64) (lo, hi int) {
	b := distuv.Binomial{N: float64(n), P: p}
	a := (1 - level) / 2
	for lo = 0; lo < n && b.CDF(float64(lo)) <= a; lo++ {
	}
	for hi = n; hi > 0 && 1-b.CDF(float64(hi-1)) <= a; hi-- {
	}
	return lo, hi
}
