package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// MaxLabellings is the largest reference set that is enumerated; a larger one is
// drawn from (drawnLabellings, seeded, the labelling that was run included).
const (
	MaxLabellings   = 50_000
	drawnLabellings = 20_000
)

// Processes compares an arm with the control where the unit is one process in
// one block (placement node). The model is y = block + node + arm; the estimate
// is its least-squares contrast, and the test is a randomisation test: labels
// arm and control are dealt anew among the processes of each block that carry
// either, other arms stay, and the contrast is studentised each time.
//
// The reduced model (arm and control merged) does not see a relabelling, so
// its residuals are the same for all of them and the t statistic of a labelling
// z* grows with z*'R y / sqrt(z*'R z*) alone. Under a null shift delta
// that is linear in delta: each labelling gives one shift at which it becomes as
// extreme as the one that was run, and ends of intervals are order statistics
// of these crossings, as subset means are for the sign flips.
type Processes struct {
	Estimate  float64
	SE        float64  // of the estimate; NaN without degrees of freedom
	DF        int      // residual degrees of freedom
	T         Interval // 95 % t interval of the linear model, a cross-check
	PT        float64  // its p
	P         float64  // two-sided, of no difference
	Smallest  float64  // p that this design could reach
	Reference int      // labellings in the reference set, the one run included
	Exact     bool     // all of them, not a draw
	Blocks    int      // in which both arm and control ran
	crossings []float64
	always    int // labellings as extreme as the one run whatever the shift
	perBlock  float64
	growth    float64
}

// NewProcesses compares arm with control; false where blocks and nodes leave
// nothing by which to tell them apart. Seed matters only where the reference
// set is drawn.
func NewProcesses(obs []Obs, arm, control int, seed uint64) (*Processes, bool) {
	m := newProcessModel(obs, arm, control)
	if m == nil {
		return nil, false
	}
	p := &Processes{Estimate: m.contrast(), DF: m.df}
	p.SE = m.stdErr(p.Estimate)
	p.T, p.PT = student(p.Estimate, p.SE, m.df)
	root := math.Sqrt(m.v)
	p.Exact = m.relabel(seed, func(a, b, v float64) {
		ofv := math.Sqrt(v)
		if down := root - b/ofv; down > estimable*root {
			p.crossings = append(p.crossings, (root*p.Estimate-a/ofv)/down)
		} else {
			p.always++
		}
	})
	slices.Sort(p.crossings)
	p.Reference = p.always + len(p.crossings)
	low, high := p.tails(rounding * m.scale)
	p.P = math.Min(1, 2*float64(min(low, high))/float64(p.Reference))
	p.Smallest = math.Min(1, 2*float64(p.always)/float64(p.Reference))
	p.Blocks, p.growth = m.both()
	p.perBlock = float64(len(obs)-m.blocks) / float64(max(1, p.Blocks))
	return p, true
}

// tails counts the labellings at least as extreme as the one run, each way;
// what differs by rounding only is a tie and counts.
func (p *Processes) tails(tie float64) (low, high int) {
	atMost, _ := slices.BinarySearchFunc(p.crossings, tie, func(c, t float64) int {
		if c <= t {
			return -1
		}
		return 1
	})
	below, _ := slices.BinarySearch(p.crossings, -tie)
	return p.always + atMost, p.always + len(p.crossings) - below
}

// Interval holds every shift that the test does not reject at 1-level.
func (p *Processes) Interval(level float64) Interval {
	n := float64(p.Reference)
	k := int(math.Floor((1-level)*n/2 + 1e-9))
	at := k - p.always
	if at < 0 || at >= len(p.crossings) {
		return Interval{math.Inf(-1), math.Inf(1), 1}
	}
	return Interval{p.crossings[at], p.crossings[len(p.crossings)-1-at], 1 - 2*float64(k)/n}
}

// Size is how p and degrees of freedom of such a campaign grow with blocks.
func (p *Processes) Size() Size {
	return processSize(p.perBlock, float64(p.DF)-p.perBlock*float64(p.Blocks), p.growth/float64(max(1, p.Blocks)))
}

// both counts blocks that hold arm and control, and the logarithm of the
// labellings they allow.
func (m *processModel) both() (blocks int, logWays float64) {
	for _, in := range m.places {
		if k := m.carriers(in); k > 0 && k < len(in) {
			blocks++
			logWays += logChoose(len(in), k)
		}
	}
	return blocks, logWays
}

func (m *processModel) carriers(in []int) (k int) {
	for _, i := range in {
		if m.isArm[i] {
			k++
		}
	}
	return k
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// relabel gives z*'R y, z*'R z and z*'R z* of every labelling in the reference
// set. Labellings that could not be estimated are left out of it. It says
// whether the set is complete.
func (m *processModel) relabel(seed uint64, visit func(a, b, v float64)) bool {
	if _, ways := m.both(); ways <= math.Log(MaxLabellings)+1e-9 {
		m.enumerate(visit)
		return true
	}
	run := make([]float64, m.width())
	for i, in := range m.isArm {
		if in {
			m.add(run, i)
		}
	}
	m.see(run, visit)
	m.draws(drawnLabellings, rand.New(rand.NewPCG(seed, 0x9e3a7)), visit)
	return false
}

// width is the length of the sums over the processes of an arm: of R y, of R z
// and of each direction.
func (m *processModel) width() int { return 2 + len(m.basis[0]) }

func (m *processModel) add(sum []float64, i int) {
	sum[0] += m.ry[i]
	sum[1] += m.rz[i]
	for j, v := range m.basis[i] {
		sum[2+j] += v
	}
}

// see passes a labelling on, if it could be estimated.
func (m *processModel) see(sum []float64, visit func(a, b, v float64)) {
	v := m.fixed
	for _, s := range sum[2:] {
		v -= s * s
	}
	if v >= estimable*m.fixed {
		visit(sum[0], sum[1], v)
	}
}

// draws deals n labellings at random.
func (m *processModel) draws(n int, rng *rand.Rand, visit func(a, b, v float64)) {
	order, arms := make([][]int, len(m.places)), make([]int, len(m.places))
	for b, in := range m.places {
		order[b], arms[b] = slices.Clone(in), m.carriers(in)
	}
	sum := make([]float64, m.width())
	for range n {
		clear(sum)
		for b, at := range order {
			for i := range arms[b] {
				j := i + rng.IntN(len(at)-i)
				at[i], at[j] = at[j], at[i]
				m.add(sum, at[i])
			}
		}
		m.see(sum, visit)
	}
}

// enumerate visits the product over blocks of the ways to choose which
// processes carry the arm.
func (m *processModel) enumerate(visit func(a, b, v float64)) {
	parts := make([][][]float64, len(m.places)) // block, way, sums
	for b, in := range m.places {
		choose(len(in), m.carriers(in), func(pick []int) {
			sum := make([]float64, m.width())
			for _, i := range pick {
				m.add(sum, in[i])
			}
			parts[b] = append(parts[b], sum)
		})
	}
	level := make([][]float64, len(parts)+1)
	for i := range level {
		level[i] = make([]float64, m.width())
	}
	var walk func(b int)
	walk = func(b int) {
		if b == len(parts) {
			m.see(level[b], visit)
			return
		}
		for _, way := range parts[b] {
			for i, v := range way {
				level[b+1][i] = level[b][i] + v
			}
			walk(b + 1)
		}
	}
	walk(0)
}

// choose visits every way to pick k of n.
func choose(n, k int, visit func(pick []int)) {
	pick := make([]int, 0, k)
	var walk func(from int)
	walk = func(from int) {
		if len(pick) == k {
			visit(pick)
			return
		}
		for i := from; i <= n-(k-len(pick)); i++ {
			pick = append(pick, i)
			walk(i + 1)
			pick = pick[:len(pick)-1]
		}
	}
	walk(0)
}

// LabellingNull says what the test finds when the labels it compares are dealt
// at random among the processes that carry them: want is the share of the
// reference set that it rejects at level, got that of n fresh labellings.
func LabellingNull(obs []Obs, arm, control int, seed uint64, level float64, n int, rng *rand.Rand) (got, want float64) {
	m := newProcessModel(obs, arm, control)
	if m == nil {
		return math.NaN(), math.NaN()
	}
	var ref []float64
	m.relabel(seed, func(a, _, v float64) { ref = append(ref, a/math.Sqrt(v)) })
	slices.Sort(ref)
	slack := rounding * m.scale * math.Sqrt(m.v)
	rejects := func(s float64) bool {
		below, _ := slices.BinarySearch(ref, s-slack)
		above, _ := slices.BinarySearch(ref, s+slack)
		tail := min(above, len(ref)-below)
		return 2*float64(tail) <= level*float64(len(ref))*(1+1e-9)
	}
	hits := 0
	for _, s := range ref {
		if rejects(s) {
			hits++
		}
	}
	want = float64(hits) / float64(len(ref))
	hits, made := 0, 0
	m.draws(n, rng, func(a, _, v float64) {
		made++
		if rejects(a / math.Sqrt(v)) {
			hits++
		}
	})
	return float64(hits) / float64(max(1, made)), want
}
