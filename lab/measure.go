package lab

import (
	"math"

	"ledgerlab/lab/stats"
	recordv1 "ledgerlab/proto/record/v1"
)

// measure computes every metric of node i over the window. What was not
// measured is absent.
func (d *runData) measure(i int) map[string]float64 {
	v := map[string]float64{}
	seconds := float64(d.to-d.from) / 1e9
	if seconds <= 0 {
		return v
	}
	rows := clip(d.proc[i], d.from, d.to, procTime)
	measureRSS(rows, v)
	validated := measureLedgers(d.within(i), v)
	v["validated_rate"] = float64(validated) / seconds
	if len(rows) >= 2 {
		first, last := rows[0], rows[len(rows)-1]
		span := float64(last.TimeNS-first.TimeNS) / 1e9
		v["minor_faults_rate"] = float64(last.MinFaults-first.MinFaults) / span
		v["major_faults_rate"] = float64(last.MajFaults-first.MajFaults) / span
		cpu := float64(last.UserNS+last.SystemNS-first.UserNS-first.SystemNS) / 1e9
		v["cpu_share"] = cpu / span
		if validated > 0 {
			v["cpu_per_ktx_seconds"] = cpu / span * seconds / float64(validated) * 1000
		}
	}
	measureSweeps(d.within(i), seconds, v)
	measureTrims(d.within(i), seconds, v)
	measureRounds(d.within(i), seconds, v)
	return v
}

// within are the records of node i whose time lies in the window.
func (d *runData) within(i int) []*recordv1.Record {
	var out []*recordv1.Record
	for _, r := range d.events[i] {
		if t := r.GetTimeNs(); t >= d.from && t <= d.to {
			out = append(out, r)
		}
	}
	return out
}

func measureRSS(rows []ProcRow, v map[string]float64) {
	if len(rows) < 2 {
		return
	}
	t, y := make([]float64, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		t[i], y[i] = float64(r.TimeNS-rows[0].TimeNS)/1e9, float64(r.RSSBytes)
	}
	mean := stats.TimeWeighted(t, y)
	v["rss_mean_bytes"] = mean
	v["rss_p5_bytes"] = stats.Percentile(y, 0.05)
	v["rss_p95_bytes"] = stats.Percentile(y, 0.95)
	v["rss_peak_bytes"] = stats.Percentile(y, 1)
	slope := stats.TheilSen(t, y)
	v["rss_slope_bytes_per_second"] = slope
	if mean > 0 {
		v["rss_growth_ratio"] = slope * t[len(t)-1] / mean
	}
}

func measureLedgers(records []*recordv1.Record, v map[string]float64) (validated int) {
	var gaps []float64
	var before *recordv1.LedgerRecord
	for _, r := range records {
		l := r.GetLedger()
		if l == nil {
			continue
		}
		validated += int(l.GetTransactions())
		switch {
		case before != nil && l.GetSeq() == before.GetSeq()+1:
			gaps = append(gaps, float64(l.GetSeenNs()-before.GetSeenNs())/1e9)
		case before == nil && l.GetIntervalNs() > 0:
			gaps = append(gaps, float64(l.GetIntervalNs())/1e9)
		}
		before = l
	}
	if len(gaps) > 0 {
		v["ledger_interval_median_seconds"] = stats.Median(gaps)
		v["ledger_interval_p80_seconds"] = stats.Percentile(gaps, 0.8)
		v["ledger_interval_p95_seconds"] = stats.Percentile(gaps, 0.95)
	}
	v["ledgers"] = float64(len(gaps))
	return validated
}

func measureSweeps(records []*recordv1.Record, seconds float64, v map[string]float64) {
	var took []float64
	var freed, longest float64
	for _, r := range records {
		s := r.GetSweep()
		if s == nil {
			continue
		}
		took = append(took, float64(s.GetDurationNs())/1e9)
		freed += float64(s.GetFreedBytes())
		for _, c := range s.GetCaches() {
			longest = max(longest, float64(c.GetLockLongestNs())/1e9)
		}
	}
	v["sweeps"] = float64(len(took))
	if len(took) > 0 {
		v["sweep_p50_seconds"] = stats.Median(took)
		v["sweep_freed_bytes_rate"] = freed / seconds
		v["sweep_lock_longest_seconds"] = longest
	}
}

func measureTrims(records []*recordv1.Record, seconds float64, v map[string]float64) {
	var took []float64
	var back, cpu float64
	lowered := 0
	for _, r := range records {
		t := r.GetTrim()
		if t == nil || t.GetSkipped() != "" || !t.GetSupported() {
			continue
		}
		took = append(took, float64(t.GetDurationNs())/1e9)
		back += float64(t.GetRssBeforeBytes() - t.GetRssAfterBytes())
		cpu += float64(t.GetCpuNs()) / 1e9
		if t.GetRssAfterBytes() < t.GetRssBeforeBytes() {
			lowered++
		}
	}
	v["trims_rate"] = float64(len(took)) / seconds
	v["trim_cpu_share"] = cpu / seconds
	v["trim_returned_bytes_rate"] = max(0, back/seconds)
	if len(took) > 0 {
		v["trim_p50_seconds"] = stats.Median(took)
		v["trim_p95_seconds"] = stats.Percentile(took, 0.95)
		v["trims_lowering_share"] = float64(lowered) / float64(len(took))
	}
}

func measureRounds(records []*recordv1.Record, seconds float64, v map[string]float64) {
	var vote, acquire, rotation []float64
	disputes, out, rounds, left := 0.0, 0.0, 0.0, 0.0
	for _, r := range records {
		switch b := r.GetBody().(type) {
		case *recordv1.Record_Round:
			rounds++
			vote = append(vote, float64(b.Round.GetEstablishNs())/1e9)
			disputes += float64(b.Round.GetDisputes())
			if b.Round.SetAcquireNs != nil {
				acquire = append(acquire, float64(b.Round.GetSetAcquireNs())/1e9)
			}
			if b.Round.GetMode() != "proposing" {
				out++
			}
		case *recordv1.Record_Rotation:
			if rotated(b.Rotation) {
				rotation = append(rotation, float64(b.Rotation.GetDurationNs())/1e9)
			}
		case *recordv1.Record_Mode:
			if inSync(b.Mode.GetOldMode()) && !inSync(b.Mode.GetNewMode()) {
				left++
			}
		}
	}
	v["departures_from_full"] = left / seconds * 3600
	if len(rotation) > 0 {
		v["rotation_p50_seconds"] = stats.Median(rotation)
	}
	v["rotations"] = float64(len(rotation))
	if rounds == 0 {
		return
	}
	v["step_outs"] = out / seconds * 3600
	v["voting_seconds"] = stats.Median(vote)
	v["disputes_per_round"] = disputes / rounds
	if len(acquire) > 0 {
		v["set_acquire_seconds"] = stats.Median(acquire)
	}
}

// inSync says whether a mode is full or one of those that imply it.
func inSync(mode string) bool {
	return mode == "full" || mode == "validating" || mode == "proposing"
}

// measureLatency adds the load's view, which belongs to the network and not to
// one node. What failed counts with the time after which it was given up, and
// above everything that validated.
func (d *runData) measureLatency(v map[string]float64) {
	var ok []float64
	failed := 0
	for _, p := range d.tx {
		if p.IntendedNS < d.from || p.IntendedNS > d.to {
			continue
		}
		if p.Validated {
			ok = append(ok, float64(p.LatencyNS)/1e9)
		} else {
			failed++
		}
	}
	if len(ok) == 0 {
		return
	}
	for name, q := range map[string]float64{"latency_p50_seconds": 0.5, "latency_p99_seconds": 0.99} {
		rank := q * float64(len(ok)+failed)
		if rank > float64(len(ok)) {
			v[name] = math.Inf(1)
			continue
		}
		v[name] = stats.Percentile(ok, rank/float64(len(ok)))
	}
}

// rotated says whether a rotation came to its end and was not stopped.
func rotated(r *recordv1.RotationRecord) bool {
	return r.GetResult() == "done" || r.GetResult() == "rotated"
}
