package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"ledgerlab/node"
	"ledgerlab/node/config"
	"ledgerlab/store"
)

func (a *app) nodeCmd() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "node --config FILE",
		Short:   "Run one node until it is told to end",
		Example: "  ledgerlab node --config runs/net/n0/node.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("node: --config FILE is missing")
			}
			cfg, err := config.Load(file)
			if err != nil {
				return &codeError{exitSpec, err}
			}
			return a.runNode(cmd.Context(), cfg)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration file of the node")
	return cmd
}

func (a *app) runNode(ctx context.Context, cfg config.Config) (err error) {
	log, err := nodeLog(a, cfg)
	if err != nil {
		return err
	}
	commit, dirty := buildInfo()
	n, err := node.New(node.Options{Config: cfg, Log: log, Commit: commit, Dirty: dirty})
	if errors.Is(err, store.ErrForeign) {
		return &codeError{exitSpec, fmt.Errorf("node %s: %w", cfg.Name, err)}
	}
	if err != nil {
		return fmt.Errorf("node %s: %w", cfg.Name, err)
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := n.Run(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("node %s: %w", cfg.Name, err)
	}
	return nil
}

func nodeLog(a *app, cfg config.Config) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		return nil, &codeError{exitSpec, err}
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})), nil
}

func buildInfo() (commit string, dirty bool) {
	if c := os.Getenv(commitVar); c != "" {
		clean, changed := strings.CutSuffix(c, "-dirty")
		return clean, changed
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	return commit, dirty
}
