package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/load"
	"ledgerlab/lab/network"
)

func (a *app) loadCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "load",
		Short:   "Traffic for a network that is up",
		Example: "  ledgerlab load run --dir runs/net --rate 200 --for 30s",
		Args:    knownVerb,
		RunE: func(c *cobra.Command, _ []string) error {
			return usagef("load: say what: ledgerlab load run --help")
		},
	}
	cmd.AddCommand(a.loadRunCmd())
	return cmd
}

func (a *app) loadRunCmd() *cobra.Command {
	var t targetFlags
	var o load.Options
	var span time.Duration
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Offer payments and reads in an open loop and say what became of every one",
		Example: "  ledgerlab load run --dir runs/net --rate 200 --for 30s\n" +
			"  ledgerlab load run --rate 400 --reads 150 --held 4 --for 2m --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if span <= 0 {
				return usagef("--for %v: above 0s", span)
			}
			if err := errors.Join(checkNumber("--rate", o.Rate, maxRate), checkNumber("--reads", o.Reads, maxRate), checkNumber("--pages", o.Pages, maxRate)); err != nil {
				return err
			}
			if o.Held < 0 || o.Accounts < 2 {
				return usagef("--held %d from 0, --accounts %d from 2", o.Held, o.Accounts)
			}
			h, err := attachUp(t.dir)
			if err != nil {
				return err
			}
			o.NetworkID = h.NetworkID()
			targets, err := a.loadTargets(h, t)
			if err != nil {
				return err
			}
			defer closeTargets(targets)
			o.Targets = targets
			if err := o.Default().Validate(); err != nil {
				return usage(err)
			}
			r, err := a.offer(cmd.Context(), o, span)
			if r == nil {
				return err
			}
			r.Points = nil
			if perr := a.print(r, func(w io.Writer) error {
				for _, l := range r.Lines() {
					fmt.Fprintln(w, l)
				}
				q := r.Latency
				fmt.Fprintf(w, "latency from the intended send: p50 %v, p95 %v, p99 %v, max %v\n", q.P50, q.P95, q.P99, q.Max)
				return nil
			}); perr != nil {
				return perr
			}
			return err
		},
	}
	t.register(cmd)
	f := cmd.Flags()
	f.Float64Var(&o.Rate, "rate", 50, "payments a second over all nodes")
	f.Float64Var(&o.Reads, "reads", 0, "account reads a second and node")
	f.Float64Var(&o.Pages, "pages", 0, "state pages a second and node")
	f.IntVar(&o.Held, "held", 0, "ledgers back that reads may go")
	f.IntVar(&o.Accounts, "accounts", 3000, "accounts that payments go between")
	f.Uint64Var(&o.Seed, "accounts-seed", stateSeed, "seed of the accounts' keys, as the prepared state has them")
	f.Uint64Var(&o.Choice, "seed", 1, "seed of payees, amounts and reads")
	f.DurationVar(&span, "for", 30*time.Second, "how long to offer")
	return cmd
}

// loadTargets are the chosen nodes that run; those that do not are told, and get
// no traffic.
func (a *app) loadTargets(h *network.Handle, t targetFlags) ([]load.Target, error) {
	first, last, err := t.span(h)
	if err != nil {
		return nil, err
	}
	var out []load.Target
	var down []error
	for i := first; i < last; i++ {
		if err := h.Runs(i); err != nil {
			down = append(down, err)
			continue
		}
		c, err := h.Client(i)
		if err != nil {
			closeTargets(out)
			return nil, err
		}
		out = append(out, load.Target{Name: h.Nodes()[i].Name, Client: c})
	}
	if len(out) == 0 {
		return nil, errors.Join(down...)
	}
	for _, err := range down {
		a.say("no traffic for one: %v", err)
	}
	return out, nil
}

func closeTargets(list []load.Target) {
	for _, t := range list {
		_ = t.Client.Close()
	}
}

// offer sends for span, or until ctx ends, and waits until everything is final.
func (a *app) offer(ctx context.Context, o load.Options, span time.Duration) (*load.Report, error) {
	g, err := load.Start(context.WithoutCancel(ctx), o)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	end := time.NewTimer(span)
	defer end.Stop()
	for began := time.Now(); ; {
		select {
		case <-tick.C:
			c := g.Counts()
			a.say("%s of %s: intended %d, accepted %d, validated %d, missed %d", short(time.Since(began)), short(span), c.Intended, c.Accepted, c.Validated, c.Missed)
			continue
		case <-end.C:
		case <-ctx.Done():
		}
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return g.Stop(drain)
	}
}

// upLoad offers the traffic of `up` until the returned func is called.
func (a *app) upLoad(ctx context.Context, n *network.Network, o network.Options, u upOptions) (stop func(), err error) {
	if u.accounts == 0 || u.rate == 0 && u.reads == 0 || o.Standalone {
		return func() {}, nil
	}
	lo := load.Options{NetworkID: o.NetworkID, Rate: u.rate, Reads: u.reads, Accounts: min(3000, u.accounts), StateAccounts: u.accounts, Seed: stateSeed, Choice: o.Seed, Points: 1}
	for i := range n.Len() {
		c, err := n.Client(i)
		if err != nil {
			return nil, err
		}
		lo.Targets = append(lo.Targets, load.Target{Name: c.Name(), Client: c})
	}
	g, err := load.Start(ctx, lo)
	if err != nil {
		return nil, err
	}
	return func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = g.Stop(end)
	}, nil
}
