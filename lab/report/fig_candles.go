package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ledgerlab/lab"
)

// maxCandles bounds the candles of a row; more would not be told apart.
const maxCandles = 160

// drawCandles draws RSS before and after each trim, one row a trigger.
func drawCandles(s *lab.Story) (*figure, error) {
	rows := map[string][]lab.TrimMark{}
	var names []string
	for _, l := range s.Lanes {
		for _, t := range l.Trims {
			if !t.InWindow {
				continue
			}
			key := l.Arm + " / " + t.Trigger
			if rows[key] == nil {
				names = append(names, key)
			}
			rows[key] = append(rows[key], t)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	slices.Sort(names)
	p := newPlot("RSS before and after each trim", "trims in order, by trigger", "RSS, MiB")
	var all candles
	x := 0.0
	lowered, raised, count := 0, 0, 0
	var ticks []plot.Tick
	for _, name := range names {
		list := rows[name]
		for _, t := range list {
			count++
			if t.After < t.Before {
				lowered++
			} else if t.After > t.Before {
				raised++
			}
		}
		shown := spreadOut(list, maxCandles)
		ticks = append(ticks, plot.Tick{Value: x + float64(len(shown))/2, Label: fmt.Sprintf("%s (%d)", name, len(list))})
		for _, t := range shown {
			all = append(all, candle{x, t.Before / mib, t.After / mib})
			x++
		}
		x += 6
	}
	p.Add(gridLines{y: true}, all)
	p.X.Min, p.X.Max = -2, x
	p.Y.Min, p.Y.Max = all.extent()
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.LineStyle.Width = 0
	p.Legend.Add("lowered", swatch{good})
	p.Legend.Add("raised or unchanged", swatch{bad})
	legendBelowTop(p, 2)
	svg, err := render(p, wide, tall)
	caption := fmt.Sprintf("Each bar runs from RSS before to RSS after one trim in the judged windows: %d trims, %d lowered RSS, %d raised it.", count, lowered, raised)
	return &figure{"trim-candles", "Candle chart of trims", caption, svg}, err
}

func spreadOut(list []lab.TrimMark, n int) []lab.TrimMark {
	if len(list) <= n {
		return list
	}
	out := make([]lab.TrimMark, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

type candle struct{ x, before, after float64 }

type candles []candle

func (cs candles) extent() (lo, hi float64) {
	lo, hi = cs[0].after, cs[0].before
	for _, c := range cs {
		lo, hi = min(lo, c.before, c.after), max(hi, c.before, c.after)
	}
	pad := max((hi-lo)*0.06, 1)
	return lo - pad, hi + pad
}

// Plot implements plot.Plotter.
func (cs candles) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	width := max(0.8, min(8, (tx(1)-tx(0))*0.7))
	for _, k := range cs {
		col := bad
		if k.after < k.before {
			col = good
		}
		y0, y1 := ty(k.before), ty(k.after)
		if d := y0 - y1; d < 1 && d > -1 {
			y0 = y1 + 1
		}
		x := tx(k.x)
		c.FillPolygon(col, []vg.Point{{X: x - width/2, Y: y1}, {X: x + width/2, Y: y1}, {X: x + width/2, Y: y0}, {X: x - width/2, Y: y0}})
	}
}
