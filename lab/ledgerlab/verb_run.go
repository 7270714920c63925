package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ledgerlab/lab"
	"ledgerlab/lab/experiments"
	"ledgerlab/lab/report"
)

// specOptions are the options that shape an experiment.
type specOptions struct {
	profile string
	quick   bool
	blocks  int
	seed    uint64
	sets    []string
}

func (o *specOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.profile, "profile", "", "quick, full or long, where the experiment has it")
	cmd.Flags().BoolVar(&o.quick, "quick", false, "short for --profile quick")
	cmd.Flags().IntVar(&o.blocks, "blocks", 0, "number of blocks instead of the experiment's")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed of order, placement and traffic; 0 draws one and records it")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "KEY=VALUE: a flag of every node, or a key of the experiment such as load.rate; may be repeated")
}

// check refuses options whose zero value means that they were not given.
func (o *specOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("blocks") && o.blocks < 1 {
		return usagef("--blocks %d: at least 1", o.blocks)
	}
	return nil
}

func (o *specOptions) load(name string) (*lab.Experiment, error) {
	sets, err := parseSets(o.sets)
	if err != nil {
		return nil, err
	}
	if o.quick {
		if o.profile != "" && o.profile != "quick" {
			return nil, usagef("--quick and --profile %s contradict each other", o.profile)
		}
		o.profile = "quick"
	}
	exp, err := lab.Load(experiments.FS, name, lab.Overrides{Profile: o.profile, Blocks: o.blocks, Seed: o.seed, Set: sets})
	var unknown *lab.UnknownExperimentError
	if err != nil && !errors.As(err, &unknown) {
		return nil, &codeError{exitSpec, err}
	}
	return exp, err
}

func (a *app) runCmd() *cobra.Command {
	var spec specOptions
	var out, resume string
	var force, keep bool
	cmd := &cobra.Command{
		Use:   "run EXPERIMENT|FILE.yaml",
		Short: "Run an experiment: plan, blocks, verdict, report",
		Long: "run starts the networks an experiment needs, one block after another, stores what it measures,\n" +
			"judges it and writes the report. Ctrl-C keeps what was measured; --resume goes on with it.",
		Example: "  ledgerlab run trim-after-sweep --quick\n  ledgerlab run trim-after-sweep --profile full --seed 7\n  ledgerlab run --resume runs/trim-after-sweep/latest",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && resume != "" {
				return usagef("run: %s and --resume %s exclude each other: a campaign goes on with the experiment in its folder; leave out one of them", args[0], resume)
			}
			if len(args) == 0 && resume == "" {
				return usagef("run: give an experiment, or --resume DIR; `ledgerlab list experiments` shows what there is")
			}
			opts := lab.RunOptions{Root: runsRoot(), Dir: out, Driver: a.driver(), KeepData: keep}
			var exp *lab.Experiment
			var err error
			if err := spec.check(cmd); err != nil {
				return err
			}
			if resume != "" {
				if opts.Dir, err = filepath.EvalSymlinks(resume); err != nil {
					return usage(fmt.Errorf("--resume: %w", err))
				}
				opts.Resume = true
				_, exp, err = lab.OpenFolder(opts.Dir)
			} else {
				exp, err = spec.load(args[0])
			}
			if err != nil {
				return err
			}
			if !opts.Resume {
				if err := a.checkPlan(exp, force); err != nil {
					return err
				}
			}
			return a.campaign(cmd.Context(), exp, opts)
		},
	}
	spec.register(cmd)
	cmd.Flags().StringVar(&out, "out", "", "results folder; default runs/NAME/TIME-HASH with a link latest")
	cmd.Flags().StringVar(&resume, "resume", "", "go on with the campaign in this folder")
	cmd.Flags().BoolVar(&force, "force", false, "start although the plan says that it does not fit or cannot decide")
	cmd.Flags().BoolVar(&keep, "keep-data", false, "keep the nodes' data folders")
	return cmd
}

func (a *app) checkPlan(exp *lab.Experiment, force bool) error {
	if missing := missingLibraries(exp); len(missing) > 0 {
		return missing[0] // --force does not help against it
	}
	plan, err := newPlan(exp)
	if err != nil {
		return err
	}
	for _, w := range plan.Warnings {
		a.say("note: %s", w)
	}
	if len(plan.Problems) > 0 && !force {
		return &codeError{exitTryAgain, fmt.Errorf("the plan does not fit: %s (--force starts nevertheless; ledgerlab plan %s shows the figures)", plan.Problems[0], plan.Experiment)}
	}
	a.say("%s (%s): %d blocks, placement %s, %s to %s", plan.Experiment, profileName(plan.Profile), plan.Blocks, plan.Placement, short(plan.WallLow), short(plan.WallHigh))
	return nil
}

func profileName(p string) string {
	if p == "" {
		return "as written"
	}
	return p
}

// campaign runs, judges and reports.
func (a *app) campaign(ctx context.Context, exp *lab.Experiment, opts lab.RunOptions) error {
	bar := a.progress(exp)
	opts.Progress = bar.update
	c, err := lab.Run(ctx, exp, opts)
	bar.close()
	if c == nil {
		return badPath(err)
	}
	if c.Blocks > 0 || err == nil {
		if verr := a.judged(c.Dir, lab.JudgeOptions{Write: true}, true); verr != nil {
			var code *codeError
			if err == nil || !errors.As(verr, &code) {
				err = errors.Join(err, verr)
			}
		}
	}
	if c.Interrupted {
		return &codeError{exitInterrupted, fmt.Errorf("interrupted with %d of %d blocks complete; go on with: ledgerlab run --resume %s", c.Blocks, exp.Design.Blocks, c.Dir)}
	}
	if err != nil && exitCode(ctx, err) == exitTryAgain {
		err = fmt.Errorf("%w; make room and go on with: ledgerlab run --resume %s", err, c.Dir)
	}
	return err
}

// judged judges a folder, writes its report, prints the verdict, and returns
// the verdict's exit code as an error.
func (a *app) judged(dir string, opts lab.JudgeOptions, history bool) error {
	v, err := lab.Judge(dir, opts)
	if err != nil {
		return err
	}
	if opts.Write {
		if err := report.Write(dir); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if history {
			if err := lab.AddHistory(runsRoot(), dir, v, lab.NewEnv().Host); err != nil {
				a.say("note: %v", err)
			}
		}
	}
	if err := a.printVerdict(dir, v); err != nil {
		return err
	}
	return silent(v.Exit)
}
