package lab

import (
	"fmt"
	"math"

	"ledgerlab/lab/stats"
)

// notEstimable is why an arm has no contrast to the control.
const notEstimable = "not judged: the blocks and nodes that were measured do not tell the arm from the control"

// claim compares arm with the control on one metric. With placement node the
// unit is one process in one block; with placement network it is a block.
func (j *judge) claim(units []Unit, spec MetricSpec, arm int) (stats.Claim, []int, string) {
	def, _ := MetricByName(spec.Metric)
	margin, better := spec.Margin.Ratio(), spec.BetterWay()
	obs, why := observations(j.exp, units, def, arm)
	if why != "" {
		return stats.Claim{Margin: margin, Better: better}, nil, why
	}
	if j.exp.Placement == PlacementNode {
		c, blocks, ok := stats.NewProcessClaim(obs, arm, Control, j.seed(), margin, better)
		if !ok {
			why = notEstimable
		}
		return c, blocks, why
	}
	d, blocks := stats.BlockDiffs(obs, arm, Control, false)
	return stats.NewClaim(d, margin, better), blocks, ""
}

// seed makes a drawn reference set the same each time a campaign is judged.
func (j *judge) seed() uint64 { return j.ev.design.Seed }

// observations turns units into logs. It says why when they cannot be compared.
func observations(exp *Experiment, units []Unit, def Metric, arm int) ([]stats.Obs, string) {
	if !def.Fits(exp.Placement) {
		return nil, "not judged here: needs placement network"
	}
	var obs []stats.Obs
	have := map[int]int{}
	for _, u := range units {
		x, ok := u.Values[def.Name]
		a := exp.ArmIndex(u.Arm)
		if !ok || math.IsNaN(x) {
			continue
		}
		if math.IsInf(x, 1) {
			return nil, "not judged: more transactions failed than the percentile leaves room for in " + u.String()
		}
		if !def.Growth {
			if x <= 0 {
				if a == arm || a == Control {
					return nil, zeros(exp, units, def, arm)
				}
				continue
			}
			x = math.Log(x)
		}
		have[a]++
		obs = append(obs, stats.Obs{Block: u.Block, Node: max(u.Node, 0), Arm: a, Y: x})
	}
	if have[arm] == 0 || have[Control] == 0 {
		return nil, "not measured"
	}
	return obs, ""
}

// zeros says why a metric that is zero in some unit is not compared.
func zeros(exp *Experiment, units []Unit, def Metric, arm int) string {
	x, y := stats.Mean(valuesOf(units, def.Name, exp.Arms[arm].Name)), stats.Mean(valuesOf(units, def.Name, exp.Arms[Control].Name))
	if x == 0 && y == 0 {
		return "none in any run of either arm"
	}
	return fmt.Sprintf("too rare to compare as a ratio: mean %.3g with the arm, %.3g with the control", x, y)
}

// modelCheck states the linear model behind a claim on processes.
func modelCheck(u *stats.Processes) *ModelCheck {
	return &ModelCheck{
		DF: u.DF, SE: Num(u.SE), Low: ratio(u.T.Low), High: ratio(u.T.High), P: Num(u.PT),
		Labellings: u.Reference, Exact: u.Exact, Smallest: Num(u.Smallest),
	}
}

// gap is the plain difference arm minus control of a metric with its 95 %
// interval, by the same unit and estimator as claims.
func (j *judge) gap(metric, arm string) (float64, stats.Interval, bool) {
	var obs []stats.Obs
	for _, u := range j.units {
		if x, ok := u.Values[metric]; ok && !math.IsNaN(x) {
			obs = append(obs, stats.Obs{Block: u.Block, Node: max(0, u.Node), Arm: j.exp.ArmIndex(u.Arm), Y: x})
		}
	}
	if j.exp.Placement == PlacementNode {
		p, ok := stats.NewProcesses(obs, j.exp.ArmIndex(arm), Control, j.seed())
		if !ok {
			return math.NaN(), stats.Interval{}, false
		}
		return p.Estimate, p.Interval(0.95), true
	}
	d, _ := stats.BlockDiffs(obs, j.exp.ArmIndex(arm), Control, false)
	return stats.HodgesLehmann(d), stats.ShiftInterval(d, 0.95), len(d) > 0
}
