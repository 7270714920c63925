package sweep

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ledgerlab/cache"
)

// fake is a Sweepable that takes its time.
type fake struct {
	name string
	took time.Duration
	log  *journal
}

func (f *fake) Name() string { return f.name }

func (f *fake) Sweep(time.Time) cache.SweepStats {
	f.log.add(f.name)
	time.Sleep(f.took)
	return cache.SweepStats{Name: f.name}
}

// journal is what happened, in order.
type journal struct {
	mu    sync.Mutex // lines
	lines []string
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

func start(t *testing.T, change func(o *Options, log *journal)) (*Sweeper, *journal, func()) {
	t.Helper()
	log := new(journal)
	o := Options{
		Interval: 10 * time.Second, Now: time.Now,
		Sweepables: []cache.Sweepable{&fake{"FullBelowCache", time.Second, log}, &fake{"TreeNodeCache", 2 * time.Second, log}},
		Reclaim: func() (int64, int64) {
			log.add("reclaim")
			return 7, 3
		},
		AfterSweep: func(reason string) { log.add("after " + reason) },
		Done:       func(Info) { log.add("done") },
	}
	if change != nil {
		change(&o, log)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, log, func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestOrderAndPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log, stop := start(t, nil)
		defer stop()
		time.Sleep(13*time.Second + time.Millisecond)
		synctest.Wait() // what the sweeper did is seen from here on
		want := []string{"FullBelowCache", "TreeNodeCache", "reclaim", "after timer", "done"}
		if !slices.Equal(log.all(), want) {
			t.Fatalf("%v, want %v", log.all(), want)
		}
		info := s.Last()
		if info.Seq != 1 || info.Sweeping != 3*time.Second || info.Freed != 7 || info.Limbo != 3 || len(info.Caches) != 2 {
			t.Errorf("%+v", info)
		}
		time.Sleep(9 * time.Second) // armed again only after the sweep: 10 s after 13 s
		if n := s.Last().Seq; n != 1 {
			t.Errorf("sweep %d came early", n)
		}
		time.Sleep(5 * time.Second)
		if n := s.Last().Seq; n != 2 {
			t.Errorf("sweep %d, want 2", n)
		}
	})
}

func TestEachCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, log, stop := start(t, func(o *Options, log *journal) {
			o.EachCache = func(name string) { log.add("each " + name) }
		})
		defer stop()
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if got := strings.Join(log.all()[:7], " "); got != "FullBelowCache reclaim each FullBelowCache TreeNodeCache reclaim each TreeNodeCache reclaim" {
			t.Error(got)
		}
	})
}

func TestIntervalIsHot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, stop := start(t, nil)
		defer stop()
		time.Sleep(5 * time.Second)
		if err := s.SetInterval(time.Second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4100 * time.Millisecond) // one second and three of sweeping
		if s.Last() == nil || s.Last().Interval != time.Second {
			t.Errorf("%+v", s.Last())
		}
		if err := s.SetInterval(0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second) // whatever was under way has ended
		n := s.Last().Seq
		time.Sleep(time.Hour)
		if s.Last().Seq != n {
			t.Error("swept though the interval is 0")
		}
		if s.SetInterval(-1) == nil {
			t.Error("a negative interval was taken")
		}
	})
}

func TestRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log, stop := start(t, nil)
		info, err := s.Sweep(t.Context(), "request")
		if err != nil || info.Reason != "request" || !slices.Contains(log.all(), "after request") {
			t.Errorf("%+v, %v, %v", info, err, log.all())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Sweep(ctx, "request"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a sweep of three seconds within one: %v", err)
		}
		stop()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Sweep(ctx, "request"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestOptionsRefuse(t *testing.T) {
	if _, err := New(Options{Interval: -1}); err == nil || !strings.Contains(err.Error(), "interval") || !strings.Contains(err.Error(), "clock") {
		t.Error(err)
	}
}
