package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/network"
	"ledgerlab/lab/replay"
	"ledgerlab/node/config"
	"ledgerlab/node/memory"
)

// replayFlags are the options of heap replay as they are given.
type replayFlags struct {
	allocator, policy, trigger, pad string
	minInterval, every              time.Duration
	speed                           float64
	arenaMax                        int
	lossy, inProcess                bool
	against                         string
}

func (a *app) heapReplayCmd() *cobra.Command {
	f := replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay TRACE",
		Short: "Run a recorded trace through an allocator and a trim policy, without the network",
		Long: "replay starts a process with the allocator preloaded, makes and frees what the trace says on as many locked threads, trims\n" +
			"where the policy says so at the trace's sweeps, and prints the resident size over time and its time-weighted mean. With\n" +
			"--against it puts that beside what a node weighed that really ran so, at the same age: exit code 0 within a tenth, else 1.",
		Example: "  ledgerlab heap replay n0.heaptrace --allocator jemalloc\n" +
			"  ledgerlab heap replay n0.heaptrace --allocator glibc --policy 'every(1)' --pad 1MiB\n" +
			"  ledgerlab heap replay n0.heaptrace --allocator glibc --arena-max 2 --against runs/net2/n0/data/records.jsonl",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options()
			if err != nil {
				return err
			}
			if f.inProcess {
				return a.replayHere(cmd.Context(), args[0], o)
			}
			r, err := a.replayChild(cmd.Context(), args[0], &f)
			if err != nil {
				return err
			}
			return a.tellReplay(r, f.against)
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.allocator, "allocator", "glibc", "glibc, jemalloc, mimalloc or tcmalloc")
	s.StringVar(&f.policy, "policy", "none", "none, or a value of trim.policy such as every(4)")
	s.StringVar(&f.trigger, "trigger", "sweep", "marks of the trace that may lead to a trim, as in trim.trigger")
	s.StringVar(&f.pad, "pad", "0", "bytes left untouched at the top by a trim")
	s.DurationVar(&f.minInterval, "min-interval", 0, "shortest time of the trace between two trims")
	s.DurationVar(&f.every, "every", time.Second, "time of the trace between two weighings")
	s.Float64Var(&f.speed, "speed", -1, "seconds of the trace a second; 0 = as fast as it goes; default 0, and 4 where the allocator gives back by the clock")
	s.IntVar(&f.arenaMax, "arena-max", 0, "heap.arena_max of glibc; 0 leaves its own")
	s.BoolVar(&f.lossy, "lossy", false, "replay a trace that lost events or was cut off")
	s.StringVar(&f.against, "against", "", "records.jsonl of a node that ran under what is replayed")
	s.BoolVar(&f.inProcess, "in-process", false, "")
	_ = s.MarkHidden("in-process") // it is there: defined in the line above
	return cmd
}

// timedSpeed is the speed of a replay under an allocator that gives back by the
// clock: its delays are shortened by as much.
const timedSpeed = 4

// options checks the flags and fills in the speed.
func (f *replayFlags) options() (replay.Options, error) {
	o := replay.Default()
	if err := config.CheckFlag("heap.allocator", f.allocator); err != nil {
		return o, usagef("--allocator: %v", err)
	}
	if f.policy != "none" {
		p, err := memory.ParsePolicy(f.policy)
		if err != nil {
			return o, usagef("--policy: %v", err)
		}
		o.Policy = p
		if o.Triggers, err = memory.ParseTriggers(f.trigger); err != nil {
			return o, usagef("--trigger: %v", err)
		}
	}
	pad, err := config.ParseBytes(f.pad)
	if err != nil {
		return o, usagef("--pad: %v", err)
	}
	if f.arenaMax != 0 && f.allocator != "glibc" {
		return o, usagef("--arena-max is glibc's; the allocator is %s", f.allocator)
	}
	if f.speed == -1 {
		f.speed = 0
		if f.allocator == "jemalloc" || f.allocator == "mimalloc" {
			f.speed = timedSpeed
		}
	}
	o.Pad, o.MinInterval, o.Every, o.Speed, o.Lossy = pad, f.minInterval, f.every, f.speed, f.lossy
	o.Tuning.ArenaMax = f.arenaMax
	if err := o.Validate(); err != nil {
		return o, usage(err)
	}
	return o, nil
}

// decay shortens the delays after which an allocator gives memory back by the
// speed of the replay; their defaults are 10 s (jemalloc) and 0.1 s (mimalloc 2).
func (f *replayFlags) decay() []string {
	if f.speed == 0 || f.speed == 1 {
		return nil
	}
	switch f.allocator {
	case "jemalloc":
		return []string{fmt.Sprintf("MALLOC_CONF=dirty_decay_ms:%.0f", max(1, 10_000/f.speed))}
	case "mimalloc":
		return []string{fmt.Sprintf("MIMALLOC_RESET_DELAY=%.0f", max(1, 100/f.speed))}
	}
	return nil
}

func (f *replayFlags) args(trace string) []string {
	args := []string{
		"heap", "replay", trace, "--in-process", "--allocator", f.allocator, "--policy", f.policy, "--trigger", f.trigger, "--pad", f.pad,
		"--min-interval", f.minInterval.String(), "--every", f.every.String(), "--speed", strconv.FormatFloat(f.speed, 'g', -1, 64),
		"--arena-max", strconv.Itoa(f.arenaMax),
	}
	if f.lossy {
		args = append(args, "--lossy")
	}
	return args
}

// replayLine is one line of the process that replays.
type replayLine struct {
	Point  *replay.Point  `json:"point,omitempty"`
	Result *replay.Result `json:"result,omitempty"`
	Fault  string         `json:"fault,omitempty"`
	Code   int            `json:"code,omitempty"`
}

// replayHere is the process that replays: lines of JSON on stdout.
func (a *app) replayHere(ctx context.Context, path string, o replay.Options) error {
	enc := json.NewEncoder(a.out)
	r, err := func() (replay.Result, error) {
		f, err := os.Open(path)
		if err != nil {
			return replay.Result{}, badPath(err)
		}
		defer func() { _ = f.Close() }() // it was only read
		r, err := replay.Run(ctx, f, o, func(p replay.Point) { _ = enc.Encode(replayLine{Point: &p}) })
		if err != nil && ctx.Err() == nil {
			err = &codeError{exitSpec, fmt.Errorf("%s: %w", path, err)}
		}
		return r, err
	}()
	if err != nil {
		return errors.Join(enc.Encode(replayLine{Fault: err.Error(), Code: exitCode(ctx, err)}), silent(exitFailed))
	}
	return enc.Encode(replayLine{Result: &r})
}

// replayChild starts that process under the allocator and follows it.
func (a *app) replayChild(ctx context.Context, trace string, f *replayFlags) (*replay.Result, error) {
	env, err := network.AllocatorEnv(os.Environ(), f.allocator, f.decay()...)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, f.args(trace)...)
	cmd.Env, cmd.Stderr = env, a.err
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("heap replay: %w", err)
	}
	var result *replay.Result
	var fault error
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20) // the result holds every point
	for lines.Scan() {
		var l replayLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			fault = fmt.Errorf("heap replay: %w", err)
			continue
		}
		switch {
		case l.Result != nil:
			result = l.Result
		case l.Fault != "":
			fault = &codeError{l.Code, errors.New(l.Fault)}
		}
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case fault != nil:
		return nil, fault
	case err != nil || result == nil:
		return nil, fmt.Errorf("heap replay: the process that replayed ended early: %w", errors.Join(err, lines.Err()))
	}
	if result.Allocator != f.allocator {
		return nil, fmt.Errorf("heap replay: malloc belonged to %s, not %s", result.Allocator, f.allocator)
	}
	return result, nil
}

// curveShown bounds the rows of the curve in the text; --json has every point.
const curveShown = 30

func (a *app) tellReplay(r *replay.Result, against string) error {
	answer := struct {
		*replay.Result
		Live *replay.Live `json:"live,omitempty"`
	}{Result: r}
	if against != "" {
		l, err := r.Against(against)
		if err != nil {
			return usage(err)
		}
		answer.Live = &l
	}
	if err := a.print(answer, func(w io.Writer) error { return writeReplay(w, r, answer.Live) }); err != nil {
		return err
	}
	if answer.Live != nil && !answer.Live.Good() {
		return silent(exitFailed)
	}
	return nil
}

func writeReplay(w io.Writer, r *replay.Result, live *replay.Live) error {
	most := int64(1)
	for _, p := range r.Points {
		most = max(most, p.RSS, p.CHeap)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "seconds\tlive MiB\tC heap MiB\trss MiB\trecorded MiB\t\t")
	step := max(1, len(r.Points)/curveShown)
	for i := 0; i < len(r.Points); i += step {
		p := r.Points[i]
		fmt.Fprintf(t, "%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t\t%s\n", p.Seconds, mb(p.Live), mb(p.CHeap), mb(p.RSS), mb(p.Then),
			strings.Repeat("#", int(40*max(p.RSS, p.CHeap)/most)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s (recorded under %s): time-weighted rss %.1f MiB, of it C heap %.1f MiB; peak rss %.1f MiB; recorded %.1f MiB\n",
		r.Allocator, r.Trace, r.MeanRSS/(1<<20), r.MeanCHeap/(1<<20), mb(r.PeakRSS), r.MeanThen/(1<<20))
	fmt.Fprintf(w, "%.0f s of trace in %.1f s: %d chunks made, %d freed, %d from before the trace, %d threads; %d trims (%d skipped), %.1f MiB back, %.2f s of CPU\n",
		r.Seconds, r.Took, r.Allocs, r.Frees, r.Older, r.Threads, r.Trims, r.Skipped, mb(r.Returned), r.TrimCPU)
	if r.Behind > 1 {
		fmt.Fprintf(w, "the replay was up to %.1f s behind its speed; a lower --speed keeps an allocator's clock right\n", r.Behind)
	}
	if live != nil {
		word := "within a tenth"
		if !live.Good() {
			word = "off by more than a tenth"
		}
		fmt.Fprintf(w, "predicted %.1f MiB, live %.1f MiB (%d samples, age %.0f s to %.0f s): ratio %.3f, %s\n",
			r.MeanRSS/(1<<20), live.Mean/(1<<20), live.Samples, live.From, live.To, live.Ratio, word)
	}
	return nil
}
