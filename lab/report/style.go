package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"ledgerlab/lab"
)

// figure is one picture of a report.
type figure struct {
	Name    string // file name without .svg
	Title   string
	Caption string
	SVG     []byte
}

// The colours of arms, by index: control, duplicate, then the arms in order.
var palette = []color.RGBA{
	{0x4e, 0x79, 0xa7, 0xff},
	{0x9c, 0xb9, 0xd9, 0xff},
	{0xe1, 0x57, 0x2a, 0xff},
	{0x59, 0xa1, 0x4f, 0xff},
	{0xb0, 0x7a, 0xa1, 0xff},
	{0xed, 0xc9, 0x48, 0xff},
	{0x76, 0xb7, 0xb2, 0xff},
	{0x9c, 0x75, 0x5f, 0xff},
}

var (
	ink     = color.RGBA{0x24, 0x29, 0x2f, 0xff}
	faint   = color.RGBA{0x8c, 0x95, 0x9f, 0xff}
	grid    = color.RGBA{0xe4, 0xe8, 0xec, 0xff}
	good    = color.RGBA{0x2d, 0x8a, 0x4e, 0xff}
	bad     = color.RGBA{0xc9, 0x2a, 0x2a, 0xff}
	neutral = color.RGBA{0x6b, 0x72, 0x80, 0xff}
	band    = color.RGBA{0xf1, 0xf3, 0xf5, 0xff}
)

// armColor is the colour of an arm; a duplicate takes the pale one.
func armColor(exp *lab.Experiment, arm string) color.RGBA {
	i := exp.ArmIndex(arm)
	dup := exp.Duplicate()
	switch {
	case i <= 0:
		return palette[0]
	case i == dup:
		return palette[1]
	}
	n := 2
	for k := 1; k < i; k++ {
		if k != dup {
			n++
		}
	}
	return palette[2+(n-2)%(len(palette)-2)]
}

func fade(c color.RGBA, alpha uint8) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, alpha} }

func newPlot(title, x, y string) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 13
	p.Title.TextStyle.Color = ink
	p.Title.Padding = 6
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = 11
		a.Label.TextStyle.Color = ink
		a.Tick.Label.Font.Size = 10
		a.Tick.Label.Color = ink
		a.LineStyle.Color = faint
		a.Tick.LineStyle.Color = faint
		a.Padding = 4
		a.Tick.Marker = evenTicks{}
	}
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = 10
	p.Legend.TextStyle.Color = ink
	p.Legend.ThumbnailWidth = 18
	p.BackgroundColor = color.White
	return p
}

// evenTicks puts labels at round steps, about eight on an axis.
type evenTicks struct{}

// Ticks implements plot.Ticker.
func (evenTicks) Ticks(lo, hi float64) []plot.Tick {
	span := hi - lo
	if span <= 0 || math.IsInf(span, 0) || math.IsNaN(span) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/8)))
	for _, f := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if span/step > 9 {
			step *= f
		}
	}
	digits := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var out []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*span; i++ {
		v := i*step + 0 // no minus zero
		out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', digits, 64)})
	}
	return out
}

// gridLines draws light lines at the major ticks, behind everything else.
type gridLines struct{ x, y bool }

// Plot implements plot.Plotter.
func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: grid, Width: 0.6}
	if g.y {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if !t.IsMinor() {
				c.StrokeLine2(style, c.Min.X, ty(t.Value), c.Max.X, ty(t.Value))
			}
		}
	}
	if g.x {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if !t.IsMinor() {
				c.StrokeLine2(style, tx(t.Value), c.Min.Y, tx(t.Value), c.Max.Y)
			}
		}
	}
}

var (
	svgFont = regexp.MustCompile(`font-family:[^;"]*`)
	svgSize = regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"`)
)

// render draws p as SVG that scales with its page and uses the reader's fonts.
func render(p *plot.Plot, w, h vg.Length) ([]byte, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(w, h))
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("svg: %w", err)
	}
	out := b.Bytes()
	if i := bytes.Index(out, []byte("<svg")); i > 0 {
		out = out[i:]
	}
	out = svgFont.ReplaceAll(out, []byte(`font-family:Liberation Sans,Arial,Helvetica,sans-serif`))
	out = svgSize.ReplaceAll(out, []byte(`<svg width="$1" height="$2" role="img"`))
	return out, nil
}
