package lab

import (
	"fmt"
	"time"
)

// measureDirt sums up the machine over a window. Shares are of all CPUs.
func measureDirt(rows []HostRow, from, to int64, limit float64, load LoadCounts) Dirt {
	d := Dirt{}
	if load.Intended > 0 {
		d.Miss = float64(load.Missed) / float64(load.Intended)
	}
	in := clip(rows, from, to, func(r HostRow) int64 { return r.TimeNS })
	if len(in) < 2 {
		return d
	}
	first, last := in[0], in[len(in)-1]
	span := float64(last.TimeNS - first.TimeNS)
	all := span * float64(max(first.CPUs, 1))
	d.Steal = float64(last.StealNS-first.StealNS) / all
	d.GeneratorCPU = float64(last.GeneratorNS-first.GeneratorNS) / all
	d.TargetsCPU = float64(last.TargetsNS-first.TargetsNS) / all
	d.ForeignMean = foreignShare(first, last)
	d.PSICPU = float64(last.PSICPUMicros-first.PSICPUMicros) * 1e3 / span
	d.PSIMem = float64(last.PSIMemMicros-first.PSIMemMicros) * 1e3 / span
	d.PSIIO = float64(last.PSIIOMicros-first.PSIIOMicros) * 1e3 / span
	d.SwitchesRate = float64(last.Switches-first.Switches) / (span / 1e9)
	over, bins := 0, 0
	begin := first
	for _, r := range in[1:] {
		if r.TimeNS-begin.TimeNS < int64(time.Second) {
			continue
		}
		bins++
		if foreignShare(begin, r) > limit {
			over++
		}
		begin = r
	}
	if bins > 0 {
		d.ForeignOver = float64(over) / float64(bins)
	}
	return d
}

func foreignShare(a, b HostRow) float64 {
	all := float64(b.TimeNS-a.TimeNS) * float64(max(a.CPUs, 1))
	if all <= 0 {
		return 0
	}
	busy, own := b.BusyNS-a.BusyNS, b.TargetsNS-a.TargetsNS+b.GeneratorNS-a.GeneratorNS
	return max(0, float64(busy-own)/all)
}

// judgeDirt says why a run does not count, or "".
func judgeDirt(d Dirt, g GuardSpec) string {
	switch {
	case d.ForeignOver > g.ForeignShare.Ratio():
		return fmt.Sprintf("other processes used more than %s of the CPUs in %.0f%% of the window (mean %.1f%%)",
			g.ForeignCPU, 100*d.ForeignOver, 100*d.ForeignMean)
	case d.Steal > g.Steal.Ratio():
		return fmt.Sprintf("the hypervisor took %.1f%% of the CPUs (limit %s)", 100*d.Steal, g.Steal)
	case d.Miss > g.GeneratorMiss.Ratio():
		return fmt.Sprintf("the generator missed %.2f%% of its sends (limit %s)", 100*d.Miss, g.GeneratorMiss)
	}
	return ""
}

// clip keeps the rows with from <= time <= to; rows are in order of time.
func clip[T any](rows []T, from, to int64, at func(T) int64) []T {
	lo := 0
	for lo < len(rows) && at(rows[lo]) < from {
		lo++
	}
	hi := lo
	for hi < len(rows) && at(rows[hi]) <= to {
		hi++
	}
	return rows[lo:hi]
}
