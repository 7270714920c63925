package chain

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"ledgerlab/node/crypto"
	"ledgerlab/node/family"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
)

// bench is a master on a memory store that can be closed and opened again.
type bench struct {
	t      testing.TB
	folder *memdb.Folder
	heap   *payload.Heap
	env    *shamap.Env
	fam    *family.Family
	m      *Master
}

func newBench(t testing.TB, change func(*Options, *Deps)) *bench {
	t.Helper()
	b := &bench{t: t, folder: memdb.NewFolder()}
	b.open(change)
	return b
}

// open opens store and master; again after the state of an earlier one was dropped.
func (b *bench) open(change func(*Options, *Deps)) {
	b.t.Helper()
	db, err := store.Open(store.Options{Dir: "store", FS: b.folder, Backend: b.folder.Open})
	b.check(err)
	b.on(db, change)
}

// on makes the master on a store.
func (b *bench) on(db *store.Rotating, change func(*Options, *Deps)) {
	b.t.Helper()
	var err error
	b.fam, err = family.New(family.Default(), db, time.Now)
	b.check(err)
	b.heap, err = payload.NewHeap("go")
	b.check(err)
	b.env = &shamap.Env{Heap: b.heap, Source: b.fam}
	eng, err := tx.New(tx.Options{})
	b.check(err)
	o, d := Default(), Deps{Env: b.env, Family: b.fam, Engine: eng}
	if change != nil {
		change(&o, &d)
	}
	b.m, err = New(o, d)
	b.check(err)
}

func (b *bench) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// genesis loads a state of n accounts with the seeds 0 to n-1, as ledger 2.
func (b *bench) genesis(n int) {
	b.t.Helper()
	b.check(b.m.Load(func() (*ledger.Ledger, error) {
		g, err := ledger.Genesis(b.env, fundedGenesis(n))
		if err != nil {
			return nil, err
		}
		defer g.Release()
		return ledger.Second(g, 800_000_000)
	}))
}

func fundedGenesis(n int) ledger.GenesisOptions {
	o := ledger.DefaultGenesis()
	o.Amendments = ledger.LabAmendments()
	for i := range n {
		o.Accounts = append(o.Accounts, ledger.GenesisAccount{ID: accountID(i), Balance: 1_000_000_000})
	}
	return o
}

func accountID(i int) protocol.AccountID {
	return crypto.AccountIDFromPublic(publicKey(i))
}

// publicKey is a key that no signature is checked against.
func publicKey(i int) []byte {
	pub := make([]byte, 33)
	pub[0] = 0xED
	binary.BigEndian.PutUint32(pub[29:], uint32(i)*2654435761)
	binary.BigEndian.PutUint32(pub[5:], uint32(i)*40503)
	return pub
}

// payment is an unsigned payment; builders do not verify.
func payment(t testing.TB, from, to int, seq uint32, drops, fee protocol.Drops) *protocol.Transaction {
	t.Helper()
	return paymentTo(t, from, accountID(to), seq, drops, fee)
}

func paymentTo(t testing.TB, from int, to protocol.AccountID, seq uint32, drops, fee protocol.Drops) *protocol.Transaction {
	t.Helper()
	o := new(protocol.Object)
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, seq)
	o.SetDrops(protocol.FieldAmount, drops)
	o.SetDrops(protocol.FieldFee, fee)
	o.SetBlob(protocol.FieldSigningPubKey, publicKey(from))
	o.SetBlob(protocol.FieldTxnSignature, make([]byte, 64))
	o.SetAccountID(protocol.FieldAccount, accountID(from))
	o.SetAccountID(protocol.FieldDestination, to)
	x, err := protocol.ParseTransaction(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// traffic is n payments among the accounts, sequences going on from next.
func traffic(t testing.TB, rng *rand.Rand, next []uint32, n int) []*protocol.Transaction {
	t.Helper()
	txs := make([]*protocol.Transaction, n)
	for i := range txs {
		from := rng.IntN(len(next))
		to := (from + 1 + rng.IntN(len(next)-1)) % len(next)
		txs[i] = payment(t, from, to, next[from], protocol.Drops(1+rng.IntN(1000)), 10)
		next[from]++
	}
	return txs
}

// sequences are the first sequences of n accounts.
func sequences(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

// step builds and validates the next ledger with these transactions.
func (b *bench) step(txs []*protocol.Transaction) protocol.Hash {
	b.t.Helper()
	id := b.buildOnly(txs)
	b.m.CheckAccept(id, b.closedSeq(), 4)
	b.check(b.m.Advance())
	return id
}

func (b *bench) closedSeq() uint32 {
	l := b.m.Closed()
	defer l.Release()
	return l.Sequence()
}

// buildOnly builds the next ledger and makes it the closed one.
func (b *bench) buildOnly(txs []*protocol.Transaction) protocol.Hash {
	b.t.Helper()
	parent := b.m.Closed()
	defer parent.Release()
	built, err := b.m.BuildNow(Request{
		Parent: parent, Txs: txs, Salt: protocol.Hash{7},
		Close: ledger.Close{Time: parent.Header().CloseTime + 3, Agreed: true},
	})
	b.check(err)
	defer built.Ledger.Release()
	b.check(b.m.SetClosed(built.Ledger.Hash()))
	return built.Ledger.Hash()
}

// link answers requests of one master by others.
type link struct {
	to   []*Master
	lose func(i int, r peer.Request) bool // true: the request is never answered
	mute func(i int, r *peer.Response)    // may change an answer
}

func (l *link) Connected() peer.Mask { return peer.Mask(1)<<len(l.to) - 1 }

func (l *link) Ask(to peer.ID, r peer.Request, done func(peer.Response, error)) bool {
	if l.lose != nil && l.lose(int(to), r) {
		return true
	}
	go func() {
		res := l.to[to].Serve(0, r)
		if l.mute != nil {
			l.mute(int(to), &res)
		}
		done(res, nil)
	}()
	return true
}

// runFor runs a master until the function returns.
func runFor(t *testing.T, m *Master, fn func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	fn()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
