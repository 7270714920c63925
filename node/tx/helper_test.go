package tx

import (
	"testing"

	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

const xrp = protocol.Drops(1_000_000)

// world is a ledger with a few accounts, and an open view on it.
type world struct {
	t    testing.TB
	keys map[string]*crypto.KeyPair
	view *ledger.OpenView
	eng  *Engine
}

// names of the accounts: rich, poor (just the reserve), spent (20 drops), and ghost,
// which is in no ledger.
func newWorld(t testing.TB, o Options) *world {
	t.Helper()
	w := &world{t: t, keys: map[string]*crypto.KeyPair{}}
	g := ledger.DefaultGenesis()
	g.Amendments = ledger.LabAmendments()
	for i, n := range []string{"rich", "poor", "spent", "bob", "ghost", "other"} {
		kt := crypto.Ed25519
		if i%2 == 1 {
			kt = crypto.Secp256k1
		}
		k, err := crypto.GenerateAccountKey(crypto.Seed{byte(i + 1)}, kt)
		if err != nil {
			t.Fatal(err)
		}
		w.keys[n] = k
	}
	for n, b := range map[string]protocol.Drops{"rich": 100_000 * xrp, "poor": 10 * xrp, "spent": 20, "bob": 1000 * xrp} {
		g.Accounts = append(g.Accounts, ledger.GenesisAccount{ID: w.id(n), Balance: b})
	}
	heap, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	first, err := ledger.Genesis(&shamap.Env{Heap: heap}, g)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Second(first, 800_000_000)
	if err != nil {
		t.Fatal(err)
	}
	first.Release()
	w.view = ledger.NewOpenView(l)
	l.Release()
	if w.eng, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.view.Release() })
	return w
}

func (w *world) id(name string) protocol.AccountID { return w.keys[name].AccountID() }

// closed exchanges the open view for the accumulator of a build.
func (w *world) closed() {
	v := ledger.NewBuildView(w.view.Base(), 0)
	w.view.Release()
	w.view = v
}

// edit changes a transaction's fields before it is signed.
type edit func(o *protocol.Object)

func set32(f protocol.Field, v uint32) edit { return func(o *protocol.Object) { o.SetUint32(f, v) } }

func setDrops(f protocol.Field, v protocol.Drops) edit {
	return func(o *protocol.Object) { o.SetDrops(f, v) }
}

func setHash(f protocol.Field, v protocol.Hash) edit {
	return func(o *protocol.Object) { o.SetHash(f, v) }
}

func without(f protocol.Field) edit { return func(o *protocol.Object) { o.Delete(f) } }

// sign makes a signed transaction of the account.
func (w *world) sign(from string, typ protocol.TxType, edits ...edit) *protocol.Transaction {
	w.t.Helper()
	return w.signAs(from, from, typ, edits...)
}

func (w *world) signAs(signer, from string, typ protocol.TxType, edits ...edit) *protocol.Transaction {
	w.t.Helper()
	o := new(protocol.Object)
	o.SetUint16(protocol.FieldTransactionType, uint16(typ))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, 1)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetAccountID(protocol.FieldAccount, w.id(from))
	for _, e := range edits {
		e(o)
	}
	t, err := crypto.SignTransaction(w.keys[signer], o)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

func (w *world) pay(from, to string, drops protocol.Drops, edits ...edit) *protocol.Transaction {
	w.t.Helper()
	return w.sign(from, protocol.TxPayment, append([]edit{
		setDrops(protocol.FieldAmount, drops),
		func(o *protocol.Object) { o.SetAccountID(protocol.FieldDestination, w.id(to)) },
	}, edits...)...)
}

func (w *world) apply(t *protocol.Transaction, flags Flags) Result {
	w.t.Helper()
	r, err := w.eng.Apply(w.view, t, flags)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) root(name string) *protocol.AccountRoot {
	w.t.Helper()
	r, err := ledger.ReadAccount(w.view, w.id(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func goodSignature(t *protocol.Transaction) bool {
	return crypto.Verify(t.SigningPubKey(), t.SigningData(), t.TxnSignature(), crypto.Canonical)
}
