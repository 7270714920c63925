package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ledgerlab/lab/probe"
)

// Bounds of one run.
const (
	readyTimeout = 90 * time.Second
	stopTimeout  = 30 * time.Second
	drainTimeout = 2 * time.Minute
	pollEvery    = 100 * time.Millisecond
)

// diedError ends a run whose node ended by itself.
type diedError struct{ NodeDeath }

func (e *diedError) Error() string {
	return fmt.Sprintf("node %d ended during the run: %s", e.Node, e.Reason)
}

// Unwrap tells a machine without room from other deaths.
func (e *diedError) Unwrap() error {
	if e.NoRoom {
		return ErrNoRoom
	}
	return nil
}

// session is one network's life: start, load, warm-up, window, proof, stop.
type session struct {
	exp     *Experiment
	folder  *Folder
	driver  Driver
	rec     *RunRecord
	phase   func(name string, share float64)
	scratch string // where the nodes live

	cluster Cluster
	traffic Traffic
	watch   *watcher
	sampler *probe.Sampler
}

// run executes the session. Whatever happens the processes are gone when it
// returns and what was measured is stored; rec says how far it came.
func (s *session) run(ctx context.Context) error {
	log, err := s.folder.openEvents()
	if err != nil {
		return err
	}
	s.watch = newWatcher(log, s.rec)
	s.rec.StartNS = time.Now().UnixNano()
	err = s.live(ctx)
	s.rec.EndNS = time.Now().UnixNano()
	s.rec.Lost = s.watch.lost()
	s.rec.Agreement = s.watch.agreement()
	err = errors.Join(err, s.store(), log.close())
	s.classify(ctx, err)
	return err
}

// live owns the processes and goroutines of the run.
func (s *session) live(ctx context.Context) (err error) {
	s.phase("start", 0)
	cluster, err := s.driver.Start(ctx, s.clusterSpec())
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	s.cluster = cluster
	s.rec.PIDs = cluster.PIDs()
	inner, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer func() {
		cancel(nil)
		wg.Wait()
	}()
	defer func() {
		s.phase("stop", 0)
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer stop()
		err = errors.Join(err, cluster.Stop(end))
	}()
	wg.Go(func() {
		select {
		case d := <-cluster.Died():
			cancel(&diedError{d})
		case <-inner.Done():
		}
	})
	for node := range s.rec.PIDs {
		wg.Go(func() {
			if err := s.watch.follow(inner, cluster, node); err != nil && inner.Err() == nil {
				cancel(fmt.Errorf("records of node %d: %w", node, err))
			}
		})
	}
	if s.sampler, err = s.newSampler(); err != nil {
		return err
	}
	wg.Go(func() { s.sampler.Run(inner) })
	if err = s.measure(inner); err != nil && context.Cause(inner) != nil && ctx.Err() == nil {
		err = context.Cause(inner)
	}
	return err
}

func (s *session) newSampler() (*probe.Sampler, error) {
	opts := probe.DefaultOptions()
	opts.Period = probe.PeriodFor(s.exp.SweepInterval())
	opts.Seed = s.rec.Seed
	s.rec.PeriodNS = int64(opts.Period)
	return probe.New(opts, s.rec.PIDs)
}

func (s *session) clusterSpec() ClusterSpec {
	spec := ClusterSpec{Dir: s.scratch, Seed: s.rec.Seed, Accounts: s.exp.Network.Accounts}
	for node, arm := range s.rec.Arms {
		spec.Nodes = append(spec.Nodes, NodeSpec{
			Name:  fmt.Sprintf("node%d", node),
			Flags: s.exp.FlagsOf(s.exp.ArmIndex(arm), node),
		})
	}
	return spec
}

// measure goes through the phases of a run.
func (s *session) measure(ctx context.Context) error {
	ready, cancel := context.WithTimeout(ctx, readyTimeout)
	err := s.cluster.Ready(ready)
	cancel()
	if err != nil {
		return fmt.Errorf("the network was not ready within %v: %w", readyTimeout, err)
	}
	s.rec.ReadyNS = time.Now().UnixNano()
	if s.traffic, err = s.cluster.Offer(ctx, s.exp.Load, s.rec.Seed); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	s.rec.LoadNS = time.Now().UnixNano()
	if _, _, err = s.await(ctx, "warm-up", s.exp.Design.Warmup); err != nil {
		return err
	}
	s.rec.WindowNS = time.Now().UnixNano()
	if s.rec.Sweeps, s.rec.Rotations, err = s.await(ctx, "window", s.exp.Design.Window); err != nil {
		return err
	}
	s.rec.WindowEnd = time.Now().UnixNano()
	s.phase("drain", 0)
	drain, stop := context.WithTimeout(ctx, drainTimeout)
	defer stop()
	if s.rec.Load, err = s.traffic.Stop(drain); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return s.settle(ctx)
}

// settle waits until every node has reported the last ledger that any of them
// has, so that the proof of agreement covers the whole run.
func (s *session) settle(ctx context.Context) error {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if a := s.watch.agreement(); a.Missing == 0 && a.Compared > 0 {
			return nil
		}
		if err := sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
	return nil
}

// await returns when the span's events have happened on every node since it
// began, or its longest time is over; the counts are those of the span.
func (s *session) await(ctx context.Context, name string, span Span) (sweeps, rotations []int, err error) {
	began := time.Now()
	sweeps0, rotations0 := s.watch.progress()
	for {
		nowS, nowR := s.watch.progress()
		sweeps, rotations = minus(nowS, sweeps0), minus(nowR, rotations0)
		took := time.Since(began)
		gotS, gotR := slices.Min(sweeps), slices.Min(rotations)
		if took >= span.Min && gotS >= span.Sweeps && gotR >= span.Rotations {
			return sweeps, rotations, nil
		}
		if took >= span.Max {
			s.note(fmt.Sprintf("%s: %d of %d sweeps, %d of %d rotations in %v", name, gotS, span.Sweeps, gotR, span.Rotations, span.Max))
			return sweeps, rotations, nil
		}
		s.phase(name, min(1, float64(took)/float64(max(span.Min, span.Max/2))))
		if err := sleep(ctx, pollEvery); err != nil {
			return sweeps, rotations, err
		}
	}
}

func (s *session) note(text string) {
	if s.rec.Short != "" {
		text = s.rec.Short + "; " + text
	}
	s.rec.Short = text
}

// store writes the series, also of a run that was cut short.
func (s *session) store() error {
	if s.sampler == nil {
		return nil
	}
	samples, host, _ := s.sampler.Take()
	r := s.rec
	if r.WindowNS > 0 && r.WindowEnd > 0 {
		r.Dirt = measureDirt(hostRows(host), r.WindowNS, r.WindowEnd, s.exp.Guards.ForeignCPU.Ratio(), r.Load.Counts)
	}
	return errors.Join(
		writeSeries(s.folder, seriesName(r.Block, r.Attempt, r.Position, "proc"), procRows(samples)),
		writeSeries(s.folder, seriesName(r.Block, r.Attempt, r.Position, "host"), hostRows(host)),
		writeSeries(s.folder, seriesName(r.Block, r.Attempt, r.Position, "tx"), txRows(r.Load.Points)),
	)
}

// classify sets status and reason.
func (s *session) classify(ctx context.Context, err error) {
	r := s.rec
	var died *diedError
	switch {
	case ctx.Err() != nil:
		r.Status, r.Reason = StatusInterrupted, "interrupted"
	case noRoom(err): // not a fault of the run: it is made anew when there is room
		r.Status, r.Reason = StatusInterrupted, err.Error()
	case errors.As(err, &died):
		r.Status, r.Reason = StatusDied, died.Error()
	case err != nil:
		r.Status, r.Reason = StatusFailed, err.Error()
	default:
		r.Status = StatusOK
		if why := judgeDirt(r.Dirt, s.exp.Guards); why != "" {
			r.Status, r.Reason = StatusContaminated, why
		}
	}
}

func minus(a, b []int) []int {
	out := make([]int, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// scratchDir is where a run's nodes live; it is removed after the run.
func scratchDir(folder *Folder, rec *RunRecord) string {
	return filepath.Join(folder.Dir, "nodes", fmt.Sprintf("b%03d-a%d-p%d", rec.Block, rec.Attempt, rec.Position))
}
