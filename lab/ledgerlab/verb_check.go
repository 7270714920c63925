package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/check"
	"ledgerlab/node/folder"
	"ledgerlab/store"
)

func (a *app) checkCmd() *cobra.Command {
	var o check.Options
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Walk the store of a node that does not run, and name what is missing or wrong",
		Long: "check reads every ledger that a node's data folder claims to hold: headers, transactions and the whole state,\n" +
			"each object against its hash. It changes nothing. Anything missing or wrong is named with its key, its place\n" +
			"and the ledgers that need it; then the exit code is 1. DIR is a data folder, or the folder of a network that\n" +
			"is down: then its nodes are checked one after the other.",
		Example: "  ledgerlab check runs/net/n0/data\n  ledgerlab check runs/net --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.NamedMax < 1 {
				return usagef("check: --named %d: at least 1", o.NamedMax)
			}
			return a.check(cmd.Context(), args[0], o)
		},
	}
	cmd.Flags().Uint32Var(&o.NetworkID, "network-id", 0, "refuse a folder of another network; 0: any")
	cmd.Flags().IntVar(&o.NamedMax, "named", 1000, "findings to name; further ones are counted")
	return cmd
}

// checked is one folder's part of the answer.
type checked struct {
	*check.Report
	OK   bool    `json:"sound"`
	Took float64 `json:"seconds"`
}

func (a *app) check(ctx context.Context, dir string, o check.Options) error {
	dirs, err := check.Folders(dir)
	if err != nil {
		return checkError(err)
	}
	out := make([]checked, 0, len(dirs))
	damaged := false
	for _, d := range dirs {
		o.Dir, o.Progress = d, a.checkProgress(d)
		start := time.Now()
		rep, err := check.Run(ctx, o)
		if err != nil {
			return checkError(err)
		}
		damaged = damaged || !rep.Sound()
		out = append(out, checked{rep, rep.Sound(), time.Since(start).Seconds()})
	}
	err = a.print(map[string]any{"folders": out}, func(w io.Writer) error {
		for _, c := range out {
			printCheck(w, c)
		}
		return nil
	})
	if err == nil && damaged {
		err = silent(exitFailed)
	}
	return err
}

// checkError chooses the exit code of a folder that cannot be walked.
func checkError(err error) error {
	switch {
	case errors.Is(err, folder.ErrInUse):
		return &codeError{exitTryAgain, err}
	case errors.Is(err, check.ErrNoStore):
		return usage(err)
	case errors.Is(err, check.ErrEmpty), errors.Is(err, store.ErrForeign):
		return &codeError{exitSpec, err}
	}
	return badPath(err)
}

// checkProgress says every few seconds how far a walk is.
func (a *app) checkProgress(dir string) func(check.Progress) {
	const every = 5 * time.Second
	last := time.Now()
	return func(p check.Progress) {
		if time.Since(last) < every {
			return
		}
		last = time.Now()
		a.say("%s: ledger %d, %d more to go, %d objects, %d damaged", dir, p.Ledger, p.Ledger-p.Oldest, p.Objects, p.Damaged)
	}
}

func printCheck(w io.Writer, c checked) {
	if c.Format == 0 {
		fmt.Fprintf(w, "%s: DAMAGED: %s\n", c.Dir, c.Findings[0])
		return
	}
	n := &c.Objects
	fmt.Fprintf(w, "%s: network %d, format %d, ledgers %d-%d, newest %s\n", c.Dir, c.NetworkID, c.Format, c.Oldest, c.Newest, c.Hash)
	fmt.Fprintf(w, "  walked %d ledgers, %d whole: %d headers, %d state nodes (%d entries), %d transaction nodes (%d transactions), %.1f MiB in %.1f s\n",
		c.Ledgers, c.Whole, n.Headers, n.StateInner+n.StateLeaves, n.StateLeaves, n.TxInner+n.TxLeaves, n.TxLeaves, float64(n.Bytes)/(1<<20), c.Took)
	fmt.Fprintf(w, "  from the writable generation %d, from the archive %d\n", n.Writable, n.Archive)
	for _, s := range c.NotHeld {
		fmt.Fprintf(w, "  ledgers %d-%d were never held\n", s.First, s.Last)
	}
	for _, note := range c.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	for _, f := range c.Findings {
		fmt.Fprintf(w, "  %s\n", f)
	}
	if c.Unnamed > 0 {
		fmt.Fprintf(w, "  and %d more\n", c.Unnamed)
	}
	if c.OK {
		fmt.Fprintln(w, "  nothing is missing, nothing is wrong")
		return
	}
	fmt.Fprintf(w, "  DAMAGED: %d missing, %d corrupt, %d wrong\n", c.Damaged[check.Missing], c.Damaged[check.Corrupt], c.Damaged[check.Wrong])
}
