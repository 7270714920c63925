package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"ledgerlab/lab/verify"
)

func (a *app) verifyCmd() *cobra.Command {
	var o verify.Options
	cmd := &cobra.Command{
		Use:   "verify CHAIN...",
		Short: "Replay recorded chains and name the first difference",
		Long: "verify replays recorded chains through engine, queue, builder and tree, from their first full state:\n" +
			"every submission's result, every metadata blob, both roots and the hash of every ledger must come out\n" +
			"equal. The first difference is named field by field; then the exit code is 1.",
		Example: "  ledgerlab verify chains/xrp-1.jsonl.gz\n  ledgerlab verify --heap c chains/*.jsonl.gz --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.Heap != "c" && o.Heap != "go" {
				return usagef("verify: --heap %q: want c or go", o.Heap)
			}
			if o.Lanes < 0 || o.QueueExpected < 0 {
				return usagef("verify: --lanes %d and --queue-expected %d: from 0", o.Lanes, o.QueueExpected)
			}
			return a.verify(args, o)
		},
	}
	cmd.Flags().StringVar(&o.Heap, "heap", "go", "memory of tree nodes: c or go")
	cmd.Flags().IntVar(&o.Lanes, "lanes", 0, "goroutines that hash large batches")
	cmd.Flags().IntVar(&o.QueueExpected, "queue-expected", 0, "expected ledger size of the recorded server; 0: what the chain says, else 1000")
	return cmd
}

func (a *app) verify(files []string, o verify.Options) error {
	reports := make([]*verify.Report, 0, len(files))
	different := 0
	for _, name := range files {
		if !a.quiet {
			a.say("replaying %s", name)
		}
		rep, err := verify.File(name, o)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return usage(err)
			}
			return &codeError{exitSpec, err}
		}
		if rep.Difference != nil {
			different++
		}
		reports = append(reports, rep)
	}
	err := a.print(reports, func(w io.Writer) error {
		for _, r := range reports {
			if r.Difference != nil {
				fmt.Fprintf(w, "%s: DIFFERS at %s\n", r.File, r.Difference)
				continue
			}
			fmt.Fprintf(w, "%s: equal: %d submissions, %d ledgers, %d transactions, %d state entries (%s, scenario %s)\n",
				r.File, r.Submits, r.Ledgers, r.Transactions, r.StateEntries, r.Server, r.Scenario)
		}
		return nil
	})
	if err == nil && different > 0 {
		err = silent(exitFailed)
	}
	return err
}
