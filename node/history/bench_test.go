package history

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store/pebbledb"
)

// payments builds a ledger of n payments among many accounts.
func payments(tb testing.TB, n int) *ledger.Ledger {
	tb.Helper()
	heap, err := payload.NewHeap("go")
	if err != nil {
		tb.Fatal(err)
	}
	pub := func(i int) []byte {
		b := make([]byte, 33)
		b[0] = 0xED
		binary.BigEndian.PutUint32(b[29:], uint32(i)*2654435761)
		return b
	}
	id := func(i int) protocol.AccountID { return crypto.AccountIDFromPublic(pub(i)) }
	o := ledger.DefaultGenesis()
	for i := range n + 1 {
		o.Accounts = append(o.Accounts, ledger.GenesisAccount{ID: id(i), Balance: 1e9})
	}
	g, err := ledger.Genesis(&shamap.Env{Heap: heap}, o)
	if err != nil {
		tb.Fatal(err)
	}
	eng, err := tx.New(tx.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	v := ledger.NewBuildView(g, n)
	defer v.Release()
	for i := range n {
		o := new(protocol.Object)
		o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
		o.SetUint32(protocol.FieldFlags, 0)
		o.SetUint32(protocol.FieldSequence, 1)
		o.SetDrops(protocol.FieldAmount, 1000)
		o.SetDrops(protocol.FieldFee, 10)
		o.SetBlob(protocol.FieldSigningPubKey, pub(i))
		o.SetBlob(protocol.FieldTxnSignature, make([]byte, 64))
		o.SetAccountID(protocol.FieldAccount, id(i))
		o.SetAccountID(protocol.FieldDestination, id(i+1))
		x, err := protocol.ParseTransaction(o.Bytes())
		if err != nil {
			tb.Fatal(err)
		}
		if r, err := eng.Apply(v, x, 0); err != nil || !r.Applied {
			tb.Fatal(r, err)
		}
	}
	var b ledger.Builder
	l, err := b.Build(v, ledger.Close{Time: 100, Agreed: true})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// TestFromLedger: both accounts of each payment, and nobody else.
func TestFromLedger(t *testing.T) {
	l := payments(t, 20)
	defer l.Release()
	e, err := FromLedger(l)
	if err != nil || e.Seq != l.Sequence() || e.Hash != l.Hash() || len(e.Txs) != 20 {
		t.Fatalf("%+v %v", e, err)
	}
	for _, x := range e.Txs {
		if len(x.Accounts) != 2 || x.Accounts[0] == x.Accounts[1] {
			t.Errorf("transaction %s touched %v", x.ID, x.Accounts)
		}
	}
}

// BenchmarkEnter is what the index costs a validated payment: reading it from its
// ledger and writing its records to Pebble.
func BenchmarkEnter(b *testing.B) {
	const txs = 2000
	l := payments(b, txs)
	defer l.Release()
	dir := b.TempDir()
	x, err := New(Options{
		Generations: func() (string, string) { return "2", "1" },
		Open: func(g string) (Backend, error) {
			o := pebbledb.Default()
			o.Dir, o.MemTableBytes, o.NoCompaction = filepath.Join(dir, g), 4<<20, true
			return pebbledb.Open(o)
		},
	})
	if err == nil {
		err = x.Follow()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	n := uint32(0)
	for b.Loop() {
		e, err := FromLedger(l)
		if err != nil {
			b.Fatal(err)
		}
		n++
		e.Seq = n
		for i := range e.Txs { // other transactions each time
			binary.BigEndian.PutUint32(e.Txs[i].ID[4:], n)
		}
		if err := x.Add(e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/txs, "ns/tx")
	b.ReportMetric(float64(x.Stats().Bytes)/float64(n)/txs, "B/tx")
}
