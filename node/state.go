package node

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"ledgerlab/node/config"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// StateSpec describes a prepared state: the first ledger of a network whose
// accounts exist already.
type StateSpec struct {
	// Dir is the data folder to make; it must be empty or absent.
	Dir string
	// NetworkID of the nodes that will use it.
	NetworkID uint32
	// Accounts are funded beside the master, which holds the rest.
	Accounts []ledger.GenesisAccount
	// CloseTime of the ledger in network seconds. A recent one lets consensus
	// measure the time since the last close; 0 is a true genesis.
	CloseTime uint32
}

// StateInfo is what MakeState made.
type StateInfo struct {
	Seq      uint32
	Hash     protocol.Hash
	Accounts int
	Took     time.Duration
}

// MakeState writes a prepared state into a new data folder: one validated ledger,
// synced. The same spec gives the same ledger hash.
func MakeState(s StateSpec, now func() time.Time) (info StateInfo, err error) {
	start := now()
	if err := emptyFolder(s.Dir); err != nil {
		return info, err
	}
	if info, err = writeState(s, now); err != nil {
		return info, err
	}
	// The ledger was one batch, which the store's log holds a second time. Opening it
	// again puts what is only in the log into tables and drops the log: clones link
	// tables and copy the rest.
	st, _, err := stateStorage(s, now)
	if err != nil {
		return info, err
	}
	err = st.close()
	info.Took = now().Sub(start)
	return info, err
}

// stateStorage opens the store of a prepared state.
func stateStorage(s StateSpec, now func() time.Time) (*storage, *Node, error) {
	reg, err := config.NewRegistry(nil)
	if err != nil {
		return nil, nil, err
	}
	cfg := config.Default()
	cfg.DataDir, cfg.NetworkID = s.Dir, s.NetworkID
	log := slog.New(slog.DiscardHandler)
	st, err := openStorage(cfg, reg, log, now, func(error) {})
	return st, &Node{cfg: cfg, flags: reg, log: log, now: now, store: st}, err
}

func writeState(s StateSpec, now func() time.Time) (info StateInfo, err error) {
	st, n, err := stateStorage(s, now)
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	g := ledger.DefaultGenesis()
	g.Accounts, g.CloseTime = s.Accounts, s.CloseTime
	n.genesis = g
	if err := n.newJobs(); err != nil {
		return info, err
	}
	if err := n.newChain(); err != nil {
		return info, err
	}
	defer n.chain.Close()
	l := n.chain.Validated()
	defer l.Release()
	return StateInfo{Seq: l.Sequence(), Hash: l.Hash(), Accounts: len(s.Accounts) + 1}, nil
}

func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		abs, _ := filepath.Abs(dir)
		return fmt.Errorf("%s is not empty; a prepared state needs a folder of its own", abs)
	}
	return nil
}
