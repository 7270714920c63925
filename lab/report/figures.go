package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"ledgerlab/lab"
)

const (
	wide = 10 * vg.Inch
	tall = 4.2 * vg.Inch
	mib  = 1 << 20
)

// drawAll draws every figure that the campaign has data for.
func drawAll(s *lab.Story) ([]figure, error) {
	var out []figure
	for _, fn := range []func(*lab.Story) (*figure, error){
		drawMean, drawDetail, drawCandles, drawForest, drawPairs, drawTiming, drawCost, drawOrder,
	} {
		f, err := fn(s)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

// arms lists the arms that have lanes, in order of the experiment.
func arms(s *lab.Story) []string {
	var out []string
	for _, a := range s.Exp.Arms {
		if slices.ContainsFunc(s.Lanes, func(l lab.Lane) bool { return l.Arm == a.Name }) {
			out = append(out, a.Name)
		}
	}
	return out
}

// detailLanes picks the lanes of one block in the middle of the campaign: all
// nodes under placement node, the first node of each run otherwise.
func detailLanes(s *lab.Story) []lab.Lane {
	var blocks []int
	for _, l := range s.Lanes {
		if !slices.Contains(blocks, l.Block) {
			blocks = append(blocks, l.Block)
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	pick := blocks[len(blocks)/2]
	var out []lab.Lane
	for _, l := range s.Lanes {
		if l.Block == pick && (s.Exp.Placement == lab.PlacementNode || l.Node == 0) {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b lab.Lane) int { return s.Exp.ArmIndex(a.Arm) - s.Exp.ArmIndex(b.Arm) })
	return out
}

// resample reads a lane's RSS at a time by linear interpolation; ok is false
// outside what was sampled.
func resample(l lab.Lane, at float64) (float64, bool) {
	i, _ := slices.BinarySearch(l.Time, at)
	if i == 0 || i >= len(l.Time) {
		return 0, false
	}
	t0, t1 := l.Time[i-1], l.Time[i]
	if t1 <= t0 {
		return l.RSS[i], true
	}
	w := (at - t0) / (t1 - t0)
	return l.RSS[i-1]*(1-w) + l.RSS[i]*w, true
}

func blockList(lanes []lab.Lane) string {
	if len(lanes) == 0 {
		return ""
	}
	return fmt.Sprintf("block %d", lanes[0].Block+1)
}
