package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

// Func is a job. Its context ends with the queue.
type Func func(ctx context.Context)

// Queue runs jobs on locked threads. New starts nothing; Run does.
type Queue struct {
	log *slog.Logger
	now func() time.Time

	mu struct {
		sync.Mutex
		waiting    [numTypes]fifo // by type, oldest first
		running    [numTypes]int
		waitingAll int // of all types but TransactionPeer
		workers    int // wanted
		alive      int // worker threads
		queueLimit int
		waitingMax int
		bulk       BulkMode
		ctx        context.Context // of Run; nil before and after
		ended      bool
		own        map[BulkKind]chan *bulkTask
	}
	wake   *sync.Cond // on mu: a job came, or workers changed, or the end
	group  sync.WaitGroup
	begun  chan struct{} // closed by Run
	places [numTypes]Place
}

// New checks the options and returns a queue that accepts jobs but runs none before Run.
func New(o Options) (*Queue, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	q := &Queue{log: o.Log, now: o.Now, begun: make(chan struct{})}
	if q.log == nil {
		q.log = slog.New(slog.DiscardHandler)
	}
	if q.now == nil {
		q.now = time.Now
	}
	q.mu.workers, q.mu.queueLimit, q.mu.waitingMax, q.mu.bulk = o.Workers, o.QueueLimit, o.WaitingMax, o.Bulk
	q.mu.own = make(map[BulkKind]chan *bulkTask)
	q.wake = sync.NewCond(&q.mu)
	return q, nil
}

// ErrEnded is returned for work given to a queue whose Run has ended.
var ErrEnded = errors.New("jobs: queue has ended")

// Run works until ctx ends, then waits for the running jobs and drops the waiting ones. It may be called once.
func (q *Queue) Run(ctx context.Context) error {
	q.mu.Lock()
	if q.mu.ctx != nil || q.mu.ended {
		q.mu.Unlock()
		return errors.New("jobs: Run called twice")
	}
	q.mu.ctx = ctx
	q.startWorkersLocked()
	q.mu.Unlock()
	close(q.begun)

	<-ctx.Done()
	q.mu.Lock()
	q.mu.ended = true
	dropped := 0
	for t := range q.mu.waiting {
		dropped += q.mu.waiting[t].len()
		q.mu.waiting[t] = fifo{}
	}
	q.mu.waitingAll = 0
	q.wake.Broadcast()
	q.mu.Unlock()
	q.group.Wait()
	q.log.Debug("job queue ended", slog.Int("dropped", dropped))
	return nil
}

// Add queues a job; false means it was refused, and counted: the waiting limit, or the end.
func (q *Queue) Add(t Type, fn Func) bool {
	now := q.now()
	q.places[t].Arrivals.Add(1)
	q.mu.Lock()
	if q.mu.ended || q.fullLocked(t) {
		q.mu.Unlock()
		q.places[t].Refused.Add(1)
		return false
	}
	q.mu.waiting[t].push(job{fn, now})
	if t != TransactionPeer {
		q.mu.waitingAll++
	}
	q.mu.Unlock()
	q.wake.Signal()
	return true
}

func (q *Queue) fullLocked(t Type) bool {
	if t == TransactionPeer {
		return q.mu.waiting[t].len() >= q.mu.queueLimit
	}
	return q.mu.waitingAll >= q.mu.waitingMax
}

// Waiting is the number of waiting jobs of a type; running ones are not counted.
func (q *Queue) Waiting(t Type) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.waiting[t].len()
}

// QueueLimit is the limit of waiting TransactionPeer jobs.
func (q *Queue) QueueLimit() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.queueLimit
}

// SetQueueLimit changes the limit of waiting TransactionPeer jobs (flag relay.queue_limit).
func (q *Queue) SetQueueLimit(n int) error {
	if n < QueueLimitMin || n > QueueLimitMax {
		return fmt.Errorf("relay.queue_limit: %d is outside %d..%d", n, QueueLimitMin, QueueLimitMax)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.queueLimit = n
	return nil
}

// SetWorkers changes the number of worker threads (flag jobs.workers). Surplus workers end after their job.
func (q *Queue) SetWorkers(n int) error {
	if n < 1 || n > WorkersMax {
		return fmt.Errorf("jobs.workers: %d is outside 1..%d", n, WorkersMax)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.workers = n
	if q.mu.ctx != nil && !q.mu.ended {
		q.startWorkersLocked()
	}
	q.wake.Broadcast()
	return nil
}

// Workers is the wanted number of worker threads.
func (q *Queue) Workers() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.workers
}

// TypeStats is the state of one job type. Place.Refused counts what the waiting limit refused, Place.Queue is the
// wait and Place.Work the run time.
type TypeStats struct {
	Type             Type
	Waiting, Running int
	Place            PlaceStats
}

// Stats returns one row per job type, lowest priority first.
func (q *Queue) Stats() []TypeStats {
	out := make([]TypeStats, numTypes)
	q.mu.Lock()
	for t := range out {
		out[t] = TypeStats{Type: Type(t), Waiting: q.mu.waiting[t].len(), Running: q.mu.running[t]}
	}
	q.mu.Unlock()
	for t := range out {
		out[t].Place = q.places[t].Snapshot()
	}
	return out
}

// Place is the instrument of one job type.
func (q *Queue) Place(t Type) *Place { return &q.places[t] }

func (q *Queue) startWorkersLocked() {
	for q.mu.alive < q.mu.workers {
		q.mu.alive++
		ctx := q.mu.ctx
		q.group.Go(func() {
			pprof.Do(ctx, pprof.Labels("part", "jobs"), q.worker)
		})
	}
}

type workerKey struct{}

// worker never unlocks its thread: the thread ends with it, so an arena is never inherited by other goroutines.
func (q *Queue) worker(ctx context.Context) {
	runtime.LockOSThread()
	ctx = context.WithValue(ctx, workerKey{}, q)
	for {
		j, t, ok := q.next()
		if !ok {
			return
		}
		start := q.now()
		q.places[t].Queue.Add(start.Sub(j.at))
		j.fn(ctx)
		q.places[t].Work.Add(q.now().Sub(start))
		q.done(t)
	}
}

// next waits for a job that may run; false ends the worker.
func (q *Queue) next() (job, Type, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.mu.ended || q.mu.alive > q.mu.workers {
			q.mu.alive--
			return job{}, 0, false
		}
		for t := numTypes; t > 0; t-- {
			if i := t - 1; q.mu.waiting[i].len() > 0 && q.mu.running[i] < specs[i].limit {
				q.mu.running[i]++
				if i != TransactionPeer {
					q.mu.waitingAll--
				}
				return q.mu.waiting[i].pop(), i, true
			}
		}
		q.wake.Wait()
	}
}

// done lets a job that its type's limit held back run: the worker that calls it looks for it next.
func (q *Queue) done(t Type) {
	q.mu.Lock()
	q.mu.running[t]--
	q.mu.Unlock()
}

// onWorker says whether ctx is that of a job of this queue.
func (q *Queue) onWorker(ctx context.Context) bool { return ctx.Value(workerKey{}) == q }
