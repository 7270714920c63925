package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	controlv1 "ledgerlab/proto/control/v1"

	"ledgerlab/lab/stats"
	"ledgerlab/node/config"
	"ledgerlab/node/record"
)

func (a *app) memoryCmd() *cobra.Command {
	var t targetFlags
	var full bool
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "The balance sheet of a node's memory",
		Long: "memory prints the lines of the balance sheet; they sum to RSS. Without --full it is what costs nothing, with one\n" +
			"line for all that only the full sheet tells apart. Figures marked beside are not in the sum.",
		Example: "  ledgerlab memory --node n0\n  ledgerlab memory --full --json\n  ledgerlab memory check runs/net/*/data/records.jsonl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.MemoryResponse, error) {
				return n.client.Memory(ctx, full)
			})
			return errors.Join(err, printProtos(a, list, printMemory))
		},
	}
	t.register(cmd)
	cmd.Flags().BoolVar(&full, "full", false, "measure what costs, too: allocator statistics and page maps")
	cmd.AddCommand(a.memoryCheckCmd())
	return cmd
}

func printMemory(w io.Writer, node string, r *controlv1.MemoryResponse) error {
	fmt.Fprintf(w, "%s\trss %.1f MiB\tallocator %s\n", node, mb(r.GetSample().GetRssBytes()), r.GetAllocator())
	for _, l := range r.GetLines() {
		where := ""
		if l.GetBeside() {
			where = "(beside)"
		}
		fmt.Fprintf(w, "\t%s\t%.1f MiB %s\t%s\n", l.GetName(), mb(l.GetBytes()), where, l.GetDoc())
	}
	return nil
}

// sheetCheck is what the sheets of one file of records say of the sheet itself.
type sheetCheck struct {
	File         string  `json:"file"`
	Node         string  `json:"node"`
	Allocator    string  `json:"allocator"`
	Sheets       int     `json:"sheets"`
	Rotations    int     `json:"rotations"`
	Seconds      float64 `json:"seconds"`       // from the first sheet to the last
	RSSMean      float64 `json:"rss_mean"`      // bytes
	RestMedian   float64 `json:"rest_median"`   // shares of RSS, absolute
	RestP99      float64 `json:"rest_p99"`      //
	RestMax      float64 `json:"rest_max"`      //
	Within       float64 `json:"within"`        // share of the sheets at or under the limit
	CPUMean      float64 `json:"cpu_mean"`      // seconds a sheet
	CPUShare     float64 `json:"cpu_share"`     // of one processor over the time covered
	ArenaP99     float64 `json:"arena_p99"`     // seconds at one arena, longest of a sheet
	ArenaLongest float64 `json:"arena_longest"` //
	Good         bool    `json:"good"`
}

func (a *app) memoryCheckCmd() *cobra.Command {
	limit, share := "2%", "99%"
	cmd := &cobra.Command{
		Use:   "check RECORDS...",
		Short: "How much of RSS the recorded balance sheets left unexplained, and what they cost",
		Long: "check reads the sheets that nodes recorded. The exit code is 1 when fewer of them than --share leave at most\n" +
			"--limit of RSS unexplained, in any of the files, or when a file holds no sheet.",
		Example: "  ledgerlab memory check runs/net/*/data/records.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			most, err := config.ParseRatio(limit)
			if err != nil {
				return usagef("memory check: --limit: %v", err)
			}
			least, err := config.ParseRatio(share)
			if err != nil {
				return usagef("memory check: --share: %v", err)
			}
			return a.memoryCheck(files, most, least)
		},
	}
	cmd.Flags().StringVar(&limit, "limit", limit, "largest unexplained share of RSS")
	cmd.Flags().StringVar(&share, "share", share, "share of the sheets that must be within it")
	return cmd
}

func (a *app) memoryCheck(files []string, limit, share float64) error {
	var all []sheetCheck
	bad := 0
	for _, name := range files {
		c, err := readSheets(name, limit, share)
		if err != nil {
			return err
		}
		if !c.Good {
			bad++
		}
		all = append(all, c)
	}
	err := a.print(all, func(w io.Writer) error {
		for _, c := range all {
			word := "good"
			if !c.Good {
				word = "BAD"
			}
			fmt.Fprintf(w, "%s: %s: %s (%s), %d sheets in %.0f s with %d rotations, RSS %.0f MiB\n",
				c.File, word, c.Node, c.Allocator, c.Sheets, c.Seconds, c.Rotations, c.RSSMean/(1<<20))
			fmt.Fprintf(w, "  unexplained: median %.2f %%, p99 %.2f %%, largest %.2f %% of RSS; %.1f %% of the sheets within %.1f %%\n",
				100*c.RestMedian, 100*c.RestP99, 100*c.RestMax, 100*c.Within, 100*limit)
			fmt.Fprintf(w, "  cost: %.1f ms of CPU a sheet, %.2f %% of a processor; longest at one arena %.2f ms, p99 %.2f ms\n",
				1e3*c.CPUMean, 100*c.CPUShare, 1e3*c.ArenaLongest, 1e3*c.ArenaP99)
		}
		return nil
	})
	if err == nil && bad > 0 {
		err = silent(exitFailed)
	}
	return err
}

// readSheets reads one file of records.
func readSheets(name string, limit, share float64) (sheetCheck, error) {
	c := sheetCheck{File: name}
	f, err := os.Open(name)
	if err != nil {
		return c, usage(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	var rest, rss, cpu, arena []float64
	var first, last int64
	_, err = record.Read(f, func(r *record.Record) error {
		if r.GetRotation().GetResult() == "rotated" {
			c.Rotations++
		}
		s := r.GetSheet()
		if s == nil || s.GetRssBytes() <= 0 {
			return nil
		}
		if first == 0 {
			first = r.GetTimeNs()
		}
		last, c.Node, c.Allocator = r.GetTimeNs(), r.GetNode(), s.GetAllocator()
		rest = append(rest, math.Abs(float64(s.GetLines()["unexplained"]))/float64(s.GetRssBytes()))
		rss, cpu = append(rss, float64(s.GetRssBytes())), append(cpu, time.Duration(s.GetCpuNs()).Seconds())
		arena = append(arena, time.Duration(s.GetArenaLongestNs()).Seconds())
		return nil
	})
	if err != nil {
		return c, &codeError{exitSpec, fmt.Errorf("%s: %w", name, err)}
	}
	c.Sheets = len(rest)
	if c.Sheets == 0 {
		return c, nil
	}
	c.Seconds = time.Duration(last - first).Seconds()
	c.RSSMean, c.CPUMean = stats.Mean(rss), stats.Mean(cpu)
	if c.Seconds > 0 {
		c.CPUShare = c.CPUMean * float64(c.Sheets) / c.Seconds
	}
	c.RestMedian, c.RestP99, c.RestMax = stats.Median(rest), stats.Percentile(rest, 0.99), slices.Max(rest)
	c.ArenaP99, c.ArenaLongest = stats.Percentile(arena, 0.99), slices.Max(arena)
	within := 0
	for _, x := range rest {
		if x <= limit {
			within++
		}
	}
	c.Within = float64(within) / float64(len(rest))
	c.Good = c.Within >= share
	return c, nil
}
