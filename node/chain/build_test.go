package chain

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// TestShuffledArrival: the order in which transactions come does not matter, and an
// account's second waits for money that another's first brings (trial C05).
func TestShuffledArrival(t *testing.T) {
	b := newBench(t, nil)
	b.genesis(20)
	parent := b.m.Closed()
	defer parent.Release()
	rng := rand.New(rand.NewPCG(5, 5))
	next := sequences(20)
	txs := traffic(t, rng, next, 60)
	// Account 0 spends most of what it has, then what it can only have once account
	// 1 has paid it.
	txs = append(txs,
		payment(t, 0, 2, next[0], 900_000_000, 10),
		payment(t, 0, 3, next[0]+1, 500_000_000, 10),
		payment(t, 1, 0, next[1], 600_000_000, 10))
	second := txs[len(txs)-2].ID()
	var want protocol.Hash
	orders := map[bool]int{}
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		set := slices.Clone(txs)
		rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
		r, err := b.m.build.b.Build(Request{Parent: parent, Salt: protocol.Hash{9}, Txs: set, Close: ledger.Close{Time: 800_000_100, Agreed: true}})
		b.check(err)
		if seed == 0 {
			want = r.Ledger.Hash()
			b.check(err)
			checkOrder(t, r.Ledger)
			if in, err := r.Ledger.HasTx(second); err != nil || !in || len(r.Retry) != 0 {
				t.Errorf("the second transaction is in: %v, %v; %d left over", in, err, len(r.Retry))
			}
		}
		orders[r.Ledger.Hash() == want]++
		r.Ledger.Release()
	}
	if orders[false] != 0 {
		t.Errorf("%d of 500 orders gave another ledger", orders[false])
	}
}

// checkOrder: metadata indexes are 0..n-1 and follow the sequences of each account.
func checkOrder(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	txs, err := inOrder(l.Txs())
	if err != nil {
		t.Fatal(err)
	}
	last := map[protocol.AccountID]uint32{}
	for _, x := range txs {
		if x.Sequence() <= last[x.Account()] {
			t.Errorf("%s of %s was applied after %d", x.ID(), x.Account(), last[x.Account()])
		}
		last[x.Account()] = x.Sequence()
	}
}

// TestDropsAreConserved: what all accounts hold and what was burned is all there
// ever was, whatever mix of good and failing payments is applied.
func TestDropsAreConserved(t *testing.T) {
	const accounts = 12
	b := newBench(t, nil)
	b.genesis(accounts)
	rapid.Check(t, func(rt *rapid.T) {
		parent := b.m.Closed()
		defer parent.Release()
		next := make([]uint32, accounts)
		for i := range next {
			root, err := ledger.ReadAccount(parent, accountID(i))
			b.check(err)
			next[i] = root.Sequence
		}
		var txs []*protocol.Transaction
		for range rapid.IntRange(0, 40).Draw(rt, "n") {
			from := rapid.IntRange(0, accounts-1).Draw(rt, "from")
			to := rapid.IntRange(0, accounts+3).Draw(rt, "to") // some do not exist
			drops := protocol.Drops(rapid.SampledFrom([]int64{1, 1000, 9_999_999, 10_000_000, 400_000_000, 1 << 50}).Draw(rt, "drops"))
			fee := protocol.Drops(rapid.SampledFrom([]int64{0, 10, 1_000_000, 2_000_000_000}).Draw(rt, "fee"))
			seq := next[from] + uint32(rapid.IntRange(0, 2).Draw(rt, "gap"))
			txs = append(txs, payment(t, from, to, seq, drops, fee))
			next[from]++
		}
		txs = slices.CompactFunc(txs, func(a, b *protocol.Transaction) bool { return a.ID() == b.ID() })
		b.step(txs)
		l := b.m.Closed()
		defer l.Release()
		var held protocol.Drops
		err := l.State().Walk([32]byte{}, func(_ [32]byte, data []byte) bool {
			e, err := protocol.ParseEntry(data)
			b.check(err)
			if root, ok := e.(*protocol.AccountRoot); ok {
				if root.Balance < 0 {
					rt.Errorf("%s is below zero", root.Account)
				}
				held += root.Balance
			}
			return true
		})
		b.check(err)
		if uint64(held) != l.Header().Drops {
			rt.Errorf("accounts hold %d, the header says %d", held, l.Header().Drops)
		}
	})
}

// TestReleaseLeavesNothing: when all ledgers and the cache are gone, so is their
// payload.
func TestReleaseLeavesNothing(t *testing.T) {
	b := newBench(t, nil)
	b.genesis(100)
	rng := rand.New(rand.NewPCG(6, 6))
	next := sequences(100)
	for range 10 {
		b.step(traffic(t, rng, next, 50))
	}
	b.m.Close()
	b.fam.Tree().Clear()
	if err := b.heap.Close(); err != nil {
		t.Error(err)
	}
}
