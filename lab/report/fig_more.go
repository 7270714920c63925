package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ledgerlab/lab"
)

// drawTiming draws the distribution of ledger intervals by arm.
func drawTiming(s *lab.Story) (*figure, error) {
	p := newPlot("Ledger intervals", "seconds from one validated ledger to the next", "share of ledgers at most that long")
	any := false
	top := 0.0
	for _, arm := range arms(s) {
		var x []float64
		for _, l := range s.Lanes {
			if l.Arm == arm {
				x = append(x, l.Intervals...)
			}
		}
		if len(x) < 3 {
			continue
		}
		slices.Sort(x)
		xy := make(plotter.XYs, 0, len(x))
		for i, v := range x {
			xy = append(xy, plotter.XY{X: v, Y: float64(i+1) / float64(len(x))})
		}
		top = max(top, x[len(x)-1])
		line, err := plotter.NewLine(xy)
		if err != nil {
			return nil, fmt.Errorf("timing: %w", err)
		}
		line.StepStyle = plotter.PostStep
		line.LineStyle = draw.LineStyle{Color: armColor(s.Exp, arm), Width: 1.6}
		p.Add(line)
		p.Legend.Add(fmt.Sprintf("%s (%d)", arm, len(x)), line)
		any = true
	}
	if !any {
		return nil, nil
	}
	p.Add(gridLines{x: true, y: true})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, top*1.03, 0, 1.01
	p.Legend.Top, p.Legend.YOffs, p.Legend.XOffs = false, 8, -8
	svg, err := render(p, wide*0.8, tall*0.8)
	caption := "Every interval in the judged windows, as each node saw it (first seen validated, never the rounded close time)."
	if s.Exp.Placement == lab.PlacementNode {
		caption += " Under placement node all arms share one network, so this shows the network and is not judged by arm."
	}
	return &figure{"ledger-intervals", "Consensus timing", caption, svg}, err
}

// drawCost sets CPU and faults of each process beside its memory.
func drawCost(s *lab.Story) (*figure, error) {
	p := newPlot("What memory costs: CPU against RSS, one dot a process and block", "mean RSS, MiB", "CPU seconds per 1,000 validated")
	n := 0
	for _, arm := range arms(s) {
		var xy plotter.XYs
		for _, u := range s.Units {
			x, okx := u.Values["rss_mean_bytes"]
			y, oky := u.Values["cpu_per_ktx_seconds"]
			if u.Arm == arm && okx && oky && !math.IsNaN(x+y) {
				xy = append(xy, plotter.XY{X: x / mib, Y: y})
			}
		}
		if len(xy) == 0 {
			continue
		}
		n += len(xy)
		sc, err := plotter.NewScatter(xy)
		if err != nil {
			return nil, fmt.Errorf("cost: %w", err)
		}
		sc.GlyphStyle = draw.GlyphStyle{Color: fade(armColor(s.Exp, arm), 0xd0), Radius: 3.6, Shape: draw.CircleGlyph{}}
		p.Add(sc)
		p.Legend.Add(fmt.Sprintf("%s, %.0f faults/s", arm, s.MeanOf("minor_faults_rate", arm)), sc)
	}
	if n == 0 {
		return nil, nil
	}
	p.Add(gridLines{x: true, y: true})
	grow(&p.X)
	grow(&p.Y)
	legendBelowTop(p, len(arms(s)))
	svg, err := render(p, wide*0.8, tall*0.8)
	return &figure{"cost", "Saving and its price", "Left is less memory, down is less CPU. The legend gives minor faults a second: what is trimmed and needed again is faulted in again.", svg}, err
}

// grow pads an axis by a twelfth on both sides.
func grow(a *plot.Axis) {
	pad := (a.Max - a.Min) / 12
	if pad == 0 {
		pad = math.Max(1e-9, math.Abs(a.Max)*0.1)
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
}

// drawOrder draws every unit in wall-clock order: a drift of the machine shows.
func drawOrder(s *lab.Story) (*figure, error) {
	primary := s.Exp.Judge.Primary[0].Metric
	p := newPlot("All units in the order in which they ran: "+lab.Label(primary), "block (nodes or runs side by side)", "relative to the campaign's mean, %")
	var logs []float64
	for _, u := range s.Units {
		if v := u.Values[primary]; v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	if len(logs) < 2 {
		return nil, nil
	}
	mean := 0.0
	for _, v := range logs {
		mean += v / float64(len(logs))
	}
	width := map[int]int{}
	for _, u := range s.Units {
		width[u.Block]++
	}
	at := map[int]int{}
	byArm := map[string]plotter.XYs{}
	for _, u := range s.Units {
		if v := u.Values[primary]; v > 0 {
			x := float64(u.Block+1) + 0.6*(float64(at[u.Block])/math.Max(1, float64(width[u.Block]-1))-0.5)
			byArm[u.Arm] = append(byArm[u.Arm], plotter.XY{X: x, Y: 100 * (math.Log(v) - mean)})
		}
		at[u.Block]++
	}
	for _, arm := range arms(s) {
		if len(byArm[arm]) == 0 {
			continue
		}
		sc, err := plotter.NewScatter(byArm[arm])
		if err != nil {
			return nil, fmt.Errorf("order: %w", err)
		}
		var c color.Color = armColor(s.Exp, arm)
		sc.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 3.4, Shape: draw.CircleGlyph{}}
		p.Add(sc)
		p.Legend.Add(arm, sc)
	}
	p.Add(gridLines{y: true})
	p.X.Tick.Marker = integerTicks{}
	grow(&p.X)
	grow(&p.Y)
	legendBelowTop(p, len(arms(s)))
	svg, err := render(p, wide*0.8, vg.Length(tall*0.8))
	return &figure{"order", "Drift", "Each dot is one unit. A slope over blocks would be a drift of the machine; arms are compared inside a block, so it does not reach the verdict.", svg}, err
}
