package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// shelf is a chain of ledgers that are all here.
type shelf struct {
	list       []*ledger.Ledger // from sequence 1
	incomplete []uint32
	broken     uint32 // reads of this ledger fail
}

func (s *shelf) Validated() *ledger.Ledger { return s.get(len(s.list) - 1) }
func (s *shelf) Closed() *ledger.Ledger    { return s.get(len(s.list)) }

func (s *shelf) get(seq int) *ledger.Ledger {
	l := s.list[seq-1]
	l.Acquire()
	return l
}

var errNone = errors.New("none")

func (s *shelf) LedgerBySeq(seq uint32) (*ledger.Ledger, error) {
	if seq == 0 || int(seq) >= len(s.list) || seq == s.broken {
		return nil, errNone
	}
	return s.get(int(seq)), nil
}

func (s *shelf) LedgerByHash(id protocol.Hash) (*ledger.Ledger, error) {
	for i, l := range s.list {
		if l.Hash() == id {
			return s.get(i + 1), nil
		}
	}
	return nil, errNone
}

func (s *shelf) HashBySeq(seq uint32) (protocol.Hash, bool, error) {
	if seq == 0 || int(seq) > len(s.list) {
		return protocol.Hash{}, false, nil
	}
	return s.list[seq-1].Hash(), true, nil
}

func (s *shelf) Range() (first, last uint32) { return 1, uint32(len(s.list)) - 1 }
func (s *shelf) Held(first, last uint32, fn func(first, last uint32)) {
	for seq := max(first, 1); seq <= min(last, uint32(len(s.list))-1); seq++ {
		if seq != s.broken {
			fn(seq, seq)
		}
	}
}
func (s *shelf) Incomplete(seq uint32, _ error) { s.incomplete = append(s.incomplete, seq) }

// newShelf has n ledgers; each but the first holds one payment from the master.
func newShelf(t *testing.T, n, accounts int) (*shelf, []protocol.Hash) {
	t.Helper()
	h, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	o := ledger.DefaultGenesis()
	for i := range accounts {
		o.Accounts = append(o.Accounts, ledger.GenesisAccount{ID: protocol.AccountID{9, byte(i >> 8), byte(i)}, Balance: 100_000_000})
	}
	l, err := ledger.Genesis(&shamap.Env{Heap: h}, o)
	if err != nil {
		t.Fatal(err)
	}
	eng, err := tx.New(tx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{list: []*ledger.Ledger{l}}
	ids := []protocol.Hash{{}}
	var b ledger.Builder
	for i := range n - 1 {
		v := ledger.NewBuildView(s.list[i], 1)
		x := masterPayment(t, uint32(i+1))
		if r, err := eng.Apply(v, x, 0); err != nil || !r.Applied {
			t.Fatal(r, err)
		}
		next, err := b.Build(v, ledger.Close{Time: uint32(i + 100), Agreed: true})
		v.Release()
		if err != nil {
			t.Fatal(err)
		}
		s.list, ids = append(s.list, next), append(ids, x.ID())
	}
	return s, ids
}

// masterKey is the account public key of "masterpassphrase".
const masterKey = "0330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD020"

func masterPayment(t *testing.T, seq uint32) *protocol.Transaction {
	t.Helper()
	o, err := protocol.ObjectFromMap(map[string]any{
		"TransactionType": "Payment", "Flags": json.Number("0"), "Sequence": json.Number(fmt.Sprint(seq)), "Amount": "1000", "Fee": "10",
		"SigningPubKey": masterKey, "TxnSignature": "00", "Account": ledger.MasterAccount().String(),
		"Destination": protocol.AccountID{9}.String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	x, err := protocol.ParseTransaction(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func newQuerier(t *testing.T, s *shelf, open func() *ledger.OpenView, o Options) *Querier {
	t.Helper()
	q, err := New(s, open, o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestSelectors(t *testing.T) {
	s, _ := newShelf(t, 5, 3)
	v := ledger.NewOpenView(s.list[4])
	q := newQuerier(t, s, func() *ledger.OpenView { v.Acquire(); return v }, Default())
	for _, c := range []struct {
		ref       Ref
		seq       uint32
		validated bool
	}{
		{Ref{}, 4, true},
		{Ref{Name: "validated"}, 4, true},
		{Ref{Name: "closed"}, 5, false},
		{Ref{Name: "current"}, 6, false},
		{Ref{Seq: 2}, 2, true},
		{Ref{Hash: s.list[2].Hash()}, 3, true},
	} {
		a, err := q.Account(protocol.AccountID{9}, c.ref)
		if err != nil || a.Seq != c.seq || a.Validated != c.validated {
			t.Errorf("%+v: ledger %d validated %v, %v", c.ref, a.Seq, a.Validated, err)
		}
		if err == nil && c.seq <= 5 && a.Root.Balance != 100_000_000+protocol.Drops(c.seq-1)*1000 {
			t.Errorf("%+v: balance %d", c.ref, a.Root.Balance)
		}
	}
	var bad *BadSelector
	if _, err := q.Account(protocol.AccountID{9}, Ref{Name: "newest"}); !errors.As(err, &bad) {
		t.Errorf("bad name: %v", err)
	}
	for _, r := range []Ref{{Seq: 99}, {Hash: protocol.Hash{1}}} {
		if _, err := q.Ledger(r, false); !errors.Is(err, ErrNotFound) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := q.Account(protocol.AccountID{77}, Ref{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown account: %v", err)
	}
	if _, _, err := q.Entry(protocol.Hash{5}, Ref{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown entry: %v", err)
	}
}

// TestPagesAreTheWhole: the pages of any size together are the state, once each.
func TestPagesAreTheWhole(t *testing.T) {
	s, _ := newShelf(t, 2, 300)
	want := map[protocol.Hash]string{}
	err := s.list[0].State().Walk([32]byte{}, func(k [32]byte, d []byte) bool {
		want[k] = string(d)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{1, 2, 5, 200, 0} {
		for _, bytesMax := range []int{1, 500, 1 << 20} {
			o := Default()
			o.PageBytesMax = bytesMax
			q := newQuerier(t, s, nil, o)
			got := map[protocol.Hash]string{}
			var from protocol.Hash
			for {
				p, err := q.StatePage(Ref{Seq: 1}, from, limit)
				if err != nil || len(p.Items) == 0 {
					t.Fatalf("limit %d: page of %d, %v", limit, len(p.Items), err)
				}
				for _, it := range p.Items {
					if _, twice := got[it.Key]; twice {
						t.Fatalf("limit %d: %s comes twice", limit, it.Key)
					}
					got[it.Key] = string(it.Data)
				}
				if !p.More {
					break
				}
				from = p.Next
			}
			if len(got) != len(want) {
				t.Fatalf("limit %d, bytes %d: %d entries, want %d", limit, bytesMax, len(got), len(want))
			}
		}
	}
}

func TestTransactions(t *testing.T) {
	s, ids := newShelf(t, 30, 1)
	q := newQuerier(t, s, nil, Default())
	f, looked, err := q.Transaction(ids[7], 0, 0)
	if err != nil || f.Seq != 8 || f.Tx.Result != protocol.TesSUCCESS || f.CloseTime != 106 {
		t.Errorf("%+v, %v", f, err)
	}
	if !looked.All || looked.Last != 29 {
		t.Errorf("searched %+v", looked)
	}
	if _, looked, err = q.Transaction(ids[7], 10, 20); !errors.Is(err, ErrNotFound) || looked.First != 10 || looked.Last != 20 {
		t.Errorf("outside the bounds: %+v, %v", looked, err)
	}
	s.broken = 20
	if _, looked, err = q.Transaction(protocol.Hash{1}, 0, 0); !errors.Is(err, ErrNotFound) || looked.All {
		t.Errorf("with a ledger missing: %+v, %v", looked, err)
	}
	l, err := q.Ledger(Ref{Seq: 5}, true)
	if err != nil || len(l.Txs) != 1 || l.Txs[0].ID != ids[4] || l.Header.Sequence != 5 {
		t.Errorf("%+v, %v", l, err)
	}
}
