package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/sys/unix"

	"ledgerlab/lab"
)

// progress shows a campaign on stderr: a bar with an ETA on a terminal, a line
// a phase elsewhere.
type progress struct {
	a     *app
	pool  *mpb.Progress
	bar   *mpb.Bar
	start time.Time

	mu   sync.Mutex
	last lab.Progress
}

const progressSteps = 1000

func (a *app) progress(exp *lab.Experiment) *progress {
	p := &progress{a: a, start: time.Now()}
	if a.quiet || !isTerminal(a.err) {
		return p
	}
	p.pool = mpb.New(mpb.WithOutput(a.err), mpb.WithWidth(40), mpb.WithRefreshRate(500*time.Millisecond))
	p.bar = p.pool.AddBar(progressSteps,
		mpb.PrependDecorators(decor.Name(exp.Metadata.Name+" "), decor.Any(func(decor.Statistics) string { return p.where() })),
		mpb.AppendDecorators(decor.Percentage(), decor.Any(func(decor.Statistics) string { return p.eta() })))
	return p
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func (p *progress) where() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return position(p.last)
}

func position(l lab.Progress) string {
	text := fmt.Sprintf("block %d/%d", l.Block+1, l.Blocks)
	if l.Runs > 1 {
		text += fmt.Sprintf(" run %d/%d", l.Run+1, l.Runs)
	}
	if l.Attempt > 0 {
		text += fmt.Sprintf(" attempt %d", l.Attempt+1)
	}
	return text + " " + l.Phase
}

func (p *progress) eta() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return " " + etaText(p.last.Done, time.Since(p.start))
}

func etaText(done float64, took time.Duration) string {
	if done < 0.01 {
		return "ETA unknown"
	}
	return "ETA " + short(time.Duration(float64(took)*(1-done)/done))
}

// update is told by the campaign.
func (p *progress) update(l lab.Progress) {
	p.mu.Lock()
	before := p.last
	if l.Note == "" {
		p.last = l
	}
	p.mu.Unlock()
	switch {
	case p.a.quiet:
	case p.bar != nil && l.Note != "":
		fmt.Fprintln(p.pool, l.Note)
	case p.bar != nil:
		p.bar.SetCurrent(int64(l.Done * progressSteps))
	case l.Note != "":
		p.a.say("%s", l.Note)
	case l.Phase != before.Phase || l.Block != before.Block || l.Run != before.Run || l.Attempt != before.Attempt:
		p.a.say("%s, %.0f%%, %s", position(l), 100*l.Done, etaText(l.Done, time.Since(p.start)))
	}
}

func (p *progress) close() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(false)
	p.pool.Wait()
}
