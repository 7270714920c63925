package stats

import (
	"math"
	"testing"
)

func around(centre, spread float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = centre + spread*(float64(i)/float64(n-1)-0.5)
	}
	return d
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name     string
		d        []float64
		margin   float64
		better   Better
		want     Word
		adjusted float64
	}{
		{"well lower, lower is good", around(-0.17, 0.03, 10), 0.02, Lower, Improved, 0},
		{"well lower, higher is good", around(-0.17, 0.03, 10), 0.02, Higher, Regressed, 0},
		{"well higher, higher is good", around(0.17, 0.03, 10), 0.02, Higher, Improved, 0},
		{"estimate beyond, interval touches the margin", around(-0.03, 0.04, 10), 0.02, Lower, Improved, 0},
		{"inside the margin, no effect", around(0.0005, 0.02, 10), 0.02, Lower, Equivalent, 0},
		{"tiny but sure", around(-0.005, 0.004, 10), 0.02, Lower, Trivial, 0},
		{"wide", around(0.01, 0.4, 10), 0.02, Lower, Inconclusive, 0},
		{"well lower but correction forbids", around(-0.17, 0.03, 10), 0.02, Lower, Inconclusive, 0.2},
		{"five blocks reach nothing", around(-0.17, 0.03, 5), 0.02, Lower, Inconclusive, 0},
		{"nothing measured", nil, 0.02, Lower, Inconclusive, 0},
	} {
		claim := NewClaim(c.d, c.margin, c.better)
		p := claim.P
		if c.adjusted != 0 {
			p = c.adjusted
		}
		if got := claim.Decide(p, 0.05); got != c.want {
			t.Errorf("%s: %s, want %s (p %v, I %+v, J %+v)", c.name, got, c.want, claim.P, claim.I, claim.J)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for w, code := range map[Word]int{Improved: 0, Equivalent: 0, Trivial: 0, Regressed: 1, Inconclusive: 2, Drifting: 2, Void: 3} {
		if w.Exit() != code {
			t.Errorf("%s exits %d, want %d", w, w.Exit(), code)
		}
	}
}

func TestGates(t *testing.T) {
	quiet := NewClaim(around(0.001, 0.01, 10), 0.02, Lower)
	biased := NewClaim(around(0.015, 0.004, 10), 0.02, Lower)
	noisy := NewClaim(around(0.01, 0.4, 10), 0.02, Lower)
	g := NewGates([]Claim{quiet, biased, noisy, {Margin: 0.02}})
	for i, want := range []bool{true, false, false, false} {
		if g[i].OK != want {
			t.Errorf("gate %d: %v (%s)", i, g[i].OK, g[i].Reason)
		}
	}
}

// TestPublishedPadRuns: one run a setting must not be ranked.
func TestPublishedPadRuns(t *testing.T) {
	claim := NewClaim([]float64{math.Log(15.91 / 15.64)}, 0.02, Lower)
	if w := claim.Decide(claim.P, 0.05); w != Inconclusive {
		t.Errorf("one run each was judged %s", w)
	}
	if !math.IsInf(claim.RulesOut(), 1) {
		t.Errorf("one run rules nothing out, got %v", claim.RulesOut())
	}
}

func TestBlocksToDecide(t *testing.T) {
	c := NewClaim(around(0.01, 0.1, 6), 0.02, Lower)
	if n := c.BlocksToDecide(); n <= 6 {
		t.Errorf("an undecided claim needs more blocks than it had, got %d", n)
	}
}
