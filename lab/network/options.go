package network

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"ledgerlab/node/config"
)

// maxNodes bounds a network on one machine.
const maxNodes = 64

// Options say what to start.
type Options struct {
	Dir        string        // folder of the network; made if missing; required
	Nodes      []NodeSpec    // required
	NetworkID  uint32        // default 20100
	Seed       uint64        // of the nodes' keys
	State      string        // prepared state that each node without one starts from; "" = genesis
	Standalone bool          // one node without consensus
	BasePort   int           // node i takes BasePort+3i and the two after; 0 = free ports
	Binary     string        // program to run; default this one
	Args       []string      // before the configuration's path; default node --config
	Env        []string      // added to every node's environment
	StopAfter  time.Duration // a node that has not ended so long after it was asked to is killed; default 15s
	Log        *slog.Logger  // default discards
}

// NodeSpec is one node.
type NodeSpec struct {
	Name  string            // default n0, n1, ...
	Role  config.Role       // default validator
	Flags map[string]string // initial flags
	Env   []string          // added to its environment
}

// Nodes returns n nodes with default names, all validators.
func Nodes(n int) []NodeSpec {
	out := make([]NodeSpec, n)
	for i := range out {
		out[i].Name = fmt.Sprintf("n%d", i)
	}
	return out
}

// Default fills what is zero.
func (o Options) Default() (Options, error) {
	if o.NetworkID == 0 {
		o.NetworkID = config.Default().NetworkID
	}
	if o.StopAfter == 0 {
		o.StopAfter = 15 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Args == nil {
		o.Args = []string{"node", "--config"}
	}
	if o.Binary == "" {
		exe, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("this program's own file is not known: %w", err)
		}
		o.Binary = exe
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("folder %s: %w", o.Dir, err)
	}
	o.Dir = dir
	nodes := make([]NodeSpec, len(o.Nodes))
	for i, n := range o.Nodes {
		if n.Name == "" {
			n.Name = fmt.Sprintf("n%d", i)
		}
		if n.Role == "" {
			n.Role = config.RoleValidator
		}
		n.Flags = maps.Clone(n.Flags)
		nodes[i] = n
	}
	o.Nodes = nodes
	return o, nil
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(o.Nodes) == 0 || len(o.Nodes) > maxNodes {
		bad("%d nodes; 1 to %d are allowed", len(o.Nodes), maxNodes)
	}
	if o.Standalone && len(o.Nodes) != 1 {
		bad("a stand-alone network has one node, not %d", len(o.Nodes))
	}
	if o.BasePort != 0 && (o.BasePort < 1024 || o.BasePort+3*len(o.Nodes) > 65536) {
		bad("base port %d; 1024 to %d are allowed for %d nodes", o.BasePort, 65536-3*len(o.Nodes), len(o.Nodes))
	}
	seen := map[string]bool{}
	validators := 0
	for _, n := range o.Nodes {
		if !nodeName.MatchString(n.Name) || seen[n.Name] {
			bad("node name %q is not allowed or taken; letters, digits, - and _ up to 32", n.Name)
		}
		seen[n.Name] = true
		if n.Role == config.RoleValidator {
			validators++
		}
		if err := config.CheckFlags(n.Flags); err != nil {
			bad("node %s: %w", n.Name, err)
		}
	}
	if validators == 0 && len(o.Nodes) > 0 && !o.Standalone {
		bad("no node is a validator; no ledger would ever be validated")
	}
	return errors.Join(faults...)
}
