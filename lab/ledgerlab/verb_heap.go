package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/shamap/payload/heaptrace"
)

func (a *app) heapCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "heap record/show/replay",
		Short:   "An allocation trace of one node; the same trace through other allocators and policies",
		Example: "  ledgerlab heap record --node n0 --for 2m --out n0.heaptrace\n  ledgerlab heap replay n0.heaptrace --allocator jemalloc",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("heap: say what: record, show or replay; ledgerlab heap --help tells more")
		},
	}
	cmd.AddCommand(a.heapRecordCmd(), a.heapShowCmd(), a.heapReplayCmd())
	return cmd
}

func (a *app) heapRecordCmd() *cobra.Command {
	var t targetFlags
	var span time.Duration
	var out string
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Stream every allocation and free of a node's payload heap to a file",
		Long: "record writes every chunk that the payload heap of one node gives and takes back, with size, tag, thread, call site and\n" +
			"time, and what the process weighs. The node's memory for it is bounded; events it had to drop are counted in the file.\n" +
			"For predictions begin as soon as the node serves: what its allocator kept before is not in a trace.",
		Example: "  ledgerlab heap record --dir runs/net --node n0 --for 2m --out n0.heaptrace",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if span <= 0 || span > time.Hour {
				return usagef("--for %v: above 0s, at most 1h", span)
			}
			if out == "" {
				return usagef("heap record: --out FILE is missing")
			}
			if _, err := os.Stat(out); err == nil {
				return usagef("--out %s: the file exists; traces are not overwritten", out)
			}
			h, err := attachUp(t.dir)
			if err != nil {
				return err
			}
			i, err := oneNode(h, t)
			if err != nil {
				return err
			}
			a.say("recording %s for %v; ends %s", h.Nodes()[i].Name, span, time.Now().Add(span).Format("15:04:05"))
			n, err := fetchTrace(cmd.Context(), h.Nodes()[i].Web, span, out)
			if err != nil {
				return err
			}
			a.say("%s: %.1f MiB", out, mb(n))
			return a.showTrace(out)
		},
	}
	t.register(cmd)
	cmd.Flags().DurationVar(&span, "for", time.Minute, "how long to record")
	cmd.Flags().StringVar(&out, "out", "", "file to write; it must not exist")
	return cmd
}

// fetchTrace copies a node's recording into a file. What came before a fault
// stays under the file's name with .part.
func fetchTrace(ctx context.Context, web string, span time.Duration, out string) (n int64, err error) {
	if web == "" {
		return 0, usagef("heap record: the node serves no web side (listen.web)")
	}
	url := fmt.Sprintf("http://%s/debug/heap/trace?seconds=%g", web, span.Seconds())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("heap record: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end or is of no use
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return 0, &codeError{exitTryAgain, fmt.Errorf("heap record: the node answers %s: %s", resp.Status, strings.TrimSpace(string(text)))}
	}
	f, err := os.Create(out + ".part")
	if err != nil {
		return 0, badPath(err)
	}
	n, err = io.Copy(f, resp.Body)
	if err = errors.Join(err, f.Close()); err != nil {
		return n, fmt.Errorf("heap record: %s holds what came until: %w", out+".part", err)
	}
	return n, os.Rename(out+".part", out)
}

func (a *app) heapShowCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "show TRACE",
		Short:   "What a trace holds, and which call sites hold most at its end",
		Example: "  ledgerlab heap show n0.heaptrace",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.showTrace(args[0]) },
	}
}

// traceShown is the answer of heap show.
type traceShown struct {
	Header  heaptrace.Header `json:"header"`
	Whole   bool             `json:"whole"`
	Lost    uint64           `json:"lost_events"`
	Seconds float64          `json:"seconds"`
	Allocs  uint64           `json:"allocs"`
	Frees   uint64           `json:"frees"`
	Bytes   uint64           `json:"allocated_bytes"`
	Threads int              `json:"threads"`
	Marks   map[string]int   `json:"marks"`
	Sites   []siteShown      `json:"sites"` // by bytes outstanding at the end
}

type siteShown struct {
	Site        string `json:"site"`
	Allocs      uint64 `json:"allocs"`
	Bytes       uint64 `json:"allocated_bytes"`
	Outstanding int64  `json:"outstanding_bytes"`
}

// sitesShown bounds the sites in the text.
const sitesShown = 8

func (a *app) showTrace(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return badPath(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	s, err := readTrace(f)
	if err != nil {
		return &codeError{exitSpec, fmt.Errorf("%s: %w", path, err)}
	}
	return a.print(s, func(w io.Writer) error {
		state := "whole"
		if !s.Whole {
			state = "cut off"
		}
		fmt.Fprintf(w, "%s under %s, %.1f s, %s; %d chunks given (%.1f MiB), %d taken back, %d lost; %d threads\n", s.Header.Node, s.Header.Allocator,
			s.Seconds, state, s.Allocs, float64(s.Bytes)/(1<<20), s.Frees, s.Lost, s.Threads)
		for _, x := range s.Sites[:min(len(s.Sites), sitesShown)] {
			fmt.Fprintf(w, "%10.1f KiB outstanding of %10.1f KiB  %s\n", float64(x.Outstanding)/1024, float64(x.Bytes)/1024, x.Site)
		}
		return nil
	})
}
