package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Size says what a number of blocks is worth to a test: its degrees of freedom
// and the smallest p it can reach.
type Size struct {
	DF       func(blocks int) float64
	Smallest func(blocks int) float64
}

// SignFlips is the size of a test on one difference a block.
func SignFlips() Size {
	return Size{DF: func(n int) float64 { return float64(n - 1) }, Smallest: SmallestP}
}

// processSize is the size of a permutation test on processes: df grows by
// perBlock from start, the logarithm of the labellings by ways.
func processSize(perBlock, start, ways float64) Size {
	return Size{
		DF: func(n int) float64 { return start + perBlock*float64(n) },
		Smallest: func(n int) float64 {
			labellings := math.Exp(ways * float64(n))
			if labellings > MaxLabellings {
				labellings = drawnLabellings + 1
			}
			return math.Min(1, 2/labellings)
		},
	}
}

// PlacementSize is the size of the permutation test of an arm against the
// control in a placement, one row a block. Blocks are counted as those that hold
// both; the second result is their number in the placement.
func PlacementSize(rows [][]int, arm, control int) (Size, int) {
	units, ways, both := 0, 0.0, 0
	nodes, arms := map[int]bool{}, map[int]bool{}
	for _, row := range rows {
		units += len(row)
		k, n := 0, 0
		for node, a := range row {
			nodes[node], arms[a] = true, true
			if a == arm {
				k++
			}
			if a == arm || a == control {
				n++
			}
		}
		if k > 0 && k < n {
			both++
			ways += logChoose(n, k)
		}
	}
	share := float64(max(1, both))
	return processSize(float64(units-len(rows))/share, float64(2-len(nodes)-len(arms)), ways/share), both
}

// Factor is how many standard errors a true difference must measure to be
// found with the given power at a two-sided level alpha: t[1-alpha/2] +
// t[power]. It is NaN without degrees of freedom and +Inf where the test
// cannot reach alpha at all.
func (s Size) Factor(n int, alpha, power float64) float64 {
	df := s.DF(n)
	if n < 2 || df < 1 {
		return math.NaN()
	}
	if s.Smallest(n) > alpha {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	return t.Quantile(1-alpha/2) + t.Quantile(power)
}

// MDE is the smallest true difference that n blocks would find, sd being the
// standard deviation of one block's difference.
func (s Size) MDE(n int, sd, alpha, power float64) float64 {
	return s.Factor(n, alpha, power) * sd / math.Sqrt(float64(n))
}

// BlocksFor is the smallest number of blocks whose MDE is at most effect, or 0
// when limit blocks would not be enough.
func (s Size) BlocksFor(effect, sd, alpha, power float64, limit int) int {
	for n := 2; n <= limit; n++ {
		if s.MDE(n, sd, alpha, power) <= math.Abs(effect) {
			return n
		}
	}
	return 0
}

// BlocksForMargin is the smallest number of blocks whose expected 90 % interval
// fits inside +/- margin round a true ratio of one, with the given power.
func (s Size) BlocksForMargin(margin, sd, power float64, limit int) int {
	for n := 2; n <= limit; n++ {
		if df := s.DF(n); df >= 1 && s.Smallest(n) <= 0.1 {
			t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
			if (t.Quantile(0.95)+t.Quantile((1+power)/2))*sd/math.Sqrt(float64(n)) <= margin {
				return n
			}
		}
	}
	return 0
}

// MinBlocks is the smallest number of blocks that can reach level.
func (s Size) MinBlocks(level float64) int {
	n := 1
	for s.Smallest(n) > level*(1+1e-9) && n < 63 {
		n++
	}
	return n
}

// MDE is that of a test on one difference a block.
func MDE(n int, sd, alpha, power float64) float64 { return SignFlips().MDE(n, sd, alpha, power) }

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
