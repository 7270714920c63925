package lab

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestFaultsNamePlaceAndSuggestion(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "blocks: 2", "bloks: 2", `fast.yaml:12:3: unknown key "design.bloks" (did you mean "blocks"?)`},
		{"unknown flag", "{trim.trigger: none}", "{trim.triger: none}", `did you mean "trim.trigger"?`},
		{"value of a flag", "{trim.trigger: sweep}", "{trim.trigger: sweeep}", `did you mean "sweep"?`},
		{"unknown metric", "metric: rss_mean_bytes", "metric: rss_mean", `did you mean "rss_mean_bytes"?`},
		{"copy of nothing", "copyOf: control", "copyOf: contrl", `arms[1].copyOf: "contrl" is not an arm above this one (did you mean "control"?)`},
		{"placement", "placement: node", "placement: nodes", `did you mean "node"?`},
		{"duration", "min: 10ms", "min: 10", "is not a duration"},
		{"span", "min: 400ms, max: 5s", "min: 9s, max: 5s", "design.window.min: 9s; from 0s to design.window.max (5s)"},
		{"percent", "foreign_cpu: 1000%", "foreign_cpu: much", `guards.foreign_cpu: "much" is not a share`},
		{"version", "ledgerlab/v1", "ledgerlab/v2", "this lab reads ledgerlab/v1"},
		{"wrong placement of a primary", "primary: [{metric: rss_mean_bytes}]", "primary: [{metric: voting_seconds}]", `cannot be judged with placement node; it needs network`},
		{"one arm", "  - {name: control2, copyOf: control}\n  - {name: trim, set: {trim.trigger: sweep}}\n", "", "a comparison needs at least 2"},
		{"twice", "name: control2", "name: control", "is given to two arms"},
	} {
		text := strings.Replace(fastYAML, c.old, c.new, 1)
		if text == fastYAML {
			t.Fatalf("%s: nothing was replaced", c.name)
		}
		_, err := Parse("fast.yaml", []byte(text), Overrides{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant: %s", c.name, err, c.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "fast.yaml:") {
			t.Errorf("%s: no place: %v", c.name, err)
		}
	}
}

func TestSetReachesFlagsAndKeys(t *testing.T) {
	exp := fastExperiment(t, Overrides{Blocks: 4, Seed: 9, Set: map[string]string{
		"cache.sweep_interval": "700ms", "load.rate": "55/s", "design.window.sweeps": "7", "design.pause": "2s",
		"network.stagger": "false", "guards.steal": "3%", "network.accounts": "9000", "store.online_delete": "16",
	}})
	if exp.SweepInterval() != 700*time.Millisecond || exp.Load.Rate != 55 || exp.Design.Window.Sweeps != 7 ||
		exp.Design.Pause != 2*time.Second || exp.Network.Stagger || exp.Guards.Steal.Ratio() != 0.03 || exp.Design.Blocks != 4 || exp.Design.Seed != 9 {
		t.Errorf("%+v", exp)
	}
	for set, want := range map[string]string{
		"load.rat=3":            `did you mean "rate"?`,
		"load.rate=fast":        "is not a number",
		"design.pause=3":        "is not a duration",
		"trim.trigger=sweep":    "arm control sets this flag itself",
		"trim.tigger=sweep":     `did you mean "trim.trigger"?`,
		"judge.primary=x":       "holds a list",
		"load.rate.more=1":      "has no keys below it",
		"network.nodes=many":    "is not a whole number",
		"network.stagger=maybe": "is not true or false",
		"network.nodes=1":       "from 2 to 16",
	} {
		k, v, _ := strings.Cut(set, "=")
		_, err := Parse("fast.yaml", []byte(fastYAML), Overrides{Set: map[string]string{k: v}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s: %v, want %s", set, err, want)
		}
	}
}

func TestProfilesOverlay(t *testing.T) {
	text := fastYAML + "profiles:\n  quick:\n    placement: network\n    network: {set: {trim.pad: 1MiB}}\n    design: {blocks: 8, window: {sweeps: 4}}\n"
	exp, err := Parse("fast.yaml", []byte(text), Overrides{Profile: "quick"})
	if err != nil {
		t.Fatal(err)
	}
	if exp.Placement != PlacementNetwork || exp.Design.Blocks != 8 || exp.Design.Window.Sweeps != 4 || exp.Design.Window.Rotations != 1 ||
		exp.Network.Set["trim.pad"] != "1MiB" || exp.Network.Set["cache.sweep_interval"] != "500ms" || exp.Profile != "quick" || exp.Profiles != nil {
		t.Errorf("%+v", exp)
	}
	if _, err := Parse("fast.yaml", []byte(text), Overrides{Profile: "quik"}); err == nil || !strings.Contains(err.Error(), `did you mean "quick"?`) {
		t.Errorf("%v", err)
	}
}

func TestFlagsOfArms(t *testing.T) {
	exp := fastExperiment(t, Overrides{Set: map[string]string{"store.online_delete": "10"}})
	exp.Network.Stagger = true
	if f := exp.FlagsOf(1, 2); f["trim.trigger"] != "none" || f["store.rotate_offset"] != "6" {
		t.Errorf("the duplicate on node 2: %v", f)
	}
	if f := exp.FlagsOf(2, 0); f["trim.trigger"] != "sweep" || f["store.rotate_offset"] != "2" {
		t.Errorf("trim on node 0: %v", f)
	}
	if exp.Duplicate() != 1 {
		t.Errorf("duplicate %d", exp.Duplicate())
	}
}

func TestUnknownExperimentSuggests(t *testing.T) {
	src := fstest.MapFS{"fast.yaml": {Data: []byte(fastYAML)}}
	_, err := Load(src, "fats", Overrides{})
	var unknown *UnknownExperimentError
	if !errors.As(err, &unknown) || unknown.Nearest != "fast" {
		t.Errorf("%v", err)
	}
	if exp, err := Load(src, "fast", Overrides{}); err != nil || exp.Metadata.Name != "fast" {
		t.Errorf("%v", err)
	}
}

func TestResolvedExperimentReadsBack(t *testing.T) {
	exp := fastExperiment(t, Overrides{Set: map[string]string{"load.rate": "77"}})
	dir := t.TempDir()
	if _, err := CreateFolder(dir, exp); err != nil {
		t.Fatal(err)
	}
	_, got, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Load.Rate != 77 || len(got.Arms) != 3 || got.Design.Window != exp.Design.Window || got.Overrides["load.rate"] != "77" {
		t.Errorf("%+v", got)
	}
}

func TestPlanRefusesWhatDoesNotFit(t *testing.T) {
	root := t.TempDir()
	p, err := NewPlan(fastExperiment(t, Overrides{}), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Problems) != 1 || !strings.Contains(p.Problems[0], "2 blocks cannot decide") || !strings.Contains(p.Problems[0], "3 blocks are the fewest") {
		t.Errorf("problems: %v", p.Problems)
	}
	p, err = NewPlan(fastExperiment(t, Overrides{Blocks: 6, Set: map[string]string{"load.rate": "90000", "network.accounts": "20000000"}}), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Problems) < 2 || !strings.Contains(p.Problems[0], "CPUs") || !strings.Contains(p.Problems[1], "memory") {
		t.Errorf("problems: %v", p.Problems)
	}
	p, err = NewPlan(fastExperiment(t, Overrides{Blocks: 6}), root)
	if err != nil || len(p.Problems) != 0 || !p.Balanced || p.Runs != 6 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestHistoryFeedsThePlan(t *testing.T) {
	root := t.TempDir()
	v := &Verdict{Experiment: "fast", Placement: PlacementNode, Blocks: 6, Gates: []GateRow{{Metric: "rss_mean_bytes", P: 0.5, SD: 0.003}}}
	host := NewEnv().Host
	for range 2 {
		if err := AddHistory(root, "one", v, host); err != nil {
			t.Fatal(err)
		}
	}
	h := ReadHistory(root, host)
	if len(h) != 1 {
		t.Fatalf("a campaign was counted %d times", len(h))
	}
	if sd, src := h.SD("rss_mean_bytes", PlacementNode); math.Abs(sd-0.003) > 1e-12 || src != "history" {
		t.Errorf("sd %v from %q", sd, src)
	}
	if len(ReadHistory(root, "another machine")) != 0 {
		t.Error("history of another machine was read")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(fastYAML))
	f.Add([]byte("apiVersion: ledgerlab/v1\narms: [1, 2]\n"))
	f.Add([]byte("arms: {a: b}\ndesign: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		exp, err := Parse("fuzz.yaml", data, Overrides{})
		if (exp == nil) == (err == nil) {
			t.Fatal("neither an experiment nor an error")
		}
	})
}
