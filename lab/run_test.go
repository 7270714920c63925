package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/lab/stats"
)

func runFast(t *testing.T, d *fakeDriver, opts RunOptions) (*Campaign, error) {
	t.Helper()
	opts.Driver, opts.FaultNS = d, 250
	if opts.Dir == "" {
		opts.Dir = filepath.Join(t.TempDir(), "campaign")
	}
	c, err := Run(t.Context(), fastExperiment(t, Overrides{}), opts)
	if d.started.Load() != d.stopped.Load() {
		t.Errorf("%d clusters started, %d stopped", d.started.Load(), d.stopped.Load())
	}
	return c, err
}

func TestRunStoresBlocksAndJudgeReadsThem(t *testing.T) {
	d := &fakeDriver{}
	c, err := runFast(t, d, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Blocks != 2 || d.started.Load() != 2 {
		t.Fatalf("%d blocks, %d clusters", c.Blocks, d.started.Load())
	}
	v, err := Judge(c.Dir, JudgeOptions{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if v.Word != stats.Void && v.Word != stats.Inconclusive {
		t.Errorf("two blocks of one process were judged %s", v.Word)
	}
	if !v.Guards.Agreement || !v.Guards.Finality || v.Guards.HashesCompared == 0 {
		t.Errorf("guards: %+v", v.Guards)
	}
	for _, f := range []string{FileSpec, FileEnv, FileDesign, FileRuns, FileEvents, FileVerdict, "runs.csv", "runs.parquet", "series/b000-a0-p0-proc.parquet"} {
		if _, err := os.Stat(filepath.Join(c.Dir, f)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "nodes")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the nodes' folders were left behind")
	}
	if !strings.Contains(v.Sentence, "mean RSS") {
		t.Errorf("sentence: %s", v.Sentence)
	}
}

func TestNodeDeathRepeatsTheBlock(t *testing.T) {
	d := &fakeDriver{dieIn: 1}
	c, err := runFast(t, d, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := OpenFolder(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.Runs()
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 3 || runs[0].Status != StatusDied || !strings.Contains(runs[0].Reason, "node 1") || runs[1].Attempt != 1 || runs[1].Status != StatusOK {
		t.Fatalf("runs: %+v", runs)
	}
}

func TestDisagreementIsVoid(t *testing.T) {
	c, err := runFast(t, &fakeDriver{diverge: true}, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Judge(c.Dir, JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v.Word != stats.Void || v.Exit != stats.ExitVoid || !strings.Contains(v.Sentence, "disagreed") {
		t.Errorf("%s: %s", v.Word, v.Sentence)
	}
}

func TestInterruptKeepsAndResumes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "campaign")
	ctx, cancel := context.WithCancel(t.Context())
	d := &fakeDriver{}
	d.onStart = func() {
		if d.started.Load() == 2 {
			cancel()
		}
	}
	c, err := Run(ctx, fastExperiment(t, Overrides{}), RunOptions{Dir: dir, Driver: d, FaultNS: 250})
	if !errors.Is(err, ErrInterrupted) || !c.Interrupted || c.Blocks != 1 {
		t.Fatalf("campaign %+v, error %v", c, err)
	}
	if d.started.Load() != d.stopped.Load() {
		t.Fatal("a cluster was left running")
	}
	c, err = Run(t.Context(), nil, RunOptions{Dir: dir, Resume: true, Driver: &fakeDriver{}, FaultNS: 250})
	if err != nil || c.Blocks != 2 {
		t.Fatalf("resumed: %+v, %v", c, err)
	}
	f, _, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	runs, _ := f.Runs()
	want := []string{StatusOK, StatusInterrupted, StatusOK}
	for i, r := range runs {
		if r.Status != want[i] {
			t.Errorf("run %d is %s, want %s", i, r.Status, want[i])
		}
	}
}

func TestFatalStartEndsTheCampaign(t *testing.T) {
	d := &fakeDriver{refuse: &Fatal{errors.New("allocator jemalloc: not installed; apt-get install libjemalloc2")}}
	_, err := runFast(t, d, RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "libjemalloc2") {
		t.Fatalf("error %v", err)
	}
}

// TestNoRoomEndsTheCampaignAndSpendsNothing: a full disk is told at once, no repeat
// is wasted on it, and the campaign is gone on with when there is room.
func TestNoRoomEndsTheCampaignAndSpendsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "campaign")
	d := &fakeDriver{dieIn: 2, noRoom: true}
	c, err := Run(t.Context(), fastExperiment(t, Overrides{}), RunOptions{Dir: dir, Driver: d, FaultNS: 250})
	if !errors.Is(err, ErrNoRoom) || c.Blocks != 1 || c.Interrupted || d.started.Load() != 2 || d.stopped.Load() != 2 {
		t.Fatalf("campaign %+v, %d clusters started, %d stopped, error %v", c, d.started.Load(), d.stopped.Load(), err)
	}
	if c, err = Run(t.Context(), nil, RunOptions{Dir: dir, Resume: true, Driver: &fakeDriver{}, FaultNS: 250}); err != nil || c.Blocks != 2 {
		t.Fatalf("resumed: %+v, %v", c, err)
	}
}

func TestNewCampaignRefusesAnOldFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "campaign")
	if _, err := runFast(t, &fakeDriver{}, RunOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if _, err := runFast(t, &fakeDriver{}, RunOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Fatalf("error %v", err)
	}
	if _, _, err := OpenFolder(t.TempDir()); !errors.Is(err, ErrNoCampaign) {
		t.Fatalf("error %v", err)
	}
}
