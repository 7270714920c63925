package lab

import (
	"slices"

	"ledgerlab/lab/stats"
)

// triggerOff is why a moment that trim.trigger does not name makes no trim; it
// is no decision of a policy and is not counted.
const triggerOff = "trigger is off"

// tallyTrims counts the trims of each arm by trigger over the chosen windows,
// rises of RSS as well as falls.
func tallyTrims(exp *Experiment, chosen map[int][]*runData) []TrimTally {
	type key struct{ arm, trigger string }
	back, took := map[key][]float64{}, map[key][]float64{}
	tally := map[key]*TrimTally{}
	sweeps := map[string]int{}
	for _, b := range sortedInts(chosen) {
		for _, d := range chosen[b] {
			for i, arm := range d.rec.Arms {
				for _, r := range d.within(i) {
					if r.GetSweep() != nil {
						sweeps[arm]++
					}
					t := r.GetTrim()
					if t == nil || t.GetSkipped() == triggerOff {
						continue
					}
					k := key{arm, t.GetTrigger()}
					if tally[k] == nil {
						tally[k] = &TrimTally{Arm: arm, Trigger: t.GetTrigger()}
					}
					if t.GetSkipped() != "" || !t.GetSupported() {
						tally[k].Skipped++
						continue
					}
					fell := t.GetRssBeforeBytes() - t.GetRssAfterBytes()
					tally[k].add(fell, float64(t.GetCpuNs())/1e9)
					back[k], took[k] = append(back[k], float64(fell)), append(took[k], float64(t.GetDurationNs())/1e9)
				}
			}
		}
	}
	var out []TrimTally
	for k, t := range tally {
		t.Sweeps = sweeps[k.arm]
		if t.Made > 0 {
			t.Median = int64(stats.Median(back[k]))
			t.P50, t.P95 = stats.Median(took[k]), stats.Percentile(took[k], 0.95)
		}
		if t.Sweeps > 0 {
			t.PerSweep = float64(t.Made) / float64(t.Sweeps)
		}
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b TrimTally) int {
		if d := exp.ArmIndex(a.Arm) - exp.ArmIndex(b.Arm); d != 0 {
			return d
		}
		return b.Made - a.Made
	})
	return out
}

func (t *TrimTally) add(fell int64, cpu float64) {
	t.Made++
	t.Sum += fell
	t.Largest = max(t.Largest, fell)
	t.CPU += cpu
	switch {
	case fell > 0:
		t.Lowered++
	case fell < 0:
		t.Raised++
	}
}
