package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

func fullSnapshot() Snapshot {
	return Snapshot{
		Uptime: 10 * time.Second, Mode: "full", ModeTimes: map[string]time.Duration{"full": 7 * time.Second, "syncing": 3 * time.Second},
		OpenSeq: 9, ClosedSeq: 8, ValidatedSeq: 7, ValidatedAge: time.Second, OldestSeq: 1, LoadFactor: 1,
		Caches: map[string]Cache{"tree": {Entries: 5}}, Store: map[string]StoreGeneration{"writable": {Bytes: 5}},
		Places: map[string]Place{"batch": {Arrivals: 3, LockWait: time.Second}},
		Memory: map[string]int64{"go_live": 5}, Beside: map[string]int64{"page_tables": 4},
	}
}

func gather(t *testing.T, m *Metrics) map[string]*dto.MetricFamily {
	t.Helper()
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*dto.MetricFamily{}
	for _, f := range families {
		out[f.GetName()] = f
	}
	return out
}

func TestNamesAreLinted(t *testing.T) {
	m := New(Build{Version: "v"}, fullSnapshot)
	var own []*dto.MetricFamily
	for name, f := range gather(t, m) {
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		if !strings.HasPrefix(name, "ledgerd_") {
			t.Errorf("%s lacks the prefix", name)
		}
		if !strings.HasSuffix(f.GetHelp(), ".") {
			t.Errorf("help of %s does not end with a full stop", name)
		}
		own = append(own, f)
	}
	if len(own) < 60 {
		t.Fatalf("only %d families", len(own))
	}
	problems, err := promlint.NewWithMetricFamilies(own).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestUnknownIsAbsent(t *testing.T) {
	m := New(Build{}, func() Snapshot { return Snapshot{Mode: "disconnected"} })
	got := gather(t, m)
	for _, name := range []string{"ledgerd_ledger_validated_age_seconds", "ledgerd_ledger_validated_sequence", "ledgerd_memory_bytes", "ledgerd_load_factor_ratio"} {
		if got[name] != nil {
			t.Errorf("%s is there before it is known", name)
		}
	}
	if f := got["ledgerd_trims_total"]; f == nil || len(f.Metric) != len(trimTriggers) || f.Metric[0].Counter.GetValue() != 0 {
		t.Error("counters must begin at zero with every series", f)
	}
}

func TestSeriesAreBounded(t *testing.T) {
	s := fullSnapshot()
	m := New(Build{}, func() Snapshot { return s })
	count := func() (n int) {
		for _, f := range gather(t, m) {
			n += len(f.Metric)
		}
		return n
	}
	s.Places["someone"], s.Caches["someone"], s.Memory["someone"], s.Beside["someone"] = Place{Arrivals: 1}, Cache{}, 1, 1
	before := count()
	for i := range 1000 {
		name := fmt.Sprintf("r%d", i)
		s.Places[name], s.Caches[name], s.Memory[name] = Place{Arrivals: 1}, Cache{}, 1
		m.ObserveTrim(TrimInfo{Trigger: name, ReturnedBytes: 1})
		m.ObserveTrim(TrimInfo{Skipped: name})
		m.ObserveRound(RoundInfo{End: name})
		m.ObserveRotation(name, time.Second)
	}
	if after := count(); after != before {
		t.Fatalf("%d series, then %d", before, after)
	}
	arrivals := gather(t, m)["ledgerd_place_arrivals_total"]
	i := slices.IndexFunc(arrivals.Metric, func(x *dto.Metric) bool { return x.Label[0].GetValue() == other })
	if i < 0 || arrivals.Metric[i].Counter.GetValue() != 1001 {
		t.Fatal(arrivals)
	}
}

func TestEvents(t *testing.T) {
	m := New(Build{}, fullSnapshot)
	m.ObserveTrim(TrimInfo{Trigger: "sweep", Duration: time.Second, ReturnedBytes: 100})
	m.ObserveTrim(TrimInfo{Trigger: "sweep", Duration: time.Second, ReturnedBytes: -50})
	m.ObserveTrim(TrimInfo{Trigger: "sweep", Skipped: "policy"})
	m.ObserveSweep(SweepInfo{Duration: time.Second, FreedBytes: 7})
	m.ObserveLedger(LedgerInfo{Success: 5, Claimed: 2})
	m.ObserveLedger(LedgerInfo{Interval: 3 * time.Second, Success: 5})
	m.ObserveBatch(time.Millisecond, time.Millisecond)
	got := gather(t, m)
	if v := got["ledgerd_trim_returned_bytes_total"].Metric[0].Counter.GetValue(); v != 100 {
		t.Errorf("returned %v", v)
	}
	for _, x := range got["ledgerd_transactions_total"].Metric {
		if want := map[string]float64{"claimed": 2, "success": 10}[x.Label[0].GetValue()]; x.Counter.GetValue() != want {
			t.Errorf("%v, want %v", x, want)
		}
	}
	if n := gather(t, m)["ledgerd_ledger_interval_seconds"].Metric[0].Histogram.GetSampleCount(); n != 1 {
		t.Fatalf("%d intervals", n)
	}
}

func TestModeTimesAddUp(t *testing.T) {
	m := New(Build{}, fullSnapshot)
	got := gather(t, m)
	var sum float64
	for _, x := range got["ledgerd_mode_seconds_total"].Metric {
		sum += x.Counter.GetValue()
	}
	if up := got["ledgerd_uptime_seconds_total"].Metric[0].Counter.GetValue(); sum != up {
		t.Fatalf("modes %v, uptime %v", sum, up)
	}
}
