package peer

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ledgerlab/node/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testNode is an overlay that remembers what it got.
type testNode struct {
	*Overlay
	name string
	key  Key
	mu   sync.Mutex
	got  map[protocol.Hash]string // blobs by id
	full int                      // transactions received in full, copies counted
	hops []string                 // proposals, validations, sets
	up   map[ID]bool
	last Status
	// onFull relays what is new, as a node does
	relay bool
	seen  map[protocol.Hash]Mask
}

func (n *testNode) handler() Handler {
	return Handler{
		Up:   func(id ID) { n.mu.Lock(); n.up[id] = true; n.mu.Unlock() },
		Down: func(id ID, _ string) { n.mu.Lock(); n.up[id] = false; n.mu.Unlock() },
		Transactions: func(from ID, txs []Tx) {
			for _, t := range txs {
				n.mu.Lock()
				_, had := n.got[t.ID]
				n.got[t.ID] = string(t.Blob)
				n.full++
				n.seen[t.ID] = n.seen[t.ID].With(from)
				out := Outgoing{ID: t.ID, Blob: slices.Clone(t.Blob), Seen: n.seen[t.ID]}
				n.mu.Unlock()
				if !had && n.relay {
					n.Relay(out)
				}
			}
		},
		Missing: func(from ID, ids []protocol.Hash) (out []protocol.Hash) {
			n.mu.Lock()
			defer n.mu.Unlock()
			for _, id := range ids {
				n.seen[id] = n.seen[id].With(from)
				if _, ok := n.got[id]; !ok {
					out = append(out, id)
				}
			}
			return out
		},
		Known: func(p ID, ids []protocol.Hash, out []bool) {
			n.mu.Lock()
			defer n.mu.Unlock()
			for i, id := range ids {
				out[i] = n.seen[id].Has(p)
			}
		},
		Blob: func(id protocol.Hash) []byte {
			n.mu.Lock()
			defer n.mu.Unlock()
			if b, ok := n.got[id]; ok {
				return []byte(b)
			}
			return nil
		},
		Proposal:   func(_ ID, raw []byte) { n.note("proposal " + string(raw[:8])) },
		Validation: func(_ ID, raw []byte) { n.note("validation " + string(raw[:8])) },
		HaveSet:    func(_ ID, set protocol.Hash) { n.note("set " + set.String()[:8]) },
		Status:     func(_ ID, s Status) { n.mu.Lock(); n.last = s; n.mu.Unlock() },
		Serve: func(_ ID, r Request) Response {
			if r.Item == ItemTxSet && len(r.NodeIDs) == 1 {
				return Response{Nodes: []Node{{ID: slices.Clone(r.NodeIDs[0]), Data: []byte("node data")}}}
			}
			return Response{Err: "not here"}
		},
	}
}

func (n *testNode) note(s string) { n.mu.Lock(); n.hops = append(n.hops, s); n.mu.Unlock() }

func (n *testNode) count() (unique, copies int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.got), n.full
}

// network makes n connected nodes; run starts them under ctx and returns what waits for their end.
func network(t testing.TB, n int, mode RelayMode, transports func(i int) Transport, addr func(i int) string) []*testNode {
	t.Helper()
	nodes := make([]*testNode, n)
	trs := make([]Transport, n)
	for i := range n {
		trs[i] = transports(i)
	}
	for i := range n {
		o := Default()
		o.Name, o.NetworkID, o.Mode = fmt.Sprintf("n%d", i), 7, mode
		for j := range n {
			if j != i {
				o.Peers = append(o.Peers, PeerConfig{Name: fmt.Sprintf("n%d", j), Key: trs[j].Key(), Address: addr(j)})
			}
		}
		nodes[i] = &testNode{name: o.Name, key: trs[i].Key(), got: map[protocol.Hash]string{}, seen: map[protocol.Hash]Mask{}, up: map[ID]bool{}, relay: true}
		ov, err := New(o, trs[i], nodes[i].handler())
		if err != nil {
			t.Fatal(err)
		}
		nodes[i].Overlay = ov
	}
	return nodes
}

func run(ctx context.Context, t testing.TB, nodes []*testNode) (wait func()) {
	var wg sync.WaitGroup
	for _, n := range nodes {
		wg.Go(func() {
			if err := n.Run(ctx); err != nil {
				t.Errorf("%s: %v", n.name, err)
			}
		})
	}
	return wg.Wait
}

func memoryNodes(t testing.TB, n int, mode RelayMode) []*testNode {
	net := NewMemoryNetwork()
	return network(t, n, mode, func(i int) Transport {
		return net.Transport(Key{0x02, byte(i + 1)})
	}, func(int) string { return "memory" })
}

func testIdentity(t testing.TB) Identity {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := Identity{
		Sign:   func(msg []byte) []byte { return ed25519.Sign(priv, msg) },
		Verify: func(pub, msg, sig []byte) bool { return len(pub) == 33 && ed25519.Verify(pub[1:], msg, sig) },
	}
	id.Key[0] = 0xED
	copy(id.Key[1:], pub)
	return id
}

func grpcNodes(t testing.TB, n int, mode RelayMode) []*testNode {
	trs := make([]*GRPC, n)
	for i := range trs {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if trs[i], err = NewGRPC(l, testIdentity(t)); err != nil {
			t.Fatal(err)
		}
	}
	return network(t, n, mode, func(i int) Transport { return trs[i] }, func(i int) string { return trs[i].Addr().String() })
}

// eventually polls for real networks, where no virtual clock tells when all is quiet.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

func connected(nodes []*testNode) bool {
	for _, n := range nodes {
		if c := n.Connected(); c != Mask(1)<<(len(nodes)-1)-1 {
			return false
		}
	}
	return true
}

func blob(i int) ([]byte, protocol.Hash) {
	b := []byte(fmt.Sprintf("transaction %06d of one hundred and ninety bytes or so", i))
	return b, transactionID(b)
}

func TestRelay(t *testing.T) {
	for _, mode := range []RelayMode{RelayAll, RelayHybrid} {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				nodes := memoryNodes(t, 5, mode)
				ctx, cancel := context.WithCancel(t.Context())
				wait := run(ctx, t, nodes)
				time.Sleep(time.Second)
				if !connected(nodes) {
					t.Fatal("not connected")
				}
				const txs = 300
				for i := range txs {
					b, id := blob(i)
					entry := nodes[i%5]
					entry.mu.Lock()
					entry.got[id] = string(b)
					entry.mu.Unlock()
					entry.Relay(Outgoing{ID: id, Blob: b, Entry: true})
					time.Sleep(300 * time.Microsecond)
				}
				time.Sleep(2 * time.Second)
				copies := 0
				for _, n := range nodes {
					unique, full := n.count()
					if unique != txs {
						t.Errorf("%s has %d of %d", n.name, unique, txs)
					}
					copies += full
				}
				t.Logf("%v: %.1f copies a transaction beside the entry's, announced %d", mode, float64(copies)/txs, nodes[0].Stats().Announced.Load())
				// One copy each is the floor; announcements that cross the entry's frame cost a few more.
				if mode == RelayHybrid && (copies < 4*txs || copies > 5*txs) {
					t.Errorf("hybrid sent %d copies, want %d and few more", copies, 4*txs)
				}
				cancel()
				wait()
			})
		})
	}
}

// A node that missed the full copy asks the announcer, and another one when that does not answer.
func TestHybridAsksOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 4, RelayHybrid)
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(time.Second)
		entry, victim := nodes[0], nodes[3]
		// The entry's frames to the victim vanish, and so do those of the first announcer after its announcement.
		must(t, entry.SetFault(2, Fault{Cut: true}, Fault{}))
		b, id := blob(1)
		entry.mu.Lock()
		entry.got[id] = string(b)
		entry.mu.Unlock()
		entry.Relay(Outgoing{ID: id, Blob: b, Entry: true})
		time.Sleep(21 * time.Millisecond) // the full copy is at 1 and 2; their announcements wait for the flush
		must(t, victim.SetFault(1, Fault{Cut: true}, Fault{}))
		time.Sleep(time.Second)
		if u, _ := victim.count(); u != 1 {
			t.Fatalf("victim has %d transactions; fetched %d, again %d, lost %d", u, victim.Stats().Fetched.Load(), victim.Stats().Refetched.Load(), victim.Stats().FetchLost.Load())
		}
		if victim.Stats().Fetched.Load() != 1 {
			t.Errorf("asked for %d", victim.Stats().Fetched.Load())
		}
		t.Logf("asked again %d times", victim.Stats().Refetched.Load())
		cancel()
		wait()
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConsensusMessagesGoAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 2, RelayAll)
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(time.Second)
		raw := []byte(fmt.Sprintf("%0200d", 5))
		nodes[0].BroadcastProposal(raw, 0)
		nodes[0].BroadcastValidation(raw, 0)
		nodes[0].BroadcastHaveSet(protocol.Hash{0xAB})
		nodes[0].SetStatus(Status{Mode: ModeFull, ClosedSeq: 9, ValidatedSeq: 8})
		b, id := blob(1)
		nodes[0].Relay(Outgoing{ID: id, Blob: b, Entry: true})
		synctest.Wait() // no time passes
		n := nodes[1]
		n.mu.Lock()
		got, last := slices.Clone(n.hops), n.last
		n.mu.Unlock()
		want := []string{"proposal 00000000", "validation 00000000", "set AB000000"}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || last.ClosedSeq != 9 {
			t.Errorf("got %q, status %+v", got, last)
		}
		time.Sleep(25 * time.Millisecond)
		if u, _ := n.count(); u != 1 {
			t.Errorf("transaction did not come with the flush")
		}
		cancel()
		wait()
	})
}

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 2, RelayAll)
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(time.Second)
		id := make([]byte, 33)
		resp, err := nodes[0].Request(ctx, 0, Request{Item: ItemTxSet, Hash: protocol.Hash{1}, NodeIDs: [][]byte{id}})
		if err != nil || len(resp.Nodes) != 1 || string(resp.Nodes[0].Data) != "node data" || resp.Item != ItemTxSet || resp.Hash != (protocol.Hash{1}) {
			t.Errorf("got %+v, %v", resp, err)
		}
		if resp, err = nodes[0].Request(ctx, 0, Request{Item: ItemHeader, Seq: 4}); err != nil || resp.Err != "not here" || resp.Seq != 4 {
			t.Errorf("got %+v, %v", resp, err)
		}
		if _, err = nodes[0].Request(ctx, 0, Request{Item: ItemTxSet, NodeIDs: [][]byte{{1}}}); err == nil {
			t.Error("a malformed request was sent")
		}
		must(t, nodes[1].SetFault(0, Fault{Cut: true}, Fault{}))
		start := time.Now()
		if _, err = nodes[0].Request(ctx, 0, Request{Item: ItemHeader}); !errors.Is(err, ErrTimeout) {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d != Default().RequestWait {
			t.Errorf("gave up after %v", d)
		}
		cancel()
		wait()
		if _, err = nodes[0].Request(context.Background(), 0, Request{Item: ItemHeader}); !errors.Is(err, ErrNotConnected) {
			t.Errorf("got %v", err)
		}
	})
}

func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 2, RelayAll)
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(time.Second)
		must(t, nodes[0].SetFault(0, Fault{Delay: 300 * time.Millisecond}, Fault{}))
		raw := []byte(fmt.Sprintf("%0200d", 5))
		start := time.Now()
		nodes[0].BroadcastValidation(raw, 0)
		nodes[1].BroadcastValidation(raw, 0)
		synctest.Wait()
		hops := func(i int) int { nodes[i].mu.Lock(); defer nodes[i].mu.Unlock(); return len(nodes[i].hops) }
		if hops(0) != 1 || hops(1) != 0 {
			t.Errorf("one way only: got %d, %d", hops(0), hops(1))
		}
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		if hops(1) != 1 {
			t.Errorf("nothing after %v", time.Since(start))
		}
		must(t, nodes[0].SetFault(0, Fault{Cut: true}, Fault{Cut: true}))
		nodes[0].BroadcastValidation(raw, 0)
		nodes[1].BroadcastValidation(raw, 0)
		time.Sleep(50 * time.Millisecond)
		if hops(0) != 1 || hops(1) != 1 {
			t.Errorf("cut: got %d, %d", hops(0), hops(1))
		}
		// An unanswered ping ends the session; once the link is whole the pair finds itself again.
		time.Sleep(3 * Default().PingEvery)
		if nodes[0].Connected() != 0 {
			t.Error("a dead link stayed up")
		}
		must(t, nodes[0].SetFault(0, Fault{}, Fault{}))
		time.Sleep(10 * time.Second)
		if !connected(nodes) {
			t.Error("not connected again")
		}
		if err := nodes[0].SetFault(0, Fault{Loss: 2}, Fault{}); err == nil {
			t.Error("loss of 200 % accepted")
		}
		cancel()
		wait()
	})
}

func TestReconnectAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 3, RelayAll)
		ctx, cancel := context.WithCancel(t.Context())
		ctx0, stop0 := context.WithCancel(ctx)
		wait0 := run(ctx0, t, nodes[:1])
		wait := run(ctx, t, nodes[1:])
		time.Sleep(time.Second)
		stop0()
		wait0()
		time.Sleep(time.Second)
		if c := nodes[1].Connected(); c != 0b10 {
			t.Errorf("connected %b", c)
		}
		wait0 = run(ctx, t, nodes[:1])
		time.Sleep(5 * time.Second)
		if !connected(nodes) {
			t.Error("not connected again")
		}
		cancel()
		wait0()
		wait()
	})
}

// A peer that takes nothing, as a stopped process, is let go; what waits for it is bounded, dropped and counted.
func TestStoppedPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 3, RelayAll)
		nodes[0].opts.QueueMax = 100
		stopped := make(chan struct{})
		nodes[1].Overlay.handler.Proposal = func(ID, []byte) { <-stopped } // its reader never comes back
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(time.Second)
		raw := []byte(fmt.Sprintf("%0200d", 5))
		nodes[0].BroadcastProposal(raw, 0)
		for range memoryDepth + 200 {
			nodes[0].BroadcastValidation(raw, 0)
			synctest.Wait()
		}
		if p := nodes[0].Peers()[0]; p.SendQueue != 100 || p.Counters.Dropped == 0 {
			t.Errorf("waiting %d, dropped %d", p.SendQueue, p.Counters.Dropped)
		}
		time.Sleep(2*Default().PingEvery + time.Second)
		if p := nodes[0].Peers(); p[0].Sessions != 2 || p[1].Sessions != 1 {
			t.Errorf("%+v", p)
		}
		close(stopped)
		cancel()
		wait()
	})
}

func TestCharge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 3, RelayAll)
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(time.Second)
		o := nodes[0]
		for range 60 { // one bad signature every ten seconds is nothing
			o.Charge(0, ChargeInvalidSignature)
			time.Sleep(10 * time.Second)
		}
		if n := o.Stats().Charged.Load(); n != 0 || o.Peers()[0].Sessions != 1 {
			t.Errorf("ended %d times", n)
		}
		for range 13 {
			o.Charge(0, ChargeInvalidSignature)
		}
		time.Sleep(5 * time.Second)
		if n := o.Stats().Charged.Load(); n != 1 || o.Peers()[0].Sessions != 2 || o.Peers()[1].Sessions != 1 {
			t.Errorf("ended %d times, %+v", n, o.Peers())
		}
		o.Charge(77, 1)
		cancel()
		wait()
	})
}

func TestSendQueueDropsAndCounts(t *testing.T) {
	q := newSendQueue(10, 1<<20)
	now := time.Unix(1, 0)
	msgs := make([]message, 15)
	for i := range msgs {
		msgs[i] = message{kind: kindHaveTransaction, id: protocol.Hash{byte(i)}}
	}
	if refused := q.push(now, whenFlushed, 1<<14, msgs...); refused != 5 || q.len() != 10 {
		t.Errorf("refused %d, holds %d", refused, q.len())
	}
	q = newSendQueue(100, 200)
	if refused := q.push(now, whenFlushed, 1<<14, msgs...); refused != 10 {
		t.Errorf("by bytes: refused %d", refused)
	}
	got := q.take(70, nil)
	if len(got) != 2 || got[1].id != (protocol.Hash{1}) || q.len() != 3 {
		t.Errorf("took %d, left %d", len(got), q.len())
	}
	q.push(now, atOnce, 1<<14, message{kind: kindValidation, data: make([]byte, 60)})
	if got = q.take(1<<10, got[:0]); len(got) != 4 || got[0].kind != kindValidation {
		t.Errorf("urgent one is not first: %v", got)
	}
}

func TestGRPC(t *testing.T) {
	nodes := grpcNodes(t, 3, RelayHybrid)
	ctx, cancel := context.WithCancel(context.Background())
	wait := run(ctx, t, nodes)
	eventually(t, "connected", func() bool { return connected(nodes) })
	for i := range 50 {
		b, id := blob(i)
		nodes[0].Relay(Outgoing{ID: id, Blob: b, Entry: true})
	}
	eventually(t, "relayed", func() bool { u, _ := nodes[2].count(); return u == 50 })
	id := make([]byte, 33)
	if resp, err := nodes[0].Request(ctx, 1, Request{Item: ItemTxSet, NodeIDs: [][]byte{id}}); err != nil || len(resp.Nodes) != 1 {
		t.Errorf("got %+v, %v", resp, err)
	}
	for _, p := range nodes[0].Peers() {
		if !p.Connected || p.Counters.FramesOut == 0 || p.Sessions != 1 {
			t.Errorf("peer %+v", p)
		}
	}
	cancel()
	wait()
}

func TestGRPCTurnsStrangersAway(t *testing.T) {
	nodes := grpcNodes(t, 2, RelayAll)
	stranger := grpcNodes(t, 1, RelayAll)[0]
	ctx, cancel := context.WithCancel(context.Background())
	wait := run(ctx, t, nodes)
	eventually(t, "connected", func() bool { return connected(nodes) })
	tr := stranger.transport.(*GRPC)
	defer tr.listener.Close()
	target := nodes[1].transport.(*GRPC)
	conn, err := tr.Dial(ctx, PeerConfig{Name: "target", Address: target.Addr().String(), Key: target.Key()}, 1<<20)
	if err == nil { // the refusal of a client certificate comes after the client's handshake
		if _, err = conn.Recv(); err == nil {
			t.Error("a stranger was let in")
		}
		conn.Close()
	}
	if _, err := tr.Dial(ctx, PeerConfig{Name: "target", Address: target.Addr().String(), Key: nodes[0].key}, 1<<20); err == nil {
		t.Error("another key than the pinned one was accepted")
	}
	eventually(t, "counted", func() bool { return nodes[1].Stats().Refused.Load() > 0 })
	cancel()
	wait()
}
