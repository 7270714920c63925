package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// processModel is y = block + node + arm + e over the processes of a campaign,
// reduced to what a comparison of one arm with the control needs. R stands for
// the residual projection of the model in which arm and control are merged;
// z marks the processes that carry the arm.
type processModel struct {
	places [][]int     // by block: the processes that carry arm or control
	isArm  []bool      // z
	basis  [][]float64 // by process: orthonormal directions of nodes and other arms, block means taken out
	ry, rz []float64   // R y and R z
	fixed  float64     // z'z less its block means: the same for every relabelling inside blocks
	v      float64     // z'R z
	scale  float64     // largest |y|, for what is rounding
	blocks int
	df     int
}

// newProcessModel returns nil where the contrast cannot be estimated: the arm
// cannot be told from the blocks and nodes it ran on.
func newProcessModel(obs []Obs, arm, control int) *processModel {
	m := &processModel{}
	rows := map[int][]int{} // by block
	columns := map[[2]int][]int{}
	y, z := make([]float64, len(obs)), make([]float64, len(obs))
	m.isArm = make([]bool, len(obs))
	for i, o := range obs {
		y[i] = o.Y
		rows[o.Block] = append(rows[o.Block], i)
		columns[[2]int{0, o.Node}] = append(columns[[2]int{0, o.Node}], i)
		switch o.Arm {
		case arm:
			z[i], m.isArm[i] = 1, true
		case control:
		default:
			columns[[2]int{1, o.Arm}] = append(columns[[2]int{1, o.Arm}], i)
		}
	}
	blocks := sortedGroups(rows)
	m.blocks = len(blocks)
	for _, in := range blocks {
		m.places = append(m.places, slices.DeleteFunc(slices.Clone(in), func(i int) bool {
			return obs[i].Arm != arm && obs[i].Arm != control
		}))
	}
	basis := span(columns, blocks, len(obs))
	residual := func(x []float64) []float64 {
		out := withoutMeans(x, blocks)
		sweepOut(out, basis)
		return out
	}
	m.ry, m.rz, m.scale = residual(y), residual(z), largest(y)
	if largest(m.ry) <= rounding*m.scale {
		clear(m.ry)
	}
	m.fixed = dot(z, withoutMeans(z, blocks))
	m.v = dot(z, m.rz)
	if m.fixed <= 0 || m.v < estimable*m.fixed {
		return nil
	}
	m.df = len(obs) - len(blocks) - len(basis) - 1
	m.basis = make([][]float64, len(obs))
	for i := range obs {
		for _, q := range basis {
			m.basis[i] = append(m.basis[i], q[i])
		}
	}
	return m
}

// estimable is the share of the arm's spread inside blocks that nodes and other
// arms must leave; below it only rounding is left.
const estimable = 1e-9

// rounding is the share of the largest value below which a residual is none.
const rounding = 1e-12

func largest(x []float64) (most float64) {
	for _, v := range x {
		most = math.Max(most, math.Abs(v))
	}
	return most
}

func sortedGroups[K int | [2]int](groups map[K][]int) [][]int {
	out := make([][]int, 0, len(groups))
	for _, g := range groups {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b []int) int { return slices.Compare(a, b) })
	return out
}

// span orthonormalises the indicators of columns, block means taken out, and
// drops those that say nothing new.
func span(columns map[[2]int][]int, blocks [][]int, n int) [][]float64 {
	var basis [][]float64
	for _, in := range sortedGroups(columns) {
		x := make([]float64, n)
		for _, i := range in {
			x[i] = 1
		}
		x = withoutMeans(x, blocks)
		sweepOut(x, basis)
		sweepOut(x, basis) // once more against rounding
		norm := math.Sqrt(dot(x, x))
		if norm < 1e-6 {
			continue
		}
		for i := range x {
			x[i] /= norm
		}
		basis = append(basis, x)
	}
	return basis
}

func withoutMeans(x []float64, blocks [][]int) []float64 {
	out := slices.Clone(x)
	for _, in := range blocks {
		mean := 0.0
		for _, i := range in {
			mean += x[i]
		}
		mean /= float64(len(in))
		for _, i := range in {
			out[i] -= mean
		}
	}
	return out
}

func sweepOut(x []float64, basis [][]float64) {
	for _, q := range basis {
		f := dot(q, x)
		for i := range x {
			x[i] -= f * q[i]
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// contrast is the least-squares estimate of arm minus control.
func (m *processModel) contrast() float64 {
	sum := 0.0
	for i, in := range m.isArm {
		if in {
			sum += m.ry[i]
		}
	}
	return sum / m.v
}

// stdErr is the standard error of the contrast under equal independent errors;
// NaN without degrees of freedom.
func (m *processModel) stdErr(tau float64) float64 {
	if m.df < 1 {
		return math.NaN()
	}
	rss := math.Max(0, dot(m.ry, m.ry)-tau*tau*m.v)
	return math.Sqrt(rss / float64(m.df) / m.v)
}

// student is the t interval and p of the linear model: the cross-check of the
// permutation test.
func student(tau, se float64, df int) (i Interval, p float64) {
	if df < 1 || math.IsNaN(se) {
		return Interval{math.Inf(-1), math.Inf(1), 0}, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}
	half := t.Quantile(0.975) * se
	p = 1
	if tau != 0 {
		p = 2 * t.Survival(math.Abs(tau)/se)
	}
	return Interval{tau - half, tau + half, 0.95}, p
}
