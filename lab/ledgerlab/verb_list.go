package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ledgerlab/lab"
	"ledgerlab/lab/experiments"
	"ledgerlab/node/config"
)

func (a *app) listCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list experiments|metrics",
		Short:   "What there is",
		Example: "  ledgerlab list experiments\n  ledgerlab list metrics --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "experiments":
				return a.listExperiments()
			case "metrics":
				return a.listMetrics()
			}
			return usagef("list: %q is not a list%s; there are experiments and metrics", args[0], hint(args[0], "experiments", "metrics"))
		},
	}
	return cmd
}

func hint(got string, known ...string) string {
	if near := config.Suggest(got, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

type listedExperiment struct {
	Name     string   `json:"name"`
	Question string   `json:"question"`
	Seed     string   `json:"seed"`
	Arms     []string `json:"arms"`
}

func (a *app) listExperiments() error {
	list := []listedExperiment{}
	for _, name := range lab.Names(experiments.FS) {
		exp, err := lab.Load(experiments.FS, name, lab.Overrides{})
		if err != nil {
			return err
		}
		e := listedExperiment{Name: name, Question: exp.Metadata.Question, Seed: exp.Metadata.Seed}
		for _, arm := range exp.Arms {
			e.Arms = append(e.Arms, arm.Name)
		}
		list = append(list, e)
	}
	return a.print(list, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, e := range list {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", e.Name, e.Seed, strings.Join(e.Arms, ", "), e.Question)
		}
		return t.Flush()
	})
}

func (a *app) listMetrics() error {
	return a.print(lab.Metrics(), func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, m := range lab.Metrics() {
			fmt.Fprintf(t, "%s\t%s\t%s is better\tmargin %s\tplacement %s\t%s\n", m.Name, m.Unit, m.Better, config.FormatRatio(m.Margin), m.Placement, m.Doc)
		}
		return t.Flush()
	})
}

type listedFlag struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Allowed   string `json:"allowed"`
	Default   string `json:"default"`
	Component string `json:"component"`
	Hot       bool   `json:"hot"`
	MayHash   bool   `json:"may_change_hashes"`
	Source    string `json:"source"`
	Doc       string `json:"doc"`
}

func (a *app) flagsCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "flags [PREFIX]",
		Short:   "Every mechanism that can be switched",
		Example: "  ledgerlab flags\n  ledgerlab flags trim --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list := []listedFlag{}
			var names []string
			for _, f := range config.Flags() {
				names = append(names, f.Name)
				if len(args) == 0 || strings.HasPrefix(f.Name, args[0]) {
					list = append(list, listedFlag{f.Name, f.Kind.String(), f.AllowedText(), f.Default, f.Component, f.Hot, f.MayHash, f.Source, f.Doc})
				}
			}
			if len(list) == 0 {
				return usagef("flags: no flag begins with %q%s", args[0], hint(args[0], names...))
			}
			return a.print(list, func(w io.Writer) error {
				for _, f := range list {
					when := "at start"
					if f.Hot {
						when = "while running"
					}
					hash := ""
					if f.MayHash {
						hash = ", may change ledger hashes"
					}
					fmt.Fprintf(w, "%s = %s\n    %s\n    allowed: %s; set %s%s; %s; source: %s\n", f.Name, f.Default, f.Doc, f.Allowed, when, hash, f.Component, f.Source)
				}
				return nil
			})
		},
	}
}
