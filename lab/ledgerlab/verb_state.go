package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ledgerlab/lab/load"
	"ledgerlab/node"
	"ledgerlab/node/config"
	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// stateVersion goes up when prepared states of older builds must not be used.
const stateVersion = 1

// stateBalance is what each account of a prepared state holds: 1,000 XRP.
const stateBalance = protocol.Drops(1_000_000_000)

const maxStateAccounts = 20_000_000

func (a *app) stateCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "state",
		Short:   "Prepared states",
		Example: "  ledgerlab state make --accounts 200000 --out /tmp/state",
		Args:    knownVerb,
		RunE: func(*cobra.Command, []string) error {
			return usagef("state: say what: ledgerlab state make --help")
		},
	}
	cmd.AddCommand(a.stateMakeCmd())
	return cmd
}

func (a *app) stateMakeCmd() *cobra.Command {
	var accounts int
	var seed uint64
	var networkID uint32
	var out string
	cmd := &cobra.Command{
		Use:   "make",
		Short: "Make a data folder with funded accounts, for networks to start from",
		Long: "make builds a first ledger with the given number of funded accounts. Without --out it goes\n" +
			"into the cache that run and up clone from.",
		Example: "  ledgerlab state make --accounts 200000\n  ledgerlab state make --accounts 5000 --out /tmp/state",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if accounts < 2 || accounts > maxStateAccounts {
				return usagef("--accounts %d: from 2 to %d", accounts, maxStateAccounts)
			}
			dir, err := out, error(nil)
			if dir == "" {
				dir, err = a.preparedState(cmd.Context(), accounts, seed, networkID)
			} else {
				err = a.makeState(cmd.Context(), dir, accounts, seed, networkID)
			}
			if err != nil {
				return err
			}
			return a.print(map[string]any{"dir": dir, "accounts": accounts, "seed": seed, "network_id": networkID}, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, dir)
				return err
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&accounts, "accounts", 200_000, "accounts to fund")
	f.Uint64Var(&seed, "seed", stateSeed, "seed of the accounts' keys")
	f.Uint64Var(&seed, "accounts-seed", stateSeed, "the same under its older name")
	_ = f.MarkHidden("accounts-seed")
	f.Uint32Var(&networkID, "network-id", config.Default().NetworkID, "network the state is for")
	f.StringVar(&out, "out", "", "folder to make; it must not exist or be empty")
	return cmd
}

// preparedState returns the cached state for these figures, made now if it is
// not there yet.
func (a *app) preparedState(ctx context.Context, accounts int, seed uint64, networkID uint32) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	dir := filepath.Join(base, "ledgerlab", fmt.Sprintf("state-v%d-n%d-s%d-a%d", stateVersion, networkID, seed, accounts))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("prepared state: %w", err)
	}
	a.say("making a prepared state of %d accounts (once; kept in %s)", accounts, dir)
	tmp := fmt.Sprintf("%s.%d.tmp", dir, os.Getpid())
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := a.makeState(ctx, tmp, accounts, seed, networkID); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, nil // another process was faster
		}
		return "", fmt.Errorf("prepared state: %w", err)
	}
	return dir, nil
}

// makeState writes a first ledger with funded accounts.
func (a *app) makeState(ctx context.Context, dir string, accounts int, seed uint64, networkID uint32) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return usagef("%s is not empty", dir)
	}
	spec := node.StateSpec{
		Dir: dir, NetworkID: networkID, Accounts: genesisAccounts(accounts, seed), CloseTime: closeTimeOf(time.Now()),
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := node.MakeState(spec, time.Now)
	if err != nil {
		return badPath(fmt.Errorf("prepared state: %w", err))
	}
	a.say("ledger %d of %d accounts, hash %s, written in %.1f s", info.Seq, info.Accounts, info.Hash, info.Took.Seconds())
	return nil
}

// rippleEpoch is 2000-01-01 UTC in Unix seconds.
const rippleEpoch = 946684800

func closeTimeOf(t time.Time) uint32 { return uint32(t.Unix()-rippleEpoch) / 10 * 10 }

// genesisAccounts derives the accounts on every CPU; a key takes about 30 us.
func genesisAccounts(n int, seed uint64) []ledger.GenesisAccount {
	out := make([]ledger.GenesisAccount, n)
	workers := runtime.NumCPU()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				key := load.AccountKey(seed, i)
				out[i] = ledger.GenesisAccount{ID: crypto.AccountIDFromPublic(key.Public), Balance: stateBalance}
			}
		})
	}
	wg.Wait()
	return out
}
