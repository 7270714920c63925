package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestWilliamsSquaresAreBalanced(t *testing.T) {
	for k := 2; k <= 9; k++ {
		rows := WilliamsRows(k)
		pos, after := map[[2]int]int{}, map[[2]int]int{}
		for _, r := range rows {
			for i, v := range r {
				pos[[2]int{i, v}]++
				if i > 0 {
					after[[2]int{r[i-1], v}]++
				}
			}
		}
		for i := range k {
			for v := range k {
				if pos[[2]int{i, v}] != len(rows)/k {
					t.Fatalf("k %d: arm %d is %d times in position %d", k, v, pos[[2]int{i, v}], i)
				}
				if i != v && after[[2]int{i, v}] != len(rows)/k {
					t.Fatalf("k %d: arm %d follows %d %d times", k, v, i, after[[2]int{i, v}])
				}
			}
		}
	}
}

func TestTwoArmsGiveMirroredPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[int]bool{}
	for range 40 {
		o := Orders(2, 8, rng)
		for b := 0; b < 8; b += 2 {
			if o[b][0] == o[b+1][0] {
				t.Fatalf("blocks %d and %d are not mirrored: %v", b, b+1, o)
			}
			seen[o[b][0]] = true
		}
	}
	if len(seen) != 2 {
		t.Error("ABBA and BAAB must both be drawn")
	}
}

func TestPlacementOfThreeArmsOnFiveNodes(t *testing.T) {
	for seed := range uint64(50) {
		p, err := Placement(3, 5, 6, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		single := [3]int{}
		carried := [5][3]int{}
		for _, row := range p {
			count := [3]int{}
			for node, arm := range row {
				count[arm]++
				carried[node][arm]++
			}
			for arm, c := range count {
				switch c {
				case 1:
					single[arm]++
				case 2:
				default:
					t.Fatalf("seed %d: a block holds %v", seed, count)
				}
			}
		}
		if single != [3]int{2, 2, 2} {
			t.Fatalf("seed %d: the single does not rotate: %v", seed, single)
		}
		for node, c := range carried {
			if c != [3]int{2, 2, 2} {
				t.Fatalf("seed %d: node %d carries %v", seed, node, c)
			}
		}
	}
}

func TestIncompletePlacementHoldsTheControl(t *testing.T) {
	p, err := Placement(8, 5, 14, rand.New(rand.NewPCG(3, 1)))
	if err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for b, row := range p {
		in := map[int]bool{}
		for _, a := range row {
			if in[a] {
				t.Fatalf("block %d carries arm %d twice: %v", b, a, row)
			}
			in[a] = true
			count[a]++
		}
		if !in[0] {
			t.Fatalf("block %d lacks the control", b)
		}
	}
	for a := 1; a < 8; a++ {
		if count[a] != 8 {
			t.Errorf("arm %d is placed %d times, want 8", a, count[a])
		}
	}
	if _, err := Placement(1, 5, 6, rand.New(rand.NewPCG(3, 1))); err == nil {
		t.Error("one arm is no comparison")
	}
}

func TestNodeEffectsAreRecoveredAlsoWithALostBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	effect := []float64{0.3, -0.2, 0.1, -0.3, 0.1}
	armEffect := []float64{0, 0, -0.17}
	p, _ := Placement(3, 5, 6, rng)
	var obs []Obs
	for b, row := range p {
		if b == 4 {
			continue
		}
		for node, arm := range row {
			obs = append(obs, Obs{b, node, arm, 5 + 0.1*float64(b) + effect[node] + armEffect[arm]})
		}
	}
	for i, v := range NodeEffects(obs, 5) {
		near(t, "node effect", v, effect[i], 1e-6)
	}
	d, blocks := BlockDiffs(obs, 2, 0, true)
	if len(d) != 5 || blocks[4] != 5 {
		t.Fatalf("blocks %v", blocks)
	}
	for _, v := range d {
		near(t, "arm effect", v, -0.17, 1e-6)
	}
}

func noise(blocks int, nodeSD, runSD float64, rng *rand.Rand) []Obs {
	p, _ := Placement(3, 5, blocks, rng)
	effect := make([]float64, 5)
	for i := range effect {
		effect[i] = nodeSD * rng.NormFloat64()
	}
	var obs []Obs
	for b, row := range p {
		level := 0.1 * rng.NormFloat64()
		for node, arm := range row {
			e := runSD * rng.NormFloat64()
			if rng.IntN(20) == 0 {
				e *= 4
			}
			obs = append(obs, Obs{b, node, arm, 5 + level + effect[node] + e})
		}
	}
	return obs
}

// TestAdjustmentGainsPrecision: with nodes that differ, taking node effects
// out narrows the block differences several times.
func TestAdjustmentGainsPrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var plain, adjusted []float64
	for range 200 {
		obs := noise(6, 0.05, 0.007, rng)
		d0, _ := BlockDiffs(obs, 2, 0, false)
		d1, _ := BlockDiffs(obs, 2, 0, true)
		plain, adjusted = append(plain, StdDev(d0)), append(adjusted, StdDev(d1))
	}
	if gain := Mean(plain) / Mean(adjusted); gain < 3 {
		t.Errorf("sd of d shrinks only %.1f times", gain)
	}
}

// TestTrialL07: the same arm twice in eight blocks, with a planted drift of
// 10 % over the session, must show no difference.
func TestTrialL07(t *testing.T) {
	const campaigns = 400
	fixed, drawn := 0, 0
	for seed := range uint64(campaigns) {
		rng := rand.New(rand.NewPCG(seed, 9))
		run := func(order [][]int) float64 {
			d := make([]float64, 0, 8)
			for b, row := range order {
				var y [2]float64
				for pos, arm := range row {
					y[arm] = 0.1*float64(2*b+pos)/16 + 0.003*rng.NormFloat64()
				}
				d = append(d, y[1]-y[0])
			}
			return SignFlip(d)
		}
		if run(Orders(2, 8, rng)) <= 0.05 {
			drawn++
		}
		same := make([][]int, 8)
		for i := range same {
			same[i] = []int{0, 1}
		}
		if run(same) <= 0.05 {
			fixed++
		}
	}
	if rate := float64(drawn) / campaigns; rate > 0.07 {
		t.Errorf("drawn order: the drift is called a difference in %.1f%%", 100*rate)
	}
	if fixed < campaigns*9/10 {
		t.Errorf("a fixed order should be fooled by the drift, was in %d of %d", fixed, campaigns)
	}
}

func TestNullRelabellingRejectsAtTheAttainableLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for n, want := range map[int]float64{6: 0.03125, 10: 0.0488} {
		hits := 0
		const draws = 4000
		for range draws {
			d := make([]float64, n)
			for i := range d {
				d[i] = math.Copysign(1+rng.Float64(), rng.Float64()-0.5)
			}
			if SignFlip(d) <= 0.05 {
				hits++
			}
		}
		near(t, "null rate", float64(hits)/draws, want, 0.01)
	}
}
