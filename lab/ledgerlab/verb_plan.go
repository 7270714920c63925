package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab"
	"ledgerlab/lab/network"
	"ledgerlab/node/config"
)

func (a *app) planCmd() *cobra.Command {
	var spec specOptions
	cmd := &cobra.Command{
		Use:     "plan EXPERIMENT|FILE.yaml",
		Short:   "What an experiment costs and what it could see",
		Example: "  ledgerlab plan trim-after-sweep --quick\n  ledgerlab plan trim-after-sweep --blocks 20 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := spec.check(cmd); err != nil {
				return err
			}
			exp, err := spec.load(args[0])
			if err != nil {
				return err
			}
			p, err := newPlan(exp)
			if err != nil {
				return err
			}
			if err := a.print(p, func(w io.Writer) error { return printPlan(w, exp, p) }); err != nil {
				return err
			}
			if len(p.Problems) > 0 {
				return silent(exitTryAgain)
			}
			return nil
		},
	}
	spec.register(cmd)
	return cmd
}

// newPlan plans, and looks for the libraries that the arms preload.
func newPlan(exp *lab.Experiment) (*lab.Plan, error) {
	p, err := lab.NewPlan(exp, runsRoot())
	if err != nil {
		return nil, err
	}
	for _, err := range missingLibraries(exp) {
		p.Problems = append(p.Problems, err.Error())
	}
	return p, nil
}

// missingLibraries are the allocators of an experiment's arms that are not installed.
func missingLibraries(exp *lab.Experiment) []error {
	var out []error
	seen := map[string]bool{}
	for arm := range exp.Arms {
		for node := range exp.Network.Nodes {
			name := allocatorOf(exp.FlagsOf(arm, node))
			if seen[name] {
				continue
			}
			seen[name] = true
			if _, err := network.AllocatorLibrary(name); err != nil {
				out = append(out, err)
			}
		}
	}
	return out
}

func printPlan(w io.Writer, exp *lab.Experiment, p *lab.Plan) error {
	fmt.Fprintf(w, "%s\n\n", exp.Metadata.Question)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "arms\t%d (%s)\n", len(p.Arms), joinComma(p.Arms))
	fmt.Fprintf(t, "placement\t%s\n", p.Placement)
	fmt.Fprintf(t, "blocks, networks\t%d, %d\n", p.Blocks, p.Runs)
	fmt.Fprintf(t, "wall time\t%s to %s\n", short(p.WallLow), short(p.WallHigh))
	fmt.Fprintf(t, "CPU\tabout %.0f%% of this machine\n", 100*p.CPUShare)
	fmt.Fprintf(t, "memory\tabout %.1f GiB of %.1f available\n", gib(p.Memory), gib(p.Available))
	fmt.Fprintf(t, "smallest p\t%.3g\n", p.SmallestP)
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "metric\trole\tmargin\tcould see\tsd of differences\tblocks to show equivalence\tcorrection")
	for _, m := range p.Metrics {
		if !m.Judged {
			fmt.Fprintf(t, "%s\t%s\t\tnot judged with placement %s\n", m.Metric, m.Role, p.Placement)
			continue
		}
		reach := "in reach"
		if !m.Reaches {
			reach = "out of reach"
		}
		see := "nothing"
		if m.MDE.Known() {
			see = fmt.Sprintf("%.2g%%", 100*float64(m.MDE))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2g%% (%s)\t%s\t%s\n", m.Metric, m.Role, config.FormatRatio(m.Margin), see, 100*m.SD, m.Source, orMore(m.ForMargin), reach)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range p.Warnings {
		fmt.Fprintf(w, "note: %s\n", x)
	}
	for _, x := range p.Problems {
		fmt.Fprintf(w, "does not fit: %s\n", x)
	}
	return nil
}

func orMore(n int) string {
	if n == 0 {
		return "over 1,000"
	}
	return fmt.Sprint(n)
}

func gib(n int64) float64 { return float64(n) / (1 << 30) }

// short writes a duration in minutes and seconds.
func short(d time.Duration) string {
	d = d.Round(time.Second)
	if d < time.Minute {
		return d.String()
	}
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

func joinComma(list []string) string {
	out := ""
	for i, s := range list {
		if i > 0 {
			out += ", "
		}
		out += s
	}
	return out
}
