package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/lab"
	"ledgerlab/lab/experiments"
)

// campaignFolder is a whole results folder of which nothing was run.
func campaignFolder(t *testing.T) string {
	t.Helper()
	exp, err := lab.Load(experiments.FS, "trim-after-sweep", lab.Overrides{Profile: "quick", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "campaign")
	if err := lab.Synthesize(dir, exp, lab.Synth{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDamagedFolderIsOneClearLine: whichever file of a campaign is cut, emptied,
// overwritten, a folder or gone, the verbs that read it end with a verdict or with
// one line that names the file.
func TestDamagedFolderIsOneClearLine(t *testing.T) {
	t.Setenv("LEDGERLAB_RUNS", t.TempDir())
	dir := campaignFolder(t)
	if code, _, errOut := cli(t, "judge", dir); code > 3 { // so that there is a verdict to report
		t.Fatal(code, errOut)
	}
	damages := map[string]func(path string, old []byte) error{
		"half":   func(p string, old []byte) error { return os.WriteFile(p, old[:len(old)/2], 0o644) },
		"empty":  func(p string, _ []byte) error { return os.WriteFile(p, nil, 0o644) },
		"text":   func(p string, _ []byte) error { return os.WriteFile(p, []byte("hello\nworld\n"), 0o644) },
		"bytes":  func(p string, _ []byte) error { return os.WriteFile(p, []byte{0, 1, 0xff, '\n', 0xfe, 27}, 0o644) },
		"folder": func(p string, _ []byte) error { return os.Mkdir(p, 0o755) },
		"gone":   func(string, []byte) error { return nil },
	}
	series, err := filepath.Glob(filepath.Join(dir, lab.DirSeries, "*-proc.parquet"))
	if err != nil || len(series) == 0 {
		t.Fatal("no series", err)
	}
	first := filepath.Join(lab.DirSeries, filepath.Base(series[0]))
	for _, file := range []string{lab.FileSpec, lab.FileEnv, lab.FileDesign, lab.FileRuns, lab.FileEvents, first} {
		path := filepath.Join(dir, file)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for how, damage := range damages {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := damage(path, old); err != nil {
				t.Fatal(err)
			}
			verbs := []string{"judge " + dir, "report " + dir, "compare " + dir + " " + dir}
			if file == lab.FileSpec || file == lab.FileDesign { // else it would go on, which is right
				verbs = append(verbs, "run --resume "+dir)
			}
			for _, verb := range verbs {
				checkDamaged(t, file+" "+how, file, verb)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, old, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func checkDamaged(t *testing.T, what, file, verb string) {
	t.Helper()
	code, _, errOut := cli(t, strings.Fields(verb)...)
	told := strings.Count(errOut, "ledgerlab: ")
	verb, _, _ = strings.Cut(verb, " ")
	switch {
	case code == exitOK || code == exitFailed || code == 2 || code == 3: // judged without it
		if told > 0 {
			t.Errorf("%s: %s: exit %d, said %s", what, verb, code, errOut)
		}
	case code != exitSpec && code != exitUsage:
		t.Errorf("%s: %s: exit %d: %s", what, verb, code, errOut)
	case told != 1 || !strings.Contains(errOut, filepath.Base(file)):
		t.Errorf("%s: %s: said %s", what, verb, errOut)
	}
}
