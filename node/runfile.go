package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"ledgerlab/node/config"
)

// RunFile runs the node of a configuration file until ctx ends, which is no
// error; messages go to w. After a failure of its disk it replaces the process by a
// new one of the same command once the disk works again.
func RunFile(ctx context.Context, path string, w io.Writer) error {
	cfg, err := config.Load(path)
	if err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		return &config.FieldError{Path: "log.level", Msg: err.Error()}
	}
	n, err := New(Options{Config: cfg, Log: slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))})
	if err != nil {
		return fmt.Errorf("node %s: %w", cfg.Name, err)
	}
	if err = n.Run(ctx); ctx.Err() != nil {
		err = nil
	}
	if cerr := n.Close(); !full(err) || !full(cerr) { // a full disk is told once
		err = errors.Join(err, cerr)
	}
	if errors.Is(err, ErrDiskBack) {
		err = errors.Join(err, Restart())
	}
	if err != nil {
		return fmt.Errorf("node %s: %w", cfg.Name, err)
	}
	return nil
}
