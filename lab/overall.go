package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ledgerlab/lab/stats"
)

// guards sums up what is protected.
func (j *judge) guards(chosen map[int][]*runData) {
	g := Guards{Agreement: true, Finality: true, Runs: map[string]int{}, Residual: Num(math.NaN())}
	for _, r := range j.ev.all {
		g.Runs[r.Status]++
	}
	var foreign, gen, targets, steal, residual []float64
	for _, b := range sortedInts(chosen) {
		for _, d := range chosen[b] {
			r := d.rec
			g.Agreement = g.Agreement && r.Agreement.OK
			g.LedgersAgreed += r.Agreement.Ledgers
			g.HashesCompared += r.Agreement.Compared
			g.Missing += r.Agreement.Missing
			g.Diverged = append(g.Diverged, r.Agreement.Diverged...)
			g.Load = addCounts(g.Load, r.Load.Counts)
			g.Lost = append(g.Lost, r.Load.Lost...)
			g.RecordsLost += r.Lost
			foreign, gen = append(foreign, r.Dirt.ForeignMean), append(gen, r.Dirt.GeneratorCPU)
			targets, steal = append(targets, r.Dirt.TargetsCPU), append(steal, r.Dirt.Steal)
			residual = append(residual, d.residuals()...)
		}
	}
	g.Finality = g.Load.Pending == 0 && len(g.Lost) == 0
	g.ForeignCPU, g.GeneratorCPU, g.TargetsCPU = Num(stats.Mean(foreign)), Num(stats.Mean(gen)), Num(stats.Mean(targets))
	g.Steal = Num(stats.Percentile(steal, 1))
	g.Residual = Num(stats.Percentile(residual, 0.99))
	j.v.Guards = g
}

// residuals are the shares of RSS that full balance sheets left unexplained.
func (d *runData) residuals() []float64 {
	var out []float64
	for i := range d.events {
		for _, r := range d.within(i) {
			s := r.GetSheet()
			if s == nil || s.GetRssBytes() <= 0 {
				continue
			}
			if u, ok := s.GetLines()["unexplained"]; ok {
				out = append(out, math.Abs(float64(u))/float64(s.GetRssBytes()))
			}
		}
	}
	return out
}

func addCounts(a, b LoadCounts) LoadCounts {
	return LoadCounts{
		a.Intended + b.Intended, a.Sent + b.Sent, a.Missed + b.Missed, a.Accepted + b.Accepted,
		a.Refused + b.Refused, a.Errors + b.Errors, a.Validated + b.Validated, a.Failed + b.Failed,
		a.Expired + b.Expired, a.Pending + b.Pending, a.Reads + b.Reads, a.ReadErrors + b.ReadErrors,
	}
}

// overall gives the campaign's word, exit code and sentence.
func (j *judge) overall() {
	v := j.v
	if why := j.voids(); len(why) > 0 {
		v.Word, v.Reasons = stats.Void, why
	} else {
		v.Word, v.Reasons = worst(primaries(v.Rows))
	}
	v.Exit = v.Word.Exit()
	v.Sentence = j.sentence()
}

// voids lists what makes the whole campaign void.
func (j *judge) voids() []string {
	var why []string
	v, g := j.v, j.v.Guards
	if v.Blocks == 0 {
		return []string{"no block was measured to its end" + j.statusText()}
	}
	if len(g.Diverged) > 0 {
		why = append(why, "the nodes disagreed on validated ledgers: "+g.Diverged[0])
	} else if !g.Agreement {
		why = append(why, "agreement of the nodes could not be shown: no validated hash was compared in some run")
	}
	if !g.Finality {
		why = append(why, fmt.Sprintf("%d accepted transactions were neither validated nor ended with a final code", max(g.Load.Pending, int64(len(g.Lost)))))
	}
	if missing := v.BlocksPlanned - v.Blocks; 3*missing > v.BlocksPlanned {
		why = append(why, fmt.Sprintf("%d of %d blocks do not count%s", missing, v.BlocksPlanned, j.statusText()))
	}
	for _, gate := range v.Gates {
		if gate.Role == "primary" && !gate.OK {
			why = append(why, fmt.Sprintf("A/A gate on %s: %s", Label(gate.Metric), gate.Reason))
		}
	}
	return why
}

func (j *judge) statusText() string {
	text := ""
	for _, s := range []string{StatusContaminated, StatusDied, StatusFailed, StatusInterrupted} {
		if n := j.v.Guards.Runs[s]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, s)
		}
	}
	if text == "" {
		return ""
	}
	return " (runs:" + text[1:] + ")"
}

// worst is the word of the campaign from its primary rows.
func worst(rows []MetricRow) (stats.Word, []string) {
	order := []stats.Word{stats.Regressed, stats.Void, stats.Inconclusive, stats.Drifting, stats.Improved, stats.Trivial, stats.Equivalent}
	best := len(order) - 1
	var why []string
	for _, r := range rows {
		at := slices.Index(order, r.Word)
		if r.Word == Unjudged {
			at = slices.Index(order, stats.Inconclusive)
		}
		best = min(best, at)
		if r.Word == stats.Inconclusive || r.Word == Unjudged || r.Word == stats.Void {
			why = append(why, fmt.Sprintf("%s of %s: %s", Label(r.Metric), r.Arm, undecided(r)))
		}
	}
	return order[best], why
}

func undecided(r MetricRow) string {
	if r.Note != "" {
		return r.Note
	}
	if !r.Low.Known() || !r.High.Known() {
		return fmt.Sprintf("no verdict is possible with %d blocks; %d are the fewest that can decide", r.Blocks, r.fewest())
	}
	text := fmt.Sprintf("can rule out more than %.3g%%", 100*float64(r.RulesOut))
	if r.Decide > 0 {
		text += fmt.Sprintf("; about %d blocks would decide", r.Decide)
	}
	return text
}

// savings weighs the memory of each arm against its price.
func (j *judge) savings() []Saving {
	var out []Saving
	for arm, spec := range j.exp.Arms {
		if arm == Control || arm == j.exp.Duplicate() {
			continue
		}
		rss, ci, ok := j.gap("rss_mean_bytes", spec.Name)
		if !ok {
			continue
		}
		s := Saving{Arm: spec.Name, SavedBytes: Num(-rss), Low: Num(-ci.High), High: Num(-ci.Low)}
		perSecond, _, _ := j.gap("cpu_share", spec.Name)
		faults, _, _ := j.gap("minor_faults_rate", spec.Name)
		s.ExtraCPU, s.ExtraFaults = Num(3600*perSecond), Num(faults)
		s.FaultCost = Num(j.faultCost())
		s.FaultCPU = Num(3600 * float64(s.ExtraFaults) * float64(s.FaultCost))
		s.Cost = s.ExtraCPU + Num(max(0, float64(s.FaultCPU)))
		s.Yield = Num(math.NaN())
		if s.Cost > 0 {
			s.Yield = s.SavedBytes / s.Cost
		}
		out = append(out, s)
	}
	return out
}

func (j *judge) faultCost() float64 {
	var x []float64
	for _, r := range j.ev.all {
		if r.FaultNS > 0 {
			x = append(x, r.FaultNS/1e9)
		}
	}
	return stats.Median(x)
}

// drift looks for a trend of the control over the campaign and, with placement
// network, for an effect of the position in the block.
func (j *judge) drift() []DriftCheck {
	var out []DriftCheck
	rng := rand.New(rand.NewPCG(j.ev.design.Seed, 0xd21f7))
	specs, primaries := j.exp.Metrics()
	for _, s := range specs[:primaries] {
		var t, y, pos []float64
		for _, u := range j.units {
			if x := u.Values[s.Metric]; u.Arm == j.v.Control && x > 0 {
				t, y, pos = append(t, float64(u.Block)), append(y, math.Log(x)), append(pos, float64(u.Position))
			}
		}
		effect, p := stats.Trend(t, y, rng)
		out = append(out, DriftCheck{Name: "trend of the control over blocks", Metric: s.Metric, Effect: Num(effect), P: Num(p)})
		if j.exp.Placement == PlacementNetwork {
			effect, p = stats.Trend(pos, y, rng)
			out = append(out, DriftCheck{Name: "position in the block", Metric: s.Metric, Effect: Num(effect), P: Num(p)})
		}
	}
	return out
}
