package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ledgerlab/lab"
)

// drawMean draws RSS against the age of the load: the mean of every arm over
// all blocks, with each process as a thin line behind it.
func drawMean(s *lab.Story) (*figure, error) {
	if len(s.Lanes) == 0 {
		return nil, nil
	}
	p := newPlot("Resident memory by arm, all blocks", "seconds since the load began", "RSS, MiB")
	from, to := window(s.Lanes)
	p.Add(shade{from, to}, gridLines{y: true})
	for _, l := range s.Lanes {
		line, err := plotter.NewLine(points(l))
		if err != nil {
			return nil, fmt.Errorf("rss: %w", err)
		}
		line.LineStyle = draw.LineStyle{Color: fade(armColor(s.Exp, l.Arm), 0x60), Width: 0.5}
		p.Add(line)
	}
	for _, arm := range arms(s) {
		line, err := plotter.NewLine(meanLine(s.Lanes, arm))
		if err != nil {
			return nil, fmt.Errorf("rss: %w", err)
		}
		line.LineStyle = draw.LineStyle{Color: armColor(s.Exp, arm), Width: 2}
		p.Add(line)
		p.Legend.Add(arm, line)
	}
	legendBelowTop(p, len(arms(s)))
	svg, err := render(p, wide, tall)
	return &figure{"rss-mean", "Resident memory by arm", "Thick: mean of the arm's processes over all blocks. Thin: each process. Grey: the judged window. Sampled from outside on a clock of its own, so a saw-tooth of sweeps and trims is seen at every phase.", svg}, err
}

// points are a lane's samples since the load began.
func points(l lab.Lane) plotter.XYs {
	out := make(plotter.XYs, 0, len(l.Time))
	for i, t := range l.Time {
		if t >= 0 {
			out = append(out, plotter.XY{X: t, Y: l.RSS[i] / mib})
		}
	}
	return out
}

// window is the part that all lanes judge, or the widest where they differ.
func window(lanes []lab.Lane) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, l := range lanes {
		from, to = math.Min(from, l.From), math.Max(to, l.To)
	}
	return from, to
}

func meanLine(lanes []lab.Lane, arm string) plotter.XYs {
	_, end := window(lanes)
	var out plotter.XYs
	for t := 0.0; t <= end; t += 0.5 {
		sum, n := 0.0, 0.0
		for _, l := range lanes {
			if l.Arm != arm {
				continue
			}
			if y, ok := resample(l, t); ok {
				sum += y
				n++
			}
		}
		if n > 0 {
			out = append(out, plotter.XY{X: t, Y: sum / n / mib})
		}
	}
	return out
}

// drawDetail draws one block with its sweeps, trims and rotations.
func drawDetail(s *lab.Story) (*figure, error) {
	lanes := detailLanes(s)
	if len(lanes) == 0 {
		return nil, nil
	}
	title := "Resident memory in " + blockList(lanes) + ", with sweeps, trims and rotations"
	p := newPlot(title, "seconds since the load began", "RSS, MiB")
	from, to := window(lanes)
	p.Add(shade{from, to}, gridLines{y: true})
	named := map[string]bool{}
	for _, l := range lanes {
		c := armColor(s.Exp, l.Arm)
		line, err := plotter.NewLine(points(l))
		if err != nil {
			return nil, fmt.Errorf("rss: %w", err)
		}
		line.LineStyle = draw.LineStyle{Color: c, Width: 1.3}
		p.Add(line, newMarks(l, c))
		if !named[l.Arm] {
			p.Legend.Add(l.Arm, line)
			named[l.Arm] = true
		}
	}
	lo, hi := extent(lanes)
	p.Y.Min, p.Y.Max = lo-(hi-lo)*0.16, hi+(hi-lo)*0.1
	p.Legend.Add("sweep", tick{faint})
	p.Legend.Add("trim", glyph{draw.TriangleGlyph{}, ink})
	p.Legend.Add("rotation", glyph{draw.BoxGlyph{}, ink})
	legendBelowTop(p, len(named)+3)
	svg, err := render(p, wide, tall*1.15)
	return &figure{"rss-detail", "One block in detail", "Each line is one process. Ticks below: sweeps, a row a process; triangles: trims, at the RSS they left behind; squares: end of a rotation.", svg}, err
}

func extent(lanes []lab.Lane) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range lanes {
		for i, y := range l.RSS {
			if l.Time[i] >= 0 {
				lo, hi = math.Min(lo, y/mib), math.Max(hi, y/mib)
			}
		}
	}
	return lo, hi
}

// legendBelowTop makes room above the data for a legend of n entries.
func legendBelowTop(p *plot.Plot, n int) {
	p.Legend.XOffs, p.Legend.YOffs = -6, -4
	p.Y.Max += (p.Y.Max - p.Y.Min) * (0.04 + 0.055*float64(n))
}

// shade fills the judged window.
type shade struct{ from, to float64 }

// Plot implements plot.Plotter.
func (s shade) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	x0, x1 := max(tx(s.from), c.Min.X), min(tx(s.to), c.Max.X)
	c.FillPolygon(band, []vg.Point{{X: x0, Y: c.Min.Y}, {X: x1, Y: c.Min.Y}, {X: x1, Y: c.Max.Y}, {X: x0, Y: c.Max.Y}})
}

// marks draws the sweeps, trims and rotations of a lane.
type marks struct {
	lane lab.Lane
	c    color.Color
}

func newMarks(l lab.Lane, c color.Color) marks { return marks{l, c} }

// Plot implements plot.Plotter.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	row := c.Min.Y + vg.Length(4+7*(m.lane.Node%6))
	for _, t := range m.lane.Sweeps {
		if t < 0 {
			continue
		}
		c.StrokeLine2(draw.LineStyle{Color: m.c, Width: 0.9}, tx(t), row, tx(t), row+5)
	}
	for _, t := range m.lane.Rotations {
		if y, ok := resample(m.lane, t); ok {
			c.DrawGlyph(draw.GlyphStyle{Color: m.c, Radius: 3.2, Shape: draw.BoxGlyph{}}, vg.Point{X: tx(t), Y: ty(y / mib)})
		}
	}
	for _, t := range m.lane.Trims {
		if t.At < 0 {
			continue
		}
		c.DrawGlyph(draw.GlyphStyle{Color: m.c, Radius: 2.6, Shape: draw.TriangleGlyph{}}, vg.Point{X: tx(t.At), Y: ty(t.After / mib)})
	}
}

type tick struct{ c color.Color }

// Thumbnail implements plot.Thumbnailer.
func (t tick) Thumbnail(c *draw.Canvas) {
	x := (c.Min.X + c.Max.X) / 2
	c.StrokeLine2(draw.LineStyle{Color: t.c, Width: 1}, x, c.Min.Y+2, x, c.Max.Y-2)
}

type glyph struct {
	shape draw.GlyphDrawer
	c     color.Color
}

// Thumbnail implements plot.Thumbnailer.
func (g glyph) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(draw.GlyphStyle{Color: g.c, Radius: 3, Shape: g.shape}, c.Center())
}
