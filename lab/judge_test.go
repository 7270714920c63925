package lab

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/lab/stats"
)

func synthYAML(blocks int, placement string) string {
	y := strings.Replace(fastYAML, "blocks: 2", "blocks: "+strings.TrimSpace(string(rune('0'+blocks/10)))+string(rune('0'+blocks%10)), 1)
	return strings.Replace(y, "placement: node", "placement: "+placement, 1)
}

func synthesized(t *testing.T, blocks int, placement string, o Synth) (string, *Verdict) {
	t.Helper()
	exp, err := Parse("synth.yaml", []byte(synthYAML(blocks, placement)), Overrides{Seed: o.Seed + 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "c")
	if err := Synthesize(dir, exp, o); err != nil {
		t.Fatal(err)
	}
	v, err := Judge(dir, JudgeOptions{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	return dir, v
}

func TestPlantedEffectIsFound(t *testing.T) {
	for _, placement := range []string{PlacementNode, PlacementNetwork} {
		dir, v := synthesized(t, 6, placement, Synth{Seed: 5, Effect: map[string]float64{"trim": -0.17}})
		r, ok := v.Row("rss_mean_bytes", "trim")
		if !ok || v.Word != stats.Improved || r.Word != stats.Improved || v.Exit != 0 {
			t.Fatalf("%s: %s: %s", placement, v.Word, v.Sentence)
		}
		if math.Abs(float64(r.Ratio)-math.Exp(-0.17)) > 0.02 || r.Lower != 6 {
			t.Errorf("%s: ratio %v, lower in %d", placement, r.Ratio, r.Lower)
		}
		g := v.Gates[0]
		if !g.OK || g.Word != stats.Equivalent {
			t.Errorf("%s: gate %+v", placement, g)
		}
		if r, _ := v.Row("ledger_interval_median_seconds", "trim"); (r.Note != "") != (placement == PlacementNode) {
			t.Errorf("%s: the ledger interval has the note %q", placement, r.Note)
		}
		var stored Verdict
		text, err := os.ReadFile(filepath.Join(dir, FileVerdict))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		if stored.Word != v.Word || stored.Schema != VerdictSchema {
			t.Errorf("stored: %s %s", stored.Word, stored.Schema)
		}
	}
}

func TestHarmfulArmIsRegressed(t *testing.T) {
	_, v := synthesized(t, 6, PlacementNode, Synth{Seed: 6, Effect: map[string]float64{"trim": 0.1}})
	if v.Word != stats.Regressed || v.Exit != stats.ExitRegressed {
		t.Errorf("%s: %s", v.Word, v.Sentence)
	}
}

func TestFewBlocksSayHowManyAreNeeded(t *testing.T) {
	for placement, c := range map[string]struct {
		blocks int
		fewest string
	}{PlacementNode: {2, "3 blocks are the fewest"}, PlacementNetwork: {3, "6 blocks are the fewest"}} {
		_, v := synthesized(t, c.blocks, placement, Synth{Seed: 7, Effect: map[string]float64{"trim": -0.17}})
		if v.Exit == 0 || !strings.Contains(v.Sentence, c.fewest) {
			t.Errorf("%s: %s: %s", placement, v.Word, v.Sentence)
		}
	}
}

func TestNoisyDuplicateIsVoid(t *testing.T) {
	_, v := synthesized(t, 6, PlacementNode, Synth{Seed: 8, RunSD: 0.08, Effect: map[string]float64{"trim": -0.17}})
	if v.Word != stats.Void || !strings.Contains(v.Sentence, "A/A gate") {
		t.Errorf("%s: %s", v.Word, v.Sentence)
	}
}

func TestLostBlocks(t *testing.T) {
	_, v := synthesized(t, 9, PlacementNode, Synth{Seed: 9, Missing: []int{4}, Effect: map[string]float64{"trim": -0.17}})
	if v.Word != stats.Improved || v.Blocks != 8 {
		t.Errorf("%d blocks, %s: %s", v.Blocks, v.Word, v.Sentence)
	}
	_, v = synthesized(t, 9, PlacementNode, Synth{Seed: 9, Missing: []int{1, 2, 3, 4}})
	if v.Word != stats.Void {
		t.Errorf("%d blocks, %s", v.Blocks, v.Word)
	}
}

// TestNoiseIsNotCalledAnEffect plays whole campaigns, from stored series to
// the verdict: on noise at least 95 of 100 must find nothing.
func TestNoiseIsNotCalledAnEffect(t *testing.T) {
	n := 100
	if testing.Short() {
		n = 20
	}
	found, void := 0, 0
	for i := range n {
		_, v := synthesized(t, 6, PlacementNode, Synth{Seed: uint64(100 + i), Drift: 0.1})
		switch v.Word {
		case stats.Improved, stats.Regressed:
			found++
		case stats.Void:
			void++
		}
	}
	t.Logf("%d campaigns on noise: %d found something, %d void", n, found, void)
	if found > n/20 {
		t.Errorf("%d of %d campaigns on noise found an effect", found, n)
	}
}

func TestJudgeWithOtherMargins(t *testing.T) {
	dir, v := synthesized(t, 6, PlacementNode, Synth{Seed: 11, Effect: map[string]float64{"trim": -0.05}})
	if v.Word != stats.Improved {
		t.Fatalf("%s: %s", v.Word, v.Sentence)
	}
	v, err := Judge(dir, JudgeOptions{Margins: map[string]Percent{"rss_mean_bytes": "20%"}})
	if err != nil {
		t.Fatal(err)
	}
	if v.Word != stats.Trivial {
		t.Errorf("with a margin of 20 %%: %s", v.Word)
	}
	if _, err := Judge(dir, JudgeOptions{Margins: map[string]Percent{"rss_meen_bytes": "20%"}}); err == nil || !strings.Contains(err.Error(), "rss_mean_bytes") {
		t.Errorf("misspelt metric: %v", err)
	}
}

func TestCompareAndCalibrate(t *testing.T) {
	a, _ := synthesized(t, 6, PlacementNode, Synth{Seed: 12, Effect: map[string]float64{"trim": -0.17}})
	b, _ := synthesized(t, 6, PlacementNode, Synth{Seed: 13, Effect: map[string]float64{"trim": -0.02}})
	rows, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].Metric != "rss_mean_bytes" || rows[0].Overlap != "apart" {
		t.Errorf("%+v", rows[0])
	}
	c, err := Calibrate([]string{a, b}, t.TempDir(), 600, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !c.OK || len(c.Rows) == 0 || math.Abs(c.Rows[0].Rate-0.0494) > 0.025 {
		t.Errorf("%+v", c)
	}
}

func TestNumIsNullWhenUnknown(t *testing.T) {
	b, err := json.Marshal([]Num{1.5, Num(math.NaN()), Num(math.Inf(1))})
	if err != nil || string(b) != "[1.5,null,null]" {
		t.Errorf("%s %v", b, err)
	}
}
