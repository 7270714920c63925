package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// MaxExact is the largest number of blocks for which the sign-flip test is
// enumerated completely (2^20 sign vectors, about 10 ms). Beyond it a seeded
// Monte Carlo of mcDraws vectors stands in, whose error is far below any level
// in use.
const MaxExact = 20

const mcDraws = 200_000

// Interval is a set of shifts on the scale of its input. Level is the
// confidence really reached, which for few blocks exceeds the one asked for.
// Low and High are infinite when the data cannot bound that side.
type Interval struct{ Low, High, Level float64 }

// Excludes says whether v is outside the interval.
func (i Interval) Excludes(v float64) bool { return v < i.Low || v > i.High }

// Inside says whether the whole interval lies within [-m, m].
func (i Interval) Inside(m float64) bool { return i.Low >= -m && i.High <= m }

// SignFlip is the two-sided exact randomisation test of mean(d) = 0: the share
// of the 2^n sign vectors whose sum is at least as far from zero as the one
// observed. Equal sums count as "at least as far", so ties make it larger and
// never smaller. It returns NaN for no data.
func SignFlip(d []float64) float64 {
	n := len(d)
	if n == 0 || hasNaN(d) {
		return math.NaN()
	}
	total, scale := 0.0, 0.0
	for _, v := range d {
		total += v
		scale += math.Abs(v)
	}
	limit := math.Abs(total) - 1e-12*scale
	if n > MaxExact {
		return signFlipSampled(d, limit)
	}
	return float64(countFlips(d, total, limit)) / float64(uint64(1)<<n)
}

// countFlips walks the sign vectors in Gray code order, so each step changes
// one sign, and re-sums now and then to keep rounding out.
func countFlips(d []float64, total, limit float64) uint64 {
	n := len(d)
	flipped := make([]bool, n)
	sum := total
	var hits uint64
	last := uint64(1)<<n - 1
	for i := uint64(0); ; i++ {
		if math.Abs(sum) >= limit {
			hits++
		}
		if i == last {
			return hits
		}
		j := bits.TrailingZeros64(i + 1)
		if flipped[j] {
			sum += 2 * d[j]
		} else {
			sum -= 2 * d[j]
		}
		flipped[j] = !flipped[j]
		if i&1023 == 1023 {
			sum = resum(d, flipped)
		}
	}
}

func resum(d []float64, flipped []bool) float64 {
	sum := 0.0
	for i, v := range d {
		if flipped[i] {
			v = -v
		}
		sum += v
	}
	return sum
}

func signFlipSampled(d []float64, limit float64) float64 {
	rng := rand.New(rand.NewPCG(uint64(len(d)), 0x51f11b))
	hits := 1 // the observed vector itself, so that p is never zero
	for range mcDraws {
		sum := 0.0
		for _, v := range d {
			if rng.Uint64()&1 == 0 {
				v = -v
			}
			sum += v
		}
		if math.Abs(sum) >= limit {
			hits++
		}
	}
	return float64(hits) / float64(mcDraws+1)
}

// ShiftInterval inverts SignFlip: it holds every shift t for which the test of
// d-t gives p > 1-level. The test's one-sided count at t is the number of
// non-empty subsets of d whose mean is at most t, so the bounds are order
// statistics of the subset means and no search is needed.
func ShiftInterval(d []float64, level float64) Interval {
	n := len(d)
	if n == 0 || hasNaN(d) {
		return Interval{math.Inf(-1), math.Inf(1), 0}
	}
	means := subsetMeans(d)
	alpha := 1 - level
	total := float64(len(means) + 1)
	k := int(math.Floor(alpha*total/2 + 1e-9))
	if k < 1 {
		return Interval{math.Inf(-1), math.Inf(1), 1}
	}
	slices.Sort(means)
	return Interval{means[k-1], means[len(means)-k], 1 - 2*float64(k)/total}
}

func subsetMeans(d []float64) []float64 {
	n := len(d)
	if n > MaxExact {
		return sampledSubsetMeans(d)
	}
	means := make([]float64, 0, 1<<n-1)
	sums := make([]float64, 1<<n)
	for s := 1; s < 1<<n; s++ {
		low := bits.TrailingZeros32(uint32(s))
		sums[s] = sums[s&(s-1)] + d[low]
		means = append(means, sums[s]/float64(bits.OnesCount32(uint32(s))))
	}
	return means
}

func sampledSubsetMeans(d []float64) []float64 {
	rng := rand.New(rand.NewPCG(uint64(len(d)), 0x5b5e7))
	means := make([]float64, 0, mcDraws)
	for len(means) < mcDraws {
		sum, n := 0.0, 0
		for _, v := range d {
			if rng.Uint64()&1 == 0 {
				sum += v
				n++
			}
		}
		if n > 0 {
			means = append(means, sum/float64(n))
		}
	}
	return means
}

// HodgesLehmann is the median of all pairwise means of d (Walsh averages, each
// value paired with itself as well).
func HodgesLehmann(d []float64) float64 {
	if len(d) == 0 || hasNaN(d) {
		return math.NaN()
	}
	walsh := make([]float64, 0, len(d)*(len(d)+1)/2)
	for i := range d {
		for j := i; j < len(d); j++ {
			walsh = append(walsh, (d[i]+d[j])/2)
		}
	}
	return Median(walsh)
}

// SmallestP is the smallest two-sided p the sign-flip test can give with n
// blocks: 2/2^n.
func SmallestP(n int) float64 { return math.Min(1, math.Ldexp(2, -n)) }

// MinBlocks is the smallest n whose SmallestP is at most level.
func MinBlocks(level float64) int {
	n := 1
	for SmallestP(n) > level && n < 63 {
		n++
	}
	return n
}

func hasNaN(d []float64) bool { return slices.ContainsFunc(d, math.IsNaN) }
