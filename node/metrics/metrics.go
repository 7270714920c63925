package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Build tells what runs.
type Build struct {
	Version, Go, Allocator, Role, Name string
}

// Metrics is the node's registry.
type Metrics struct {
	reg    *prometheus.Registry
	events events
}

// events are the figures that are pushed.
type events struct {
	ledgerInterval, establish, round, setAcquire prometheus.Histogram
	sweep, rotation                              prometheus.Histogram
	trim                                         *prometheus.HistogramVec
	batchSetup, batchApply                       prometheus.Histogram
	transactions, rounds                         *prometheus.CounterVec
	sweepFreed, trimReturned                     prometheus.Counter
	trims, trimSkipped                           *prometheus.CounterVec
	sheet, sheetArena                            prometheus.Histogram
	sheetCPU                                     prometheus.Counter
	rotations                                    *prometheus.CounterVec
	disputes                                     prometheus.Counter
}

// New returns a registry that calls source once a scrape; source must be quick
// and safe for concurrent use.
func New(b Build, source func() Snapshot) *Metrics {
	m := &Metrics{reg: prometheus.NewRegistry()}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "ledgerd_build_info", Help: "What runs; the value is 1.",
		ConstLabels: prometheus.Labels{"version": b.Version, "goversion": b.Go, "allocator": b.Allocator, "role": b.Role, "node": b.Name},
	})
	info.Set(1)
	m.reg.MustRegister(info,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		newPull(source))
	m.events = newEvents()
	m.reg.MustRegister(m.events.all()...)
	return m
}

// Gatherer returns what a handler needs to answer a scrape.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.reg }

func newEvents() events {
	hist := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	count := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	vec := func(name, help, label string, values []string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, value := range values { // every series is there from the first scrape, and no other comes
			v.WithLabelValues(value)
		}
		return v
	}
	slow := []float64{.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 15, 20, 30, 60}
	quick := prometheus.ExponentialBuckets(1e-4, 2, 18) // 0.1 ms to 13 s
	e := events{
		ledgerInterval: hist("ledgerd_ledger_interval_seconds", "Time from one ledger first seen validated to the next, by this node's clock.", slow),
		establish:      hist("ledgerd_round_establish_seconds", "Voting time of consensus rounds.", slow),
		round:          hist("ledgerd_round_seconds", "Whole time of consensus rounds.", slow),
		setAcquire:     hist("ledgerd_round_set_acquire_seconds", "Longest acquisition of a peer's transaction set in a round.", quick),
		sweep:          hist("ledgerd_sweep_seconds", "Time of cache sweeps.", quick),
		rotation:       hist("ledgerd_rotation_seconds", "Time of store rotations.", prometheus.ExponentialBuckets(.05, 2, 14)),
		batchSetup:     hist("ledgerd_batch_setup_seconds", "Time to copy the open ledger before a batch.", quick),
		batchApply:     hist("ledgerd_batch_apply_seconds", "Time to apply a batch to the open ledger.", quick),
		transactions:   vec("ledgerd_transactions_total", "Transactions in validated ledgers, by class of result.", "result", []string{"success", "claimed"}),
		rounds:         vec("ledgerd_rounds_total", "Consensus rounds, by the rule that ended them.", "end", roundEnds),
		sweepFreed:     count("ledgerd_sweep_freed_bytes_total", "Bytes of payloads that sweeps handed back to the allocator."),
		trimReturned:   count("ledgerd_trim_returned_bytes_total", "Resident bytes that trims took away; a rise counts as nothing."),
		trims:          vec("ledgerd_trims_total", "Trims that were made, by trigger.", "trigger", trimTriggers),
		trimSkipped:    vec("ledgerd_trim_skipped_total", "Trims that were triggered and not made, by reason.", "reason", skipReasons),
		sheet:          hist("ledgerd_sheet_seconds", "Time of measuring a full balance sheet.", quick),
		sheetArena:     hist("ledgerd_sheet_arena_seconds", "Longest time of a full balance sheet at one arena of the C heap, its lock held or awaited.", quick),
		sheetCPU:       count("ledgerd_sheet_cpu_seconds_total", "CPU time of the thread that measured full balance sheets."),
		rotations:      vec("ledgerd_rotations_total", "Rotations of the store, by result.", "result", rotationResults),
		disputes:       count("ledgerd_disputes_total", "Disputed transactions over all rounds."),
	}
	e.trim = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "ledgerd_trim_seconds", Help: "Time of trims, by trigger.", Buckets: quick}, []string{"trigger"})
	for _, t := range trimTriggers {
		e.trim.WithLabelValues(t)
	}
	return e
}

func (e *events) all() []prometheus.Collector {
	return []prometheus.Collector{
		e.ledgerInterval, e.establish, e.round, e.setAcquire, e.sweep, e.rotation, e.trim,
		e.batchSetup, e.batchApply, e.transactions, e.rounds, e.sweepFreed, e.trimReturned, e.trims, e.trimSkipped, e.rotations, e.disputes,
		e.sheet, e.sheetArena, e.sheetCPU,
	}
}

// LedgerInfo is a ledger seen validated for the first time.
type LedgerInfo struct {
	Interval         time.Duration // 0 = the first
	Success, Claimed int           // transactions by class of result
}

// ObserveLedger counts a validated ledger.
func (m *Metrics) ObserveLedger(i LedgerInfo) {
	if i.Interval > 0 {
		m.events.ledgerInterval.Observe(i.Interval.Seconds())
	}
	m.events.transactions.WithLabelValues("success").Add(float64(i.Success))
	m.events.transactions.WithLabelValues("claimed").Add(float64(i.Claimed))
}

// RoundInfo is a finished consensus round.
type RoundInfo struct {
	Establish, Round, SetAcquire time.Duration // SetAcquire 0 = none was acquired
	End                          string
	Disputes                     int
}

// ObserveRound counts a consensus round.
func (m *Metrics) ObserveRound(i RoundInfo) {
	m.events.establish.Observe(i.Establish.Seconds())
	m.events.round.Observe(i.Round.Seconds())
	if i.SetAcquire > 0 {
		m.events.setAcquire.Observe(i.SetAcquire.Seconds())
	}
	m.events.rounds.WithLabelValues(fold(i.End, roundEnds)).Inc()
	m.events.disputes.Add(float64(i.Disputes))
}

// SweepInfo is a finished sweep.
type SweepInfo struct {
	Duration   time.Duration
	FreedBytes int64
}

// ObserveSweep counts a sweep.
func (m *Metrics) ObserveSweep(i SweepInfo) {
	m.events.sweep.Observe(i.Duration.Seconds())
	m.events.sweepFreed.Add(float64(max(i.FreedBytes, 0)))
}

// TrimInfo is a trim, made or skipped.
type TrimInfo struct {
	Trigger       string
	Skipped       string // policy, interval or unsupported; "" = made
	Duration      time.Duration
	ReturnedBytes int64
}

// ObserveTrim counts a trim.
func (m *Metrics) ObserveTrim(i TrimInfo) {
	if i.Skipped != "" {
		m.events.trimSkipped.WithLabelValues(fold(i.Skipped, skipReasons)).Inc()
		return
	}
	trigger := fold(i.Trigger, trimTriggers)
	m.events.trims.WithLabelValues(trigger).Inc()
	m.events.trim.WithLabelValues(trigger).Observe(i.Duration.Seconds())
	m.events.trimReturned.Add(float64(max(i.ReturnedBytes, 0)))
}

// SheetInfo is a full balance sheet.
type SheetInfo struct {
	Duration, CPU, ArenaLongest time.Duration
}

// ObserveSheet counts a full balance sheet.
func (m *Metrics) ObserveSheet(i SheetInfo) {
	m.events.sheet.Observe(i.Duration.Seconds())
	m.events.sheetArena.Observe(i.ArenaLongest.Seconds())
	m.events.sheetCPU.Add(max(0, i.CPU.Seconds()))
}

// ObserveRotation counts a rotation; result is rotated, expired, stopping or failed.
func (m *Metrics) ObserveRotation(result string, d time.Duration) {
	m.events.rotations.WithLabelValues(fold(result, rotationResults)).Inc()
	m.events.rotation.Observe(d.Seconds())
}

// ObserveBatch counts a batch applied to the open ledger.
func (m *Metrics) ObserveBatch(setup, apply time.Duration) {
	m.events.batchSetup.Observe(setup.Seconds())
	m.events.batchApply.Observe(apply.Seconds())
}
