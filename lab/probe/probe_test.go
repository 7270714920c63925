package probe

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestPeriodNeverDividesTheSweep(t *testing.T) {
	for sweep := 500 * time.Millisecond; sweep <= 60*time.Second; sweep += 37 * time.Millisecond {
		p := PeriodFor(sweep)
		r := float64(sweep) / float64(p)
		if d := abs(r - float64(int64(r+0.5))); d < 0.05 {
			t.Fatalf("sweep %v period %v: ratio %v", sweep, p, r)
		}
	}
}

func TestSamplerSeesThisProcess(t *testing.T) {
	o := DefaultOptions()
	o.Period = 20 * time.Millisecond
	s, err := New(o, []int{os.Getpid(), 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.step(time.Now())
	}
	samples, host, dropped := s.Take()
	if len(samples) != 3 || len(host) != 3 || dropped != 0 {
		t.Fatalf("%d samples, %d host rows, %d dropped", len(samples), len(host), dropped)
	}
	if samples[0].RSSBytes < 1<<20 || samples[0].MinFaults == 0 || samples[0].AgeNS < 0 {
		t.Errorf("implausible: %+v", samples[0])
	}
	if gone := s.Gone(); gone[0] || !gone[1] {
		t.Errorf("gone: %v", gone)
	}
	if host[0].CPUs < 1 || host[0].BusyNS == 0 {
		t.Errorf("implausible: %+v", host[0])
	}
}

func TestSamplerLimit(t *testing.T) {
	o := DefaultOptions()
	o.Limit = 1
	s, err := New(o, []int{os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	s.step(time.Now())
	s.step(time.Now())
	if _, _, dropped := s.Take(); dropped != 1 {
		t.Errorf("dropped %d, want 1", dropped)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	s, err := New(DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Run(ctx)
}

func TestRollup(t *testing.T) {
	m, err := Rollup(os.Getpid())
	if err != nil {
		t.Skipf("no smaps_rollup here: %v", err)
	}
	if m["Rss"] <= 0 {
		t.Errorf("Rss: %v", m)
	}
	if _, err := parseRollup("nonsense"); err == nil {
		t.Error("nonsense was read")
	}
}

func FuzzParseRollup(f *testing.F) {
	f.Add("Rss:  12 kB\nPss: 3 kB\n")
	f.Add("Rss: -1 kB")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseRollup(s)
		for k, v := range m {
			if err == nil && v < 0 {
				t.Fatalf("%s is negative", k)
			}
		}
	})
}
