package node

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"ledgerlab/node/config"
	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// scriptAccounts are the accounts of a scripted stream.
const scriptAccounts = 24

// scriptLedgers runs a scripted stream on a stand-alone node in virtual time and
// returns the hash of every ledger. The same seed gives the same stream.
func scriptLedgers(t *testing.T, seed uint64, set map[string]string) []protocol.Hash {
	t.Helper()
	var hashes []protocol.Hash
	inVirtualTime(t, func(t *testing.T) {
		c := testConfig(t, 0)
		c.Standalone = true
		maps.Copy(c.Flags, set)
		keys := make([]*crypto.KeyPair, scriptAccounts)
		g := ledger.DefaultGenesis()
		for i := range keys {
			k, err := crypto.GenerateAccountKey(crypto.SeedFromPassphrase(fmt.Sprintf("script %d", i)), crypto.Ed25519)
			if err != nil {
				t.Fatal(err)
			}
			keys[i] = k
			g.Accounts = append(g.Accounts, ledger.GenesisAccount{ID: k.AccountID(), Balance: 1_000_000_000})
		}
		r := startNode(t, Options{Config: c, Genesis: g, Control: bufconn.Listen(1 << 16)})
		rng := rand.New(rand.NewPCG(seed, 1))
		next := make([]uint32, scriptAccounts)
		start := time.Now()
		for l := range 6 {
			for range 40 {
				from, to := rng.IntN(scriptAccounts), rng.IntN(scriptAccounts)
				if from == to {
					continue
				}
				next[from]++
				res := submit(t, r, payment(t, keys[from], keys[to].AccountID(), next[from], 1+rng.Uint64N(1000), c.NetworkID))
				if !res.Applied {
					t.Fatalf("payment refused: %+v", res)
				}
			}
			// Ledgers close at fixed times, whatever the batches in between waited for.
			time.Sleep(time.Until(start.Add(time.Duration(l+1) * 10 * time.Second)))
			if _, err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, h, err := r.Accept(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, h)
		}
		r.end(t)
	})
	return hashes
}

// TestFlagPairsAgree: flags that may not change ledger hashes do not, nor does the
// order of events around them.
func TestFlagPairsAgree(t *testing.T) {
	const seed = 42
	want := scriptLedgers(t, seed, map[string]string{"fee.initial": "1000"})
	pairs := []map[string]string{
		{},
		{"heap.payload": "go"},
		{"trim.trigger": "sweep"},
		{"trim.trigger": "each_cache,rotate_clear,rotate_delete", "trim.method": "both"},
		{"trim.trigger": "sweep", "trim.pad": "1MiB", "trim.policy": "every(2)"},
		{"cache.partitions": "1"},
		{"cache.partitions": "7", "cache.lock": "single"},
		{"cache.policy": "lru", "cache.tree.size": "64"},
		{"cache.expire_all": "on", "cache.tree.age": "1s"},
		{"open.batch_interval": "100ms"},
		{"verify.batch": "1"},
		{"tree.link": "all"},
		{"tree.link": "none"},
		{"tree.inner": "sparse", "tree.hash_lanes": "4"},
		{"cache.object": "on"},
		{"cache.object": "on", "heap.payload": "go", "cache.expire_all": "on"},
		{"jobs.bulk": "pool", "jobs.workers": "1"},
		{"store.online_delete": "8"},
	}
	for _, set := range pairs {
		set["fee.initial"] = "1000"
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			got := scriptLedgers(t, seed, set)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("ledger %d is %s, was %s", i+2, got[i], want[i])
				}
			}
		})
	}
}

// TestFlagsWithEffectsSayThatTheyMayChangeHashes keeps the table of the registry
// honest about what the test above proves.
func TestFlagsWithEffectsSayThatTheyMayChangeHashes(t *testing.T) {
	for _, name := range []string{
		"heap.payload", "trim.trigger", "trim.pad", "trim.method", "trim.policy", "cache.partitions",
		"cache.lock", "cache.policy", "open.batch_interval", "verify.batch", "tree.link", "tree.inner", "tree.hash_lanes", "cache.object", "jobs.bulk",
	} {
		f, err := config.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.MayHash {
			t.Errorf("%s says that it may change hashes", name)
		}
	}
}
