package txq

import (
	"encoding/binary"
	"testing"

	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// bench is a stand-alone server around a queue: an open ledger that closes on command.
type bench struct {
	t      testing.TB
	q      *Queue
	eng    *tx.Engine
	build  *tx.Engine
	b      ledger.Builder
	closed *ledger.Ledger
	open   *ledger.OpenView
}

func newBench(t testing.TB, accounts int, change func(*Options)) *bench {
	t.Helper()
	o := Default()
	if change != nil {
		change(&o)
	}
	b := &bench{t: t}
	var err error
	b.q, err = New(o)
	b.must(err)
	b.eng, err = tx.New(tx.Options{})
	b.must(err)
	b.build, err = tx.New(tx.Options{})
	b.must(err)
	heap, err := payload.NewHeap("go")
	b.must(err)
	g := ledger.DefaultGenesis()
	g.Amendments = ledger.LabAmendments()
	for i := range accounts {
		g.Accounts = append(g.Accounts, ledger.GenesisAccount{ID: accountID(i), Balance: 1_000_000_000})
	}
	b.closed, err = ledger.Genesis(&shamap.Env{Heap: heap}, g)
	b.must(err)
	b.open = ledger.NewOpenView(b.closed)
	t.Cleanup(func() { b.open.Release(); b.closed.Release() })
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// publicKey is a key that no signature is checked against.
func publicKey(i int) []byte {
	pub := make([]byte, 33)
	pub[0] = 0xED
	binary.BigEndian.PutUint32(pub[5:], uint32(i)*2654435761)
	return pub
}

func accountID(i int) protocol.AccountID { return crypto.AccountIDFromPublic(publicKey(i)) }

type txSpec struct {
	account   int
	seq       uint32
	fee       protocol.Drops
	last      uint32
	memoBytes int
	drops     protocol.Drops
	blocker   bool
	priorTx   bool
}

// make is an unsigned transaction; no engine here verifies.
func (b *bench) make(s txSpec) *protocol.Transaction {
	b.t.Helper()
	o := new(protocol.Object)
	typ := protocol.TxPayment
	if s.blocker {
		typ = protocol.TxAccountSet
		o.SetUint32(protocol.FieldSetFlag, protocol.AsfRequireAuth)
	}
	o.SetUint16(protocol.FieldTransactionType, uint16(typ))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, s.seq)
	o.SetDrops(protocol.FieldFee, s.fee)
	o.SetBlob(protocol.FieldSigningPubKey, publicKey(s.account))
	o.SetBlob(protocol.FieldTxnSignature, make([]byte, 64))
	o.SetAccountID(protocol.FieldAccount, accountID(s.account))
	if s.last > 0 {
		o.SetUint32(protocol.FieldLastLedgerSequence, s.last)
	}
	if s.priorTx {
		o.SetHash(protocol.FieldAccountTxnID, protocol.Hash{1})
	}
	if s.memoBytes > 0 {
		memo := new(protocol.Object)
		memo.SetBlob(protocol.FieldMemoData, make([]byte, s.memoBytes))
		o.SetArray(protocol.FieldMemos, []protocol.Element{{Field: protocol.FieldMemo, Object: memo}})
	}
	if !s.blocker {
		o.SetDrops(protocol.FieldAmount, max(s.drops, 1))
		o.SetAccountID(protocol.FieldDestination, accountID(s.account+1))
	}
	t, err := protocol.ParseTransaction(o.Bytes())
	b.must(err)
	return t
}

func (b *bench) submit(t *protocol.Transaction) protocol.TER {
	b.t.Helper()
	res, err := b.q.Apply(b.eng, b.open, t, 0)
	b.must(err)
	return res.TER
}

// close makes a ledger of the open one and opens the next; it returns the transactions that were in it.
func (b *bench) close(slow bool) []*protocol.Transaction {
	b.t.Helper()
	view := ledger.NewBuildView(b.closed, b.open.TxCount())
	var txs []*protocol.Transaction
	for _, r := range b.open.Txs() {
		res, err := b.build.Apply(view, r.Tx, 0)
		b.must(err)
		if !res.Applied {
			b.t.Fatalf("closing %d: %s", view.Header().Sequence, res.TER)
		}
		txs = append(txs, r.Tx)
	}
	next, err := b.b.Build(view, ledger.Close{Time: b.closed.Header().CloseTime + 10, Agreed: true})
	b.must(err)
	view.Release()
	b.must(b.q.ProcessClosed(next, txs, slow))
	open := ledger.NewOpenView(next)
	_, err = b.q.Accept(b.eng, open)
	b.must(err)
	b.open.Release()
	b.closed.Release()
	b.closed, b.open = next, open
	b.q.check(b.t)
	return txs
}

// check compares the two orders of the queue with one another.
func (q *Queue) check(t testing.TB) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	var bytes int64
	n := 0
	for id, a := range q.mu.byAccount {
		for i, e := range a.txs {
			if e.account != id || (i > 0 && a.txs[i-1].seq.Compare(e.seq) >= 0) {
				t.Fatalf("account %s: order", id)
			}
			if c, at := q.mu.byFee.find(e); c == len(q.mu.byFee.chunks) || q.mu.byFee.chunks[c][at] != e {
				t.Fatalf("account %s: entry %d is not in the fee index", id, i)
			}
			bytes += e.bytes
			n++
		}
	}
	var prev *entry
	q.mu.byFee.each(func(e *entry) {
		if prev != nil && !prev.before(e) {
			t.Fatal("fee index: order")
		}
		prev = e
	})
	if n != q.mu.byFee.size || bytes != q.mu.bytes {
		t.Fatalf("queue holds %d (%d bytes), counts %d (%d)", n, bytes, q.mu.byFee.size, q.mu.bytes)
	}
}
