package stats

import (
	"bufio"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	mstats "github.com/aclements/go-moremath/stats"
)

func TestMannWhitneyAgainstMoremathWithoutTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		x, y := make([]float64, 2+rng.IntN(8)), make([]float64, 2+rng.IntN(8))
		for i := range x {
			x[i] = rng.Float64()
		}
		for i := range y {
			y[i] = rng.Float64() + 0.3
		}
		r, err := mstats.MannWhitneyUTest(x, y, mstats.LocationDiffers)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := MannWhitney(x, y)
		near(t, "Mann-Whitney", p, math.Min(1, r.P), 1e-9)
	}
}

// TestMannWhitneyWithTiesAgainstBruteForce walks every split of the pooled
// ranks. (moremath is no oracle here: with ties and unequal sizes it returns
// probabilities above one.)
func TestMannWhitneyWithTiesAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		x, y := make([]float64, 1+rng.IntN(6)), make([]float64, 1+rng.IntN(6))
		for i := range x {
			x[i] = float64(rng.IntN(5))
		}
		for i := range y {
			y[i] = float64(rng.IntN(5)) + 1
		}
		r := midranks(append(append([]float64{}, x...), y...))
		obs := 0.0
		for i := range x {
			obs += r[i]
		}
		var all, low, high float64
		for s := range 1 << len(r) {
			if bits.OnesCount(uint(s)) != len(x) {
				continue
			}
			sum := 0.0
			for i, v := range r {
				if s>>i&1 == 1 {
					sum += v
				}
			}
			all++
			if sum <= obs {
				low++
			}
			if sum >= obs {
				high++
			}
		}
		p, _ := MannWhitney(x, y)
		near(t, "Mann-Whitney with ties", p, math.Min(1, 2*math.Min(low, high)/all), 1e-12)
	}
}

// TestTrialL05: equal values on one side must not hide a clear change, and
// samples that can decide nothing must say so.
func TestTrialL05(t *testing.T) {
	p, _ := MannWhitney([]float64{115, 114, 115, 115, 115}, []float64{78.8, 78.8, 78.8, 78.8, 78.8})
	near(t, "five against five", p, 0.0079365, 1e-6)
	for n, reach := range map[int]float64{1: 1, 3: 0.1} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(i), float64(i+100)
		}
		if _, r := MannWhitney(x, y); math.Abs(r-reach) > 1e-12 {
			t.Errorf("n %d: reachable p %v, want %v", n, r, reach)
		}
	}
	if MinUnpaired(0.05) != 4 {
		t.Errorf("MinUnpaired(0.05) = %d, want 4", MinUnpaired(0.05))
	}
	same := []float64{5, 5, 5}
	if p, _ := MannWhitney(same, same); p != 1 {
		t.Errorf("all equal: p %v, want 1", p)
	}
}

// TestBenchstatGoldens reads published comparisons when they are at hand.
func TestBenchstatGoldens(t *testing.T) {
	dir := os.Getenv("LEDGERLAB_CASES")
	if dir == "" {
		t.Skip("LEDGERLAB_CASES is not set: published benchstat outputs not checked")
	}
	old := benchValues(t, filepath.Join(dir, "benchstat", "old.txt"))
	cur := benchValues(t, filepath.Join(dir, "benchstat", "new.txt"))
	for name, want := range map[string]string{"json": "0.000", "gob": "0.446"} {
		p, _ := MannWhitney(old[name], cur[name])
		if got := strconv.FormatFloat(p, 'f', 3, 64); got != want {
			t.Errorf("%s: p=%s, benchstat says %s", name, got, want)
		}
	}
	change := Median(cur["json"])/Median(old["json"]) - 1
	near(t, "json change", change, -0.1720, 0.00005)
}

func benchValues(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("LEDGERLAB_CASES is set but unreadable: %v", err)
	}
	defer f.Close()
	out := map[string][]float64{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		w := strings.Fields(sc.Text())
		if len(w) < 4 || !strings.HasPrefix(w[0], "BenchmarkEncode/format=") {
			continue
		}
		v, err := strconv.ParseFloat(w[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(w[0], "BenchmarkEncode/format="), "-48")
		out[name] = append(out[name], v)
	}
	return out
}

func TestCliffsDeltaBands(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	for _, c := range []struct {
		y    []float64
		want float64
		band Band
	}{
		{[]float64{1, 2, 3, 4, 5}, 0, Negligible},
		{[]float64{6, 7, 8, 9, 10}, -1, Large},
		{[]float64{2, 3, 4, 5, 6}, -0.36, Medium},
		{[]float64{1.5, 2.5, 3.5, 4.5, 5.5}, -0.2, Small},
	} {
		d, band := CliffsDelta(x, c.y)
		near(t, "delta", d, c.want, 1e-12)
		if band != c.band {
			t.Errorf("delta %v: band %s, want %s", d, band, c.band)
		}
	}
}

func TestCorrections(t *testing.T) {
	// R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm" | "BH")
	p := []float64{0.03, 0.01, 0.05, 0.02, 0.04}
	holm := []float64{0.09, 0.05, 0.09, 0.08, 0.09}
	bh := []float64{0.05, 0.05, 0.05, 0.05, 0.05}
	for i, v := range Holm(p) {
		near(t, "holm", v, holm[i], 1e-12)
	}
	for i, v := range BenjaminiHochberg(p) {
		near(t, "bh", v, bh[i], 1e-12)
	}
	// Benjamini & Hochberg 1995, section 3: fifteen p values of a thrombolysis
	// trial; at q = 0.05 four are significant, Bonferroni and Holm find three.
	pub := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	count := func(q []float64) (n int) {
		for _, v := range q {
			if v <= 0.05 {
				n++
			}
		}
		return n
	}
	if n := count(BenjaminiHochberg(pub)); n != 4 {
		t.Errorf("Benjamini-Hochberg finds %d of the published list, want 4", n)
	}
	if n := count(Holm(pub)); n != 3 {
		t.Errorf("Holm finds %d of the published list, want 3", n)
	}
	if q := Holm([]float64{math.NaN(), 0.01}); !math.IsNaN(q[0]) || q[1] != 0.01 {
		t.Errorf("a missing p must not count: %v", q)
	}
}
