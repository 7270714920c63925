package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
)

// BulkKind names a kind of bulk job; each has its own thread under BulkOwn.
type BulkKind uint8

// The bulk jobs of a node.
const (
	BulkAcquire BulkKind = iota // acquire a ledger
	BulkRotate                  // freshen and copy
	BulkBuild                   // build the closed ledger
)

func (k BulkKind) String() string {
	switch k {
	case BulkAcquire:
		return "acquire"
	case BulkRotate:
		return "rotate"
	case BulkBuild:
		return "build"
	}
	return fmt.Sprintf("bulkKind(%d)", uint8(k))
}

// Bulk is a long piece of work. Run does all of it on the thread it is called on. Chunks, where given, splits it into
// at most n independent parts for BulkSpread; parts run concurrently.
type Bulk struct {
	Kind   BulkKind
	Run    func(ctx context.Context) error
	Chunks func(n int) []func(ctx context.Context) error
}

type bulkTask struct {
	ctx  context.Context
	fn   func(ctx context.Context) error
	done chan error
}

// BulkMode is where bulk jobs run.
func (q *Queue) BulkMode() BulkMode {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.bulk
}

// SetBulkMode changes where later bulk jobs run (flag jobs.bulk).
func (q *Queue) SetBulkMode(m BulkMode) error {
	if m > BulkSpread {
		return fmt.Errorf("jobs.bulk: unknown mode %d", m)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.bulk = m
	return nil
}

// Bulk runs b where the mode says and waits for its end. Called from a job of this queue, pool mode runs it on the
// caller's worker, and in spread mode the caller takes parts too, so a pool of one worker cannot block itself.
// Before Run it waits. When ctx ends, Bulk returns once the work has stopped, or at once if it never started.
func (q *Queue) Bulk(ctx context.Context, b Bulk) error {
	select {
	case <-q.begun:
	case <-ctx.Done():
		return ctx.Err()
	}
	switch mode := q.BulkMode(); {
	case mode == BulkOwn:
		return q.bulkOwn(ctx, b)
	case mode == BulkSpread && b.Chunks != nil:
		return q.bulkSpread(ctx, b)
	default:
		return q.bulkPool(ctx, b.Run)
	}
}

// bulkOwn hands the work to the thread of its kind, started at first use.
func (q *Queue) bulkOwn(ctx context.Context, b Bulk) error {
	q.mu.Lock()
	run := q.mu.ctx
	if q.mu.ended {
		q.mu.Unlock()
		return ErrEnded
	}
	tasks, ok := q.mu.own[b.Kind]
	if !ok {
		tasks = make(chan *bulkTask)
		q.mu.own[b.Kind] = tasks
		q.group.Go(func() {
			pprof.Do(run, pprof.Labels("part", "bulk", "kind", b.Kind.String()), func(run context.Context) { ownThread(run, tasks) })
		})
	}
	q.mu.Unlock()
	t := &bulkTask{ctx: ctx, fn: b.Run, done: make(chan error, 1)}
	select {
	case tasks <- t:
	case <-ctx.Done():
		return ctx.Err()
	case <-run.Done():
		return ErrEnded
	}
	return <-t.done
}

// ownThread is locked for life, like a worker.
func ownThread(run context.Context, tasks chan *bulkTask) {
	runtime.LockOSThread()
	for {
		select {
		case t := <-tasks:
			t.done <- runWith(run, t.ctx, t.fn)
		case <-run.Done():
			return
		}
	}
}

// runWith runs fn with the caller's context, which also ends with the queue.
func runWith(run, caller context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	stop := context.AfterFunc(run, func() { cancel(ErrEnded) })
	defer stop()
	return fn(ctx)
}

func (q *Queue) bulkPool(ctx context.Context, fn func(ctx context.Context) error) error {
	if q.onWorker(ctx) {
		return fn(ctx)
	}
	return q.onPool(ctx, []func(ctx context.Context) error{fn}, 1)
}

func (q *Queue) bulkSpread(ctx context.Context, b Bulk) error {
	n := q.Workers()
	return q.onPool(ctx, b.Chunks(n), n)
}

// spread is one bulk job in parts: whoever comes takes the next part.
type spread struct {
	parts    []func(ctx context.Context) error
	next     atomic.Int64
	left     atomic.Int64
	errs     []error // one place a part
	finished chan struct{}
}

func (s *spread) work(run, caller context.Context) {
	for {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.parts) {
			return
		}
		if s.errs[i] = caller.Err(); s.errs[i] == nil {
			s.errs[i] = runWith(run, caller, s.parts[i])
		}
		if s.left.Add(-1) == 0 {
			close(s.finished)
		}
	}
}

// onPool runs the parts on up to helpers workers and, when the caller is itself one, on it.
func (q *Queue) onPool(ctx context.Context, parts []func(ctx context.Context) error, helpers int) error {
	if len(parts) == 0 {
		return nil
	}
	q.mu.Lock()
	run := q.mu.ctx
	q.mu.Unlock()
	s := &spread{parts: parts, errs: make([]error, len(parts)), finished: make(chan struct{})}
	s.left.Store(int64(len(parts)))
	queued := 0
	for range min(helpers, len(parts)) {
		if q.Add(BulkJob, func(run context.Context) { s.work(run, ctx) }) {
			queued++
		}
	}
	switch {
	case q.onWorker(ctx):
		s.work(run, ctx)
	case queued == 0:
		return ErrEnded
	}
	select {
	case <-s.finished:
	case <-ctx.Done():
		s.drain(ctx.Err())
	case <-run.Done():
		s.drain(ErrEnded) // the waiting jobs were dropped
	}
	<-s.finished
	return errors.Join(s.errs...)
}

// drain claims every part that nobody has taken, so that none starts later.
func (s *spread) drain(cause error) {
	for {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.parts) {
			return
		}
		s.errs[i] = cause
		if s.left.Add(-1) == 0 {
			close(s.finished)
		}
	}
}
