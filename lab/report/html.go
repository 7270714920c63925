package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"ledgerlab/lab"
	"ledgerlab/node/config"
)

//go:embed report.tmpl
var pageText string

type page struct {
	V          *lab.Verdict
	Rows       []htmlRow
	Gates      []htmlGate
	Savings    []string
	Figures    []htmlFigure
	Guards     []string
	Provenance [][2]string
	Again      string
	Spec       string
}

type htmlRow struct {
	Label, Arm, Control, Value, Ratio, Span, P, Q, Lower, Cliff, Word, Class, Sees, Role string
}

type htmlGate struct {
	Label, Ratio, Span, Margin, Holm, Text, Class string
}

type htmlFigure struct {
	Title, Caption string
	SVG            template.HTML
}

// renderHTML writes one file that opens without anything beside it.
func renderHTML(s *lab.Story, figs []figure) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"mib": func(n int64) string { return mibText(float64(n)) },
		"ms":  func(x float64) string { return fmt.Sprintf("%.1f ms", 1e3*x) },
		"two": func(x float64) string { return fmt.Sprintf("%.2f", x) },
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FileHTML, err)
	}
	p := page{V: s.Verdict, Guards: guardLines(s), Provenance: provenance(s), Again: "ledgerlab run " + reproduce(s)}
	for _, r := range s.Verdict.Rows {
		sees := "-"
		if r.Sees.Known() {
			sees = fmt.Sprintf("%.2g%%", 100*float64(r.Sees))
		}
		p.Rows = append(p.Rows, htmlRow{
			Label: lab.Label(r.Metric), Arm: r.Arm, Control: amount(r.Control, r.Unit), Value: amount(r.Value, r.Unit),
			Ratio: num("%.3f", r.Ratio), Span: span(r.Low, r.High), P: num("%.3g", r.P), Q: num("%.3g", r.Q),
			Lower: fmt.Sprintf("%d of %d", r.Lower, r.Blocks), Cliff: cliff(r), Word: word(r), Class: rowClass(r), Sees: sees, Role: r.Role,
		})
	}
	for _, g := range s.Verdict.Gates {
		class := "equivalent"
		if !g.OK {
			class = "void"
		}
		p.Gates = append(p.Gates, htmlGate{lab.Label(g.Metric), num("%.4f", g.Ratio), span(g.Low, g.High), config.FormatRatio(g.Margin), num("%.3g", g.Holm), gateText(g), class})
	}
	for _, x := range s.Verdict.Savings {
		p.Savings = append(p.Savings, savingText(x))
	}
	for _, f := range figs {
		p.Figures = append(p.Figures, htmlFigure{f.Title, f.Caption, template.HTML(f.SVG)}) //nolint:gosec // drawn here, from numbers
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("%s: %w", FileHTML, err)
	}
	return b.Bytes(), nil
}

func rowClass(r lab.MetricRow) string {
	if r.Note != "" && !r.Ratio.Known() {
		return "unjudged"
	}
	return string(r.Word)
}
