package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ledgerlab/lab"
	"ledgerlab/lab/report"
	"ledgerlab/node/config"
)

func folderArg(arg string) (string, error) {
	dir, err := filepath.EvalSymlinks(arg)
	if err != nil {
		return "", usage(fmt.Errorf("results folder: %w", err))
	}
	return dir, nil
}

func (a *app) judgeCmd() *cobra.Command {
	var margins []string
	var level float64
	var write bool
	cmd := &cobra.Command{
		Use:   "judge DIR",
		Short: "Judge stored data again, with other margins if you like",
		Long: "judge re-reads the raw series and records of a campaign. With --margin or --level the\n" +
			"stored verdict is left alone unless --write is given.",
		Example: "  ledgerlab judge runs/trim-after-sweep/latest\n  ledgerlab judge runs/trim-after-sweep/latest --margin rss_mean_bytes=5%",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := folderArg(args[0])
			if err != nil {
				return err
			}
			sets, err := parseSets(margins)
			if err != nil {
				return err
			}
			opts := lab.JudgeOptions{Level: level, Write: write || len(sets) == 0 && level == 0, Margins: map[string]lab.Percent{}}
			for k, v := range sets {
				if r, err := config.ParseRatio(v); err != nil || r <= 0 {
					return usagef("--margin %s=%s: write a share above 0, as in 2%%", k, v)
				}
				opts.Margins[k] = lab.Percent(v)
			}
			return a.judged(dir, opts, false)
		},
	}
	cmd.Flags().StringArrayVar(&margins, "margin", nil, "METRIC=SHARE: another margin of indifference; may be repeated")
	cmd.Flags().Float64Var(&level, "level", 0, "another level than the experiment's")
	cmd.Flags().BoolVar(&write, "write", false, "store this verdict and write the report again")
	return cmd
}

func (a *app) reportCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "report DIR",
		Short:   "Write the report again from stored data",
		Example: "  ledgerlab report runs/trim-after-sweep/latest",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := folderArg(args[0])
			if err != nil {
				return err
			}
			if err := report.Write(dir); err != nil {
				return err
			}
			files := report.Files(dir)
			return a.print(map[string]any{"files": files}, func(w io.Writer) error {
				for _, f := range files {
					fmt.Fprintln(w, f)
				}
				return nil
			})
		},
	}
}

// printVerdict states the verdict, the sentence first.
func (a *app) printVerdict(dir string, v *lab.Verdict) error {
	return a.print(v, func(w io.Writer) error {
		fmt.Fprintf(w, "%s\n\n", v.Sentence)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "metric\tarm\tratio\t95% interval\tadjusted p\tverdict")
		for _, r := range v.Rows {
			if !r.Ratio.Known() {
				continue
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", lab.Label(r.Metric), r.Arm, num("%.3f", r.Ratio), interval(r.Low, r.High), num("%.3g", r.Q), r.Word)
		}
		for _, g := range v.Gates {
			if g.Role == "primary" {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", lab.Label(g.Metric), v.Duplicate+" (A/A)", num("%.3f", g.Ratio), interval(g.Low, g.High)+" (90%)", num("%.3g", g.Holm), g.Word)
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
		g := v.Guards
		fmt.Fprintf(w, "\nblocks %d of %d; agreement %s: %d hashes of %d ledgers compared; accepted %d, validated %d, failed with a fee %d, expired %d, open %d\n",
			v.Blocks, v.BlocksPlanned, yes(g.Agreement), g.HashesCompared, g.LedgersAgreed, g.Load.Accepted, g.Load.Validated, g.Load.Failed, g.Load.Expired, g.Load.Pending)
		for _, n := range v.Notes {
			fmt.Fprintf(w, "note: %s\n", n)
		}
		fmt.Fprintf(w, "report: %s\n", filepath.Join(dir, report.FileHTML))
		return nil
	})
}

func num(format string, n lab.Num) string {
	if !n.Known() {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}

func interval(lo, hi lab.Num) string {
	if !lo.Known() || !hi.Known() {
		return "unbounded"
	}
	return fmt.Sprintf("%.3f to %.3f", float64(lo), float64(hi))
}

func yes(b bool) string {
	if b {
		return "shown"
	}
	return "NOT shown"
}

func (a *app) compareCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "compare DIR DIR",
		Short: "Two campaigns side by side",
		Long: "compare sets the ratios of two campaigns beside one another. Absolute values of different\n" +
			"campaigns are unpaired and are compared by an exact rank test, which says so when the\n" +
			"campaigns are too small for it.",
		Example: "  ledgerlab compare runs/trim-after-sweep/20261130T200000Z-aaaa runs/trim-after-sweep/latest",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var dirs [2]string
			for i, arg := range args {
				dir, err := folderArg(arg)
				if err != nil {
					return err
				}
				dirs[i] = dir
			}
			rows, err := lab.Compare(dirs[0], dirs[1])
			if err != nil {
				return err
			}
			return a.print(rows, func(w io.Writer) error {
				t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(t, "metric\tarm\tfirst ratio\tsecond ratio\tintervals\tvalue, first to second\tp (unpaired)")
				for _, r := range rows {
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", lab.Label(r.Metric), r.Arm, num("%.3f", r.First), num("%.3f", r.Second), r.Overlap, num("%+.1f%%", 100*r.Change), pText(r))
				}
				return t.Flush()
			})
		},
	}
}

func pText(r lab.ComparedRow) string {
	if r.Note != "" {
		return r.Note
	}
	return num("%.3g", r.P)
}

func (a *app) calibrateCmd() *cobra.Command {
	var draws int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "calibrate [DIR...]",
		Short: "Check the lab itself on noise",
		Long: "calibrate relabels stored control runs at random and judges each relabelling as if it were an\n" +
			"experiment: it must reject as often as its test can at that number of blocks and no more. It\n" +
			"also checks the history of duplicate controls of this machine. Without DIR it takes every\n" +
			"campaign below runs/.",
		Example: "  ledgerlab calibrate\n  ledgerlab calibrate runs/trim-after-sweep/latest --draws 5000",
		RunE: func(_ *cobra.Command, args []string) error {
			if draws < 100 {
				return usagef("--draws %d: at least 100", draws)
			}
			var dirs []string
			for _, arg := range args {
				dir, err := folderArg(arg)
				if err != nil {
					return err
				}
				dirs = append(dirs, dir)
			}
			if len(args) == 0 {
				dirs = lab.FindCampaigns(runsRoot())
			}
			if len(dirs) == 0 {
				return usagef("calibrate: no campaign below %s yet; run one first", runsRoot())
			}
			c, err := lab.Calibrate(dirs, runsRoot(), draws, seed)
			if err != nil {
				return err
			}
			if err := a.print(c, func(w io.Writer) error { return printCalibration(w, c) }); err != nil {
				return err
			}
			if !c.OK {
				return &codeError{exitFailed, errors.New("the lab is not calibrated: " + strings.Join(c.Faults, "; "))}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&draws, "draws", 2000, "relabellings a metric")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the relabellings")
	return cmd
}

func printCalibration(w io.Writer, c *lab.Calibration) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "campaign\tmetric\tblocks\trejects\texpected\t")
	for _, r := range c.Rows {
		mark := ""
		if !r.OK {
			mark = "outside"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%.2f%%\t%.2f%%\t%s\n", r.Dir, r.Metric, r.Blocks, 100*r.Rate, 100*r.Expected, mark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "history: %d of %d duplicate controls below p = 0.05; the band is %d to %d\n", c.Alarms, c.Pairs, c.Low, c.High)
	return nil
}
