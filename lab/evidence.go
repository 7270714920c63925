package lab

import (
	"fmt"
	"slices"

	recordv1 "ledgerlab/proto/record/v1"
)

// runData is everything stored of one run.
type runData struct {
	rec    *RunRecord
	proc   [][]ProcRow          // by node
	events [][]*recordv1.Record // by node
	tx     []TxRow
	host   []HostRow
	from   int64 // window after every cut
	to     int64
}

type runKey struct{ block, attempt, position int }

func keyOf(r *RunRecord) runKey { return runKey{r.Block, r.Attempt, r.Position} }

// evidence is a campaign as read back from its folder.
type evidence struct {
	exp    *Experiment
	env    Env
	design *Design
	all    []*RunRecord
	runs   map[runKey]*runData
}

// readEvidence reads the runs that reached the end of their window.
func readEvidence(folder *Folder, exp *Experiment) (*evidence, error) {
	ev := &evidence{exp: exp, design: &Design{}, runs: map[runKey]*runData{}}
	if err := folder.readJSON(FileDesign, ev.design); err != nil {
		return nil, err
	}
	if err := folder.readJSON(FileEnv, &ev.env); err != nil {
		return nil, err
	}
	all, err := folder.Runs()
	if err != nil {
		return nil, err
	}
	ev.all = all
	for _, r := range all {
		if r.WindowEnd == 0 {
			continue
		}
		d, err := readRun(folder, r)
		if err != nil {
			return nil, err
		}
		ev.runs[keyOf(r)] = d
	}
	err = folder.Events(func(e Event) error {
		d := ev.runs[runKey{e.Block, e.Attempt, e.Position}]
		if d != nil && e.Node >= 0 && e.Node < len(d.events) {
			d.events[e.Node] = append(d.events[e.Node], e.Parsed)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ev.cut()
	return ev, nil
}

func readRun(folder *Folder, r *RunRecord) (*runData, error) {
	d := &runData{rec: r, from: r.WindowNS, to: r.WindowEnd}
	d.proc = make([][]ProcRow, len(r.Arms))
	d.events = make([][]*recordv1.Record, len(r.Arms))
	rows, err := readSeries[ProcRow](folder, seriesName(r.Block, r.Attempt, r.Position, "proc"))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if int(row.Node) < len(d.proc) {
			d.proc[row.Node] = append(d.proc[row.Node], row)
		}
	}
	if d.host, err = readSeries[HostRow](folder, seriesName(r.Block, r.Attempt, r.Position, "host")); err != nil {
		return nil, err
	}
	d.tx, err = readSeries[TxRow](folder, seriesName(r.Block, r.Attempt, r.Position, "tx"))
	return d, err
}

// choose picks one attempt a block. With kept it is the first that reached the
// end of its windows, disturbed or not; otherwise the one that counts.
func (ev *evidence) choose(kept bool) map[int][]*runData {
	attempts := map[int]int{}
	for _, r := range ev.all {
		attempts[r.Block] = max(attempts[r.Block], r.Attempt+1)
	}
	out := map[int][]*runData{}
	for block, n := range attempts {
		if block >= len(ev.design.Rows) {
			continue
		}
		for a := range n {
			if runs := ev.wholeAttempt(block, a, kept); runs != nil {
				out[block] = runs
				break
			}
		}
	}
	return out
}

func (ev *evidence) wholeAttempt(block, attempt int, kept bool) []*runData {
	var out []*runData
	for pos := range ev.design.Rows[block].Runs {
		d := ev.runs[runKey{block, attempt, pos}]
		if d == nil || d.rec.Status != StatusOK && !(kept && d.rec.Status == StatusContaminated) {
			return nil
		}
		out = append(out, d)
	}
	return out
}

// Unit is what a campaign compares: a process in a block (placement node) or a
// whole network (placement network, Node -1), with one value a metric.
type Unit struct {
	Block    int                `json:"block"`
	Attempt  int                `json:"attempt"`
	Position int                `json:"position"`
	Node     int                `json:"node"`
	Arm      string             `json:"arm"`
	Seed     uint64             `json:"seed"`
	N        int                `json:"n"` // samples of RSS behind it
	Flags    string             `json:"flags,omitempty"`
	Values   map[string]float64 `json:"values"`
}

// units measures the chosen runs.
func (ev *evidence) units(chosen map[int][]*runData) []Unit {
	var out []Unit
	for _, block := range sortedInts(chosen) {
		for _, d := range chosen[block] {
			nodes := make([]Unit, len(d.rec.Arms))
			for i := range nodes {
				nodes[i] = Unit{
					Block: block, Attempt: d.rec.Attempt, Position: d.rec.Position, Node: i,
					Arm: d.rec.Arms[i], Seed: d.rec.Seed, Values: d.measure(i), Flags: unitFlags(d.rec),
				}
				nodes[i].N = len(clip(d.proc[i], d.from, d.to, procTime))
			}
			if ev.exp.Placement == PlacementNode {
				out = append(out, nodes...)
			} else {
				out = append(out, meanUnit(nodes, d))
			}
		}
	}
	return out
}

func unitFlags(r *RunRecord) string {
	switch {
	case r.Status != StatusOK:
		return r.Status
	case r.Short != "":
		return "short"
	}
	return ""
}

// meanUnit averages the nodes of one network; ratios of means equal ratios of
// sums, so "RSS summed over validators" is compared as well.
func meanUnit(nodes []Unit, d *runData) Unit {
	u := nodes[0]
	u.Node, u.N = -1, 0
	u.Values = map[string]float64{}
	count := map[string]int{}
	for _, n := range nodes {
		u.N += n.N
		for k, v := range n.Values {
			u.Values[k] += v
			count[k]++
		}
	}
	for k := range u.Values {
		u.Values[k] /= float64(count[k])
	}
	d.measureLatency(u.Values)
	return u
}

func sortedInts[V any](m map[int]V) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func procTime(r ProcRow) int64 { return r.TimeNS }

// String names a unit in messages.
func (u Unit) String() string { return fmt.Sprintf("block %d node %d (%s)", u.Block+1, u.Node, u.Arm) }
