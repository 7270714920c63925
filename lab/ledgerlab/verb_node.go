package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"ledgerlab/node"
	"ledgerlab/store"
)

func (a *app) nodeCmd() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "node",
		Short:   "Run one node until it is told to end",
		Example: "  ledgerlab node --config runs/net/n0/node.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("node: --config FILE is missing")
			}
			return a.runNode(cmd.Context(), file)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration file of the node")
	return cmd
}

// runNode runs the node of a file; a file or data folder that cannot be used has
// the exit code of a bad file.
func (a *app) runNode(ctx context.Context, file string) error {
	err := node.RunFile(ctx, file, a.err)
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrForeign), errors.As(err, &path) && path.Path == file:
		return &codeError{exitSpec, err}
	}
	return err
}
