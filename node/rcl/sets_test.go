package rcl

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

func someTxs(t testing.TB, from, n int) (txs []Tx) {
	for i := range n {
		txs = append(txs, makeTx(t, from+i))
	}
	return txs
}

func mustMake(t testing.TB, s *Sets, txs []Tx) *TxSet {
	t.Helper()
	set, err := s.Make(txs)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestSetAlgebra checks With, Without, Edit and Diff against sets made afresh.
func TestSetAlgebra(t *testing.T) {
	s := testSets(t)
	defer s.Close()
	all := someTxs(t, 1, 60)
	a, b := mustMake(t, s, all[:40]), mustMake(t, s, all[20:])
	only, theirs, ok := a.Diff(b, 100)
	if !ok || len(only) != 20 || len(theirs) != 20 {
		t.Fatalf("differ in %d and %d, %v", len(only), len(theirs), ok)
	}
	for _, id := range only {
		if !a.Has(id) || b.Has(id) {
			t.Error("a transaction of a is not only there")
		}
	}
	if _, _, ok := a.Diff(b, 39); ok {
		t.Error("the limit of the comparison is not kept")
	}
	from := make([]consensus.TxSet, len(theirs))
	for i := range from {
		from[i] = b
	}
	got := a.Edit(theirs, from, only)
	if got.ID() != b.ID() || got != consensus.TxSet(b) {
		t.Error("the edited set is not the other one")
	}
	id := consensus.Hash(all[0].ID())
	if c := a.Without(id); c.Has(id) || c.ID() != mustMake(t, s, all[1:40]).ID() {
		t.Error("without")
	}
	if c := b.With(id); !c.Has(id) || b.Has(id) || c.ID() != mustMake(t, s, append(slices.Clone(all[20:]), all[0])).ID() {
		t.Error("with")
	}
	if c := a.With(consensus.Hash{9}); c.ID() != a.ID() {
		t.Error("a transaction without a body was added")
	}
	if c := mustMake(t, s, append(slices.Clone(all[:40]), all[:40]...)); c != a {
		t.Error("duplicates make another set")
	}
	if e := mustMake(t, s, nil); e.ID() != (consensus.Hash{}) || e.Len() != 0 {
		t.Errorf("the empty set is %x", e.ID())
	}
}

func TestSetsAge(t *testing.T) {
	s := NewSets(SetsConfig{Env: &shamap.Env{Heap: testHeap(t)}, Max: 8})
	defer s.Close()
	old := mustMake(t, s, someTxs(t, 1, 3))
	used := mustMake(t, s, someTxs(t, 10, 3))
	for range setKeepRounds {
		s.NextRound()
	}
	if s.Get(used.Hash()) == nil {
		t.Error("a set is gone too early")
	}
	s.NextRound()
	if s.Get(old.Hash()) != nil || s.Get(used.Hash()) == nil {
		t.Error("sets do not age by their last use")
	}
	for i := range 30 {
		mustMake(t, s, someTxs(t, 100*i, 2))
		s.NextRound()
	}
	if s.Len() > 8 {
		t.Errorf("%d sets", s.Len())
	}
}

func TestServeRefuses(t *testing.T) {
	s := testSets(t)
	defer s.Close()
	set := mustMake(t, s, someTxs(t, 1, 100))
	if r := s.Serve(peer.Request{Item: peer.ItemTxSet, Hash: protocol.Hash{7}}); r.Err == "" || len(r.Nodes) != 0 {
		t.Errorf("an unknown set: %+v", r)
	}
	for _, id := range [][]byte{nil, {1}, make([]byte, 32), slices.Repeat([]byte{255}, 33)} {
		if r := s.Serve(peer.Request{Item: peer.ItemTxSet, Hash: set.Hash(), NodeIDs: [][]byte{id}}); r.Err == "" {
			t.Errorf("node id %x: %d nodes and no error", id, len(r.Nodes))
		}
	}
	root := make([]byte, 33)
	if r := s.Serve(peer.Request{Item: peer.ItemTxSet, Hash: set.Hash(), NodeIDs: slices.Repeat([][]byte{root}, 100_000), Depth: 99}); len(r.Nodes) > serveNodesMax {
		t.Errorf("%d nodes in one reply", len(r.Nodes))
	}
}

// shop is a Network of one peer that answers requests for sets.
type shop struct {
	*Sets
	rng    *rand.Rand
	loss   float64
	spoil  bool // change a byte of each reply
	asked  int
	served atomic.Int64
}

func (s *shop) BroadcastProposal([]byte, peer.Mask)   {}
func (s *shop) BroadcastValidation([]byte, peer.Mask) {}
func (s *shop) BroadcastHaveSet(protocol.Hash)        {}
func (s *shop) SetStatus(peer.Status)                 {}
func (s *shop) Peers() []peer.Info {
	return []peer.Info{{ID: 0, Connected: true}, {ID: 1, Connected: true}, {ID: 2}}
}

func (s *shop) Ask(to peer.ID, r peer.Request, done func(peer.Response, error)) bool {
	s.asked++
	if to == 2 {
		return false
	}
	lost := s.rng.Float64() < s.loss
	go func() {
		time.Sleep(20 * time.Millisecond)
		if lost {
			done(peer.Response{}, context.DeadlineExceeded)
			return
		}
		resp := s.Serve(r)
		for _, n := range resp.Nodes {
			if s.spoil {
				n.Data[len(n.Data)/2] ^= 1
			}
		}
		s.served.Add(int64(len(resp.Nodes)))
		done(resp, nil)
	}()
	return true
}

func acquireOne(t *testing.T, n int, loss float64, spoil, known bool) (got *TxSet, took time.Duration, nodes, bad uint64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		txs := someTxs(t, 1, n)
		from := &shop{Sets: testSets(t), rng: rand.New(rand.NewPCG(3, 4)), loss: loss, spoil: spoil}
		set := mustMake(t, from.Sets, txs)
		id := set.Hash()
		if !known {
			id[0] ^= 1
		}
		mine := testSets(t)
		done := make(chan struct{})
		a := newAcquirer(mine, from, func(_ protocol.Hash, s *TxSet, d time.Duration) {
			got, took = s, d
			close(done)
		})
		a.want(t.Context(), id)
		a.want(t.Context(), id)
		<-done
		a.wg.Wait()
		nodes, bad = a.counts()
		if got != nil && (got.ID() != set.ID() || got.Len() != n || got.Txs()[n-1].ID() != set.Txs()[n-1].ID()) {
			t.Error("the set that came is another one")
		}
		mine.Close()
		from.Close()
	})
	return got, took, nodes, bad
}

func TestAcquire(t *testing.T) {
	for _, n := range []int{1, 2, 17, 1000, 5000} {
		got, took, nodes, bad := acquireOne(t, n, 0, false, true)
		if got == nil || bad != 0 {
			t.Fatalf("%d transactions: not obtained, %d bad nodes", n, bad)
		}
		t.Logf("%d transactions: %d nodes in %s", n, nodes, took)
	}
}

func TestAcquireWithLoss(t *testing.T) {
	if got, took, _, _ := acquireOne(t, 1000, 0.5, false, true); got == nil {
		t.Error("given up though half the requests are answered")
	} else {
		t.Logf("obtained in %s", took)
	}
}

func TestAcquireGivesUp(t *testing.T) {
	if got, took, _, _ := acquireOne(t, 10, 0, false, false); got != nil || took < acquireGiveUp*acquireStep || took > 30*acquireStep {
		t.Errorf("an unknown set: %v after %s", got, took)
	}
	got, took, nodes, bad := acquireOne(t, 10, 0, true, true)
	if got != nil || nodes != 0 || bad == 0 {
		t.Errorf("spoiled nodes: %v after %s, %d good, %d bad", got, took, nodes, bad)
	}
}

func TestMailbox(t *testing.T) {
	m := newMailbox(3)
	n := 0
	for range 5 {
		m.offer(func() { n++ })
	}
	m.post(func() { n += 100 })
	for _, f := range m.take() {
		f()
	}
	if n != 103 || m.refusedCount() != 2 {
		t.Errorf("ran %d, refused %d", n, m.refusedCount())
	}
	if !m.offer(func() {}) {
		t.Error("still full after take")
	}
}

func TestSuppressor(t *testing.T) {
	s := newSuppressor()
	hash := func(i int) (h protocol.Hash) {
		h[0], h[1] = byte(i), byte(i>>8)
		return h
	}
	for i := range 2 * suppressMax {
		if !s.first(hash(i)) {
			t.Fatalf("message %d seen before", i)
		}
	}
	for i := suppressMax; i < 2*suppressMax; i++ {
		if s.first(hash(i)) {
			t.Fatalf("message %d forgotten", i)
		}
	}
	if len(s.mu.young)+len(s.mu.old) > 2*suppressMax {
		t.Error("not bounded")
	}
}

func TestNextOffset(t *testing.T) {
	for _, tc := range []struct{ offset, by, want int }{
		{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {0, 10, 3}, {0, -2, -1}, {0, -10, -3}, {8, 0, 6}, {-8, 1, -6}, {1, 0, 0},
	} {
		if got := nextOffset(time.Duration(tc.offset)*time.Second, time.Duration(tc.by)*time.Second); got != time.Duration(tc.want)*time.Second {
			t.Errorf("%d by %d: %s, want %ds", tc.offset, tc.by, got, tc.want)
		}
	}
}

func TestNewestCommon(t *testing.T) {
	h := func(b byte) (h protocol.Hash) { h[0] = b; return h }
	for _, tc := range []struct {
		name string
		list []report
		want byte
	}{
		{"all equal", []report{{8, h(8), 8, h(8)}, {8, h(8), 8, h(8)}}, 8},
		{"one has validated more", []report{{8, h(8), 8, h(8)}, {8, h(8), 8, h(8)}, {9, h(9), 9, h(9)}}, 9},
		{"one is older", []report{{8, h(8), 8, h(8)}, {8, h(8), 8, h(8)}, {5, h(5), 5, h(5)}}, 8},
		{"most have closed more", []report{{9, h(9), 8, h(8)}, {9, h(9), 8, h(8)}, {8, h(8), 8, h(8)}}, 9},
		{"a tie: the later", []report{{9, h(9), 8, h(8)}, {8, h(8), 8, h(8)}}, 9},
		{"a tie at one sequence: the larger hash", []report{{9, h(7), 8, h(8)}, {9, h(9), 8, h(8)}}, 9},
		{"a closed ledger at the validated sequence is another", []report{{8, h(7), 7, h(6)}, {8, h(7), 7, h(6)}, {8, h(8), 8, h(8)}}, 8},
		{"nothing validated", []report{{2, h(3), 0, h(0)}, {2, h(3), 0, h(0)}, {2, h(4), 0, h(0)}}, 3},
	} {
		if got := newestCommon(tc.list); got != h(tc.want) {
			t.Errorf("%s: %d, want %d", tc.name, got[0], tc.want)
		}
	}
}

func TestOptionsAndDeps(t *testing.T) {
	o := Default()
	o.Trusted = [][]byte{{1}}
	o.QueueMax, o.Delay = 1, time.Hour
	_, err := New(o, Deps{})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"Trusted[0]", "QueueMax (1)", "Delay (1h0m0s)", "Deps.Chain", "Deps.Verify"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
