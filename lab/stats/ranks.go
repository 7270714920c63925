package stats

import (
	"math"
	"slices"
)

// Wilcoxon is the exact two-sided signed-rank test with midranks for ties;
// zeros are dropped. It is a cross-check printed beside SignFlip.
func Wilcoxon(d []float64) float64 {
	abs := make([]float64, 0, len(d))
	sign := make([]float64, 0, len(d))
	for _, v := range d {
		if v != 0 {
			abs = append(abs, math.Abs(v))
			sign = append(sign, math.Copysign(1, v))
		}
	}
	if len(abs) == 0 {
		if len(d) == 0 {
			return math.NaN()
		}
		return 1
	}
	r := midranks(abs)
	for i := range r {
		r[i] *= sign[i]
	}
	return SignFlip(r)
}

// midranks returns the rank of each value, 1-based; equal values share the
// mean of their ranks.
func midranks(x []float64) []float64 {
	idx := make([]int, len(x))
	for i := range idx {
		idx[i] = i
	}
	slices.SortFunc(idx, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	r := make([]float64, len(x))
	for i := 0; i < len(idx); {
		j := i
		for j < len(idx) && x[idx[j]] == x[idx[i]] {
			j++
		}
		for k := i; k < j; k++ {
			r[idx[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return r
}

// MannWhitney is the exact two-sided rank test of two unpaired samples, ties
// by midranks, counted over all ways to split the pooled ranks. It is meant
// for imported data; campaigns of ours are paired by block. Reachable is the
// smallest p these sizes (and these ties) can give.
func MannWhitney(x, y []float64) (p, reachable float64) {
	if len(x) == 0 || len(y) == 0 {
		return math.NaN(), 1
	}
	pooled := append(slices.Clone(x), y...)
	r := midranks(pooled)
	doubled := make([]int, len(r)) // midranks are multiples of one half
	obs, all := 0, 0
	for i, v := range r {
		doubled[i] = int(math.Round(2 * v))
		all += doubled[i]
		if i < len(x) {
			obs += doubled[i]
		}
	}
	ways := splitCounts(doubled, len(x), all)
	var total, low, high, first, last float64
	for s, w := range ways {
		if w == 0 {
			continue
		}
		if first == 0 {
			first = w
		}
		last = w
		total += w
		if s <= obs {
			low += w
		}
		if s >= obs {
			high += w
		}
	}
	p = math.Min(1, 2*math.Min(low, high)/total)
	reachable = math.Min(1, 2*math.Min(first, last)/total)
	return p, reachable
}

// splitCounts gives, for each sum, the number of ways to choose k of the
// ranks with that sum.
func splitCounts(ranks []int, k, all int) []float64 {
	ways := make([][]float64, k+1)
	for i := range ways {
		ways[i] = make([]float64, all+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for c := k; c >= 1; c-- {
			for s := all; s >= r; s-- {
				ways[c][s] += ways[c-1][s-r]
			}
		}
	}
	return ways[k]
}

// MinUnpaired is the number of runs a side needs before MannWhitney can reach
// level without ties.
func MinUnpaired(level float64) int {
	for n := 1; n < 100; n++ {
		ways := 1.0
		for i := 1; i <= n; i++ {
			ways = ways * float64(n+i) / float64(i)
		}
		if 2/ways <= level {
			return n
		}
	}
	return 100
}

// Band names the size of a Cliff's delta.
type Band string

// The bands of Romano et al. 2006, as R's effsize has them.
const (
	Negligible Band = "negligible" // |delta| < 0.147
	Small      Band = "small"      // < 0.33
	Medium     Band = "medium"     // < 0.474
	Large      Band = "large"
)

// CliffsDelta is P(x > y) - P(x < y) over all pairs, with its band.
func CliffsDelta(x, y []float64) (float64, Band) {
	if len(x) == 0 || len(y) == 0 {
		return math.NaN(), Negligible
	}
	more, less := 0, 0
	for _, a := range x {
		for _, b := range y {
			switch {
			case a > b:
				more++
			case a < b:
				less++
			}
		}
	}
	delta := float64(more-less) / float64(len(x)*len(y))
	switch a := math.Abs(delta); {
	case a < 0.147:
		return delta, Negligible
	case a < 0.33:
		return delta, Small
	case a < 0.474:
		return delta, Medium
	}
	return delta, Large
}

// Holm adjusts p values for family-wise error; NaN entries stay NaN and do not
// count.
func Holm(p []float64) []float64 {
	return adjust(p, func(sorted []float64) {
		m, run := len(sorted), 0.0
		for i, v := range sorted {
			run = math.Max(run, math.Min(1, v*float64(m-i)))
			sorted[i] = run
		}
	})
}

// BenjaminiHochberg adjusts p values for the false discovery rate.
func BenjaminiHochberg(p []float64) []float64 {
	return adjust(p, func(sorted []float64) {
		m, run := len(sorted), 1.0
		for i := m - 1; i >= 0; i-- {
			run = math.Min(run, sorted[i]*float64(m)/float64(i+1))
			sorted[i] = run
		}
	})
}

func adjust(p []float64, step func(sorted []float64)) []float64 {
	idx := make([]int, 0, len(p))
	for i, v := range p {
		if !math.IsNaN(v) {
			idx = append(idx, i)
		}
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	sorted := make([]float64, len(idx))
	for i, j := range idx {
		sorted[i] = p[j]
	}
	step(sorted)
	out := make([]float64, len(p))
	for i := range out {
		out[i] = math.NaN()
	}
	for i, j := range idx {
		out[j] = sorted[i]
	}
	return out
}
