package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPercentileType7(t *testing.T) {
	x := []float64{15, 20, 35, 40, 50}
	near(t, "p40", Percentile(x, 0.4), 29, 1e-12)
	near(t, "p0", Percentile(x, 0), 15, 0)
	near(t, "p100", Percentile(x, 1), 50, 0)
	near(t, "empty", Percentile(nil, 0.5), math.NaN(), 0)
}

func TestTimeWeighted(t *testing.T) {
	// a burst of samples at the end must not weigh more than its time
	ts, y := []float64{0, 10, 10.1, 10.2}, []float64{100, 100, 500, 500}
	near(t, "weighted", TimeWeighted(ts, y), (1000+30+50)/10.2, 1e-9)
}

func TestTheilSenIgnoresOutliers(t *testing.T) {
	ts, y := make([]float64, 100), make([]float64, 100)
	for i := range ts {
		ts[i], y[i] = float64(i), 3*float64(i)+1
		if i%10 == 0 {
			y[i] += 1e6
		}
	}
	near(t, "slope", TheilSen(ts, y), 3, 1e-9)
}

func TestSlopeIntervalCoversTheTruthOfASawtooth(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const rounds = 40
	held := 0
	for range rounds {
		ts, y := make([]float64, 100), make([]float64, 100)
		for i := range ts {
			ts[i] = float64(i)
			y[i] = 0.5*float64(i) + 20*float64(i%8)/8 + 5*rng.NormFloat64()
		}
		if !SlopeInterval(ts, y, 0.95, 0, 200, rng).Excludes(0.5) {
			held++
		}
	}
	if held < 33 {
		t.Errorf("the interval held the slope in %d of %d series", held, rounds)
	}
}

func TestMSER5CutsTheWarmUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	y := make([]float64, 400)
	for i := range y {
		y[i] = 100 + rng.NormFloat64()
		if i < 60 {
			y[i] -= float64(60 - i)
		}
	}
	cut, settled := MSER5(y)
	if !settled || cut < 45 || cut > 100 {
		t.Errorf("cut %d settled %v, warm-up was 60 values", cut, settled)
	}
	ramp := make([]float64, 200)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	if _, settled := MSER5(ramp); settled {
		t.Error("a ramp never settles")
	}
}

func TestSteady(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	flat, up, ts := make([]float64, 200), make([]float64, 200), make([]float64, 200)
	for i := range ts {
		ts[i] = float64(i)
		flat[i] = 1000 + rng.NormFloat64()
		up[i] = 1000 + float64(i)
	}
	if !Steady(ts, flat, 0.01, rng) || Steady(ts, up, 0.01, rng) {
		t.Error("flat must be steady at 1 %, a rise of 20 % must not")
	}
}

// TestMDEIsTheTableOfTheProtocol: MDE in sd of d, one metric, 80 % power.
func TestMDEIsTheTableOfTheProtocol(t *testing.T) {
	for n, want := range map[int]float64{6: 1.43, 8: 1.15, 9: 1.07, 10: 1.00, 12: 0.89, 14: 0.81, 20: 0.66} {
		near(t, "MDE", MDE(n, 1, 0.05, 0.8), want, 0.006)
	}
	if !math.IsInf(MDE(5, 1, 0.05, 0.8), 1) {
		t.Error("five blocks can see nothing at 0.05")
	}
	if n := SignFlips().BlocksFor(1, 1, 0.05, 0.8, 100); n != 10 && n != 11 {
		t.Errorf("blocks for one sd: %d, want about ten", n)
	}
	if lo, hi := BinomialBand(100, 0.05, 0.95); lo != 1 || hi != 10 {
		t.Errorf("binomial band of 100 at 5 %%: %d..%d, want 1..10", lo, hi)
	}
}
