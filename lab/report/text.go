package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"ledgerlab/lab"
	"ledgerlab/node/config"
)

// renderMarkdown writes report.md: the verdict sentence first.
func renderMarkdown(s *lab.Story, figs []figure) []byte {
	var b bytes.Buffer
	v := s.Verdict
	fmt.Fprintf(&b, "# %s: %s\n\n**%s**\n\n%s\n\n", v.Experiment, v.Word, v.Sentence, v.Question)
	if v.Claim != "" {
		fmt.Fprintf(&b, "Published (%s): %s.\n\n", v.Seed, v.Claim)
	}
	for _, n := range v.Notes {
		fmt.Fprintf(&b, "> %s\n\n", n)
	}
	b.WriteString("## Metrics\n\n| metric | arm | control | arm's value | ratio | 95 % interval | p | adjusted p | lower in | Cliff's delta | verdict |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range v.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %d of %d | %s | %s |\n", lab.Label(r.Metric), r.Arm,
			amount(r.Control, r.Unit), amount(r.Value, r.Unit), num("%.3f", r.Ratio), span(r.Low, r.High), num("%.3g", r.P), num("%.3g", r.Q),
			r.Lower, r.Blocks, cliff(r), word(r))
	}
	b.WriteString("\n## Duplicate control (A/A)\n\n| metric | ratio | 90 % interval | margin | Holm p | gate |\n|---|---|---|---|---|---|\n")
	for _, g := range v.Gates {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", lab.Label(g.Metric), num("%.4f", g.Ratio), span(g.Low, g.High), config.FormatRatio(g.Margin), num("%.3g", g.Holm), gateText(g))
	}
	if len(v.Savings) > 0 {
		b.WriteString("\n## Saving and its price\n\n")
		for _, x := range v.Savings {
			fmt.Fprintf(&b, "- %s\n", savingText(x))
		}
	}
	if len(v.Trims) > 0 {
		b.WriteString("\n## Trims\n\n| arm | trigger | made | skipped | lowered RSS | raised RSS | median back | largest | sum | p50 | p95 | a sweep |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
		for _, t := range v.Trims {
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s | %s | %s | %.1f ms | %.1f ms | %.2f |\n", t.Arm, t.Trigger, t.Made, t.Skipped, t.Lowered, t.Raised,
				mibText(float64(t.Median)), mibText(float64(t.Largest)), mibText(float64(t.Sum)), 1e3*t.P50, 1e3*t.P95, t.PerSweep)
		}
	}
	b.WriteString("\n## Figures\n\n")
	for _, f := range figs {
		fmt.Fprintf(&b, "![%s](%s/%s.svg)\n\n%s\n\n", f.Title, DirFigs, f.Name, f.Caption)
	}
	b.WriteString("## Guards\n\n")
	for _, line := range guardLines(s) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\n## Provenance\n\n| | |\n|---|---|\n")
	for _, kv := range provenance(s) {
		fmt.Fprintf(&b, "| %s | %s |\n", kv[0], kv[1])
	}
	fmt.Fprintf(&b, "\nAgain: `ledgerlab run %s`\n", reproduce(s))
	return b.Bytes()
}

func gateText(g lab.GateRow) string {
	if g.OK {
		return "passed"
	}
	return "void: " + g.Reason
}

func word(r lab.MetricRow) string {
	if r.Note != "" {
		return r.Note
	}
	return string(r.Word)
}

func cliff(r lab.MetricRow) string {
	if !r.Cliff.Known() || !r.Ratio.Known() {
		return "-"
	}
	return fmt.Sprintf("%+.2f %s (n %d)", float64(r.Cliff), r.Band, r.Units)
}

func num(format string, n lab.Num) string {
	if !n.Known() {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}

func span(lo, hi lab.Num) string {
	if !lo.Known() || !hi.Known() {
		return "-"
	}
	return fmt.Sprintf("%.3f to %.3f", float64(lo), float64(hi))
}

// amount writes a value with its unit.
func amount(n lab.Num, unit string) string {
	x := float64(n)
	if !n.Known() {
		return "-"
	}
	switch unit {
	case "bytes":
		return mibText(x)
	case "bytes/s":
		return mibText(x) + "/s"
	case "seconds":
		switch {
		case math.Abs(x) < 1e-3:
			return fmt.Sprintf("%.0f us", 1e6*x)
		case math.Abs(x) < 1:
			return fmt.Sprintf("%.1f ms", 1e3*x)
		}
		return fmt.Sprintf("%.2f s", x)
	case "ratio", "log":
		return fmt.Sprintf("%.2f%%", 100*x)
	}
	return fmt.Sprintf("%.4g %s", x, strings.TrimPrefix(unit, "1"))
}

func mibText(x float64) string { return fmt.Sprintf("%.1f MiB", x/(1<<20)) }

func savingText(x lab.Saving) string {
	text := fmt.Sprintf("%s saves %s of mean RSS a process (95 %% %s to %s) and costs %+.1f CPU seconds an hour and %+.0f minor faults a second",
		x.Arm, mibText(float64(x.SavedBytes)), numMiB(x.Low), numMiB(x.High), float64(x.ExtraCPU), float64(x.ExtraFaults))
	if x.FaultCost.Known() {
		text += fmt.Sprintf("; at a measured %.0f ns a fault these are %.1f CPU seconds an hour", 1e9*float64(x.FaultCost), float64(x.FaultCPU))
	}
	if x.Yield.Known() {
		return text + fmt.Sprintf("; yield %.2f MiB for each CPU second an hour.", float64(x.Yield)/(1<<20))
	}
	return text + "; its cost is not above zero, so there is no yield to state."
}

func numMiB(n lab.Num) string {
	if !n.Known() {
		return "unbounded"
	}
	return mibText(float64(n))
}

// guardLines states what was protected.
func guardLines(s *lab.Story) []string {
	g, v := s.Verdict.Guards, s.Verdict
	c := g.Load
	shown := "was shown"
	if !g.Agreement {
		shown = "was NOT shown"
	}
	final := "each of them was validated or ended with a final code"
	if !g.Finality {
		final = fmt.Sprintf("%d of them had no final word", c.Pending)
	}
	out := []string{
		fmt.Sprintf("Agreement of the nodes %s: %d validated ledgers, %d hashes compared between nodes, %d diverged, %d not reported by some node.", shown, g.LedgersAgreed, g.HashesCompared, len(g.Diverged), g.Missing),
		fmt.Sprintf("Load: %d intended, %d sent, %d missed by the generator, %d refused, %d without answer; %d accepted, and %s (%d validated, %d failed with a fee, %d expired).",
			c.Intended, c.Sent, c.Missed, c.Refused, c.Errors, c.Accepted, final, c.Validated, c.Failed, c.Expired),
		fmt.Sprintf("State reads: %d, failed %d.", c.Reads, c.ReadErrors),
		fmt.Sprintf("Blocks that count: %d of %d; runs by status: %s.", v.Blocks, v.BlocksPlanned, statusText(g.Runs)),
		fmt.Sprintf("CPU of the machine: nodes %s, generator and collectors %s, others %s; steal at most %s.", pct(g.TargetsCPU), pct(g.GeneratorCPU), pct(g.ForeignCPU), pct(g.Steal)),
	}
	if g.Residual.Known() {
		out = append(out, fmt.Sprintf("The balance sheet left at most %s of RSS unexplained in 99 %% of full sheets.", pct(g.Residual)))
	}
	if g.RecordsLost > 0 {
		out = append(out, fmt.Sprintf("%d records were lost on the way.", g.RecordsLost))
	}
	for _, k := range v.Kept {
		out = append(out, "With disturbed blocks kept in: "+lab.Phrase(k)+".")
	}
	for _, d := range v.Drift {
		out = append(out, fmt.Sprintf("Check, %s (%s): %s, permutation p %s.", d.Name, lab.Label(d.Metric), pctSigned(d.Effect), num("%.2g", d.P)))
	}
	return out
}

func statusText(runs map[string]int) string {
	var parts []string
	for _, k := range []string{lab.StatusOK, lab.StatusContaminated, lab.StatusDied, lab.StatusFailed, lab.StatusInterrupted} {
		if n := runs[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(parts, ", ")
}

func pct(n lab.Num) string { return num("%.1f%%", 100*n) }

func pctSigned(n lab.Num) string { return num("%+.1f%%", 100*n) }

// provenance lists everything needed to know what ran where.
func provenance(s *lab.Story) [][2]string {
	e, v := s.Env, s.Verdict
	dirty := ""
	if e.Dirty {
		dirty = " (with local changes)"
	}
	out := [][2]string{
		{"commit", e.Commit + dirty},
		{"Go", e.Go},
		{"cgo", fmt.Sprint(e.Cgo)},
		{"libc", e.Libc},
		{"kernel", e.Kernel},
		{"CPU", fmt.Sprintf("%s, %d CPUs", e.CPU, e.CPUs)},
		{"memory", fmt.Sprintf("%.1f GiB", float64(e.Memory)/(1<<30))},
		{"transparent huge pages", e.THP},
		{"governor", e.Governor},
		{"allocator", allocators(s)},
		{"began", e.Time.Format("2006-01-02 15:04:05 UTC")},
		{"profile, placement", v.Profile + ", " + v.Placement},
		{"design seed", fmt.Sprint(v.DesignSeed)},
		{"block seeds", blockSeeds(s)},
		{"flags of every node", flagText(s.Exp.Network.Set)},
	}
	for _, a := range s.Exp.Arms {
		set := flagText(a.Set)
		if a.CopyOf != "" {
			set = "as " + a.CopyOf
		}
		out = append(out, [2]string{"arm " + a.Name, set})
	}
	l := s.Exp.Load
	out = append(out, [2]string{"load", fmt.Sprintf("%g payments/s among %d accounts, %g reads and %g pages/s a node up to %d ledgers back; %d accounts in the state",
		l.Rate, l.Accounts, l.Reads, l.Pages, l.Held, s.Exp.Network.Accounts)})
	if len(s.Runs) > 0 {
		out = append(out, [2]string{"sampling", fmt.Sprintf("every %.0f ms with 10 %% jitter; sweeps every %v", float64(s.Runs[0].PeriodNS)/1e6, s.Exp.SweepInterval())})
	}
	return out
}

func allocators(s *lab.Story) string {
	seen := map[string]bool{}
	var out []string
	for _, st := range s.Starts {
		if a := st.GetAllocator(); a != "" && !seen[a] {
			seen[a] = true
			out = append(out, a)
		}
	}
	return strings.Join(out, ", ")
}

func blockSeeds(s *lab.Story) string {
	var out []string
	for _, r := range s.Design.Rows {
		out = append(out, fmt.Sprintf("%x", r.Seed))
	}
	return strings.Join(out, " ")
}

func flagText(set map[string]string) string {
	if len(set) == 0 {
		return "-"
	}
	return strings.Join(pairs(set), ", ")
}

func reproduce(s *lab.Story) string {
	out := s.Exp.Metadata.Name
	if s.Exp.Profile != "" {
		out += " --profile " + s.Exp.Profile
	}
	out += fmt.Sprintf(" --blocks %d --seed %d", s.Exp.Design.Blocks, s.Verdict.DesignSeed)
	for _, kv := range pairs(s.Exp.Overrides) {
		out += " --set " + kv
	}
	return out
}
