package lab

import (
	"fmt"
	"math"

	"ledgerlab/lab/stats"
)

// ComparedRow is one metric of one arm in two campaigns.
type ComparedRow struct {
	Metric  string `json:"metric"`
	Arm     string `json:"arm"`
	First   Num    `json:"first_ratio"`
	Second  Num    `json:"second_ratio"`
	Overlap string `json:"intervals"` // overlap, or apart
	Change  Num    `json:"change"`    // of the arm's own value, a fraction
	P       Num    `json:"p"`         // unpaired exact rank test of the values
	Runs    [2]int `json:"runs"`
	Note    string `json:"note,omitempty"`
}

// Compare judges two folders and sets them side by side.
func Compare(dirA, dirB string) ([]ComparedRow, error) {
	a, ua, err := judgedUnits(dirA)
	if err != nil {
		return nil, err
	}
	b, ub, err := judgedUnits(dirB)
	if err != nil {
		return nil, err
	}
	var out []ComparedRow
	for _, ra := range a.Rows {
		for _, rb := range b.Rows {
			if ra.Metric == rb.Metric && ra.Arm == rb.Arm {
				out = append(out, compareRow(ra, rb, ua, ub))
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the campaigns have no arm and metric in common (%v and %v)", a.Arms, b.Arms)
	}
	return out, nil
}

func judgedUnits(dir string) (*Verdict, []Unit, error) {
	v, err := Judge(dir, JudgeOptions{})
	if err != nil {
		return nil, nil, err
	}
	folder, exp, err := OpenFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	ev, err := readEvidence(folder, exp)
	if err != nil {
		return nil, nil, err
	}
	return v, ev.units(ev.choose(false)), nil
}

func compareRow(ra, rb MetricRow, ua, ub []Unit) ComparedRow {
	x, y := valuesOf(ua, ra.Metric, ra.Arm), valuesOf(ub, rb.Metric, rb.Arm)
	p, reach := stats.MannWhitney(x, y)
	row := ComparedRow{Metric: ra.Metric, Arm: ra.Arm, First: ra.Ratio, Second: rb.Ratio, P: Num(p), Runs: [2]int{len(x), len(y)}, Overlap: "unknown", Change: Num(math.NaN())}
	if ra.Low.Known() && ra.High.Known() && rb.Low.Known() && rb.High.Known() {
		row.Overlap = "overlap"
		if ra.High < rb.Low || rb.High < ra.Low {
			row.Overlap = "apart"
		}
	}
	if m := stats.Median(x); m > 0 {
		row.Change = Num(stats.Median(y)/m - 1)
	}
	if reach > 0.05 {
		row.Note = fmt.Sprintf("no verdict possible: %d and %d values; %d on each side are the fewest", len(x), len(y), stats.MinUnpaired(0.05))
	}
	return row
}
