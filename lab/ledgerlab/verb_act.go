package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"ledgerlab/api/client"
	"ledgerlab/lab/network"
	"ledgerlab/node/config"
	controlv1 "ledgerlab/proto/control/v1"
)

// target is one node that a verb acts on.
type target struct {
	name   string
	client *client.Client
}

// targetFlags choose nodes.
type targetFlags struct{ dir, node string }

func (t *targetFlags) register(cmd *cobra.Command) {
	dirFlag(cmd, &t.dir)
	cmd.Flags().StringVar(&t.node, "node", "", "name or number of one node; default all")
}

// each calls fn for every chosen node, side by side, and gives the replies in
// the order of the nodes. A node that is down is left out with an error of its
// own; when others answered, that is a failure, not wrong usage.
func each[T any](ctx context.Context, a *app, t targetFlags, fn func(context.Context, target) (T, error)) ([]named[T], error) {
	h, err := attachUp(t.dir)
	if err != nil {
		return nil, err
	}
	first, last, err := t.span(h)
	if err != nil {
		return nil, err
	}
	nodes := h.Nodes()
	out := make([]named[T], last-first)
	errs := make([]error, last-first)
	var wg sync.WaitGroup
	for i := first; i < last; i++ {
		if errs[i-first] = h.Runs(i); errs[i-first] != nil {
			continue
		}
		wg.Go(func() {
			c, err := h.Client(i)
			if err == nil {
				defer func() { _ = c.Close() }()
				out[i-first].Node = nodes[i].Name
				out[i-first].Value, err = fn(ctx, target{nodes[i].Name, c})
			}
			errs[i-first] = err
		})
	}
	wg.Wait()
	kept := out[:0]
	for i, o := range out {
		if errs[i] == nil {
			kept = append(kept, o)
		}
	}
	if err = errors.Join(errs...); err != nil && len(kept) > 0 {
		err = &codeError{exitFailed, err}
	}
	return kept, err
}

// span gives the chosen nodes of h as a range of numbers.
func (t *targetFlags) span(h *network.Handle) (first, last int, err error) {
	if t.node == "" {
		return 0, len(h.Nodes()), nil
	}
	i, err := h.Index(t.node)
	if err != nil {
		return 0, 0, usage(err)
	}
	return i, i + 1, nil
}

type named[T any] struct {
	Node  string
	Value T
}

var protoJSON = protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: true}

// printProtos prints one reply a node: an array with --json, else text. Where no
// node answered there is nothing to print; the errors of the nodes say why.
func printProtos[T proto.Message](a *app, list []named[T], text func(w io.Writer, node string, v T) error) error {
	if len(list) == 0 {
		return nil
	}
	if !a.json {
		t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, n := range list {
			if err := text(t, n.Node, n.Value); err != nil {
				return err
			}
		}
		return t.Flush()
	}
	type line struct {
		Node  string          `json:"node"`
		Reply json.RawMessage `json:"reply"`
	}
	out := []line{}
	for _, n := range list {
		raw, err := protoJSON.Marshal(n.Value)
		if err != nil {
			return err
		}
		out = append(out, line{n.Node, raw})
	}
	return a.print(out, nil)
}

func (a *app) call(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return context.WithTimeout(cmd.Context(), a.timeout)
}

func (a *app) setCmd() *cobra.Command {
	var t targetFlags
	cmd := &cobra.Command{
		Use:     "set KEY=VALUE...",
		Short:   "Change flags of running nodes",
		Long:    "set changes all given flags or none, and prints the ledger from which they hold.",
		Example: "  ledgerlab set trim.trigger=sweep\n  ledgerlab set --node n2 trim.pad=1MiB trim.method=both",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			values, err := parseSets(args)
			if err != nil {
				return err
			}
			if err := config.CheckFlags(values); err != nil {
				return usage(err)
			}
			for key := range values {
				if f, err := config.Lookup(key); err == nil && !f.Hot {
					return usagef("flag %s: %w: ledgerlab restart --node N --set %s=%s", key, config.ErrRestart, key, values[key])
				}
			}
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.SetFlagsResponse, error) {
				ch, err := n.client.SetFlags(ctx, values)
				return &controlv1.SetFlagsResponse{Changes: ch}, err
			})
			perr := printProtos(a, list, func(w io.Writer, node string, r *controlv1.SetFlagsResponse) error {
				for _, c := range r.GetChanges() {
					fmt.Fprintf(w, "%s\t%s\t%s -> %s\tfrom ledger %d\n", node, c.GetKey(), c.GetOldValue(), c.GetNewValue(), c.GetFromSeq())
				}
				if len(r.GetChanges()) == 0 {
					fmt.Fprintf(w, "%s\tnothing changed\n", node)
				}
				return nil
			})
			return errors.Join(err, perr)
		},
	}
	t.register(cmd)
	return cmd
}

func (a *app) sweepCmd() *cobra.Command {
	var t targetFlags
	cmd := &cobra.Command{
		Use:     "sweep",
		Short:   "Sweep the caches now",
		Example: "  ledgerlab sweep --node n0 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.SweepResponse, error) {
				r, err := n.client.Sweep(ctx)
				return &controlv1.SweepResponse{Sweep: r}, err
			})
			perr := printProtos(a, list, func(w io.Writer, node string, r *controlv1.SweepResponse) error {
				s := r.GetSweep()
				fmt.Fprintf(w, "%s\tsweep %d\t%.1f ms\tfreed %d payloads, %.1f MiB\trss %.1f MiB\n", node, s.GetNumber(),
					float64(s.GetDurationNs())/1e6, s.GetFreed(), mb(s.GetFreedBytes()), mb(s.GetRssAfterBytes()))
				return nil
			})
			return errors.Join(err, perr)
		},
	}
	t.register(cmd)
	return cmd
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }

func (a *app) trimCmd() *cobra.Command {
	var t targetFlags
	var method, pad string
	cmd := &cobra.Command{
		Use:     "trim",
		Short:   "Give free heap memory back to the kernel now",
		Example: "  ledgerlab trim\n  ledgerlab trim --node n0 --method both --pad 1MiB",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			bytes := int64(-1)
			if pad != "" {
				n, err := config.ParseBytes(pad)
				if err != nil {
					return usagef("--pad: %v", err)
				}
				bytes = n
			}
			if method != "" {
				if err := config.CheckFlag("trim.method", method); err != nil {
					return usagef("--method: %v", err)
				}
			}
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.TrimResponse, error) {
				r, err := n.client.Trim(ctx, method, bytes)
				return &controlv1.TrimResponse{Trim: r}, err
			})
			perr := printProtos(a, list, func(w io.Writer, node string, r *controlv1.TrimResponse) error {
				x := r.GetTrim()
				if !x.GetSupported() || x.GetSkipped() != "" {
					fmt.Fprintf(w, "%s\tno trim: %s (allocator %s)\n", node, x.GetSkipped(), x.GetAllocator())
					return nil
				}
				fmt.Fprintf(w, "%s\trss %.1f -> %.1f MiB\t%.1f ms, %.1f ms of CPU\t%d minor faults\n", node, mb(x.GetRssBeforeBytes()), mb(x.GetRssAfterBytes()),
					float64(x.GetDurationNs())/1e6, float64(x.GetCpuNs())/1e6, x.GetMinorFaults())
				return nil
			})
			return errors.Join(err, perr)
		},
	}
	t.register(cmd)
	cmd.Flags().StringVar(&method, "method", "", "malloc, go or both; default the flag trim.method")
	cmd.Flags().StringVar(&pad, "pad", "", "bytes left untouched at the top; default the flag trim.pad")
	return cmd
}

func (a *app) rotateCmd() *cobra.Command {
	var t targetFlags
	cmd := &cobra.Command{
		Use:     "rotate",
		Short:   "Ask for a rotation of the store",
		Example: "  ledgerlab rotate --node n0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.RotateResponse, error) {
				seq, err := n.client.Rotate(ctx)
				return &controlv1.RotateResponse{Seq: seq}, err
			})
			perr := printProtos(a, list, func(w io.Writer, node string, r *controlv1.RotateResponse) error {
				fmt.Fprintf(w, "%s\tasked for at ledger %d; its record tells the end (ledgerlab events --kinds rotation)\n", node, r.GetSeq())
				return nil
			})
			return errors.Join(err, perr)
		},
	}
	t.register(cmd)
	return cmd
}
