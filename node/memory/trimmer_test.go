package memory

import (
	"sync"
	"testing"
	"time"
)

type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Unix(1000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func trimmer(t *testing.T, change func(o *Options, s *Sources)) (*Trimmer, *clock) {
	t.Helper()
	c := newClock()
	o, s := Default(), Sources{Now: c.now}
	o.Triggers = []Trigger{AfterSweep}
	o.Method = MethodGo // there in every build
	if change != nil {
		change(&o, &s)
	}
	tr, err := New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	return tr, c
}

func TestTriggerOff(t *testing.T) {
	tr, _ := trimmer(t, nil)
	if info, ran := tr.Trigger(RotateClear); ran || info.Skipped == "" {
		t.Errorf("a trigger that is off trimmed: %+v", info)
	}
	if got := tr.Counts(); got != (Counts{}) {
		t.Errorf("counts %+v, want none", got)
	}
}

func TestTrimReportsOnce(t *testing.T) {
	var got []TrimInfo
	var tr *Trimmer
	tr, _ = trimmer(t, func(_ *Options, s *Sources) {
		s.Done = func(i TrimInfo) { got = append(got, i); tr.Counts() } // may call back
	})
	info, ran := tr.Trigger(AfterSweep)
	if !ran || len(got) != 1 || got[0].Reason != AfterSweep || !info.Supported {
		t.Fatalf("ran %v, reports %+v", ran, got)
	}
	if info.RSSBefore <= 0 || info.RSSAfter <= 0 {
		t.Errorf("rss %d to %d", info.RSSBefore, info.RSSAfter)
	}
	if c := tr.Counts(); c.Trims != 1 || c.Triggers != 1 {
		t.Errorf("counts %+v", c)
	}
}

func TestTrimsDoNotOverlap(t *testing.T) {
	tr, _ := trimmer(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				tr.Trigger(AfterSweep)
			}
		})
	}
	wg.Wait()
	if c := tr.Counts(); c.Trims != 20 || c.Lowered+c.Raised > c.Trims {
		t.Errorf("counts %+v, want 20 trims", c)
	}
}

func TestMallocTrimLowersRSS(t *testing.T) {
	notInRaceBuilds(t)
	if Detect().Allocator != Glibc {
		t.Skipf("malloc belongs to %s", Detect().Allocator)
	}
	tr, _ := trimmer(t, func(o *Options, s *Sources) { o.Method = MethodMalloc; s.Now = time.Now })
	const n, size = 100_000, 700
	chunks := make([]uintptr, n)
	for i := range chunks {
		chunks[i] = cAlloc(size)
	}
	for i, p := range chunks {
		if i%200 != 0 {
			cFree(p)
		}
	}
	info := tr.Trim(Manual)
	t.Logf("%+v", info)
	if !info.Supported || info.Result != 1 || info.Delta() > -n*size/2 {
		t.Errorf("trim gave back %d bytes (result %d), want most of %d", -info.Delta(), info.Result, n*size)
	}
	if info.FreeBefore < n*size/2 || info.ThreadCPU <= 0 {
		t.Errorf("free before %d, thread cpu %v", info.FreeBefore, info.ThreadCPU)
	}
	for i, p := range chunks {
		if i%200 == 0 {
			cFree(p)
		}
	}
}

func TestUnsupportedMethod(t *testing.T) {
	if cgoEnabled {
		t.Skip("needs a build without cgo")
	}
	for _, m := range []Method{MethodMalloc, MethodBoth} {
		tr, _ := trimmer(t, func(o *Options, _ *Sources) { o.Method = m })
		info, ran := tr.Trigger(AfterSweep)
		if !ran || info.Supported || info.Unsupported == "" {
			t.Errorf("%s: %+v", m, info)
		}
		if c := tr.Counts(); c.Unsupported != 1 || c.Trims != 0 {
			t.Errorf("%s: counts %+v", m, c)
		}
	}
}

func TestPolicies(t *testing.T) {
	freed := uint64(0)
	retained, live := int64(0), int64(100)
	limit := int64(1)
	cases := []struct {
		policy string
		min    time.Duration
		steps  []func(c *clock) // before each trigger
		want   []bool
	}{
		{policy: "always", steps: make([]func(*clock), 2), want: []bool{true, true}},
		{policy: "every(3)", steps: make([]func(*clock), 6), want: []bool{false, false, true, false, false, true}},
		{
			policy: "freed(1KiB)", steps: []func(*clock){nil, func(*clock) { freed += 1024 }, nil, func(*clock) { freed += 5000 }},
			want: []bool{false, true, false, true},
		},
		{
			policy: "retained(0.5)", steps: []func(*clock){nil, func(*clock) { retained = 50 }, func(*clock) { live = 1000 }},
			want: []bool{false, true, false},
		},
		{policy: "growth(100GiB)", steps: make([]func(*clock), 2), want: []bool{true, false}},
		{policy: "pressure(0.5)", steps: []func(*clock){nil, func(*clock) { limit = 1 << 60 }}, want: []bool{true, false}},
		{
			policy: "backoff(10s,2)", steps: []func(*clock){nil, func(c *clock) { c.add(time.Second) }, func(c *clock) { c.add(time.Hour) }},
			want: []bool{true, false, true},
		},
		{policy: "always", min: 5 * time.Second, steps: []func(*clock){
			nil, func(c *clock) { c.add(4 * time.Second) },
			func(c *clock) { c.add(time.Second) },
		}, want: []bool{true, false, true}},
	}
	for _, tc := range cases {
		t.Run(tc.policy, func(t *testing.T) {
			p, err := ParsePolicy(tc.policy)
			if err != nil {
				t.Fatal(err)
			}
			tr, c := trimmer(t, func(o *Options, s *Sources) {
				o.Policy, o.MinInterval = p, tc.min
				s.Freed = func() uint64 { return freed }
				s.Retained = func() (int64, int64) { return retained, live }
				s.Limit = func() int64 { return limit }
			})
			for i, step := range tc.steps {
				if step != nil {
					step(c)
				}
				info, ran := tr.Trigger(AfterSweep)
				if ran != tc.want[i] || !ran && info.Skipped == "" {
					t.Errorf("trigger %d: ran %v (%s), want %v", i, ran, info.Skipped, tc.want[i])
				}
			}
		})
	}
}

func TestParsePolicy(t *testing.T) {
	for _, s := range []string{"always", "every(4)", "freed(1048576)", "retained(0.3)", "growth(1)", "pressure(0.8)", "backoff(30s,2)"} {
		p, err := ParsePolicy(s)
		if err != nil || p.String() != s {
			t.Errorf("%s: %v, %v", s, p, err)
		}
	}
	for _, s := range []string{
		"every", "every()", "every(0)", "every(-1)", "freed(x)", "freed(0)", "retained(0)", "pressure(2)",
		"backoff(3s)", "backoff(3s,0.5)", "backoff(0s,2)", "never", "every(1", "freed(99999999999GiB)", "retained(NaN)",
	} {
		if p, err := ParsePolicy(s); err == nil {
			t.Errorf("%s was read as %v", s, p)
		}
	}
}

func TestParseTriggers(t *testing.T) {
	got, err := ParseTriggers("sweep, rotate_delete,sweep")
	if err != nil || len(got) != 2 || got[0] != AfterSweep || got[1] != RotateDelete {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "none"} {
		if got, err := ParseTriggers(s); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	if _, err := ParseTriggers("sweep,nope"); err == nil {
		t.Error("an unknown trigger was read")
	}
}

func TestConfigureRefuses(t *testing.T) {
	tr, _ := trimmer(t, nil)
	if err := tr.Configure(func(o *Options) { o.Pad = -1 }); err == nil {
		t.Error("a negative pad was taken")
	}
	if err := tr.Configure(func(o *Options) { o.Triggers = []Trigger{RotateClear} }); err != nil {
		t.Error(err)
	}
	if _, ran := tr.Trigger(RotateClear); !ran {
		t.Error("the new trigger did nothing")
	}
}
