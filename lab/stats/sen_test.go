package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSenIntervalCovers: over many noisy lines, some with neighbours that
// resemble one another, the interval holds the true slope about as often as it
// says.
func TestSenIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		n           int
		keep, least float64
	}{{10, 0, 0.92}, {20, 0, 0.92}, {40, 0, 0.92}, {20, 0.5, 0.85}, {40, 0.5, 0.88}} {
		held, draws := 0, 600
		for range draws {
			x, y, v := make([]float64, c.n), make([]float64, c.n), 0.0
			for i := range x {
				v = c.keep*v + rng.NormFloat64()
				x[i], y[i] = float64(i), 0.3*float64(i)+v
			}
			if slope, ci := SenInterval(x, y, 0.95); !ci.Excludes(0.3) && ci.Low <= slope && slope <= ci.High {
				held++
			}
		}
		if share := float64(held) / float64(draws); share < c.least || share > 0.995 {
			t.Errorf("n %d, correlation %v: held in %.3f", c.n, c.keep, share)
		}
	}
}

// TestSenIntervalByHand: five points of Hollander & Wolfe's size are too few, six
// on a line have no width, and a jump does not move the median slope.
func TestSenIntervalByHand(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	if _, ci := SenInterval(x[:5], x[:5], 0.95); !math.IsInf(ci.Low, -1) || !math.IsInf(ci.High, 1) {
		t.Error(ci)
	}
	if slope, ci := SenInterval(x, x, 0.95); slope != 1 || ci.Low != 1 || ci.High != 1 {
		t.Error(slope, ci)
	}
	y := []float64{0, 1, 2, 3, 4, 5, 6, 700}
	if slope, ci := SenInterval(x, y, 0.95); slope != 1 || ci.Low > 1 || ci.High < 1 {
		t.Error(slope, ci)
	}
	if slope, ci := SenInterval([]float64{1, 1, 1, 1, 1, 1}, []float64{1, 2, 3, 4, 5, 6}, 0.95); !math.IsNaN(slope) || !math.IsInf(ci.High, 1) {
		t.Error("no slope without time", slope, ci)
	}
}
