package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// noises have mean zero and variance one.
var noises = []struct {
	name string
	draw func(*rand.Rand) float64
}{
	{"normal", (*rand.Rand).NormFloat64},
	{"Laplace", func(r *rand.Rand) float64 {
		return math.Copysign(r.ExpFloat64()/math.Sqrt2, r.Float64()-0.5)
	}},
	{"skewed", func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }},
}

// campaign plays one campaign of three arms on five nodes with node effects of
// 6 % and block effects of 10 %; missing units are left out at random.
func campaign(blocks int, missing, shift float64, draw func(*rand.Rand) float64, rng *rand.Rand) []Obs {
	rows, err := Placement(3, 5, blocks, rng)
	if err != nil {
		panic(err)
	}
	node := make([]float64, 5)
	for i := range node {
		node[i] = 0.06 * rng.NormFloat64()
	}
	var obs []Obs
	for b, row := range rows {
		level := 0.1 * rng.NormFloat64()
		for i, arm := range row {
			y := 5 + level + node[i] + 0.018*draw(rng)
			if arm == 2 {
				y += shift
			}
			if rng.Float64() >= missing {
				obs = append(obs, Obs{b, i, arm, y})
			}
		}
	}
	return obs
}

type rates struct{ n, reject, held95, held90, tReject int }

func (r rates) String() string {
	pc := func(k int) float64 { return 100 * float64(k) / float64(r.n) }
	return fmt.Sprintf("%d campaigns: type I %.2f %%, coverage of 95 %%: %.2f, of 90 %%: %.2f; t test: type I %.2f %%",
		r.n, pc(r.reject), pc(r.held95), pc(r.held90), pc(r.tReject))
}

// simulate plays campaigns with a planted effect, and judges it and the same
// data with the effect taken off: the test of no difference sees noise alone.
func simulate(n, blocks int, missing float64, draw func(*rand.Rand) float64, seed uint64) rates {
	rng := rand.New(rand.NewPCG(seed, uint64(blocks)))
	r := rates{}
	for r.n < n {
		p, ok := NewProcesses(campaign(blocks, missing, 0, draw, rng), 2, 0, uint64(r.n))
		if !ok {
			continue
		}
		r.n++
		for hit, yes := range map[*int]bool{
			&r.reject: p.P <= 0.05, &r.tReject: p.PT <= 0.05,
			&r.held95: !p.Interval(0.95).Excludes(0), &r.held90: !p.Interval(0.90).Excludes(0),
		} {
			if yes {
				*hit++
			}
		}
	}
	return r
}

// TestProcessCalibration plays campaigns without an effect and counts wrong
// claims; TestShiftMovesEverything makes that the coverage of any effect. The
// committed size finds gross faults; LEDGERLAB_CALIBRATION=4000 gives figures
// to quote.
func TestProcessCalibration(t *testing.T) {
	asked, _ := strconv.Atoi(os.Getenv("LEDGERLAB_CALIBRATION"))
	for _, noise := range noises {
		for _, c := range []struct {
			blocks  int
			missing float64
		}{{6, 0}, {6, 0.1}, {8, 0}, {10, 0.1}, {12, 0}} {
			t.Run(fmt.Sprintf("%s/%d", noise.name, c.blocks), func(t *testing.T) {
				n := asked
				switch {
				case n > 0:
				case c.blocks == 12 || c.blocks > 6 && testing.Short():
					t.Skip("large reference set")
				case c.blocks > 6:
					n = 40 // the reference set is ten times as large
				default:
					n = 200
				}
				r := simulate(n, c.blocks, c.missing, noise.draw, 11)
				t.Logf("%.0f %% missing: %v", 100*c.missing, r)
				checkRate(t, "type I error", r.reject, n, 0.05)
				checkRate(t, "misses of the 95 % interval", n-r.held95, n, 0.05)
				checkRate(t, "misses of the 90 % interval", n-r.held90, n, 0.10)
			})
		}
	}
}

// checkRate allows one percentage point beside the noise of the draws.
func checkRate(t *testing.T, what string, hits, n int, want float64) {
	t.Helper()
	off := 0.01 + 3.5*math.Sqrt(want*(1-want)/float64(n))
	if rate := float64(hits) / float64(n); math.Abs(rate-want) > off {
		t.Errorf("%s: %.2f %%, want %.0f", what, 100*rate, 100*want)
	}
}

// TestShiftMovesEverything: an effect moves estimate and intervals by itself
// and leaves their widths alone.
func TestShiftMovesEverything(t *testing.T) {
	for seed := range uint64(20) {
		play := func(shift float64) *Processes {
			rng := rand.New(rand.NewPCG(seed, 5))
			p, ok := NewProcesses(campaign(6, 0.1, shift, noises[0].draw, rng), 2, 0, 1)
			if !ok {
				t.Fatal("not estimable")
			}
			return p
		}
		a, b := play(0), play(-0.08)
		near(t, "estimate", b.Estimate, a.Estimate-0.08, 1e-10)
		near(t, "low", b.Interval(0.95).Low, a.Interval(0.95).Low-0.08, 1e-10)
		near(t, "high", b.Interval(0.90).High, a.Interval(0.90).High-0.08, 1e-10)
		near(t, "t", b.T.High, a.T.High-0.08, 1e-10)
	}
}

// TestPlannedSizeIsTheSizeOfTheTest: what plan says of a placement before it
// runs is what the test has afterwards, for whole and for incomplete designs.
func TestPlannedSizeIsTheSizeOfTheTest(t *testing.T) {
	for _, c := range []struct{ arms, nodes, blocks int }{{3, 5, 3}, {3, 5, 6}, {3, 5, 12}, {2, 5, 5}, {4, 5, 8}, {7, 5, 9}} {
		rng := rand.New(rand.NewPCG(uint64(c.blocks), 6))
		rows, err := Placement(c.arms, c.nodes, c.blocks, rng)
		if err != nil {
			t.Fatal(err)
		}
		var obs []Obs
		for b, row := range rows {
			for i, arm := range row {
				obs = append(obs, Obs{b, i, arm, rng.NormFloat64()})
			}
		}
		p, ok := NewProcesses(obs, 1, 0, 1)
		if !ok {
			t.Fatalf("%+v: not estimable", c)
		}
		size, n := PlacementSize(rows, 1, 0)
		if n != p.Blocks {
			t.Errorf("%+v: %d blocks planned, %d seen", c, n, p.Blocks)
		}
		near(t, "df", size.DF(n), float64(p.DF), 1e-9)
		near(t, "df from the data", p.Size().DF(n), float64(p.DF), 1e-9)
		slack := 1e-9
		if !p.Exact {
			slack = 3e-4 // the labelling that was run may be drawn again
		}
		near(t, "smallest p", size.Smallest(n), p.Smallest, slack)
	}
}

// TestWhatCannotBeCompared: one block confounds arms with nodes; equal values
// give p one and an interval of one point.
func TestWhatCannotBeCompared(t *testing.T) {
	obs := campaign(1, 0, 0, noises[0].draw, rand.New(rand.NewPCG(1, 1)))
	if _, ok := NewProcesses(obs, 2, 0, 1); ok {
		t.Error("one block tells arms from nodes")
	}
	if _, ok := NewProcesses(nil, 2, 0, 1); ok {
		t.Error("nothing was compared")
	}
	obs = campaign(6, 0, 0, func(*rand.Rand) float64 { return 0 }, rand.New(rand.NewPCG(1, 1)))
	p, ok := NewProcesses(obs, 2, 0, 1)
	if !ok {
		t.Fatal("not estimable")
	}
	near(t, "p of no noise and no effect", p.P, 1, 0)
	near(t, "low", p.Interval(0.95).Low, 0, 1e-9)
	near(t, "high", p.Interval(0.95).High, 0, 1e-9)
	obs = campaign(2, 0, -0.5, noises[0].draw, rand.New(rand.NewPCG(1, 1)))
	if p, ok := NewProcesses(obs, 2, 0, 1); ok && (p.P <= 0.05 || !math.IsInf(p.Interval(0.95).Low, -1)) {
		t.Errorf("two blocks decided: p %v", p.P)
	}
}

func TestLabellingNullRejectsAsOftenAsItShould(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	got, want := LabellingNull(campaign(6, 0, 0, noises[1].draw, rng), 1, 0, 1, 0.05, 4000, rng)
	near(t, "share of the reference set", want, 144.0/2916, 1e-12)
	near(t, "share of fresh labellings", got, want, 0.012)
}

// dense solves the normal equations of y = block + node + arm plainly and
// returns the t statistic of the arm that z marks, merged into arm 0 otherwise.
func dense(obs []Obs, y, z []float64) (tau, stat float64, ok bool) {
	var cols [][]float64
	level := func(n int, of func(Obs) int) {
		for k := range n {
			x := make([]float64, len(obs))
			for i, o := range obs {
				if of(o) == k {
					x[i] = 1
				}
			}
			cols = append(cols, x)
		}
	}
	level(8, func(o Obs) int { return o.Block })
	level(5, func(o Obs) int { return o.Node })
	level(1, func(o Obs) int { return o.Arm - 1 }) // arm 1 is the other one
	var q [][]float64
	project := func(x []float64) []float64 {
		out := append([]float64(nil), x...)
		for range 3 {
			sweepOut(out, q)
		}
		return out
	}
	for _, x := range cols {
		r := project(x)
		if norm := math.Sqrt(dot(r, r)); norm > 1e-7 {
			for i := range r {
				r[i] /= norm
			}
			q = append(q, r)
		}
	}
	rz, ry := project(z), project(y)
	v := dot(rz, rz)
	if v < 1e-8 {
		return 0, 0, false
	}
	tau = dot(rz, ry) / v
	rss := dot(ry, ry) - tau*tau*v
	return tau, tau / math.Sqrt(rss/float64(len(obs)-len(q)-1)/v), true
}

// TestPermutationAgainstBruteForce deals every labelling of a small, uneven
// campaign, fits each from scratch and counts t statistics, at no difference and
// at shifts round the ends of the interval.
func TestPermutationAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 4 {
		obs := campaign(4, 0.08, -0.03, noises[1].draw, rng)
		p, ok := NewProcesses(obs, 2, 0, 1)
		if !ok || !p.Exact {
			t.Fatalf("exact %v", ok)
		}
		near(t, "p", p.P, brutePermutation(t, obs, 0), 1e-12)
		i := p.Interval(0.90)
		for shift, in := range map[float64]bool{i.Low + 1e-7: true, i.Low - 1e-7: false, i.High - 1e-7: true, i.High + 1e-7: false, p.Estimate: true} {
			if got := brutePermutation(t, obs, shift) > 0.10+1e-9; got != in {
				t.Errorf("shift %v, interval %+v: kept %v", shift, i, got)
			}
		}
	}
}

func brutePermutation(t *testing.T, obs []Obs, shift float64) float64 {
	t.Helper()
	y, z := make([]float64, len(obs)), make([]float64, len(obs))
	inBlock := map[int]int{}
	var places []int
	for i, o := range obs {
		y[i] = o.Y
		if o.Arm == 2 {
			y[i] -= shift
			z[i] = 1
			inBlock[o.Block]++
		}
		if o.Arm != 1 {
			places = append(places, i)
		}
	}
	_, run, _ := dense(obs, y, z)
	all, low, high := 0, 0, 0
	for bits := range 1 << len(places) {
		label, count := make([]float64, len(obs)), map[int]int{}
		for k, i := range places {
			if bits>>k&1 == 1 {
				label[i] = 1
				count[obs[i].Block]++
			}
		}
		same := true
		for b := range 4 {
			same = same && count[b] == inBlock[b]
		}
		if !same {
			continue
		}
		if _, s, ok := dense(obs, y, label); ok {
			all++
			if s <= run+1e-9 {
				low++
			}
			if s >= run-1e-9 {
				high++
			}
		}
	}
	return math.Min(1, 2*float64(min(low, high))/float64(all))
}
