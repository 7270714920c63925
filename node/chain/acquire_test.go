package chain

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

func missing(h protocol.Hash) error { return shamap.ErrMissing{Hash: h} }

// follower is a bench that acquires from others; every signal of its hooks arrives
// on the channel.
func follower(t *testing.T, n int, change func(*Options), l *link) (*bench, chan uint32) {
	t.Helper()
	seen := make(chan uint32, 1000)
	b := newBench(t, func(o *Options, d *Deps) {
		o.Acquire.Timeout = 60 * time.Millisecond
		if change != nil {
			change(o)
		}
		d.Peers = l
		d.Hooks.Published = func(l *ledger.Ledger) { seen <- l.Sequence() }
		d.Hooks.Gap = func(first, last uint32) { seen <- 0 }
	})
	b.genesis(n)
	return b, seen
}

func waitFor(t *testing.T, seen chan uint32, seq uint32) (got []uint32) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	for {
		select {
		case s := <-seen:
			if got = append(got, s); s == seq {
				return got
			}
		case <-limit.C:
			t.Fatalf("ledger %d was not published; got %v", seq, got)
		}
	}
}

// leader has n ledgers of traffic above the common genesis.
func leader(t *testing.T, accounts, n int) (*bench, protocol.Hash, uint32) {
	t.Helper()
	b := newBench(t, nil)
	b.genesis(accounts)
	rng := rand.New(rand.NewPCG(9, 9))
	next := sequences(accounts)
	var id protocol.Hash
	for range n {
		id = b.step(traffic(t, rng, next, 20))
	}
	return b, id, b.closedSeq()
}

func checkSame(t *testing.T, a, b *bench, seq uint32) {
	t.Helper()
	x, err := a.m.LedgerBySeq(seq)
	a.check(err)
	defer x.Release()
	y, err := b.m.LedgerBySeq(seq)
	b.check(err)
	defer y.Release()
	if x.Hash() != y.Hash() {
		t.Fatalf("ledger %d differs", seq)
	}
	n := 0
	err = y.State().Walk([32]byte{}, func([32]byte, []byte) bool { n++; return true })
	if err != nil || n == 0 {
		t.Errorf("walk of the acquired state: %d entries, %v", n, err)
	}
}

// TestCatchUp: a node that was down gets the newest ledger and those between, the
// latter by replay where the parent is here, and publishes all in order.
func TestCatchUp(t *testing.T) {
	l, id, seq := leader(t, 50, 12)
	f, seen := follower(t, 50, nil, &link{to: []*Master{l.m}})
	runFor(t, f.m, func() {
		f.m.CheckAccept(id, seq, 4)
		got := waitFor(t, seen, seq)
		for i, s := range got {
			if s != uint32(i)+3 {
				t.Fatalf("published %v", got)
			}
		}
	})
	for s := uint32(3); s <= seq; s++ {
		checkSame(t, l, f, s)
	}
	if s := f.m.Stats(); s.Replayed == 0 || s.Acquired == 0 {
		t.Errorf("nothing was replayed or acquired: %+v", s)
	}
}

// TestCatchUpFromNothing: another genesis, so that the whole state must come.
func TestCatchUpFromNothing(t *testing.T) {
	l, id, seq := leader(t, 3000, 3)
	f, seen := follower(t, 1, func(o *Options) { o.PublishGapMax = 1 }, &link{to: []*Master{l.m, l.m}})
	runFor(t, f.m, func() {
		f.m.CheckAccept(id, seq, 4)
		waitFor(t, seen, seq)
	})
	checkSame(t, l, f, seq)
	if s := f.m.Stats(); s.AcquiredNodes < 3000 {
		t.Errorf("only %d nodes were acquired", s.AcquiredNodes)
	}
}

// TestCatchUpWithBadPeers: one peer is silent, one answers with damaged nodes.
func TestCatchUpWithBadPeers(t *testing.T) {
	l, id, seq := leader(t, 200, 3)
	var silent, damaged atomic.Int32
	net := &link{to: []*Master{l.m, l.m, l.m}}
	net.lose = func(i int, _ peer.Request) bool {
		if i == 0 {
			silent.Add(1)
		}
		return i == 0
	}
	net.mute = func(i int, r *peer.Response) {
		if i == 1 && len(r.Nodes) > 0 {
			damaged.Add(1)
			r.Nodes[0].Data[len(r.Nodes[0].Data)/2] ^= 1
		}
	}
	f, seen := follower(t, 1, func(o *Options) { o.PublishGapMax, o.Acquire.TimeoutsMax = 1, 100 }, net)
	runFor(t, f.m, func() {
		f.m.CheckAccept(id, seq, 4)
		waitFor(t, seen, seq)
	})
	checkSame(t, l, f, seq)
	if silent.Load() == 0 || damaged.Load() == 0 {
		t.Error("the bad peers were not asked")
	}
}

// TestNobodyHasIt: the acquisition fails, is bounded, and is told.
func TestNobodyHasIt(t *testing.T) {
	l, _, _ := leader(t, 5, 1)
	failed := make(chan string, 1)
	f, _ := follower(t, 5, func(o *Options) { o.Acquire.TimeoutsMax = 2 }, &link{to: []*Master{l.m}})
	f.m.d.Hooks.Failed = func(_ protocol.Hash, _ uint32, why string) { failed <- why }
	runFor(t, f.m, func() {
		f.m.Acquire(protocol.Hash{1, 2, 3}, 99)
		select {
		case why := <-failed:
			t.Log(why)
		case <-time.After(10 * time.Second):
			t.Error("no answer")
		}
	})
	if s := f.m.Stats(); s.AcquireFailed != 1 {
		t.Errorf("%+v", s)
	}
}

func TestServeBounds(t *testing.T) {
	l, id, seq := leader(t, 2000, 1)
	root := shamap.NodeID{}.AppendTo(nil)
	r := l.m.Serve(0, peer.Request{Item: peer.ItemStateNodes, Hash: id, NodeIDs: [][]byte{root}, Depth: 3})
	if r.Err != "" || len(r.Nodes) == 0 || len(r.Nodes) > 128 || r.Seq != seq {
		t.Errorf("%d nodes, error %q", len(r.Nodes), r.Err)
	}
	for name, req := range map[string]peer.Request{
		"unknown ledger": {Item: peer.ItemHeader, Hash: protocol.Hash{1}},
		"later ledger":   {Item: peer.ItemHeader, Seq: 99},
		"bad node id":    {Item: peer.ItemStateNodes, Hash: id, NodeIDs: [][]byte{{1, 2}}},
		"no node":        {Item: peer.ItemStateNodes, Hash: id},
		"item":           {Item: 77, Hash: id},
		"bad hash":       {Item: peer.ItemByHash, NodeIDs: [][]byte{{1}}},
	} {
		if r := l.m.Serve(0, req); r.Err == "" {
			t.Errorf("%s: not refused", name)
		}
	}
	v := l.m.Validated()
	defer v.Release()
	acc := v.Header().AccountHash
	if r := l.m.Serve(0, peer.Request{Item: peer.ItemByHash, NodeIDs: [][]byte{acc[:]}}); r.Err != "" || len(r.Nodes) != 1 {
		t.Errorf("by hash: %+v", r.Err)
	}
}
