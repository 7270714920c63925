package main

import (
	"context"
	"errors"
	"fmt"

	"ledgerlab/api/client"
	"ledgerlab/lab"
	"ledgerlab/lab/load"
	"ledgerlab/lab/network"
	recordv1 "ledgerlab/proto/record/v1"
)

// processDriver joins the lab to real node processes and real traffic.
type processDriver struct{ app *app }

func (a *app) driver() lab.Driver { return &processDriver{a} }

// stateSeed draws the accounts of prepared states; it is the same for every
// campaign, so that states are made once and cloned.
const stateSeed = 1

// Start implements lab.Driver.
func (d *processDriver) Start(ctx context.Context, spec lab.ClusterSpec) (lab.Cluster, error) {
	o := network.Options{Dir: spec.Dir, Seed: spec.Seed}
	for _, n := range spec.Nodes {
		o.Nodes = append(o.Nodes, network.NodeSpec{Name: n.Name, Flags: n.Flags})
	}
	o, err := o.Default()
	if err != nil {
		return nil, &lab.Fatal{Err: err}
	}
	if o.State, err = d.app.preparedState(ctx, spec.Accounts, stateSeed, o.NetworkID); err != nil {
		return nil, &lab.Fatal{Err: err}
	}
	for _, n := range o.Nodes {
		if _, err := network.AllocatorLibrary(allocatorOf(n.Flags)); err != nil {
			return nil, &lab.Fatal{Err: err}
		}
	}
	net, err := network.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &cluster{net: net, accounts: spec.Accounts, networkID: o.NetworkID, pids: net.PIDs(), died: make(chan lab.NodeDeath, net.Len()), gone: make(chan struct{})}
	go c.relay()
	return c, nil
}

func allocatorOf(flags map[string]string) string {
	if a := flags["heap.allocator"]; a != "" {
		return a
	}
	return "glibc"
}

type cluster struct {
	net       *network.Network
	accounts  int
	networkID uint32
	pids      []int
	died      chan lab.NodeDeath
	gone      chan struct{}
}

// relay translates deaths until the cluster is stopped.
func (c *cluster) relay() {
	for {
		select {
		case d := <-c.net.Died():
			c.died <- lab.NodeDeath{Node: d.Node, Reason: d.Error(), NoRoom: d.NoRoom}
		case <-c.gone:
			return
		}
	}
}

func (c *cluster) PIDs() []int                { return c.pids }
func (c *cluster) Died() <-chan lab.NodeDeath { return c.died }

// Ready implements lab.Cluster.
func (c *cluster) Ready(ctx context.Context) error {
	err := c.net.WaitReady(ctx)
	var death network.Death
	if errors.As(err, &death) && death.NoRoom {
		return fmt.Errorf("%w: %w", lab.ErrNoRoom, err)
	}
	return err
}

func (c *cluster) Watch(ctx context.Context, node int, kinds []string, fn func(*recordv1.Record, uint64)) error {
	cl, err := c.net.Client(node)
	if err != nil {
		return err
	}
	var lost uint64
	opts := client.RecordOptions{FromStart: true, Kinds: kinds, Follow: true, OnLost: func(n uint64) { lost += n }}
	_, err = cl.Records(ctx, opts, func(r *recordv1.Record) error {
		fn(r, lost)
		lost = 0
		return nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (c *cluster) Offer(ctx context.Context, spec lab.LoadSpec, seed uint64) (lab.Traffic, error) {
	o := load.Options{
		NetworkID: c.networkID, Rate: spec.Rate, Accounts: spec.Accounts, Seed: stateSeed, Choice: seed,
		Reads: spec.Reads, Pages: spec.Pages, Held: spec.Held, StateAccounts: c.accounts,
	}
	for i := range c.net.Len() {
		cl, err := c.net.Client(i)
		if err != nil {
			return nil, err
		}
		o.Targets = append(o.Targets, load.Target{Name: cl.Name(), Client: cl})
	}
	g, err := load.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	return &traffic{g}, nil
}

func (c *cluster) Stop(ctx context.Context) error {
	close(c.gone)
	if err := c.net.Close(ctx); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

type traffic struct{ g *load.Generator }

func (t *traffic) Counts() lab.LoadCounts { return counts(t.g.Counts()) }

func (t *traffic) Stop(ctx context.Context) (lab.LoadResult, error) {
	r, err := t.g.Stop(ctx)
	if r == nil {
		return lab.LoadResult{}, err
	}
	out := lab.LoadResult{Counts: counts(r.Counts), Codes: r.Codes, Missed: r.Missed, Lost: r.Lost, Gaps: r.Gaps, Started: r.Started, Ended: r.Ended}
	for _, p := range r.Points {
		out.Points = append(out.Points, lab.LoadPoint{IntendedNS: p.IntendedNS, LatencyNS: p.LatencyNS, Validated: p.Validated})
	}
	return out, err
}

func counts(c load.Counts) lab.LoadCounts {
	return lab.LoadCounts{
		Intended: c.Intended, Sent: c.Sent, Missed: c.Missed, Accepted: c.Accepted, Refused: c.Refused, Errors: c.Errors,
		Validated: c.Validated, Failed: c.Claimed, Expired: c.Expired, Pending: c.Pending, Reads: c.Reads, ReadErrors: c.ReadErrors,
	}
}
