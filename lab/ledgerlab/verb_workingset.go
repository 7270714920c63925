package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/probe"
)

// workingSetRow is one reading of one process.
type workingSetRow struct {
	Name       string  `json:"name"`
	PID        int     `json:"pid"`
	Seconds    float64 `json:"seconds"` // since the first clearing
	RSS        int64   `json:"rss"`     // bytes
	Referenced int64   `json:"referenced"`
	Gap        int64   `json:"gap"`
	LazyFree   int64   `json:"lazy_free"`
	CostMS     float64 `json:"cost_ms"`
}

type workingSetOptions struct {
	dir, node  string
	pid        int
	every, run time.Duration
	window     bool
}

func (a *app) workingSetCmd() *cobra.Command {
	var o workingSetOptions
	cmd := &cobra.Command{
		Use:   "working-set",
		Short: "How much of its memory a process uses, by the kernel's referenced bits",
		Long: "working-set clears the referenced bits of a process and watches which of its resident pages are used again.\n" +
			"Cleared once, referenced rises toward RSS, and the gap is what nobody has used since. With --window the bits\n" +
			"are cleared after each reading: what is used in one interval. Pages first touched meanwhile count as used.",
		Example: "  ledgerlab working-set --dir runs/net --node n0 --every 5s --for 2m\n  ledgerlab working-set --pid 4242 --window",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.every < 100*time.Millisecond || o.run < o.every {
				return usagef("working-set: --every %v --for %v: at least 100ms, and the second not under the first", o.every, o.run)
			}
			if o.pid < 0 || o.pid > 0 && o.node != "" {
				return usagef("working-set: --pid %d: a process number, without --node", o.pid)
			}
			procs, err := o.processes(cmd.Context())
			if err != nil {
				return err
			}
			return a.workingSet(cmd.Context(), procs, o)
		},
	}
	dirFlag(cmd, &o.dir)
	cmd.Flags().StringVar(&o.node, "node", "", "name or number of one node; default all")
	cmd.Flags().IntVar(&o.pid, "pid", 0, "any process instead of nodes")
	cmd.Flags().DurationVar(&o.every, "every", 5*time.Second, "time between readings")
	cmd.Flags().DurationVar(&o.run, "for", time.Minute, "time to watch")
	cmd.Flags().BoolVar(&o.window, "window", false, "clear after each reading, not only once")
	return cmd
}

type process struct {
	name string
	pid  int
}

// processes are those to watch.
func (o workingSetOptions) processes(ctx context.Context) ([]process, error) {
	if o.pid > 0 {
		return []process{{fmt.Sprintf("pid %d", o.pid), o.pid}}, nil
	}
	h, err := attachUp(o.dir)
	if err != nil {
		return nil, err
	}
	t := targetFlags{dir: o.dir, node: o.node}
	first, last, err := t.span(h)
	if err != nil {
		return nil, err
	}
	var out []process
	for _, s := range h.Status(ctx)[first:last] {
		if s.PID > 0 {
			out = append(out, process{s.Name, s.PID})
		}
	}
	if len(out) == 0 {
		return nil, usagef("working-set: no node of %s runs", o.dir)
	}
	return out, nil
}

func (a *app) workingSet(ctx context.Context, procs []process, o workingSetOptions) error {
	for _, p := range procs {
		if err := probe.ClearReferenced(p.pid); err != nil {
			return usage(err)
		}
	}
	begin := time.Now()
	tick := time.NewTicker(o.every)
	defer tick.Stop()
	var rows []workingSetRow
	if !a.json {
		fmt.Fprintf(a.out, "%-10s %8s %12s %14s %10s %8s %10s\n", "process", "seconds", "rss MiB", "used MiB", "gap MiB", "gap", "cost ms")
	}
	for time.Since(begin) < o.run {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		for _, p := range procs {
			row, err := readWorkingSet(p, begin, o.window)
			if err != nil {
				return err
			}
			if a.json {
				rows = append(rows, row)
			} else {
				row.print(a.out)
			}
		}
	}
	if a.json {
		return a.print(rows, nil)
	}
	return nil
}

func readWorkingSet(p process, begin time.Time, clear bool) (workingSetRow, error) {
	w, err := probe.ReadWorkingSet(p.pid, time.Now)
	if err != nil {
		return workingSetRow{}, err
	}
	if clear {
		start := time.Now()
		if err := probe.ClearReferenced(p.pid); err != nil {
			return workingSetRow{}, err
		}
		w.Cost += time.Since(start)
	}
	return workingSetRow{
		Name: p.name, PID: p.pid, Seconds: w.At.Sub(begin).Seconds(), RSS: w.RSS, Referenced: w.Referenced, Gap: w.Gap(),
		LazyFree: w.LazyFree, CostMS: float64(w.Cost.Microseconds()) / 1e3,
	}, nil
}

func (r workingSetRow) print(w io.Writer) {
	fmt.Fprintf(w, "%-10s %8.1f %12.1f %14.1f %10.1f %7.1f%% %10.2f\n",
		r.Name, r.Seconds, mb(r.RSS), mb(r.Referenced), mb(r.Gap), 100*float64(r.Gap)/float64(max(r.RSS, 1)), r.CostMS)
}
