package node

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

// rotationsWanted is ten, or what LEDGERLAB_ROTATIONS says.
func rotationsWanted(t *testing.T) int { return countFromEnv(t, "LEDGERLAB_ROTATIONS", 10) }

// countFromEnv is the positive number in an environment variable, usual where it is not set.
func countFromEnv(t testing.TB, name string, usual int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a positive number", name, s)
	}
	return n
}

// diskBound is what two generations may take: the claimed ledgers are the state, copied at most into both, and its
// changes since; logs and memtables come beside it.
func diskBound(liveBytes uint64) uint64 { return 4*liveBytes + 64<<20 }

// TestS03RotationsUnderLoad closes ledgers with payments at the smallest interval and with tiny caches. After each
// rotation the full states of the last two ledgers are read from the store alone and hash to the roots of their headers,
// the oldest ledger has advanced, disk use is bounded and the next rotation is named.
func TestS03RotationsUnderLoad(t *testing.T) {
	wanted := rotationsWanted(t)
	load := newPayers(t, 24)
	g := ledger.DefaultGenesis()
	g.Accounts = append(stateAccounts(3000), load.accounts()...)
	cfg := onDisk(t, t.TempDir(), map[string]string{
		"store.online_delete": "8", "cache.tree.size": "64", "cache.tree.age": "1s", "cache.sweep_interval": "100ms",
		"store.block_cache": "1MiB", "store.back_off": "0s", "fee.initial": "1000",
	})
	r := startNode(t, Options{Config: cfg, Genesis: g})
	var worst struct {
		ratio float64
		hold  time.Duration
	}
	oldest := uint32(0)
	for n := 1; n <= wanted; n++ {
		for r.rotator.Status().Rotations < uint64(n) {
			load.pay(t, r, 20)
			if _, _, err := r.Accept(t.Context()); err != nil {
				t.Fatal(err)
			}
			awaitRotation(t, r)
		}
		live := uint64(0)
		last := r.chain.ValidatedSeq()
		for seq := last - 1; seq <= last; seq++ {
			live = max(live, walkStored(t, r.Node, seq))
		}
		s := r.store.db.Stats()
		disk := s.Writable.DiskBytes + s.Archive.DiskBytes
		if disk > diskBound(live) {
			t.Fatalf("rotation %d: %d bytes on disk, the live state has %d", n, disk, live)
		}
		first, _ := r.chain.Range()
		i, err := r.Info(t.Context())
		if err != nil || i.NextRotationSeq <= last || first <= oldest {
			t.Fatalf("rotation %d: next at %d after %d, oldest %d after %d, %v", n, i.NextRotationSeq, last, first, oldest, err)
		}
		oldest = first
		info := r.rotator.Status().Last
		worst.ratio, worst.hold = max(worst.ratio, float64(disk)/float64(live)), max(worst.hold, info.LockHoldMax)
	}
	t.Logf("%d rotations, ledger %d, oldest %d; disk at most %.1f times the live state, longest lock hold %v",
		wanted, r.chain.ValidatedSeq(), oldest, worst.ratio, worst.hold)
}

// awaitRotation waits while a rotation is under way or due.
func awaitRotation(t *testing.T, r *running) {
	t.Helper()
	for {
		s := r.rotator.Status()
		if s.Last != nil && s.Last.Err != nil {
			t.Fatalf("rotation failed: %+v", s.Last)
		}
		seen := s.Validated >= r.chain.ValidatedSeq()
		if seen && s.Step == "" && (s.Next == 0 || s.Validated < s.Next) {
			return
		}
		select {
		case err := <-r.done:
			t.Fatalf("the node ended: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
}

// walkStored reads every node of a ledger's state from the store, past all caches, checks its hash, and returns their
// bytes.
func walkStored(t *testing.T, n *Node, seq uint32) (total uint64) {
	t.Helper()
	l, err := n.chain.LedgerBySeq(seq)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	level := [][32]byte{l.Header().AccountHash}
	for len(level) > 0 {
		slices.SortFunc(level, func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
		var next [][32]byte
		found := 0
		err := n.store.db.FetchSorted(level, func(i int, _ store.ObjectType, b []byte) error {
			if protocol.SHA512Half(b) != level[i] {
				return errors.New("wrong bytes")
			}
			found, total = found+1, total+uint64(len(b))
			if string(b[:4]) != "MIN\x00" {
				return nil
			}
			for k := range 16 {
				if h := [32]byte(b[4+32*k:]); h != ([32]byte{}) {
					next = append(next, h)
				}
			}
			return nil
		})
		if err != nil || found != len(level) {
			t.Fatalf("ledger %d: %d of %d nodes of a level, %v", seq, found, len(level), err)
		}
		level = next
	}
	return total
}

// payers pay one another.
type payers struct {
	keys []*crypto.KeyPair
	next []uint32
	rng  *rand.Rand
}

func newPayers(t *testing.T, n int) *payers {
	t.Helper()
	p := &payers{next: make([]uint32, n), rng: rand.New(rand.NewPCG(3, 3))}
	for i := range n {
		k, err := crypto.GenerateAccountKey(crypto.SeedFromPassphrase(fmt.Sprintf("payer %d", i)), crypto.Ed25519)
		if err != nil {
			t.Fatal(err)
		}
		p.keys = append(p.keys, k)
	}
	return p
}

func (p *payers) accounts() (out []ledger.GenesisAccount) {
	for _, k := range p.keys {
		out = append(out, ledger.GenesisAccount{ID: k.AccountID(), Balance: 50_000_000_000})
	}
	return out
}

// pay submits n payments, some of which make new accounts.
func (p *payers) pay(t *testing.T, r *running, n int) {
	t.Helper()
	for i := range n {
		from := p.rng.IntN(len(p.keys))
		to := p.keys[(from+1)%len(p.keys)].AccountID()
		drops := 1 + p.rng.Uint64N(1000)
		if i == 0 {
			to, drops = protocol.AccountID{9, byte(p.rng.Uint32()), byte(p.rng.Uint32()), byte(p.rng.Uint32())}, 20_000_000
		}
		p.next[from]++
		if res := submit(t, r, payment(t, p.keys[from], to, p.next[from], drops, r.cfg.NetworkID)); !res.Applied {
			t.Fatalf("payment refused: %+v", res)
		}
	}
}
