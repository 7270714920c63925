package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"

	"ledgerlab/lab/probe"
)

// RunOptions say where and with what a campaign runs.
type RunOptions struct {
	Root     string         // folder of all campaigns; default "runs"
	Dir      string         // this campaign's folder; empty = Root/<name>/<utc>-<hash>
	Resume   bool           // go on in Dir
	Driver   Driver         // required
	Progress func(Progress) // may be nil
	KeepData bool           // keep the nodes' folders
	Commit   string         // of the lab, for env.json; empty = from the build
	FaultNS  float64        // CPU of a minor fault; 0 = measured
}

// Progress is told several times a second.
type Progress struct {
	Block, Blocks int    // from 0
	Run, Runs     int    // in the block, from 0
	Attempt       int    // from 0
	Phase         string // quiet, start, warm-up, window, drain, stop
	Share         float64
	Done          float64 // share of the campaign
	Note          string  // something to tell, once
}

// Campaign is what Run leaves behind.
type Campaign struct {
	Dir         string
	Blocks      int // complete
	Interrupted bool
}

// ErrInterrupted is returned when ctx ended; everything measured is kept.
var ErrInterrupted = errors.New("interrupted")

// ErrNoRoom ends a campaign: the machine has no room left, most often on a disk.
// What was measured is kept and can be gone on with.
var ErrNoRoom = errors.New("no room left on this machine")

// Run executes the blocks of an experiment that its folder does not hold yet.
func Run(ctx context.Context, exp *Experiment, opts RunOptions) (*Campaign, error) {
	folder, exp, design, err := openCampaign(exp, opts)
	if err != nil {
		return nil, err
	}
	if opts.Progress == nil {
		opts.Progress = func(Progress) {}
	}
	c := &campaign{exp: exp, folder: folder, design: design, opts: opts, fault: opts.FaultNS}
	if c.fault == 0 {
		c.fault = probe.FaultCost()
	}
	done, err := folder.Runs()
	if err != nil {
		return nil, err
	}
	out := &Campaign{Dir: folder.Dir}
	for b := range design.Rows {
		state := blockState(done, b, len(design.Rows[b].Runs))
		var complete bool
		if complete, err = c.block(ctx, b, state); err != nil {
			break
		}
		if complete {
			out.Blocks++
		}
	}
	if !opts.KeepData {
		err = errors.Join(err, os.RemoveAll(folder.Path("nodes")))
	}
	if ctx.Err() != nil {
		out.Interrupted = true
		return out, ErrInterrupted
	}
	return out, err
}

func openCampaign(exp *Experiment, opts RunOptions) (*Folder, *Experiment, *Design, error) {
	if opts.Resume {
		folder, exp, err := OpenFolder(opts.Dir)
		if err != nil {
			return nil, nil, nil, err
		}
		design := &Design{}
		return folder, exp, design, folder.readJSON(FileDesign, design)
	}
	design, err := NewDesign(exp)
	if err != nil {
		return nil, nil, nil, err
	}
	exp.Design.Seed = design.Seed
	dir, err := newDir(exp, opts)
	if err != nil {
		return nil, nil, nil, err
	}
	folder, err := CreateFolder(dir, exp)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := folder.writeJSON(FileDesign, design); err != nil {
		return nil, nil, nil, err
	}
	if err := folder.writeJSON(FileEnv, NewEnv()); err != nil {
		return nil, nil, nil, err
	}
	return folder, exp, design, nil
}

// newDir names the campaign's folder and points "latest" at it.
func newDir(exp *Experiment, opts RunOptions) (string, error) {
	if opts.Dir != "" {
		if _, err := os.Stat(filepath.Join(opts.Dir, FileSpec)); err == nil {
			return "", fmt.Errorf("%s %w; go on with --resume %s, or choose another --out", opts.Dir, ErrHoldsCampaign, opts.Dir)
		}
		return opts.Dir, nil
	}
	root := opts.Root
	if root == "" {
		root = "runs"
	}
	text, err := yaml.Marshal(exp)
	if err != nil {
		return "", fmt.Errorf("%s: %w", FileSpec, err)
	}
	sum := sha256.Sum256(text)
	base := filepath.Join(root, exp.Metadata.Name)
	name := time.Now().UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(sum[:4])
	if err := os.MkdirAll(filepath.Join(base, name), 0o755); err != nil {
		return "", fmt.Errorf("results folder: %w", err)
	}
	link := filepath.Join(base, "latest")
	_ = os.Remove(link)
	if err := os.Symlink(name, link); err != nil {
		return "", fmt.Errorf("results folder: %w", err)
	}
	return filepath.Join(base, name), nil
}

// campaign is the state of one Run.
type campaign struct {
	exp    *Experiment
	folder *Folder
	design *Design
	opts   RunOptions
	fault  float64
}

// blockState is where a block stands in a folder that is gone on with.
type state struct {
	attempt int  // to make next
	done    bool // a whole attempt is there that counts
	spent   int  // attempts that were disturbed, interrupted ones apart
}

func blockState(runs []*RunRecord, block, runsPerBlock int) state {
	type tally struct{ ok, bad, cut int }
	byAttempt := map[int]*tally{}
	s := state{}
	for _, r := range runs {
		if r.Block != block {
			continue
		}
		t := byAttempt[r.Attempt]
		if t == nil {
			t = &tally{}
			byAttempt[r.Attempt] = t
		}
		switch r.Status {
		case StatusOK:
			t.ok++
		case StatusInterrupted:
			t.cut++
		default:
			t.bad++
		}
		s.attempt = max(s.attempt, r.Attempt+1)
	}
	for _, t := range byAttempt {
		if t.ok == runsPerBlock {
			s.done = true
		}
		if t.bad > 0 {
			s.spent++
		}
	}
	return s
}

// block runs attempts of one block until one counts or the repeats are spent.
func (c *campaign) block(ctx context.Context, b int, st state) (complete bool, err error) {
	failed := 0
	for !st.done && st.spent <= max(0, c.exp.Design.Repeats) {
		ok, status, err := c.attempt(ctx, b, st.attempt)
		if err != nil {
			return false, err
		}
		if ok {
			return true, nil
		}
		st.attempt++
		st.spent++
		if status == StatusFailed {
			if failed++; failed > 1 {
				return false, fmt.Errorf("block %d failed twice in a row: %s", b+1, c.lastReason(b))
			}
		}
	}
	return st.done, nil
}

// attempt runs every arm of a block once. It ends early when a run does not
// count, because then the whole block is repeated.
func (c *campaign) attempt(ctx context.Context, b, attempt int) (ok bool, status string, err error) {
	row := c.design.Rows[b]
	for pos, arms := range row.Runs {
		rec := &RunRecord{Block: b, Attempt: attempt, Position: pos, Seed: row.Seed, FaultNS: c.fault}
		for _, a := range arms {
			rec.Arms = append(rec.Arms, c.exp.Arms[a].Name)
		}
		tell := c.teller(rec)
		if err := c.quiet(ctx, rec, tell); err != nil {
			return false, StatusInterrupted, err
		}
		s := &session{exp: c.exp, folder: c.folder, driver: c.opts.Driver, rec: rec, phase: tell, scratch: scratchDir(c.folder, rec)}
		err := s.run(ctx)
		if !c.opts.KeepData {
			err = errors.Join(err, keepLogs(c.folder, s.scratch, rec))
		}
		if werr := c.folder.AppendRun(rec); werr != nil {
			return false, rec.Status, werr
		}
		if ctx.Err() != nil {
			return false, rec.Status, ErrInterrupted
		}
		if rec.Status != StatusOK {
			c.opts.Progress(Progress{Block: b, Blocks: len(c.design.Rows), Note: fmt.Sprintf("block %d, attempt %d: %s: %s", b+1, attempt+1, rec.Status, rec.Reason)})
		}
		if (rec.Status == StatusFailed || rec.Status == StatusInterrupted) && fatal(err) {
			return false, rec.Status, err
		}
		if rec.Status != StatusOK {
			return false, rec.Status, nil
		}
	}
	return true, StatusOK, nil
}

// quiet waits for a quiet machine, within bounds, and the carry-over pause.
func (c *campaign) quiet(ctx context.Context, rec *RunRecord, tell func(string, float64)) error {
	pause := c.exp.Design.Pause
	if pause == 0 {
		pause = min(c.exp.SweepInterval(), 5*time.Second)
	}
	if rec.Block+rec.Attempt+rec.Position > 0 {
		tell("pause", 0)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	limit := c.exp.Guards.ForeignCPU.Ratio()
	began := time.Now()
	for {
		tell("quiet", float64(time.Since(began))/float64(max(c.exp.Guards.QuietWait, 1)))
		m, err := probe.Look(ctx, max(50*time.Millisecond, min(time.Second, c.exp.Guards.QuietWait)), nil)
		if err != nil {
			return err
		}
		rec.Quiet, rec.QuietWait = m, time.Since(began)
		if m.ForeignShare <= limit || time.Since(began) >= c.exp.Guards.QuietWait {
			return nil
		}
	}
}

func (c *campaign) teller(rec *RunRecord) func(string, float64) {
	blocks, runs := len(c.design.Rows), len(c.design.Rows[rec.Block].Runs)
	weight := map[string][2]float64{"pause": {0, 0}, "quiet": {0, 0.02}, "start": {0.02, 0.1}, "warm-up": {0.12, 0.25}, "window": {0.37, 0.5}, "drain": {0.87, 0.08}, "stop": {0.95, 0.05}}
	return func(phase string, share float64) {
		w := weight[phase]
		in := w[0] + w[1]*min(share, 1)
		c.opts.Progress(Progress{
			Block: rec.Block, Blocks: blocks, Run: rec.Position, Runs: runs, Attempt: rec.Attempt,
			Phase: phase, Share: share, Done: (float64(rec.Block) + (float64(rec.Position)+in)/float64(runs)) / float64(blocks),
		})
	}
}

func (c *campaign) lastReason(b int) string {
	runs, err := c.folder.Runs()
	if err != nil {
		return err.Error()
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].Block == b {
			return runs[i].Reason
		}
	}
	return "unknown"
}

// keepLogs moves what explains a run (node logs) out of the scratch folder and
// removes the rest, stores and all.
func keepLogs(folder *Folder, scratch string, rec *RunRecord) error {
	if rec.Status != StatusOK {
		logs, _ := filepath.Glob(filepath.Join(scratch, "*", "*.log"))
		for _, from := range logs {
			to := folder.Path("logs", fmt.Sprintf("b%03d-a%d-p%d-%s.log", rec.Block, rec.Attempt, rec.Position, filepath.Base(filepath.Dir(from))))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return fmt.Errorf("logs: %w", err)
			}
			if err := os.Rename(from, to); err != nil {
				return fmt.Errorf("logs: %w", err)
			}
		}
	}
	if err := os.RemoveAll(scratch); err != nil {
		return fmt.Errorf("scratch: %w", err)
	}
	return nil
}

// Fatal marks an error after which no other attempt can do better: a missing
// library, a port in use, a full disk.
type Fatal struct{ Err error }

func (f *Fatal) Error() string { return f.Err.Error() }

// Unwrap gives the cause.
func (f *Fatal) Unwrap() error { return f.Err }

func fatal(err error) bool {
	var f *Fatal
	return errors.As(err, &f) || noRoom(err)
}

func noRoom(err error) bool {
	return errors.Is(err, ErrNoRoom) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
