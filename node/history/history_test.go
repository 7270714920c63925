package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"ledgerlab/node/protocol"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
	"ledgerlab/store/pebbledb"
)

// shelf is a store's pair of generations, as far as an index needs one.
type shelf struct {
	mu     sync.Mutex
	number int
	open   func(generation string) (Backend, error)
}

func (s *shelf) names() (writable, archive string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.number + 1), fmt.Sprint(s.number)
}

func (s *shelf) swap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
}

func newIndex(t *testing.T, s *shelf) *Index {
	t.Helper()
	x, err := New(Options{Generations: s.names, Open: s.open})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Follow(); err != nil {
		t.Fatal(err)
	}
	return x
}

// backends runs a test on both kinds of database.
func backends(t *testing.T, fn func(t *testing.T, s *shelf)) {
	t.Run("memory", func(t *testing.T) {
		f := memdb.NewFolder()
		fn(t, &shelf{open: func(g string) (Backend, error) {
			b, err := f.Open(g)
			return b.(Backend), err
		}})
	})
	t.Run("pebble", func(t *testing.T) {
		dir := t.TempDir()
		fn(t, &shelf{open: func(g string) (Backend, error) {
			o := pebbledb.Default()
			o.Dir, o.MemTableBytes, o.NoCompaction = filepath.Join(dir, g), 1<<20, true
			return pebbledb.Open(o)
		}})
	})
}

func account(i int) (a protocol.AccountID) { a[0], a[19] = byte(i), byte(i>>8); return a }

// draw makes ledgers with random transactions among few accounts.
func draw(rng *rand.Rand, first, last uint32) []Ledger {
	var out []Ledger
	for seq := first; seq <= last; seq++ {
		l := Ledger{Seq: seq, Hash: protocol.SHA512Half([]byte{byte(seq), byte(seq >> 8)}), CloseTime: 10 * seq}
		for place := range rng.IntN(6) {
			t := Tx{ID: protocol.SHA512Half([]byte{byte(seq), byte(place), 1}), Place: uint32(place)}
			for range 1 + rng.IntN(3) {
				t.Accounts = addOnce(t.Accounts, account(rng.IntN(5)))
			}
			l.Txs = append(l.Txs, t)
		}
		out = append(out, l)
	}
	return out
}

// expected lists an account's transactions from plain slices.
func expected(ledgers []Ledger, q Query) (list []Entry) {
	for _, l := range ledgers {
		for _, t := range l.Txs {
			if l.Seq >= q.First && l.Seq <= q.Last && slices.Contains(t.Accounts, q.Account) {
				list = append(list, Entry{l.Seq, t.Place, t.ID})
			}
		}
	}
	if !q.Forward {
		slices.Reverse(list)
	}
	return list
}

func TestAnswersAreThoseOfTheLedgers(t *testing.T) {
	backends(t, func(t *testing.T, s *shelf) {
		rng := rand.New(rand.NewPCG(1, 1))
		x := newIndex(t, s)
		ledgers := draw(rng, 1, 60)
		for _, l := range ledgers {
			if l.Seq == 30 {
				s.swap()
				if err := x.Follow(); err != nil {
					t.Fatal(err)
				}
			}
			if err := x.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range ledgers[25:30] { // entered again, as after a swap
			if err := x.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range ledgers {
			f, ok, err := x.Ledger(l.Seq)
			if err != nil || !ok || f != (Found{l.Hash, l.CloseTime, uint32(len(l.Txs))}) {
				t.Fatalf("ledger %d: %+v %v %v", l.Seq, f, ok, err)
			}
			for _, tx := range l.Txs {
				seq, place, ok, err := x.Tx(tx.ID)
				if err != nil || !ok || seq != l.Seq || place != tx.Place {
					t.Fatalf("transaction %s: %d %d %v %v", tx.ID, seq, place, ok, err)
				}
			}
		}
		if _, _, ok, err := x.Tx(protocol.Hash{1}); ok || err != nil {
			t.Errorf("unknown transaction: %v %v", ok, err)
		}
		for range 300 {
			first := uint32(rng.IntN(62))
			q := Query{
				Account: account(rng.IntN(6)), First: first, Last: first + uint32(rng.IntN(62)), Forward: rng.IntN(2) == 0,
				Limit: 1 + rng.IntN(20),
			}
			checkPages(t, x, q, expected(ledgers, q))
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}

// checkPages reads page by page and compares with the whole answer.
func checkPages(t *testing.T, x *Index, q Query, want []Entry) {
	t.Helper()
	var got []Entry
	for more := true; more; {
		var page []Entry
		var err error
		if page, more, err = x.Account(q); err != nil {
			t.Fatal(err)
		}
		if len(page) > q.Limit || more && len(page) == 0 {
			t.Fatalf("page of %d, limit %d, more %t", len(page), q.Limit, more)
		}
		got = append(got, page...)
		if more {
			q.After = &page[len(page)-1]
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%+v:\ngot  %v\nwant %v", q, got, want)
	}
}

// TestRotatesWithTheStore: what only the archive has goes with it, what was entered
// into the writable generation stays, and the answers say so.
func TestRotatesWithTheStore(t *testing.T) {
	backends(t, func(t *testing.T, s *shelf) {
		x := newIndex(t, s)
		ledgers := draw(rand.New(rand.NewPCG(2, 2)), 1, 30)
		for i, l := range ledgers {
			if i%10 == 0 && i > 0 {
				s.swap()
				if err := x.Follow(); err != nil {
					t.Fatal(err)
				}
			}
			if err := x.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		held, err := x.Held(1, 40)
		if err != nil || !slices.Equal(held, []Span{{11, 30}}) {
			t.Errorf("held %v %v", held, err)
		}
		if gaps := Gaps(1, 40, held); !slices.Equal(gaps, []Span{{1, 10}, {31, 40}}) {
			t.Errorf("gaps %v", gaps)
		}
		for seq, want := range map[uint32]bool{10: false, 11: false, 20: false, 21: true, 30: true, 31: false} {
			if have, err := x.Current(seq); err != nil || have != want {
				t.Errorf("ledger %d current: %v %v", seq, have, err)
			}
		}
		if _, ok, err := x.Ledger(10); ok || err != nil {
			t.Errorf("ledger 10 is still there: %v", err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if err := x.Add(ledgers[0]); !errors.Is(err, store.ErrClosed) {
			t.Errorf("add after close: %v", err)
		}
		x = newIndex(t, s) // and it is all there again
		defer x.Close()
		if held, err := x.Held(1, 40); err != nil || !slices.Equal(held, []Span{{11, 30}}) {
			t.Errorf("after a restart held %v %v", held, err)
		}
	})
}

// TestReadersDuringSwaps: no reader meets a closed database.
func TestReadersDuringSwaps(t *testing.T) {
	backends(t, func(t *testing.T, s *shelf) {
		x := newIndex(t, s)
		l := draw(rand.New(rand.NewPCG(3, 3)), 7, 7)[0]
		l.Txs = []Tx{{ID: protocol.Hash{9}, Accounts: []protocol.AccountID{account(1)}}}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					_, _, err1 := x.Account(Query{Account: account(1), Last: 10, Limit: 5})
					_, _, _, err2 := x.Tx(protocol.Hash{9})
					if err := errors.Join(err1, err2); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 12 {
			s.swap()
			if err := errors.Join(x.Follow(), x.Add(l)); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		wg.Wait()
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestBoth(t *testing.T) {
	for _, c := range []struct{ a, b, want []Span }{
		{nil, []Span{{1, 5}}, nil},
		{[]Span{{1, 5}}, []Span{{3, 9}}, []Span{{3, 5}}},
		{[]Span{{1, 2}, {4, 9}}, []Span{{2, 4}, {6, 7}, {9, 12}}, []Span{{2, 2}, {4, 4}, {6, 7}, {9, 9}}},
	} {
		if got := Both(c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if In([]Span{{2, 3}, {5, 5}}, 4) || !In([]Span{{2, 3}, {5, 5}}, 5) {
		t.Error("In")
	}
}
