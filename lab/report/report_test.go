package report

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ledgerlab/lab"
	"ledgerlab/lab/experiments"
)

// written judges a made-up campaign and writes its report.
func written(t *testing.T, over lab.Overrides, o lab.Synth) string {
	t.Helper()
	exp, err := lab.Load(experiments.FS, "trim-after-sweep", over)
	if err != nil {
		t.Fatal(err)
	}
	dir := os.Getenv("LEDGERLAB_REPORT_DIR")
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "c")
	} else {
		dir = filepath.Join(dir, t.Name())
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := lab.Synthesize(dir, exp, o); err != nil {
		t.Fatal(err)
	}
	if _, err := lab.Judge(dir, lab.JudgeOptions{Write: true}); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReportIsWholeAndSelfContained(t *testing.T) {
	dir := written(t, lab.Overrides{Profile: "quick", Seed: 5}, lab.Synth{Seed: 4, Effect: map[string]float64{"trim": -0.17}})
	html := read(t, dir, FileHTML)
	for _, want := range []string{"Improved: with trim, mean RSS", "rotations", "lowered", "Holm", "Provenance", "trim.trigger=sweep", "minor faults", "not judged here", "none in any run"} {
		if !strings.Contains(html, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if n := strings.Count(html, "<svg"); n < 7 {
		t.Errorf("%d pictures", n)
	}
	if m := regexp.MustCompile(`(?i)<script|src=|@import|<link|url\(`).FindString(html); m != "" {
		t.Errorf("the report reaches outside: %q", m)
	}
	if strings.Contains(html, "NaN") || strings.Contains(html, "+Inf") {
		t.Error("the report shows numbers that are none")
	}
	md := read(t, dir, FileMD)
	lines := strings.Split(md, "\n")
	if !strings.HasPrefix(lines[2], "**Improved") {
		t.Errorf("report.md does not begin with the verdict: %q", lines[2])
	}
	bench := read(t, dir, FileBench)
	if n := strings.Count(bench, "BenchmarkTrimAfterSweep/arm="); n != 30 {
		t.Errorf("%d benchmark lines, want 30", n)
	}
	var suites junitSuites
	if err := xml.Unmarshal([]byte(read(t, dir, FileJUnit)), &suites); err != nil {
		t.Fatal(err)
	}
	if s := suites.Suites[0]; s.Tests < 5 || s.Failures != 1 {
		t.Errorf("junit: %+v", s)
	}
	if files := Files(dir); len(files) != 7 {
		t.Errorf("files: %v", files)
	}
}

func TestReportOfPlacementNetwork(t *testing.T) {
	dir := written(t, lab.Overrides{Profile: "full", Seed: 6}, lab.Synth{Seed: 5, Effect: map[string]float64{"trim": -0.17}})
	html := read(t, dir, FileHTML)
	if strings.Contains(html, "not judged here") {
		t.Error("placement network judges everything")
	}
	if !strings.Contains(html, "voting time") {
		t.Error("consensus timing is missing")
	}
}

func TestReportOfACampaignWithoutBlocks(t *testing.T) {
	dir := written(t, lab.Overrides{Profile: "quick", Seed: 7, Blocks: 2}, lab.Synth{Seed: 6, Missing: []int{0, 1}})
	if !strings.Contains(read(t, dir, FileHTML), "Void") {
		t.Error("no block, no verdict")
	}
}
