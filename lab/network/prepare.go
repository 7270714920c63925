package network

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ledgerlab/node/config"
	"ledgerlab/node/crypto"
	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

// NodeKey returns the key of node i of the network drawn from seed, and the seed
// in the form a configuration has.
func NodeKey(seed uint64, i int) (*crypto.KeyPair, string, error) {
	s := crypto.SeedFromPassphrase(fmt.Sprintf("ledgerlab node %d %d", seed, i))
	key, err := crypto.GenerateNodeKey(s)
	if err != nil {
		return nil, "", fmt.Errorf("key of node %d: %w", i, err)
	}
	return key, s.Encode(crypto.Secp256k1), nil
}

// RefusedError is a reason not to start a network, found before anything was
// written or started: what was asked for does not go with what is there.
type RefusedError struct{ err error }

func (e *RefusedError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.err }

// prepare makes or checks the folder and writes the configuration of every node.
func prepare(o Options) (stateFile, error) {
	old, err := inspectDir(o)
	if err != nil {
		return stateFile{}, &RefusedError{err}
	}
	// everything that can be refused is refused before anything is written
	for _, n := range o.Nodes {
		if _, err := environment(nil, n, nil); err != nil {
			return stateFile{}, &RefusedError{err}
		}
		if err := checkData(filepath.Join(o.Dir, n.Name, "data"), o.NetworkID); err != nil {
			return stateFile{}, &RefusedError{err}
		}
	}
	if o.State != "" {
		if err := checkData(o.State, o.NetworkID); err != nil {
			return stateFile{}, &RefusedError{fmt.Errorf("prepared state: %w", err)}
		}
	}
	ports, err := choosePorts(o.Nodes, o.BasePort)
	if err != nil {
		return stateFile{}, &RefusedError{err}
	}
	s := stateFile{Version: stateVersion, NetworkID: o.NetworkID, Seed: o.Seed, Socket: old.Socket}
	for i, n := range o.Nodes {
		key, _, err := NodeKey(o.Seed, i)
		if err != nil {
			return stateFile{}, err
		}
		dir := filepath.Join(o.Dir, n.Name)
		s.Nodes = append(s.Nodes, NodeState{
			Name: n.Name, Role: string(n.Role), PublicKey: protocol.EncodeNodePublic(key.Public),
			Peer: ports[i].Peer, Control: ports[i].Control, Web: ports[i].Web, Flags: n.Flags,
			DataDir: filepath.Join(dir, "data"), Config: filepath.Join(dir, "node.yaml"), Log: filepath.Join(dir, "node.log"),
		})
	}
	for i := range s.Nodes {
		if err := prepareNode(o, s, i); err != nil {
			return stateFile{}, err
		}
	}
	return s, s.write(o.Dir)
}

// inspectDir refuses a folder that is in use, of another network, or of something
// else altogether.
func inspectDir(o Options) (stateFile, error) {
	if o.Dir == "" {
		return stateFile{}, errors.New("the network has no folder")
	}
	s, ok, err := readState(o.Dir)
	if err != nil {
		return s, err
	}
	if !ok {
		entries, err := os.ReadDir(o.Dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		if len(entries) > 0 {
			return s, fmt.Errorf("folder %s is not empty and holds no network (it has %s); choose another", o.Dir, entries[0].Name())
		}
		return s, nil
	}
	if s.Running && s.Owner.alive() {
		return s, fmt.Errorf("the network in %s is up already (process %d); stop it first, or choose another folder", o.Dir, s.Owner.PID)
	}
	for _, n := range s.Nodes {
		if n.Process.alive() {
			return s, fmt.Errorf("node %s of the network in %s still runs (process %d); stop it first", n.Name, o.Dir, n.Process.PID)
		}
	}
	if s.NetworkID != o.NetworkID {
		return s, fmt.Errorf("folder %s holds network %d, not %d; choose another folder", o.Dir, s.NetworkID, o.NetworkID)
	}
	if s.Seed != o.Seed {
		return s, fmt.Errorf("folder %s holds a network with keys of seed %d, not %d; choose that seed or another folder", o.Dir, s.Seed, o.Seed)
	}
	return s, nil
}

// checkData refuses a data folder of another network. A missing one is fine.
func checkData(dir string, networkID uint32) error {
	for _, d := range []string{dir, filepath.Join(dir, "store")} {
		st, ok, err := store.ReadState(store.OS, d)
		if err != nil {
			return fmt.Errorf("data folder %s: %w", d, err)
		}
		if ok && st.NetworkID != networkID {
			return fmt.Errorf("data folder %s is of network %d, not %d", d, st.NetworkID, networkID)
		}
	}
	return nil
}

// prepareNode clones the state into a node without data and writes its configuration.
func prepareNode(o Options, s stateFile, i int) error {
	st := s.Nodes[i]
	entries, err := os.ReadDir(st.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) == 0 && o.State != "" {
		if err := Clone(o.State, st.DataDir); err != nil {
			return fmt.Errorf("node %s: %w", st.Name, err)
		}
	}
	if err := os.MkdirAll(st.DataDir, 0o755); err != nil {
		return err
	}
	return writeConfig(o, s, i)
}

// writeConfig writes node.yaml of node i.
func writeConfig(o Options, s stateFile, i int) error {
	_, seed, err := NodeKey(o.Seed, i)
	if err != nil {
		return err
	}
	st := s.Nodes[i]
	c := config.Default()
	c.Name, c.NetworkID, c.Role, c.Standalone = st.Name, o.NetworkID, config.Role(st.Role), o.Standalone
	c.Listen = config.Listen{Peer: st.Peer, Control: st.Control, Web: st.Web}
	c.NodeKey, c.DataDir, c.Flags = seed, st.DataDir, st.Flags
	for j, p := range s.Nodes {
		if j != i {
			c.Peers = append(c.Peers, config.Peer{Name: p.Name, Address: p.Peer, PublicKey: p.PublicKey})
		}
		if p.Role == string(config.RoleValidator) {
			c.Validators = append(c.Validators, p.PublicKey)
		}
	}
	if err := c.Validate(); err != nil {
		return fmt.Errorf("node %s: %s", st.Name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	data, err := c.Marshal()
	if err != nil {
		return err
	}
	return os.WriteFile(st.Config, data, 0o600) // it holds the node's key
}

// reconfigure overrides initial flags of node i.
func (n *Network) reconfigure(i int, set map[string]string) error {
	if len(set) == 0 {
		return nil
	}
	flags := maps.Clone(n.opts.Nodes[i].Flags)
	if flags == nil {
		flags = map[string]string{}
	}
	maps.Copy(flags, set)
	if err := config.CheckFlags(flags); err != nil {
		return err
	}
	spec := n.opts.Nodes[i]
	spec.Flags = flags
	if _, err := environment(nil, spec, nil); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opts.Nodes = slices.Clone(n.opts.Nodes)
	n.opts.Nodes[i] = spec
	n.mu.state.Nodes[i].Flags = flags
	return writeConfig(n.opts, n.mu.state, i)
}
