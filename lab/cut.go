package lab

import (
	"math"
	"math/rand/v2"

	"ledgerlab/lab/stats"
)

// cut gives all runs of a block the largest warm-up of the block, counted from
// the start of the load, and ends them at the earliest end, so that windows
// cover the same ages. The warm-up of a run is what its events took, or more
// where the test of the experiment says that it had not settled.
func (ev *evidence) cut() {
	type blockKey struct{ block, attempt int }
	largest, shortest := map[blockKey]int64{}, map[blockKey]int64{}
	for _, d := range ev.runs {
		k := blockKey{d.rec.Block, d.rec.Attempt}
		warm := d.rec.WindowNS - d.rec.LoadNS
		if ev.exp.Design.Warmup.Test == "mser5" {
			limit := min(int64(ev.exp.Design.Warmup.Max), warm+(d.rec.WindowEnd-d.rec.WindowNS)/4)
			warm = max(warm, min(limit, d.settled()))
		}
		largest[k] = max(largest[k], warm)
		end := d.rec.WindowEnd - d.rec.LoadNS
		if s, ok := shortest[k]; !ok || end < s {
			shortest[k] = end
		}
	}
	for _, d := range ev.runs {
		k := blockKey{d.rec.Block, d.rec.Attempt}
		d.from, d.to = d.rec.LoadNS+largest[k], d.rec.LoadNS+shortest[k]
		if d.to-d.from < (d.rec.WindowEnd-d.rec.WindowNS)/2 { // too little in common: keep its own
			d.from, d.to = d.rec.WindowNS, d.rec.WindowEnd
		}
	}
}

// settled is the time after the start of the load at which MSER-5 finds the
// ledger intervals of the first node settled; 0 when there are too few of them.
// RSS has no part in it: untrimmed it climbs by nature, and its arms are
// compared over the same ages whether steady or not.
func (d *runData) settled() int64 {
	at, gaps := d.intervals(0, d.rec.LoadNS, d.rec.WindowEnd)
	cut, ok := stats.MSER5(gaps)
	if !ok || cut == 0 {
		return 0
	}
	return at[cut-1] - d.rec.LoadNS
}

// intervals are the gaps between consecutive validated ledgers of node i, with
// the time at which each ended.
func (d *runData) intervals(i int, from, to int64) (at []int64, gaps []float64) {
	if i >= len(d.events) {
		return nil, nil
	}
	var seq uint32
	var seen int64
	for _, r := range d.events[i] {
		l := r.GetLedger()
		if l == nil || l.GetSeenNs() < from || l.GetSeenNs() > to {
			continue
		}
		if seq != 0 && l.GetSeq() == seq+1 {
			at, gaps = append(at, l.GetSeenNs()), append(gaps, float64(l.GetSeenNs()-seen)/1e9)
		}
		seq, seen = l.GetSeq(), l.GetSeenNs()
	}
	return at, gaps
}

// timing are the metrics whose mean means nothing while ledgers slow down or
// speed up through the window.
var timing = map[string]bool{
	"ledger_interval_median_seconds": true, "ledger_interval_p80_seconds": true, "ledger_interval_p95_seconds": true,
	"latency_p50_seconds": true, "latency_p99_seconds": true, "validated_rate": true,
}

// driftTolerance is the change over a window that still counts as steady; the
// protocol's 1 % is for windows of hundreds of ledgers, and a shorter one cannot
// show it.
const driftTolerance = 0.10

// drifts says whether ledger intervals moved in more than half of the runs of
// an arm: the whole slope interval over the window beyond the tolerance.
func (ev *evidence) drifts(chosen map[int][]*runData, arm string) bool {
	moved, all := 0, 0
	for _, b := range sortedInts(chosen) {
		for _, d := range chosen[b] {
			if d.rec.Arms[0] != arm {
				continue
			}
			at, gaps := d.intervals(0, d.from, d.to)
			if len(gaps) < 10 {
				continue
			}
			t := make([]float64, len(at))
			for i := range at {
				t[i] = float64(at[i]-at[0]) / 1e9
			}
			ci := stats.SlopeInterval(t, gaps, 0.95, 0, 200, rand.New(rand.NewPCG(d.rec.Seed, 0xd41f)))
			limit := driftTolerance * stats.Mean(gaps) / math.Max(t[len(t)-1], 1e-9)
			all++
			if ci.Low > limit || ci.High < -limit {
				moved++
			}
		}
	}
	return 2*moved > all && all > 0
}
