package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/node/config"
	controlv1 "ledgerlab/proto/control/v1"
)

func (a *app) waitsCmd() *cobra.Command {
	var t targetFlags
	cmd := &cobra.Command{
		Use:     "waits",
		Short:   "The places where work waits, and what their bounds refused",
		Example: "  ledgerlab waits --node n0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.WaitsResponse, error) {
				p, err := n.client.Waits(ctx)
				return &controlv1.WaitsResponse{Places: p}, err
			})
			perr := printProtos(a, list, func(w io.Writer, node string, r *controlv1.WaitsResponse) error {
				fmt.Fprintf(w, "%s\tarrivals\trefused\twaiting\tmean wait\tlock wait\tlock held\twork\n", node)
				for _, p := range r.GetPlaces() {
					mean := time.Duration(0)
					if p.GetArrivals() > 0 {
						mean = time.Duration(uint64(max(p.GetQueueWaitNs(), 0)) / p.GetArrivals())
					}
					fmt.Fprintf(w, "  %s\t%d\t%d\t%d\t%v\t%v\t%v\t%v\n", p.GetName(), p.GetArrivals(), p.GetRefused(), p.GetQueueLength(), mean.Round(time.Microsecond),
						round(p.GetLockWaitNs()), round(p.GetLockHoldNs()), round(p.GetWorkNs()))
				}
				return nil
			})
			return errors.Join(err, perr)
		},
	}
	t.register(cmd)
	return cmd
}

func round(ns int64) time.Duration { return time.Duration(ns).Round(time.Millisecond) }

func (a *app) faultCmd() *cobra.Command {
	var t targetFlags
	var r controlv1.FaultRequest
	var delay, jitter time.Duration
	var loss, bandwidth string
	cmd := &cobra.Command{
		Use:   "fault",
		Short: "Put a fault on the links of nodes, or clear it",
		Example: "  ledgerlab fault --node n2 --delay 200ms --jitter 50ms\n  ledgerlab fault --node n4 --partition\n" +
			"  ledgerlab fault --clear",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := faultRequest(&r, delay, jitter, loss, bandwidth); err != nil {
				return err
			}
			ctx, cancel := a.call(cmd)
			defer cancel()
			list, err := each(ctx, a, t, func(ctx context.Context, n target) (*controlv1.FaultResponse, error) {
				links, err := n.client.Fault(ctx, &r)
				return &controlv1.FaultResponse{Links: uint32(max(links, 0))}, err
			})
			perr := printProtos(a, list, func(w io.Writer, node string, f *controlv1.FaultResponse) error {
				_, err := fmt.Fprintf(w, "%s\t%d links\n", node, f.GetLinks())
				return err
			})
			return errors.Join(err, perr)
		},
	}
	t.register(cmd)
	f := cmd.Flags()
	f.StringVar(&r.Peer, "peer", "", "name or key of one peer; default every link")
	f.DurationVar(&delay, "delay", 0, "added to every message")
	f.DurationVar(&jitter, "jitter", 0, "random part of it")
	f.StringVar(&loss, "loss", "", "share of messages lost, such as 5%")
	f.StringVar(&bandwidth, "bandwidth", "", "bytes a second, such as 1MiB")
	f.BoolVar(&r.Partition, "partition", false, "nothing passes")
	f.StringVar(&r.Direction, "direction", "both", "in, out or both")
	f.BoolVar(&r.Clear, "clear", false, "take every fault off")
	return cmd
}

// faultRequest fills and checks what the flags say.
func faultRequest(r *controlv1.FaultRequest, delay, jitter time.Duration, loss, bandwidth string) error {
	if r.Direction != "in" && r.Direction != "out" && r.Direction != "both" {
		return usagef("--direction %q%s; allowed: in, out, both", r.Direction, hint(r.Direction, "in", "out", "both"))
	}
	if delay < 0 || jitter < 0 {
		return usagef("--delay and --jitter cannot be negative")
	}
	r.Kind, r.DelayNs, r.JitterNs = "link", int64(delay), int64(jitter)
	if loss != "" {
		share, err := config.ParseRatio(loss)
		if err != nil || share < 0 || share > 1 {
			return usagef("--loss %q: a share from 0%% to 100%%", loss)
		}
		r.Loss = share
	}
	if bandwidth != "" {
		n, err := config.ParseBytes(bandwidth)
		if err != nil {
			return usagef("--bandwidth: %v", err)
		}
		r.BandwidthBytes = n
	}
	if !r.Clear && delay == 0 && jitter == 0 && r.Loss == 0 && r.BandwidthBytes == 0 && !r.Partition {
		return usagef("fault: say which: --delay, --jitter, --loss, --bandwidth, --partition or --clear")
	}
	return nil
}
