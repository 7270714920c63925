package check

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
	"time"

	"ledgerlab/node/chain"
	"ledgerlab/node/crypto"
	"ledgerlab/node/family"
	"ledgerlab/node/history"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
)

const (
	testAccounts = 40
	testFirst    = 2
	testLast     = 12
)

// key is a public key that no signature is checked against.
func key(i int) []byte {
	pub := make([]byte, 33)
	pub[0] = 0xED
	binary.BigEndian.PutUint32(pub[29:], uint32(i)*2654435761)
	return pub
}

func payment(t *testing.T, from, to int, seq uint32) *protocol.Transaction {
	t.Helper()
	o := new(protocol.Object)
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, seq)
	o.SetDrops(protocol.FieldAmount, 1000)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetBlob(protocol.FieldSigningPubKey, key(from))
	o.SetBlob(protocol.FieldTxnSignature, make([]byte, 64))
	o.SetAccountID(protocol.FieldAccount, crypto.AccountIDFromPublic(key(from)))
	o.SetAccountID(protocol.FieldDestination, crypto.AccountIDFromPublic(key(to)))
	x, err := protocol.ParseTransaction(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// testStore is a store in memory of ledgers 2 to 12 with payments in each.
func testStore(t *testing.T) *memdb.Folder {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f := memdb.NewFolder()
	db, err := store.Open(store.Options{Dir: "store", FS: f, Backend: f.Open, NetworkID: 7})
	must(err)
	fam, err := family.New(family.Default(), db, time.Now)
	must(err)
	heap, err := payload.NewHeap("go")
	must(err)
	env := &shamap.Env{Heap: heap, Source: fam}
	eng, err := tx.New(tx.Options{})
	must(err)
	m, err := chain.New(chain.Default(), chain.Deps{Env: env, Family: fam, Engine: eng})
	must(err)
	g := ledger.DefaultGenesis()
	for i := range testAccounts {
		g.Accounts = append(g.Accounts, ledger.GenesisAccount{ID: crypto.AccountIDFromPublic(key(i)), Balance: 1e9})
	}
	must(m.Load(func() (*ledger.Ledger, error) {
		one, err := ledger.Genesis(env, g)
		if err != nil {
			return nil, err
		}
		defer one.Release()
		return ledger.Second(one, 800_000_000)
	}))
	rng, next := rand.New(rand.NewPCG(1, 2)), [testAccounts]uint32{}
	for seq := uint32(testFirst + 1); seq <= testLast; seq++ {
		parent := m.Validated()
		var txs []*protocol.Transaction
		for range rng.IntN(5) {
			from := rng.IntN(testAccounts)
			next[from]++
			txs = append(txs, payment(t, from, (from+1)%testAccounts, next[from]))
		}
		b, err := m.BuildNow(chain.Request{
			Parent: parent, Txs: txs, Close: ledger.Close{Time: 800_000_000 + 10*seq, Resolution: 10, Agreed: true},
		})
		must(err)
		must(m.SetClosed(b.Ledger.Hash()))
		m.CheckAccept(b.Ledger.Hash(), seq, 1)
		must(m.Advance())
		b.Ledger.Release()
		parent.Release()
	}
	m.Close()
	must(db.Close())
	return f
}

// stored is one object of a store.
type stored struct {
	gen   string
	key   store.Hash
	value []byte
}

func objects(t *testing.T, f *memdb.Folder) (out []stored) {
	t.Helper()
	names, err := f.List("store")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if n == "state" {
			continue
		}
		db, err := f.Open(path.Join("store", n))
		if err != nil {
			t.Fatal(err)
		}
		_ = db.Each(func(h store.Hash, v []byte) error {
			out = append(out, stored{n, h, bytes.Clone(v)})
			return nil
		})
	}
	return out
}

// with copies a store; change gives each object's new value, or nil to leave it out.
func with(t *testing.T, f *memdb.Folder, all []stored, change func(o stored) []byte) *memdb.Folder {
	t.Helper()
	out := memdb.NewFolder()
	state, err := f.ReadFile("store/state")
	if err != nil {
		t.Fatal(err)
	}
	_ = out.WriteSync("store/state", state)
	batches := map[string]*store.Batch{"ledgerdb.000001": store.NewBatch(0), "ledgerdb.000002": store.NewBatch(0)}
	for _, o := range all {
		if v := change(o); v != nil {
			batches[o.gen].Put(o.key, v)
		}
	}
	for gen, b := range batches {
		db, err := out.Open(path.Join("store", gen))
		if err == nil {
			err = db.Commit(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// inMemory are the options of a store in memory; its index is there if its folder is.
func inMemory(f *memdb.Folder) Options {
	return Options{Dir: ".", FS: f, Open: f.Open, OpenIndex: func(dir string) (history.Backend, error) {
		names, err := f.List(path.Dir(dir))
		if err != nil || !slices.Contains(names, path.Base(dir)) {
			return nil, fs.ErrNotExist
		}
		b, err := f.Open(dir)
		return b.(history.Backend), err
	}}
}

func run(t *testing.T, f *memdb.Folder) *Report {
	t.Helper()
	rep, err := Run(t.Context(), inMemory(f))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// needs says, without sharing anything, which objects each ledger of a sound store
// needs: the oracle.
func needs(t *testing.T, f *memdb.Folder) map[uint32]map[hash]Kind {
	t.Helper()
	st, _, err := store.ReadState(f, "store")
	if err != nil {
		t.Fatal(err)
	}
	values := map[hash][]byte{}
	for _, o := range objects(t, f) {
		p, _, err := store.DecodeObject(nil, o.value)
		if err != nil {
			t.Fatal(err)
		}
		values[o.key] = p
	}
	var collect func(h hash, kind Kind, into map[hash]Kind)
	collect = func(h hash, kind Kind, into map[hash]Kind) {
		if h == (hash{}) {
			return
		}
		into[h] = kind
		if raw := values[h]; string(raw[:4]) == "MIN\x00" {
			for i := range 16 {
				collect(hash(raw[4+32*i:]), kind, into)
			}
		}
	}
	out := map[uint32]map[hash]Kind{}
	for h, seq := hash(st.Validated.Hash), st.Validated.Seq; seq >= testFirst; seq-- {
		head, err := protocol.ParsePrefixedHeader(values[h])
		if err != nil {
			t.Fatal(err)
		}
		out[seq] = map[hash]Kind{h: KindHeader}
		collect(head.TxHash, KindTx, out[seq])
		collect(head.AccountHash, KindState, out[seq])
		h = head.ParentHash
	}
	return out
}
