package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > tol {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// bruteSignFlip is the definition, written as plainly as possible.
func bruteSignFlip(d []float64) float64 {
	obs := 0.0
	for _, v := range d {
		obs += v
	}
	hits, all := 0, 0
	for s := range 1 << len(d) {
		sum := 0.0
		for i, v := range d {
			if s>>i&1 == 1 {
				v = -v
			}
			sum += v
		}
		if math.Abs(sum) >= math.Abs(obs)-1e-9 {
			hits++
		}
		all++
	}
	return float64(hits) / float64(all)
}

func TestSignFlipAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 12; n++ {
		for range 20 {
			d := make([]float64, n)
			for i := range d {
				d[i] = math.Round(rng.NormFloat64()*4) / 4 // many ties and zeros
			}
			near(t, "sign flip", SignFlip(d), bruteSignFlip(d), 1e-12)
		}
	}
	near(t, "all zero", SignFlip([]float64{0, 0, 0, 0}), 1, 0)
	near(t, "empty", SignFlip(nil), math.NaN(), 0)
}

func TestSmallestPIsTheTableOfTheProtocol(t *testing.T) {
	want := map[int]float64{5: 0.0625, 6: 0.03125, 8: 0.0078125, 10: 0.001953125}
	for n, p := range want {
		d := make([]float64, n)
		for i := range d {
			d[i] = -1 - float64(i)
		}
		near(t, "smallest p", SignFlip(d), p, 1e-15)
		near(t, "SmallestP", SmallestP(n), p, 1e-15)
	}
	if got := MinBlocks(0.05); got != 6 {
		t.Errorf("MinBlocks(0.05) = %d, want 6", got)
	}
}

// TestIntervalInvertsTheTest checks, shift by shift, that the interval holds
// exactly those the test does not reject.
func TestIntervalInvertsTheTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 5; n <= 11; n++ {
		for range 5 {
			d := make([]float64, n)
			for i := range d {
				d[i] = rng.NormFloat64()
			}
			for _, level := range []float64{0.90, 0.95} {
				ci := ShiftInterval(d, level)
				for shift := -3.0; shift <= 3; shift += 0.0137 {
					e := make([]float64, n)
					for i := range e {
						e[i] = d[i] - shift
					}
					rejected := SignFlip(e) <= 1-level+1e-12
					if rejected == !ci.Excludes(shift) {
						t.Fatalf("n %d level %v shift %v: rejected %v, interval %+v", n, level, shift, rejected, ci)
					}
				}
			}
		}
	}
}

func TestIntervalOfSixBlocksIsTheRange(t *testing.T) {
	ci := ShiftInterval([]float64{3, 1, 2, 6, 5, 4}, 0.95)
	near(t, "low", ci.Low, 1, 0)
	near(t, "high", ci.High, 6, 0)
	near(t, "level", ci.Level, 1-2.0/64, 1e-12)
	if five := ShiftInterval([]float64{3, 1, 2, 6, 5}, 0.95); !math.IsInf(five.Low, -1) || !math.IsInf(five.High, 1) {
		t.Errorf("five blocks bound nothing at 95 %%: %+v", five)
	}
}

func TestIntervalCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const draws, n = 2000, 8
	held := 0
	for range draws {
		d := make([]float64, n)
		for i := range d {
			d[i] = 0.3 + rng.NormFloat64()
		}
		if !ShiftInterval(d, 0.95).Excludes(0.3) {
			held++
		}
	}
	if share := float64(held) / draws; share < 0.94 || share > 0.97 {
		t.Errorf("coverage %v of a 95 %% interval", share)
	}
}

func TestHodgesLehmann(t *testing.T) {
	near(t, "symmetric", HodgesLehmann([]float64{1, 2, 3, 4, 5}), 3, 1e-12)
	near(t, "outlier", HodgesLehmann([]float64{1, 2, 3, 4, 100}), 3, 1e-12)
	near(t, "one", HodgesLehmann([]float64{7}), 7, 0)
	// Hollander & Wolfe, Hamilton depression scale (nine patients): 0.46 in
	// their sign convention.
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	near(t, "depression", HodgesLehmann(d), 0.46, 0.001)
	near(t, "depression, Wilcoxon", Wilcoxon(d), 0.0390625, 1e-12) // R: wilcox.test(x, y, paired=TRUE)
}

func FuzzSignFlip(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6})
	f.Add([]byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == 0 || len(raw) > 10 {
			return
		}
		d := make([]float64, len(raw))
		for i, b := range raw {
			d[i] = float64(int8(b)) / 8
		}
		if got, want := SignFlip(d), bruteSignFlip(d); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: %v, want %v", d, got, want)
		}
	})
}
