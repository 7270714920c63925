package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ledgerlab/lab"
	"ledgerlab/lab/stats"
)

type swatch struct{ c color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.c, []vg.Point{{X: c.Min.X, Y: c.Min.Y + 1}, {X: c.Max.X, Y: c.Min.Y + 1}, {X: c.Max.X, Y: c.Max.Y - 1}, {X: c.Min.X, Y: c.Max.Y - 1}})
}

func wordColor(w stats.Word) color.RGBA {
	switch w {
	case stats.Improved:
		return good
	case stats.Regressed:
		return bad
	}
	return neutral
}

// drawForest draws every judged ratio with its interval and margin.
func drawForest(s *lab.Story) (*figure, error) {
	var rows []lab.MetricRow
	for _, r := range s.Verdict.Rows {
		if r.Ratio.Known() && r.Low.Known() && r.High.Known() && r.Low > 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	p := newPlot("Ratio to the control, with 95 % interval", "arm / control (logarithmic)", "")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ratioTicks{}
	lo, hi := 0.9, 1.1
	var ticks []plot.Tick
	many := len(s.Verdict.Arms) > 3
	for i, r := range rows {
		lo, hi = math.Min(lo, float64(r.Low)*0.97), math.Max(hi, float64(r.High)*1.03)
		name := lab.Label(r.Metric)
		if many {
			name += ", " + r.Arm
		}
		ticks = append(ticks, plot.Tick{Value: float64(len(rows) - 1 - i), Label: name})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.LineStyle.Width = 0
	p.X.Min, p.X.Max = math.Max(lo, 0.02), math.Min(hi, 50)
	p.Y.Min, p.Y.Max = -0.7, float64(len(rows))-0.3
	p.Add(gridLines{x: true}, forest(rows))
	svg, err := render(p, wide, vg.Length(70+24*len(rows)))
	how := "Dot: Hodges-Lehmann estimate; bar: 95 % interval by inverting the sign-flip test"
	if s.Verdict.Placement == lab.PlacementNode {
		how = "Dot: least-squares contrast of processes, blocks and nodes taken out; bar: 95 % interval by inverting the permutation test"
	}
	return &figure{"forest", "Every metric at a glance", how + "; grey box: margin of indifference. Green improved, red regressed, grey neither.", svg}, err
}

type forest []lab.MetricRow

// Plot implements plot.Plotter.
func (f forest) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	clamp := func(v float64) vg.Length {
		return tx(math.Max(p.X.Min, math.Min(p.X.Max, v)))
	}
	for i, r := range f {
		y := ty(float64(len(f) - 1 - i))
		x0, x1 := clamp(1/(1+r.Margin)), clamp(1+r.Margin)
		c.FillPolygon(grid, []vg.Point{{X: x0, Y: y - 7}, {X: x1, Y: y - 7}, {X: x1, Y: y + 7}, {X: x0, Y: y + 7}})
	}
	c.StrokeLine2(draw.LineStyle{Color: faint, Width: 1, Dashes: []vg.Length{3, 2}}, tx(1), c.Min.Y, tx(1), c.Max.Y)
	for i, r := range f {
		y := ty(float64(len(f) - 1 - i))
		col := wordColor(r.Word)
		c.StrokeLine2(draw.LineStyle{Color: col, Width: 2}, clamp(float64(r.Low)), y, clamp(float64(r.High)), y)
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: 4, Shape: draw.CircleGlyph{}}, vg.Point{X: clamp(float64(r.Ratio)), Y: y})
	}
}

// ratioTicks puts ticks at round ratios.
type ratioTicks struct{}

// Ticks implements plot.Ticker.
func (ratioTicks) Ticks(lo, hi float64) []plot.Tick {
	steps := []float64{0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50}
	if hi/lo < 1.5 {
		steps = []float64{0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4}
	}
	var out []plot.Tick
	for _, v := range steps {
		if v >= lo && v <= hi {
			out = append(out, plot.Tick{Value: v, Label: fmt.Sprintf("%g", v)})
		}
	}
	return out
}

// drawPairs draws the block differences of the primaries and of the duplicate.
func drawPairs(s *lab.Story) (*figure, error) {
	var rows []lab.MetricRow
	for _, r := range s.Verdict.Rows {
		if r.Role == "primary" && len(r.D) > 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	p := newPlot("Block by block: "+lab.Label(rows[0].Metric), "block", "difference to the control, %")
	var dots pairDots
	for _, r := range rows {
		if r.Metric != rows[0].Metric {
			continue
		}
		set := pairSet{c: armColor(s.Exp, r.Arm), margin: r.Margin}
		for i, d := range r.D {
			set.x, set.y = append(set.x, float64(r.BlockIndex[i]+1)), append(set.y, 100*math.Expm1(d))
		}
		dots = append(dots, set)
		p.Legend.Add(r.Arm, glyph{draw.CircleGlyph{}, set.c})
	}
	lo, hi := -100*dots[0].margin*1.5, 100*dots[0].margin*1.5
	n := 1.0
	for _, d := range dots {
		for i := range d.y {
			lo, hi, n = math.Min(lo, d.y[i]), math.Max(hi, d.y[i]), math.Max(n, d.x[i])
		}
	}
	pad := (hi - lo) * 0.08
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, n+0.5, lo-pad, hi+pad
	p.X.Tick.Marker = integerTicks{}
	p.Add(dots, gridLines{y: true})
	legendBelowTop(p, len(dots))
	svg, err := render(p, wide*0.8, tall*0.8)
	return &figure{"blocks", "Block by block", "One dot a block, node effects taken out; the grey band is the margin of indifference.", svg}, err
}

type pairSet struct {
	x, y   []float64
	c      color.RGBA
	margin float64
}

type pairDots []pairSet

// Plot implements plot.Plotter.
func (d pairDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	m := 100 * d[0].margin
	c.FillPolygon(band, []vg.Point{{X: c.Min.X, Y: ty(-m)}, {X: c.Max.X, Y: ty(-m)}, {X: c.Max.X, Y: ty(m)}, {X: c.Min.X, Y: ty(m)}})
	c.StrokeLine2(draw.LineStyle{Color: faint, Width: 1}, c.Min.X, ty(0), c.Max.X, ty(0))
	for _, set := range d {
		for i := range set.x {
			c.StrokeLine2(draw.LineStyle{Color: fade(set.c, 0x70), Width: 1}, tx(set.x[i]), ty(0), tx(set.x[i]), ty(set.y[i]))
			c.DrawGlyph(draw.GlyphStyle{Color: set.c, Radius: 4, Shape: draw.CircleGlyph{}}, vg.Point{X: tx(set.x[i]), Y: ty(set.y[i])})
		}
	}
}

type integerTicks struct{}

// Ticks implements plot.Ticker.
func (integerTicks) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	step := max(1, math.Ceil((hi-lo)/20))
	for v := math.Ceil(lo); v <= hi; v += step {
		out = append(out, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f", v)})
	}
	return out
}
