package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/node/txq"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a door with funded accounts and remembered hooks.
type rig struct {
	t      testing.TB
	door   *Door
	keys   []*crypto.KeyPair
	closed *ledger.Ledger
	stop   func()

	mu       sync.Mutex
	batches  []BatchInfo
	outcomes map[protocol.Hash]Outcome
	relayed  []peer.Outgoing
	blamed   []string
}

var keysOnce = sync.OnceValue(func() []*crypto.KeyPair {
	keys := make([]*crypto.KeyPair, 64)
	for i := range keys {
		k, err := crypto.GenerateAccountKey(crypto.SeedFromPassphrase(fmt.Sprint("account ", i)), crypto.Ed25519)
		if err != nil {
			panic(err)
		}
		keys[i] = k
	}
	return keys
})

func newRig(t testing.TB, change func(*Options, *Deps)) *rig {
	t.Helper()
	r := &rig{t: t, keys: keysOnce(), outcomes: make(map[protocol.Hash]Outcome)}
	heap, err := payload.NewHeap("go")
	r.must(err)
	g := ledger.DefaultGenesis()
	g.Amendments = ledger.LabAmendments()
	for _, k := range r.keys {
		g.Accounts = append(g.Accounts, ledger.GenesisAccount{ID: k.AccountID(), Balance: 1_000_000_000})
	}
	r.closed, err = ledger.Genesis(&shamap.Env{Heap: heap}, g)
	r.must(err)
	fees := txq.Default()
	fees.Initial = 100_000
	q, err := txq.New(fees)
	r.must(err)
	verifier, err := crypto.NewBatchVerifier(crypto.DefaultBatchOptions())
	r.must(err)
	o, d := Default(), Deps{Queue: q, Verifier: verifier, Verify: verifyCanonical}
	d.Relay = func(txs ...peer.Outgoing) { r.mu.Lock(); r.relayed = append(r.relayed, txs...); r.mu.Unlock() }
	d.Blame = func(_ peer.ID, reason string) { r.mu.Lock(); r.blamed = append(r.blamed, reason); r.mu.Unlock() }
	d.Hooks = Hooks{
		Batch:   func(i BatchInfo) { r.mu.Lock(); r.batches = append(r.batches, i); r.mu.Unlock() },
		Outcome: func(o Outcome) { r.mu.Lock(); r.outcomes[o.ID] = o; r.mu.Unlock() },
	}
	if change != nil {
		change(&o, &d)
	}
	r.door, err = New(o, d, r.closed)
	r.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.door.Run(ctx) }()
	r.stop = func() {
		cancel()
		r.must(<-done)
		r.closed.Release()
	}
	return r
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// payment is signed.
func (r *rig) payment(from int, seq uint32, change func(*protocol.Object)) *protocol.Transaction {
	r.t.Helper()
	o := new(protocol.Object)
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, seq)
	o.SetDrops(protocol.FieldAmount, 1)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetAccountID(protocol.FieldAccount, r.keys[from].AccountID())
	o.SetAccountID(protocol.FieldDestination, r.keys[(from+1)%len(r.keys)].AccountID())
	if change != nil {
		change(o)
	}
	t, err := crypto.SignTransaction(r.keys[from], o)
	r.must(err)
	return t
}

func asPeer(txs ...*protocol.Transaction) []peer.Tx {
	out := make([]peer.Tx, len(txs))
	for i, t := range txs {
		out[i] = peer.Tx{ID: t.ID(), Blob: t.Blob()}
	}
	return out
}

// close makes a ledger of the given transactions and accepts it.
func (r *rig) close(b *ledger.Builder, txs []*protocol.Transaction) {
	r.t.Helper()
	view := ledger.NewBuildView(r.closed, len(txs))
	var results []TxResult
	txs = slices.Clone(txs)
	slices.SortFunc(txs, func(a, b *protocol.Transaction) int { return a.SeqProxy().Compare(b.SeqProxy()) })
	eng, err := tx.New(tx.Options{})
	r.must(err)
	for _, t := range txs {
		res, err := eng.Apply(view, t, 0)
		r.must(err)
		if !res.Applied {
			r.t.Errorf("closing: %s", res.TER)
		}
		results = append(results, TxResult{t.ID(), res.TER})
	}
	next, err := b.Build(view, ledger.Close{Time: r.closed.Header().CloseTime + 10, Agreed: true})
	view.Release()
	r.must(err)
	_, err = r.door.Accept(AcceptRequest{Closed: Closed{Ledger: next}})
	r.must(err)
	r.must(r.door.OnValidated(next, results))
	r.closed.Release()
	r.closed = next
}

func TestSubmitModes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *Options, _ *Deps) { o.BatchInterval = 100 * time.Millisecond })
		ctx := t.Context()
		submit := func(seq uint32, m Mode) (Reply, time.Duration) {
			start := time.Now()
			reply, err := r.door.Submit(ctx, r.payment(0, seq, nil).Blob(), SubmitOptions{Mode: m})
			r.must(err)
			return reply, time.Since(start)
		}
		// The first batch starts the clock of the interval.
		if got, d := submit(1, Sync); !got.Applied || !got.Broadcast || !got.Kept || got.TER != protocol.TesSUCCESS || d > 10*time.Millisecond {
			t.Errorf("sync: %+v after %v", got, d)
		}
		if got, d := submit(2, Async); got.HasResult || got.Applied || d != 0 {
			t.Errorf("async: %+v after %v", got, d)
		}
		if n := r.door.Open().Count(); n != 1 {
			t.Errorf("async applied at once: %d", n)
		}
		if got, d := submit(3, Wait); !got.Applied || d < 80*time.Millisecond || d > 100*time.Millisecond {
			t.Errorf("wait: %+v after %v", got, d)
		}
		if n := r.door.Open().Count(); n != 3 {
			t.Errorf("%d in the open ledger", n)
		}
		// A sync one takes along what waits.
		submit(4, Async)
		if got, d := submit(5, Sync); !got.Applied || d > 10*time.Millisecond || r.door.Open().Count() != 5 {
			t.Errorf("sync: %+v after %v, %d in the ledger", got, d, r.door.Open().Count())
		}
		r.stop()
	})
}

// Trial T07: the same traffic under three intervals ends in the same ledger, with fewer copies.
func TestBatchInterval(t *testing.T) {
	var want string
	for _, interval := range []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond} {
		t.Run(interval.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(o *Options, _ *Deps) { o.BatchInterval = interval })
				for seq := uint32(1); seq <= 20; seq++ {
					for a := range 10 {
						mode := Mode(a % 3)
						if mode == Sync && interval > 0 {
							mode = Async
						}
						go r.door.Submit(t.Context(), r.payment(a, seq, nil).Blob(), SubmitOptions{Mode: mode})
					}
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(time.Second)
				set := r.door.CloseSet()
				var ids string
				for _, x := range set {
					ids += x.ID().String()
				}
				if want == "" {
					want = ids
				}
				if len(set) != 200 || ids != want {
					t.Errorf("%d transactions, or another set than with interval 0", len(set))
				}
				r.mu.Lock()
				copies := len(r.batches)
				r.mu.Unlock()
				t.Logf("%v: %d copies for 200 transactions", interval, copies)
				if limit := map[time.Duration]int{0: 200, 100 * time.Millisecond: 4, 500 * time.Millisecond: 2}[interval]; copies > limit {
					t.Errorf("%d copies", copies)
				}
				r.stop()
			})
		})
	}
}

// A peer's transactions beyond the limit of waiting ones are dropped and counted; the rest apply.
func TestQueueLimit(t *testing.T) {
	r := newRig(t, func(o *Options, d *Deps) { o.VerifyLinger = time.Second; o.VerifyBatch = 256 })
	var txs []*protocol.Transaction
	for a := range 60 {
		for seq := uint32(1); seq <= 5; seq++ {
			txs = append(txs, r.payment(a, seq, nil))
		}
	}
	// The worker is made to wait: it needs 256 or a second.
	r.door.RelayIn(3, asPeer(txs[:200]...))
	r.door.RelayIn(3, asPeer(txs[200:]...))
	if s := r.door.Stats(); s.Dropped.Load() != 50 {
		t.Errorf("dropped %d of 300", s.Dropped.Load())
	}
	if p := r.door.VerifyPlace().Snapshot(); p.Arrivals != 300 || p.Refused != 50 {
		t.Errorf("arrivals %d, refused %d", p.Arrivals, p.Refused)
	}
	r.must(r.door.SetVerifyBatch(64))
	r.door.RelayIn(3, asPeer(r.payment(61, 1, nil)))
	waitFor(t, func() bool { return r.door.Open().Count() >= 250 })
	r.stop()
}

func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("never")
		}
	}
}

func TestRelayIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		good, other := r.payment(0, 1, nil), r.payment(1, 1, nil)
		bad := append([]byte(nil), r.payment(2, 1, nil).Blob()...)
		badTx, err := protocol.ParseTransaction(bad)
		r.must(err)
		sig := badTx.TxnSignature()
		sig[5] ^= 1 // the blob is ours
		badTx, err = protocol.ParseTransaction(bad)
		r.must(err)
		late := r.payment(3, 1, func(o *protocol.Object) { o.SetUint32(protocol.FieldLastLedgerSequence, 1) })
		r.door.validated.Store(5)
		r.door.RelayIn(4, asPeer(good, badTx, other, late))
		r.door.RelayIn(5, asPeer(good))
		r.door.RelayIn(5, []peer.Tx{{ID: protocol.Hash{1}, Blob: []byte("nonsense")}})
		time.Sleep(time.Second)
		if n := r.door.Open().Count(); n != 2 {
			t.Errorf("%d applied", n)
		}
		r.mu.Lock()
		if len(r.relayed) != 2 || !r.relayed[0].Seen.Has(4) || r.relayed[0].Entry || len(r.blamed) != 3 {
			t.Errorf("relayed %+v, blamed %q", r.relayed, r.blamed)
		}
		r.mu.Unlock()
		s := r.door.Stats()
		if s.BadSignatures.Load() != 1 || s.Duplicates.Load() != 1 || s.Verified.Load() != 3 || s.Late.Load() != 1 {
			t.Errorf("bad %d, duplicates %d, verified %d, late %d", s.BadSignatures.Load(), s.Duplicates.Load(), s.Verified.Load(), s.Late.Load())
		}
		// Known to be bad: not verified again, by whatever way it comes.
		time.Sleep(11 * time.Second)
		r.door.RelayIn(6, asPeer(badTx))
		var invalid *InvalidError
		if _, err := r.door.Submit(t.Context(), bad, SubmitOptions{}); !errors.As(err, &invalid) {
			t.Errorf("submitting it: %v", err)
		}
		if s.Verified.Load() != 3 || r.door.SignatureGood(badTx) || !r.door.SignatureGood(good) {
			t.Errorf("verified again: %d", s.Verified.Load())
		}
		out := make([]bool, 2)
		r.door.Known(5, []protocol.Hash{good.ID(), other.ID()}, out)
		if !out[0] || out[1] || r.door.Blob(good.ID()) == nil || r.door.Blob(badTx.ID()) != nil {
			t.Errorf("known %v", out)
		}
		if got := r.door.Missing(6, []protocol.Hash{good.ID(), {9}, {9}}); len(got) != 2 {
			t.Errorf("missing %v", got) // a hash-only entry does not count as seen
		}
		r.stop()
	})
}

func TestHeldAndOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ctx := t.Context()
		submit := func(x *protocol.Transaction) Reply {
			t.Helper()
			reply, err := r.door.Submit(ctx, x.Blob(), SubmitOptions{})
			r.must(err)
			return reply
		}
		second, third := r.payment(0, 2, nil), r.payment(0, 3, nil)
		for _, x := range []*protocol.Transaction{third, second} {
			if got := submit(x); got.TER != protocol.TerPRE_SEQ || got.Applied || !got.Kept || got.Status != StatusHeld {
				t.Errorf("got %+v", got)
			}
		}
		if got := submit(r.payment(0, 1, nil)); !got.Applied {
			t.Errorf("got %+v", got)
		}
		time.Sleep(time.Second)
		if n := r.door.Open().Count(); n != 3 || r.door.Sizes().Held != 0 {
			t.Errorf("the gap is filled: %d applied, %d held", n, r.door.Sizes().Held)
		}
		if got := submit(r.payment(1, 1, func(o *protocol.Object) { o.SetDrops(protocol.FieldAmount, 0) })); got.TER != protocol.TemBAD_AMOUNT || got.Accepted() {
			t.Errorf("got %+v", got)
		}
		expires := r.payment(2, 5, func(o *protocol.Object) { o.SetUint32(protocol.FieldLastLedgerSequence, 3) })
		submit(expires)
		forgotten := r.payment(3, 5, nil)
		submit(forgotten)

		var b ledger.Builder
		set := r.door.CloseSet()
		if len(set) != 3 {
			t.Fatalf("position of %d", len(set))
		}
		r.close(&b, set)
		if n := r.door.Open().Count(); n != 0 {
			t.Errorf("%d still open", n)
		}
		for range 12 {
			r.close(&b, nil)
			time.Sleep(time.Second)
		}
		want := map[protocol.Hash]Fate{second.ID(): Validated, third.ID(): Validated, expires.ID(): Expired, forgotten.ID(): Forgotten}
		r.mu.Lock()
		for id, fate := range want {
			if got, ok := r.outcomes[id]; !ok || got.Fate != fate {
				t.Errorf("%s: %v %v, want %v", id, got.Fate, ok, fate)
			}
		}
		r.mu.Unlock()
		if s := r.door.Sizes(); s.Tracked != 0 || s.Locals != 0 {
			t.Errorf("left: %+v", s)
		}
		r.stop()
	})
}

// Transactions of the old open ledger that the closed one does not hold go on into the new.
func TestAcceptKeepsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		var all []*protocol.Transaction
		for a := range 10 {
			for seq := uint32(1); seq <= 3; seq++ {
				all = append(all, r.payment(a, seq, nil))
			}
		}
		r.door.RelayIn(1, asPeer(all...))
		time.Sleep(time.Second)
		if r.door.Open().Count() != 30 {
			t.Fatal("not applied")
		}
		var b ledger.Builder
		r.close(&b, all[:15])
		if n := r.door.Open().Count(); n != 15 {
			t.Errorf("%d open after 15 of 30 closed", n)
		}
		r.close(&b, nil)
		if n := r.door.Open().Count(); n != 15 {
			t.Errorf("%d open after an empty ledger", n)
		}
		p := r.door.AcceptPlace().Snapshot()
		if p.Arrivals != 2 || p.LockHold.Count != 2 {
			t.Errorf("%+v", p)
		}
		r.stop()
	})
}

// Clients, peers, closes and readers at once: nothing is lost, nothing applied twice, no reply says applied too early.
func TestConcurrentTraffic(t *testing.T) {
	r := newRig(t, func(o *Options, d *Deps) { o.VerifyLinger = time.Millisecond; d.Limit = func() int { return 1 << 20 } })
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	const each = 30
	for a := range 24 {
		wg.Go(func() {
			for seq := uint32(1); seq <= each; seq++ {
				x := r.payment(a, seq, nil)
				if a%3 == 2 {
					r.door.RelayIn(peer.ID(a%5), asPeer(x))
					continue
				}
				reply, err := r.door.Submit(ctx, x.Blob(), SubmitOptions{Mode: Mode(a % 3 * 2)})
				if err != nil || !reply.Applied {
					t.Errorf("%+v, %v", reply, err)
					return
				}
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			v := r.door.Open().Current()
			_, err := ledger.ReadAccount(v, r.keys[0].AccountID())
			r.must(err)
			v.Release()
		}
	})
	var b ledger.Builder
	for range 5 {
		r.close(&b, r.door.CloseSet())
	}
	wg.Wait()
	waitFor(t, func() bool {
		n, _ := r.door.batcher.state()
		rem, loc := r.door.verify.waiting()
		return n+rem+loc == 0
	})
	r.door.Flush()
	for range 3 {
		r.close(&b, r.door.CloseSet())
		r.door.Flush()
	}
	close(stop)
	readers.Wait()
	for a := range 24 {
		root, err := ledger.ReadAccount(r.closed, r.keys[a].AccountID())
		r.must(err)
		if root.Sequence != each+1 {
			t.Errorf("account %d is at %d", a, root.Sequence)
		}
	}
	r.stop()
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *Options, _ *Deps) {
			o.LocalMax, o.HeldMax, o.LocalTxsMax, o.RecentMax, o.VerifyLinger, o.Router.Capacity = 5, 3, 4, 2, 100*time.Millisecond, 10
		})
		busy := 0
		for a := range 8 {
			if err := r.door.Start(r.payment(a, 9, nil).Blob(), SubmitOptions{}, func(Reply, error) {}); errors.Is(err, ErrBusy) {
				busy++
			}
		}
		if busy != 3 {
			t.Errorf("busy %d times", busy)
		}
		time.Sleep(time.Second)
		for a := range 8 {
			r.door.RelayIn(1, asPeer(r.payment(a, 1, nil)))
			time.Sleep(time.Second)
		}
		s := r.door.Sizes()
		if s.Held > 3 || s.Locals > 4 || s.Recent > 2 || s.Router > 10 || s.RouterEvictions == 0 || s.HeldRefused == 0 || s.LocalsRefused == 0 {
			t.Errorf("%+v", s)
		}
		r.stop()
		if _, err := r.door.Submit(context.Background(), r.payment(9, 1, nil).Blob(), SubmitOptions{}); !errors.Is(err, ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	})
}
