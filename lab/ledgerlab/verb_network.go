package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/network"
	"ledgerlab/node/config"
)

func defaultNet() string { return filepath.Join(runsRoot(), "net") }

func (a *app) upCmd() *cobra.Command {
	var nodes, base, accounts int
	var rate, reads float64
	var dir string
	var sets []string
	var standalone bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a network and keep it until Ctrl-C or `ledgerlab down`",
		Example: "  ledgerlab up --nodes 5 --rate 50\n" +
			"  ledgerlab up --dir /tmp/net --set trim.trigger=sweep --set cache.sweep_interval=3s",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := parseSets(sets)
			if err != nil {
				return err
			}
			if standalone {
				if cmd.Flags().Changed("nodes") && nodes != 1 {
					return usagef("--standalone has one node, not %d", nodes)
				}
				nodes = 1
			}
			if err := errors.Join(checkNumber("--rate", rate, maxRate), checkNumber("--reads", reads, maxRate)); err != nil {
				return err
			}
			if nodes < 1 {
				return usagef("--nodes %d: %d nodes; 1 to 64 are allowed", nodes, nodes)
			}
			if accounts != 0 && (accounts < max(nodes, 2) || accounts > maxStateAccounts) {
				return usagef("--accounts %d: 0, or from %d to %d with %d nodes", accounts, max(nodes, 2), maxStateAccounts, nodes)
			}
			if err := config.CheckFlags(set); err != nil {
				return usage(err)
			}
			o := network.Options{Dir: dir, Nodes: network.Nodes(nodes), Standalone: standalone, BasePort: base, Seed: seed}
			for i := range o.Nodes {
				o.Nodes[i].Flags = set
			}
			if o, err = o.Default(); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return &codeError{exitUsage, err}
			}
			return a.up(cmd.Context(), o, upOptions{rate: rate, reads: reads, accounts: accounts})
		},
	}
	f := cmd.Flags()
	f.IntVar(&nodes, "nodes", 5, "validators to start")
	f.Float64Var(&rate, "rate", 5, "payments a second; 0 sends none")
	f.Float64Var(&reads, "reads", 0, "state reads a second and node")
	f.IntVar(&accounts, "accounts", 3000, "accounts in the prepared state that payments go between; 0 starts from genesis and sends none")
	f.StringVar(&dir, "dir", defaultNet(), "folder of the network; its data is kept and gone on with")
	f.IntVar(&base, "base-port", 0, "node i takes this port + 3i and the two after; 0 takes free ones")
	f.StringArrayVar(&sets, "set", nil, "KEY=VALUE: a flag of every node; may be repeated")
	f.BoolVar(&standalone, "standalone", false, "one node without consensus; ledgers close on request")
	f.Uint64Var(&seed, "seed", 1, "seed of keys and traffic")
	return cmd
}

// maxRate is the highest rate that traffic can be asked for, a second.
const maxRate = 1e6

type upOptions struct {
	rate, reads float64
	accounts    int
}

func (a *app) up(ctx context.Context, o network.Options, u upOptions) (err error) {
	if u.accounts > 0 {
		if o.State, err = a.preparedState(ctx, u.accounts, o.Seed, o.NetworkID); err != nil {
			return err
		}
	}
	n, err := network.Start(ctx, o)
	if err != nil {
		return notStarted(err)
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		a.say("stopping %d nodes", n.Len())
		err = errors.Join(err, n.Close(end))
	}()
	ready, cancel := context.WithTimeout(ctx, 2*time.Minute)
	err = n.WaitReady(ready)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			return &codeError{exitInterrupted, fmt.Errorf("interrupted before the network was ready; go on with: ledgerlab up --dir %s", n.Dir())}
		}
		return err
	}
	if err := a.printStatus(n.Status(ctx)); err != nil {
		return err
	}
	a.say("network in %s; ledgerlab status --dir %s shows it, Ctrl-C or ledgerlab down --dir %s ends it", n.Dir(), n.Dir(), n.Dir())
	stop, err := a.upLoad(ctx, n, o, u)
	if err != nil {
		return err
	}
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.DownRequested():
			return nil
		case d := <-n.Died():
			a.say("%v; ledgerlab restart --dir %s --node %s starts it again", d, n.Dir(), d.Name)
		}
	}
}

// notStarted gives the error of a network that did not start its exit code.
func notStarted(err error) error {
	var damaged *network.DamagedError
	var refused *network.RefusedError
	var library *network.MissingLibraryError
	switch {
	case errors.As(err, &library):
		return err
	case errors.As(err, &damaged):
		return &codeError{exitSpec, err}
	case errors.As(err, &refused):
		return usage(err)
	}
	return badPath(err)
}

func dirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "dir", defaultNet(), "folder of the network")
}

// attach finds a network that is up.
func attach(dir string) (*network.Handle, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, usagef("there is no network in %s; ledgerlab up --dir %s starts one", dir, dir)
	}
	h, err := network.Attach(dir)
	var damaged *network.DamagedError
	if errors.As(err, &damaged) {
		return nil, &codeError{exitSpec, err}
	}
	if err != nil {
		return nil, usage(err)
	}
	return h, nil
}

// attachUp finds a network whose owner is there to ask.
func attachUp(dir string) (*network.Handle, error) {
	h, err := attach(dir)
	if err == nil && !h.Up() {
		return nil, usagef("the network in %s is not up; start it with: ledgerlab up --dir %s", dir, dir)
	}
	return h, err
}

func (a *app) statusCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Where the nodes of a network stand",
		Example: "  ledgerlab status --dir runs/net --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := attach(dir)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), a.timeout)
			defer cancel()
			return a.printStatus(h.Status(ctx))
		},
	}
	dirFlag(cmd, &dir)
	return cmd
}

func (a *app) printStatus(list []network.Status) error {
	return a.print(map[string]any{"nodes": list}, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "node\tpid\tmode\tvalidated\thash\trss\tpeers\trotation")
		for _, s := range list {
			hash := s.ValidatedHash
			if len(hash) > 16 {
				hash = hash[:16]
			}
			fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\t%.1f MiB\t%d\t%s\n", s.Name, s.PID, s.Mode, s.ValidatedSeq, hash, float64(s.RSSBytes)/(1<<20), s.Peers, s.Rotation.Text)
		}
		return t.Flush()
	})
}

func (a *app) restartCmd() *cobra.Command {
	var dir, node string
	var sets []string
	cmd := &cobra.Command{
		Use:     "restart",
		Short:   "Start a node again on the data it has",
		Example: "  ledgerlab restart --dir runs/net --node 2\n  ledgerlab restart --node n0 --set heap.payload=go",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := parseSets(sets)
			if err != nil {
				return err
			}
			if err := config.CheckFlags(set); err != nil {
				return usage(err)
			}
			if name := set["heap.allocator"]; name != "" {
				if _, err := network.AllocatorLibrary(name); err != nil {
					return err
				}
			}
			return a.actOnNode(cmd.Context(), dir, node, func(ctx context.Context, h *network.Handle, i int) error {
				if err := h.Restart(ctx, i, set); err != nil {
					return err
				}
				return awaitNode(ctx, dir, i)
			})
		},
	}
	dirFlag(cmd, &dir)
	cmd.Flags().StringVar(&node, "node", "", "name or number of the node")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "KEY=VALUE: another initial flag; may be repeated")
	return cmd
}

// awaitNode waits until a node that was started answers, and says how its log ends
// when it does not.
func awaitNode(ctx context.Context, dir string, i int) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		h, err := attach(dir) // its process is another one than before
		if err != nil {
			return err
		}
		n := h.Nodes()[i]
		switch s := h.Status(ctx)[i]; {
		case s.Mode == "down":
			return &codeError{exitFailed, fmt.Errorf("node %s ended at once; its log ends: %s", n.Name, h.LastLine(i))}
		case s.Info != nil:
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &codeError{exitTryAgain, fmt.Errorf("node %s runs but does not answer yet; its log is %s", n.Name, n.Log)}
		}
	}
}

func (a *app) killCmd() *cobra.Command {
	var dir, node string
	cmd := &cobra.Command{
		Use:     "kill",
		Short:   "End a node at once, as a power failure would",
		Example: "  ledgerlab kill --dir runs/net --node 2",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.actOnNode(cmd.Context(), dir, node, func(ctx context.Context, h *network.Handle, i int) error {
				return h.Kill(ctx, i)
			})
		},
	}
	dirFlag(cmd, &dir)
	cmd.Flags().StringVar(&node, "node", "", "name or number of the node")
	return cmd
}

func (a *app) actOnNode(ctx context.Context, dir, node string, act func(context.Context, *network.Handle, int) error) error {
	if node == "" {
		return usagef("--node is missing; give the name or number of a node")
	}
	h, err := attachUp(dir)
	if err != nil {
		return err
	}
	i, err := h.Index(node)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithTimeout(ctx, max(a.timeout, time.Minute))
	defer cancel()
	if err := act(ctx, h, i); err != nil {
		return err
	}
	if h, err = attach(dir); err != nil { // the process of the node is another one now
		return err
	}
	return a.printStatus(h.Status(ctx))
}

func (a *app) downCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "down",
		Short:   "End a network",
		Example: "  ledgerlab down --dir runs/net",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := attach(dir)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), max(a.timeout, time.Minute))
			defer cancel()
			return h.Down(ctx)
		},
	}
	dirFlag(cmd, &dir)
	return cmd
}
