package jobs

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a queue and returns what ends it.
func start(t testing.TB, change func(*Options)) (*Queue, func()) {
	t.Helper()
	o := Default()
	o.Workers = 2
	if change != nil {
		change(&o)
	}
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	return q, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestPriorityAndOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, stop := start(t, func(o *Options) { o.Workers = 1 })
		hold := make(chan struct{})
		q.Add(Admin, func(context.Context) { <-hold })
		synctest.Wait()
		var mu sync.Mutex
		var got []string
		add := func(typ Type, name string) {
			q.Add(typ, func(context.Context) { mu.Lock(); got = append(got, name); mu.Unlock() })
		}
		add(Client, "read 1")
		add(TransactionPeer, "tx 1")
		add(Accept, "accept")
		add(TransactionPeer, "tx 2")
		add(Client, "read 2")
		close(hold)
		synctest.Wait()
		want := []string{"accept", "tx 1", "tx 2", "read 1", "read 2"}
		if !slices.Equal(got, want) {
			t.Errorf("ran %q, want %q", got, want)
		}
		stop()
	})
}

func TestLimitOfRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, stop := start(t, func(o *Options) { o.Workers = 8 })
		var running, most atomic.Int32
		for range 20 {
			q.Add(LedgerRequest, func(context.Context) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Millisecond)
				running.Add(-1)
			})
		}
		time.Sleep(time.Second)
		if most.Load() != 3 {
			t.Errorf("%d ran at once, want 3", most.Load())
		}
		s := q.Stats()[LedgerRequest]
		if s.Waiting != 0 || s.Running != 0 || s.Place.Work.Count != 20 || s.Place.Queue.Max < 6*time.Millisecond-time.Microsecond {
			t.Errorf("stats %+v", s)
		}
		stop()
	})
}

// The seed's drop: the limit counts waiting transactions only, and drops what comes beyond it.
func TestWaitingLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, stop := start(t, nil)
		hold := make(chan struct{})
		for range 2 {
			q.Add(TransactionPeer, func(context.Context) { <-hold })
		}
		synctest.Wait()
		taken := 0
		for range 400 {
			if q.Add(TransactionPeer, func(context.Context) {}) {
				taken++
			}
		}
		if taken != QueueLimitDefault || q.Waiting(TransactionPeer) != QueueLimitDefault {
			t.Errorf("took %d, waiting %d", taken, q.Waiting(TransactionPeer))
		}
		if s := q.Stats()[TransactionPeer].Place; s.Refused != 150 || s.Arrivals != 402 {
			t.Errorf("refused %d of %d", s.Refused, s.Arrivals)
		}
		if err := q.SetQueueLimit(99); err == nil {
			t.Error("limit 99 accepted")
		}
		if err := q.SetQueueLimit(300); err != nil || !q.Add(TransactionPeer, func(context.Context) {}) {
			t.Error("a wider limit takes no more")
		}
		if !q.Add(Client, func(context.Context) {}) {
			t.Error("other types are refused too")
		}
		close(hold)
		synctest.Wait()
		stop()
		if q.Add(Client, func(context.Context) {}) {
			t.Error("an ended queue took a job")
		}
	})
}

// Every worker has a thread of its own for life.
func TestWorkersAreLocked(t *testing.T) {
	q, stop := start(t, func(o *Options) { o.Workers = 3 })
	defer stop()
	var mu sync.Mutex
	threads := make(map[int]int)
	var wg sync.WaitGroup
	for range 200 {
		wg.Add(1)
		q.Add(Client, func(context.Context) {
			defer wg.Done()
			mu.Lock()
			threads[unix.Gettid()]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(threads) > 3 {
		t.Errorf("%d threads for 3 workers", len(threads))
	}
}

func TestSetWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, stop := start(t, nil)
		most := func() int32 {
			var running, most atomic.Int32
			for range 20 {
				q.Add(Client, func(context.Context) {
					most.Store(max(most.Load(), running.Add(1)))
					time.Sleep(time.Millisecond)
					running.Add(-1)
				})
			}
			time.Sleep(time.Second)
			return most.Load()
		}
		for _, n := range []int{2, 6, 1, 4} {
			if err := q.SetWorkers(n); err != nil {
				t.Fatal(err)
			}
			if got := most(); got != int32(n) {
				t.Errorf("%d workers ran %d at once", n, got)
			}
		}
		if q.SetWorkers(0) == nil || q.SetWorkers(WorkersMax+1) == nil {
			t.Error("absurd worker counts accepted")
		}
		stop()
	})
}

func TestBulkModes(t *testing.T) {
	for _, mode := range []BulkMode{BulkOwn, BulkPool, BulkSpread} {
		for _, workers := range []int{1, 4} {
			t.Run(mode.String(), func(t *testing.T) {
				q, stop := start(t, func(o *Options) { o.Workers, o.Bulk = workers, mode })
				defer stop()
				var parts atomic.Int32
				b := Bulk{Kind: BulkRotate, Run: func(context.Context) error { parts.Add(1); return nil }}
				b.Chunks = func(n int) (out []func(context.Context) error) {
					for range n * 3 {
						out = append(out, func(context.Context) error { parts.Add(1); return nil })
					}
					return out
				}
				if err := q.Bulk(t.Context(), b); err != nil {
					t.Fatal(err)
				}
				want := int32(1)
				if mode == BulkSpread {
					want = int32(3 * workers)
				}
				if parts.Load() != want {
					t.Errorf("ran %d parts, want %d", parts.Load(), want)
				}
				// From a job of the same queue, even of one worker, it must not block itself.
				done := make(chan error, 1)
				q.Add(Accept, func(ctx context.Context) { done <- q.Bulk(ctx, b) })
				if err := <-done; err != nil {
					t.Error(err)
				}
				wrong := errors.New("wrong")
				b = Bulk{Kind: BulkBuild, Run: func(context.Context) error { return wrong }}
				if err := q.Bulk(t.Context(), b); !errors.Is(err, wrong) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

// Whole bulk jobs stay on one thread: the same one every time under own.
func TestBulkOwnThread(t *testing.T) {
	q, stop := start(t, nil)
	defer stop()
	threads := make(map[int]bool)
	for range 10 {
		err := q.Bulk(t.Context(), Bulk{Kind: BulkAcquire, Run: func(context.Context) error { threads[unix.Gettid()] = true; return nil }})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(threads) != 1 {
		t.Errorf("%d threads", len(threads))
	}
}

func TestBulkEndsWithCaller(t *testing.T) {
	for _, mode := range []BulkMode{BulkOwn, BulkPool, BulkSpread} {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, stop := start(t, func(o *Options) { o.Workers, o.Bulk = 1, mode })
				busy := Bulk{Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
				first := make(chan error, 1)
				ctx1, cancel1 := context.WithCancel(t.Context())
				go func() { first <- q.Bulk(ctx1, busy) }()
				synctest.Wait()
				// A second one waits behind it and gives up without having started.
				ctx2, cancel2 := context.WithTimeout(t.Context(), time.Second)
				defer cancel2()
				ran := false
				if err := q.Bulk(ctx2, Bulk{Run: func(context.Context) error { ran = true; return nil }}); !errors.Is(err, context.DeadlineExceeded) || ran {
					t.Errorf("second: %v, ran %v", err, ran)
				}
				cancel1()
				if err := <-first; !errors.Is(err, context.Canceled) {
					t.Errorf("first: %v", err)
				}
				third := make(chan error, 1)
				go func() { third <- q.Bulk(t.Context(), busy) }()
				synctest.Wait()
				stop()
				if err := <-third; err == nil {
					t.Error("third: no error from an ended queue")
				}
			})
		})
	}
}

func TestDist(t *testing.T) {
	var d Dist
	for i := range 1000 {
		d.Add(time.Duration(i+1) * time.Microsecond)
	}
	d.Add(-time.Second)
	s := d.Snapshot()
	if s.Count != 1001 || s.Max != time.Millisecond || s.Mean() < 499*time.Microsecond || s.Mean() > 501*time.Microsecond {
		t.Errorf("%+v", s)
	}
	if p50, p99 := s.Quantile(0.5), s.Quantile(0.99); p50 != 512*time.Microsecond || p99 != time.Millisecond {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
	if z := s.Sub(s); z.Count != 0 || z.Quantile(0.5) != s.Max || (DistStats{}).Mean() != 0 {
		t.Errorf("difference %+v", z)
	}
}

func BenchmarkAdd(b *testing.B) {
	q, stop := start(b, nil)
	defer stop()
	done := make(chan struct{}, 1)
	b.ReportAllocs()
	for b.Loop() {
		q.Add(TransactionPeer, func(context.Context) { done <- struct{}{} })
		<-done
	}
}
