package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"ledgerlab/lab/inspect"
)

func (a *app) inspectCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE...",
		Short: "Recompute a ledger's ids, roots and hash from its JSON",
		Long: "inspect reads a ledger as the method ledger returns it, computes transaction ids, both roots (the state's\n" +
			"where the state is given) and the hash again, and names the first thing that differs; then the exit code\n" +
			"is 1.",
		Example: "  ledgerlab inspect ledger-38129.json\n  ledgerlab inspect --json ledgers/*.json",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.inspect(args) },
	}
}

func (a *app) inspect(files []string) error {
	reports := make([]*inspect.Report, 0, len(files))
	different := 0
	for _, name := range files {
		rep, err := inspect.File(name)
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
			printInspection(w, r)
		}
		return nil
	})
	if err == nil && different > 0 {
		err = silent(exitFailed)
	}
	return err
}

func printInspection(w io.Writer, r *inspect.Report) {
	if r.Difference != nil {
		fmt.Fprintf(w, "%s: DIFFERS at %s\n", r.File, r.Difference)
		return
	}
	fmt.Fprintf(w, "%s: ledger %d %s\n", r.File, r.Sequence, r.Hash)
	for _, c := range r.Checks {
		fmt.Fprintf(w, "  %-22s %s\n", c.What, c.Result)
	}
	fmt.Fprintf(w, "  %d transactions, %d state entries\n", r.Transactions, r.StateEntries)
	for _, n := range r.Notes {
		fmt.Fprintf(w, "  note: %s\n", n)
	}
}
