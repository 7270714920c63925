package lab

import (
	"fmt"
	"math"

	"ledgerlab/lab/stats"
)

// JudgeOptions change how stored data is judged, never the data.
type JudgeOptions struct {
	Margins map[string]Percent // by metric
	Level   float64            // 0 = the experiment's
	Write   bool               // store verdict.json, runs.csv and runs.parquet
}

// Judge reads a results folder and gives its verdict.
func Judge(dir string, opts JudgeOptions) (*Verdict, error) {
	folder, exp, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	if err := applyMargins(exp, opts); err != nil {
		return nil, err
	}
	ev, err := readEvidence(folder, exp)
	if err != nil {
		return nil, err
	}
	chosen := ev.choose(false)
	units := ev.units(chosen)
	v := newVerdict(exp, ev, len(chosen))
	j := &judge{exp: exp, ev: ev, units: units, v: v}
	j.guards(chosen)
	j.gates()
	v.Rows = j.rows(units, true)
	j.markDrift(chosen)
	v.Kept = primaries(j.rows(ev.units(ev.choose(true)), false))
	v.Savings = j.savings()
	v.Trims = tallyTrims(exp, chosen)
	v.Drift = j.drift()
	j.overall()
	if !opts.Write {
		return v, nil
	}
	if err := writeUnits(folder, exp, units); err != nil {
		return nil, err
	}
	return v, folder.writeJSON(FileVerdict, v)
}

func applyMargins(exp *Experiment, opts JudgeOptions) error {
	if opts.Level != 0 {
		exp.Judge.Level = opts.Level
	}
	left := map[string]bool{}
	for k := range opts.Margins {
		left[k] = true
	}
	for _, list := range [][]MetricSpec{exp.Judge.Primary, exp.Judge.Secondary} {
		for i := range list {
			if m, ok := opts.Margins[list[i].Metric]; ok {
				list[i].Margin = m
				delete(left, list[i].Metric)
			}
		}
	}
	for _, k := range sortedKeys(left) {
		return fmt.Errorf("margin for %q: this experiment does not judge it%s", k, didYouMean(k, metricNames()))
	}
	return exp.Validate()
}

func newVerdict(exp *Experiment, ev *evidence, blocks int) *Verdict {
	v := &Verdict{
		Schema: VerdictSchema, Experiment: exp.Metadata.Name, Question: exp.Metadata.Question, Seed: exp.Metadata.Seed,
		Claim: exp.Metadata.Claim, Profile: exp.Profile, Placement: exp.Placement, Blocks: blocks,
		BlocksPlanned: len(ev.design.Rows), Arms: exp.armNames(), Control: exp.Arms[Control].Name, DesignSeed: ev.design.Seed,
	}
	if d := exp.Duplicate(); d >= 0 {
		v.Duplicate = exp.Arms[d].Name
	}
	if exp.Design.Order == "fixed" && exp.Placement == PlacementNetwork {
		v.Notes = append(v.Notes, "The order of arms was fixed, not drawn: a drift of the machine would look like an effect.")
	}
	return v
}

// judge carries what the steps of one Judge share.
type judge struct {
	exp   *Experiment
	ev    *evidence
	units []Unit
	v     *Verdict
	void  map[string]string // metric -> why
}

// gates judges the duplicate control of every metric.
func (j *judge) gates() {
	j.void = map[string]string{}
	dup := j.exp.Duplicate()
	if dup < 0 {
		j.v.Notes = append(j.v.Notes, "There is no duplicate of the control: noise of the lab is not measured in this campaign.")
		return
	}
	specs, primaries := j.exp.Metrics()
	var claims []stats.Claim
	var at []int
	for i, s := range specs {
		c, _, why := j.claim(j.units, s, dup)
		if why == "" {
			claims, at = append(claims, c), append(at, i)
		}
	}
	for k, g := range stats.NewGates(claims) {
		s := specs[at[k]]
		row := GateRow{
			Metric: s.Metric, Role: role(at[k], primaries), Margin: s.Margin.Ratio(), OK: g.OK, Reason: g.Reason,
			Ratio: ratio(g.Claim.Estimate), Low: ratio(g.Claim.J.Low), High: ratio(g.Claim.J.High),
			P: Num(g.Claim.P), Holm: Num(g.Holm), SD: Num(g.Claim.SD()), Smallest: Num(g.Claim.SmallestP()), Word: g.Claim.Decide(g.Holm, 0.05),
		}
		j.v.Gates = append(j.v.Gates, row)
		if !g.OK {
			j.void[s.Metric] = g.Reason
		}
	}
}

func role(i, primaries int) string {
	if i < primaries {
		return "primary"
	}
	return "secondary"
}

func ratio(log float64) Num { return Num(math.Exp(log)) }

// rows judges every metric of every arm, corrected over the campaign.
func (j *judge) rows(units []Unit, gated bool) []MetricRow {
	specs, primaries := j.exp.Metrics()
	dup := j.exp.Duplicate()
	var rows []MetricRow
	var claims []stats.Claim
	for i, s := range specs {
		for arm := range j.exp.Arms {
			if arm == Control || arm == dup {
				continue
			}
			c, blocks, why := j.claim(units, s, arm)
			rows = append(rows, j.row(units, s, role(i, primaries), arm, c, blocks, why))
			claims = append(claims, c)
		}
	}
	correct(rows, claims)
	for i := range rows {
		r := &rows[i]
		if r.Note != "" {
			r.Word = Unjudged
			continue
		}
		r.Word = claims[i].Decide(float64(r.Q), j.exp.Judge.Level)
		if r.Word == stats.Inconclusive {
			r.Decide = claims[i].BlocksToDecide()
		}
		if why, bad := j.void[r.Metric]; bad && gated {
			r.Word, r.Note = stats.Void, why
		}
	}
	return rows
}

// markDrift takes the verdict from timing metrics of arms whose ledgers did not
// keep a steady pace under placement network.
func (j *judge) markDrift(chosen map[int][]*runData) {
	if j.exp.Placement != PlacementNetwork {
		return
	}
	moved := map[string]bool{}
	for _, a := range j.exp.Arms {
		moved[a.Name] = j.ev.drifts(chosen, a.Name)
	}
	for i := range j.v.Rows {
		r := &j.v.Rows[i]
		if timing[r.Metric] && r.Word != Unjudged && r.Word != stats.Void && (moved[r.Arm] || moved[j.v.Control]) {
			r.Word, r.Note = stats.Drifting, "ledger intervals were not steady over the window"
		}
	}
}

// correct fills q: Holm over the primaries, Benjamini-Hochberg over the rest.
func correct(rows []MetricRow, claims []stats.Claim) {
	for _, which := range []string{"primary", "secondary"} {
		var p []float64
		var at []int
		for i, r := range rows {
			if r.Role == which && r.Note == "" {
				p, at = append(p, claims[i].P), append(at, i)
			}
		}
		q := stats.BenjaminiHochberg(p)
		if which == "primary" {
			q = stats.Holm(p)
		}
		for k, i := range at {
			rows[i].Q = Num(q[k])
		}
	}
}

func (j *judge) row(units []Unit, s MetricSpec, role string, arm int, c stats.Claim, blocks []int, why string) MetricRow {
	def, _ := MetricByName(s.Metric)
	r := MetricRow{
		Metric: s.Metric, Unit: def.Unit, Role: role, Arm: j.exp.Arms[arm].Name, Better: c.Better, Margin: c.Margin,
		Ratio: ratio(c.Estimate), Low: ratio(c.I.Low), High: ratio(c.I.High), Low90: ratio(c.J.Low), High90: ratio(c.J.High),
		Level: c.I.Level, P: Num(c.P), Q: Num(math.NaN()), Wilcoxon: Num(c.PRank), Blocks: len(c.D), D: c.D, BlockIndex: blocks,
		Sees: Num(c.Sees()), RulesOut: Num(c.RulesOut()), Note: why, SpreadP: Num(math.NaN()), Method: MethodSignFlip,
	}
	if j.exp.Placement == PlacementNode {
		r.Method = MethodPermutation
	}
	if c.Units != nil {
		r.Model = modelCheck(c.Units)
	}
	if why == "" {
		r.Fewest = fewestBlocks(j.exp, j.seed(), 0.05)
	}
	if why != "" {
		for _, f := range []*Num{&r.Ratio, &r.Low, &r.High, &r.Low90, &r.High90, &r.P, &r.Wilcoxon, &r.Sees, &r.RulesOut} {
			*f = Num(math.NaN())
		}
	}
	for _, d := range c.D {
		if d < 0 {
			r.Lower++
		}
	}
	xs, ys := valuesOf(units, s.Metric, r.Arm), valuesOf(units, s.Metric, j.exp.Arms[Control].Name)
	delta, band := stats.CliffsDelta(xs, ys)
	r.Cliff, r.Band, r.Units = Num(delta), band, len(xs)+len(ys)
	r.Value, r.Control = centre(xs, def), centre(ys, def)
	r.SpreadP = spread(units, s.Metric, r.Arm, j.exp.Arms[Control].Name)
	return r
}

func valuesOf(units []Unit, metric, arm string) []float64 {
	var out []float64
	for _, u := range units {
		if x, ok := u.Values[metric]; ok && u.Arm == arm && !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

// centre is the geometric mean, or the plain one where zeros are possible.
func centre(x []float64, def Metric) Num {
	if def.Growth || def.Counts {
		return Num(stats.Mean(x))
	}
	logs := make([]float64, len(x))
	for i, v := range x {
		logs[i] = math.Log(v)
	}
	return Num(math.Exp(stats.Mean(logs)))
}

// spread tests whether the arm's block means wander more than the control's:
// sign-flip on the differences of absolute log deviations from each arm's median.
func spread(units []Unit, metric, arm, control string) Num {
	a, c := blockLogs(units, metric, arm), blockLogs(units, metric, control)
	if len(a) < 6 || len(c) < 6 {
		return Num(math.NaN())
	}
	ma, mc := medianOf(a), medianOf(c)
	var d []float64
	for _, b := range sortedInts(a) {
		if y, ok := c[b]; ok {
			d = append(d, math.Abs(a[b]-ma)-math.Abs(y-mc))
		}
	}
	return Num(stats.SignFlip(d))
}

func blockLogs(units []Unit, metric, arm string) map[int]float64 {
	sum, n := map[int]float64{}, map[int]float64{}
	for _, u := range units {
		if x := u.Values[metric]; u.Arm == arm && x > 0 {
			sum[u.Block] += math.Log(x)
			n[u.Block]++
		}
	}
	for b := range sum {
		sum[b] /= n[b]
	}
	return sum
}

func medianOf(m map[int]float64) float64 {
	x := make([]float64, 0, len(m))
	for _, v := range m {
		x = append(x, v)
	}
	return stats.Median(x)
}

func primaries(rows []MetricRow) []MetricRow {
	var out []MetricRow
	for _, r := range rows {
		if r.Role == "primary" {
			out = append(out, r)
		}
	}
	return out
}
