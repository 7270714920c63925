package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"ledgerlab/node/config"
)

// RunFile runs the node of a configuration file until ctx ends; messages go to w.
func RunFile(ctx context.Context, path string, w io.Writer) error {
	cfg, err := config.Load(path)
	if err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		return fmt.Errorf("log.level: %w", err)
	}
	n, err := New(Options{Config: cfg, Log: slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))})
	if err != nil {
		return err
	}
	return errors.Join(n.Run(ctx), n.Close())
}
