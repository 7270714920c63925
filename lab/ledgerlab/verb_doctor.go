package main

import (
	"context"
	"math"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/doctor"
	"ledgerlab/lab/doctor/gather"
	"ledgerlab/node/config"
)

func (a *app) doctorCmd() *cobra.Command {
	var t targetFlags
	var pid int
	var noTrim, noStacks bool
	var resolve string
	o := gather.Default()
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "What of a node's memory grows, in which layer, from which stacks, or that it cannot be said yet",
		Long: "doctor watches one node through its balance sheet, or any process through /proc, and says whether live memory grows and\n" +
			"where, memory is lost, an allocator keeps what was given back, a cache is still filling and where it will level off,\n" +
			"only page cache grows, or nothing does. At the end it makes one probing trim. Exit code 0: nothing grows; 1: something\n" +
			"does, and it is named; 2: it cannot be said yet, with the time after which to ask again; 3: the watch failed.",
		Example: "  ledgerlab doctor --node n0\n  ledgerlab doctor --dir runs/net --node n2 --for 10m --json\n  ledgerlab doctor --pid 4711 --for 5m",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			judge, err := doctorOptions(resolve)
			if err != nil {
				return err
			}
			if pid != 0 && (cmd.Flags().Changed("node") || cmd.Flags().Changed("dir")) {
				return usagef("doctor: --pid and --node are two ways to name one process; give one")
			}
			o.Trim, o.Stacks, o.Say = !noTrim, !noStacks, a.say
			a.say("watching for %v; ends %s", o.For, time.Now().Add(o.For).Format("15:04:05"))
			w, err := a.gather(cmd.Context(), t, pid, o)
			if err != nil {
				return err
			}
			d := doctor.Diagnose(w, judge)
			if err := a.print(diagnosisJSON(&d), d.WriteText); err != nil {
				return err
			}
			if cmd.Context().Err() != nil {
				return silent(exitInterrupted)
			}
			return silent(d.Exit())
		},
	}
	t.register(cmd)
	cmd.Flags().IntVar(&pid, "pid", 0, "any process on this machine, through /proc alone")
	cmd.Flags().DurationVar(&o.For, "for", o.For, "length of the watch")
	cmd.Flags().DurationVar(&o.Past, "past", 0, "of what the node recorded before that counts as well")
	cmd.Flags().DurationVar(&o.SheetEvery, "sheet-every", 0, "time between two full balance sheets; default a fortieth of the watch, 5s to 1m")
	cmd.Flags().StringVar(&resolve, "resolve", "1MiB", "growth a minute that must not be missed")
	cmd.Flags().BoolVar(&noTrim, "no-trim", false, "make no probing trim")
	cmd.Flags().BoolVar(&noStacks, "no-stacks", false, "read no profiles of the Go heap, which cost a collection each")
	return cmd
}

func doctorOptions(resolve string) (doctor.Options, error) {
	o := doctor.Default()
	n, err := config.ParseBytes(resolve)
	if err != nil || n <= 0 {
		return o, usagef("--resolve %q: a size a minute above 0, such as 1MiB", resolve)
	}
	o.Resolve = float64(n) / 60
	o.Kept, o.Least = 4*o.Resolve, o.Resolve/8
	return o, o.Validate()
}

// gather watches the node that the flags choose, or the process.
func (a *app) gather(ctx context.Context, t targetFlags, pid int, o gather.Options) (doctor.Watch, error) {
	if pid != 0 {
		if pid < 0 {
			return doctor.Watch{}, usagef("--pid %d: above 0", pid)
		}
		w, err := gather.Process(ctx, pid, o)
		if err != nil {
			return w, usage(err)
		}
		return w, nil
	}
	h, err := attachUp(t.dir)
	if err != nil {
		return doctor.Watch{}, err
	}
	i, err := oneNode(h, t)
	if err != nil {
		return doctor.Watch{}, err
	}
	c, err := h.Client(i)
	if err != nil {
		return doctor.Watch{}, err
	}
	defer func() { _ = c.Close() }() // nothing is at work on it any longer
	return gather.Node(ctx, c, o)
}

// diagnosisJSON is the diagnosis without the infinities that JSON has no word
// for: an end of an interval that is not known is absent.
func diagnosisJSON(d *doctor.Diagnosis) any {
	type trend struct {
		Slope   float64  `json:"bytes_per_second"`
		Low     *float64 `json:"low"`
		High    *float64 `json:"high"`
		Windows int      `json:"windows"`
		State   string   `json:"state"`
	}
	finite := func(v float64) *float64 {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	of := func(t doctor.Trend) trend {
		return trend{t.Slope, finite(t.Low), finite(t.High), t.Windows, string(t.State)}
	}
	type layer struct {
		Layer  string   `json:"layer"`
		Cause  string   `json:"cause"`
		Lines  []string `json:"lines"`
		Bytes  float64  `json:"bytes"`
		Holder string   `json:"holder,omitempty"`
		Trend  trend    `json:"trend"`
	}
	layers := func(list []doctor.Finding) []layer {
		out := []layer{}
		for _, f := range list {
			out = append(out, layer{f.Layer, string(f.Cause), f.Lines, f.Bytes, f.Holder, of(f.Trend)})
		}
		return out
	}
	out := map[string]any{
		"who": d.Who, "verdict": d.Verdict, "sentence": d.Sentence, "watched_seconds": d.Watched, "ask_again_seconds": d.AskAgain,
		"rss_bytes": d.RSS, "rss_trend": of(d.RSSTrend), "grown": layers(d.Grown), "layers": layers(d.All),
		"caches": cachesJSON(d.Caches), "stacks": d.Stacks, "unexplained_share": d.Unexplained, "unknown": d.Unknown,
	}
	if d.Trim != nil {
		out["trim"] = map[string]any{"supported": d.Trim.Supported, "why": d.Trim.Why, "returned_bytes": d.Trim.Returned()}
	}
	if d.PageCache != nil {
		out["page_cache"] = layers([]doctor.Finding{*d.PageCache})[0]
	}
	return out
}

func cachesJSON(fills []doctor.Fill) []map[string]any {
	out := []map[string]any{}
	for _, f := range fills {
		out = append(out, map[string]any{
			"cache": f.Cache, "entries": f.Entries, "tracked": f.Tracked, "target": f.Target, "bytes": f.Bytes, "filling": f.Filling,
			"level": f.Level, "level_after_seconds": f.After, "by_fit": f.ByFit, "held_elsewhere": f.HeldElsewhere,
		})
	}
	return out
}
