package chain

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

func TestValidatedFollowsBuilt(t *testing.T) {
	var validated, published []uint32
	b := newBench(t, func(_ *Options, d *Deps) {
		d.Hooks = Hooks{
			Validated: func(l *ledger.Ledger) { validated = append(validated, l.Sequence()) },
			Published: func(l *ledger.Ledger) { published = append(published, l.Sequence()) },
		}
	})
	b.genesis(20)
	rng := rand.New(rand.NewPCG(1, 1))
	next := sequences(20)
	for range 5 {
		b.step(traffic(t, rng, next, 30))
	}
	// Three are built before the next is validated: all are published, in order.
	var last protocol.Hash
	for range 3 {
		last = b.buildOnly(traffic(t, rng, next, 30))
	}
	b.m.CheckAccept(last, b.closedSeq(), 5)
	b.check(b.m.Advance())
	if got := b.m.Complete(); got != "2-10" {
		t.Errorf("complete %s", got)
	}
	if len(validated) != 6 || validated[5] != 10 {
		t.Errorf("validated %v", validated)
	}
	if len(published) != 8 {
		t.Fatalf("published %v", published)
	}
	for i, seq := range published {
		if seq != uint32(i)+3 {
			t.Errorf("published %v", published)
			break
		}
	}
	v := b.m.Validated()
	defer v.Release()
	if st := b.fam.Store().State().Validated; st.Seq != 10 || protocol.Hash(st.Hash) != v.Hash() {
		t.Errorf("marker names %d %s", st.Seq, protocol.Hash(st.Hash))
	}
}

// TestRangeIsAFact asks every ledger of the range and ten outside it, after a
// restart (trial S06).
func TestRangeIsAFact(t *testing.T) {
	b := newBench(t, nil)
	b.genesis(20)
	rng := rand.New(rand.NewPCG(2, 2))
	next := sequences(20)
	want := map[uint32]protocol.Hash{}
	for range 40 {
		id := b.step(traffic(t, rng, next, 10))
		want[b.closedSeq()] = id
	}
	b.m.ClearPrior(11)
	b.check(b.fam.Store().SetOldest(12))
	ask := func() {
		t.Helper()
		for seq := uint32(2); seq < 53; seq++ {
			l, err := b.m.LedgerBySeq(seq)
			if in := seq >= 12 && seq <= 42; in != (err == nil) {
				t.Errorf("ledger %d: %v", seq, err)
			}
			if err == nil {
				if l.Hash() != want[seq] {
					t.Errorf("ledger %d is %s, want %s", seq, l.Hash(), want[seq])
				}
				l.Release()
			} else if !errors.Is(err, ErrNotHere) {
				t.Error(err)
			}
		}
	}
	ask()
	b.m.Close()
	if err := b.heap.Close(); err == nil {
		t.Error("heap closed although the cache holds nodes")
	}
	b.open(nil)
	b.genesis(0)
	if got := b.m.Complete(); got != "12-42" {
		t.Errorf("complete after restart: %s", got)
	}
	ask()
	// The chain goes on.
	b.step(traffic(t, rng, next, 10))
	if got := b.m.Complete(); got != "12-43" {
		t.Errorf("complete: %s", got)
	}
}

func TestRangeIsCorrectedByAMissingNode(t *testing.T) {
	b := newBench(t, func(o *Options, _ *Deps) { o.Held = 1 })
	b.genesis(5)
	rng := rand.New(rand.NewPCG(3, 3))
	next := sequences(5)
	for range 4 {
		b.step(traffic(t, rng, next, 5))
	}
	id, ok, err := b.m.HashBySeq(4)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	b.m.Incomplete(4, errors.New("something else"))
	if got := b.m.Complete(); got != "2-6" {
		t.Errorf("complete %s after an unrelated error", got)
	}
	b.m.Incomplete(4, missing(id))
	if got := b.m.Complete(); got != "2-3,5-6" {
		t.Errorf("complete %s", got)
	}
	if _, err := b.m.LedgerBySeq(4); !errors.Is(err, ErrNotHere) {
		t.Errorf("ledger 4: %v", err)
	}
	if first, last := b.m.Range(); first != 5 || last != 6 {
		t.Errorf("range %d-%d", first, last)
	}
	for since, want := range map[uint32]uint32{0: 1, 2: 1, 4: 1, 5: 0, 99: 0} {
		if n := b.m.Missing(since); n != want {
			t.Errorf("%d missing since %d, want %d", n, since, want)
		}
	}
}

// TestDivergenceIsNamed: one node takes one fee otherwise for a single ledger, or has
// another set (trial C07).
func TestDivergenceIsNamed(t *testing.T) {
	var got []Divergence
	b := newBench(t, func(_ *Options, d *Deps) {
		d.Hooks.Diverged = func(x Divergence) { got = append(got, x) }
	})
	b.genesis(5)
	build := func(parent *ledger.Ledger, time uint32, txs ...*protocol.Transaction) protocol.Hash {
		r, err := b.m.BuildNow(Request{Parent: parent, Txs: txs, Close: ledger.Close{Time: parent.Header().CloseTime + time, Agreed: true}})
		b.check(err)
		defer r.Ledger.Release()
		return r.Ledger.Hash()
	}
	for i, c := range []struct {
		ours, theirs []*protocol.Transaction
		time         uint32
		parts        string
		entries      int
	}{
		{txs(payment(t, 0, 1, 1, 100, 10)), txs(payment(t, 0, 1, 1, 100, 11)), 3, "set state drops", 2},
		{nil, txs(payment(t, 0, 1, 2, 100, 10), payment(t, 2, 3, 1, 100, 10)), 3, "set state drops", 4},
		{nil, nil, 4, "close time", 0},
	} {
		parent := b.m.Closed()
		ours, theirs := build(parent, 3, c.ours...), build(parent, c.time, c.theirs...)
		parent.Release()
		b.check(b.m.SetClosed(ours))
		b.m.CheckAccept(theirs, uint32(i)+3, 4)
		b.check(b.m.Advance())
		if len(got) != i+1 {
			t.Fatalf("case %d: %d divergences", i, len(got))
		}
		d := got[i]
		if d.Ours != ours || d.Validated != theirs || strings.Join(d.Parts, " ") != c.parts ||
			len(d.OnlyOurs) != len(c.ours) || len(d.OnlyTheirs) != len(c.theirs) || len(d.Entries) != c.entries {
			t.Errorf("case %d: %+v", i, d)
		}
		if !b.m.Compatible(theirs) || b.m.Compatible(ours) {
			t.Error("compatible: validated false, or ours true")
		}
		b.check(b.m.SetClosed(theirs))
	}
}

func txs(list ...*protocol.Transaction) []*protocol.Transaction { return list }

func TestBoundsOfWhatIsHeld(t *testing.T) {
	b := newBench(t, func(o *Options, _ *Deps) { o.Held, o.IndexBound, o.BuiltMax = 3, 6, 4 })
	b.genesis(5)
	rng := rand.New(rand.NewPCG(4, 4))
	next := sequences(5)
	for range 30 {
		b.step(traffic(t, rng, next, 3))
	}
	for range 9 { // never validated
		b.buildOnly(traffic(t, rng, next, 3))
	}
	for seq := uint32(2); seq <= 32; seq++ { // opened for readers
		l, err := b.m.LedgerBySeq(seq)
		if err != nil {
			t.Fatal(err)
		}
		l.Release()
	}
	b.m.mu.Lock()
	index := len(b.m.mu.bySeq)
	b.m.mu.Unlock()
	if s := b.m.Stats(); s.Held > 3+4+openedMax || index > 6 {
		t.Errorf("%d held, %d in the index", s.Held, index)
	}
}
