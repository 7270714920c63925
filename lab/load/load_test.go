package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ledgerlab/api"
	"ledgerlab/api/apitest"
	"ledgerlab/api/client"
	"ledgerlab/node/crypto"
	"ledgerlab/node/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// chain is one ledger chain behind several fake nodes: it applies payments in the
// order of their sequences and closes a ledger every 50 ms.
type chain struct {
	mu     sync.Mutex
	seq    uint32 // of the open ledger
	next   map[protocol.AccountID]uint32
	open   []api.LedgerTx
	closed map[uint32][]api.LedgerTx
	nodes  []*apitest.Fake
	seen   map[[32]byte]bool

	// refuse may answer instead of the chain; swallow takes a payment in and forgets it.
	refuse  func(n int) (protocol.TER, bool)
	swallow func(n int) bool
	claim   func(n int) bool
	stall   chan struct{} // when set, answers wait for it
	n       int
	badSeq  int // sequences that did not fit
}

func newChain(nodes int) *chain {
	c := &chain{seq: 10, next: map[protocol.AccountID]uint32{}, closed: map[uint32][]api.LedgerTx{}, seen: map[[32]byte]bool{}}
	for range nodes {
		f := &apitest.Fake{}
		f.OnInfo = func() (api.Info, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			return api.Info{ValidatedSeq: c.seq - 1}, nil
		}
		f.OnAccount = c.account
		f.OnSubmit = c.submit
		f.OnStatePage = func(api.LedgerRef, [32]byte, int) (api.StatePage, error) { return api.StatePage{}, nil }
		f.OnLedger = c.ledger
		c.nodes = append(c.nodes, f)
	}
	return c
}

func (c *chain) account(address string, _ api.LedgerRef) (api.Account, error) {
	id, err := protocol.ParseAccountID(address)
	if err != nil {
		return api.Account{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return api.Account{Address: address, Sequence: c.sequence(id)}, nil
}

// sequence returns the next one; accounts begin at 7.
func (c *chain) sequence(id protocol.AccountID) uint32 {
	if c.next[id] == 0 {
		c.next[id] = 7
	}
	return c.next[id]
}

func (c *chain) submit(blobs [][]byte, _ api.SubmitMode, _ bool) (func() ([]api.SubmitResult, error), error) {
	c.mu.Lock()
	stall := c.stall
	out := make([]api.SubmitResult, len(blobs))
	for i, b := range blobs {
		out[i] = c.one(b)
	}
	c.mu.Unlock()
	return func() ([]api.SubmitResult, error) {
		if stall != nil {
			<-stall
		}
		return out, nil
	}, nil
}

func (c *chain) one(blob []byte) api.SubmitResult {
	tx, err := protocol.ParseTransaction(blob)
	if err != nil || !crypto.VerifyTransaction(tx, crypto.Canonical) {
		return api.SubmitResult{Code: -1, Token: "bad"}
	}
	c.n++
	r := api.SubmitResult{ID: tx.ID()}
	set := func(t protocol.TER) { r.Code, r.Token = int(t), t.String() }
	want := c.sequence(tx.Account())
	switch ter, no := protocol.TER(0), false; {
	case c.refuse != nil && func() bool { ter, no = c.refuse(c.n); return no }():
		set(ter)
	case func() bool { last, ok := tx.LastLedgerSequence(); return ok && last < c.seq }():
		set(protocol.TefMAX_LEDGER)
	case tx.Sequence() < want:
		c.badSeq++
		set(protocol.TefPAST_SEQ)
	case tx.Sequence() > want:
		c.badSeq++
		set(protocol.TerPRE_SEQ)
	case c.swallow != nil && c.swallow(c.n):
		set(protocol.TesSUCCESS)
		r.Applied = true
	default:
		set(protocol.TesSUCCESS)
		r.Applied = true
		code := 0
		if c.claim != nil && c.claim(c.n) {
			code = int(protocol.TecUNFUNDED_PAYMENT)
		}
		c.next[tx.Account()]++
		c.open = append(c.open, api.LedgerTx{ID: tx.ID(), Code: code})
	}
	r.AccountSeq = c.sequence(tx.Account())
	return r
}

func (c *chain) ledger(ref api.LedgerRef, _ bool) (api.LedgerInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ref.Name == "validated" {
		ref.Seq = c.seq - 1
	}
	txs, ok := c.closed[ref.Seq]
	if !ok {
		return api.LedgerInfo{}, api.ErrNotFound
	}
	return api.LedgerInfo{Header: api.Header{Seq: ref.Seq}, Transactions: txs}, nil
}

// close validates the open ledger.
func (c *chain) close() {
	c.mu.Lock()
	txs, seq := c.open, c.seq
	c.open, c.closed[seq] = nil, txs
	c.seq++
	c.mu.Unlock()
	for _, f := range c.nodes {
		f.Publish(api.ValidatedLedger{Header: api.Header{Seq: seq}, Seen: time.Now(), Count: len(txs), Transactions: func() []api.LedgerTx { return txs }})
	}
}

// run closes ledgers until the test ends and returns the targets.
func (c *chain) run(t *testing.T) []Target {
	t.Helper()
	var targets []Target
	for i, f := range c.nodes {
		n, err := apitest.Serve(f, "", api.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cl, err := client.Dial(n.Addr, client.Options{Name: fmt.Sprintf("n%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(cl.Close(), n.Stop()); err != nil {
				t.Error(err)
			}
		})
		targets = append(targets, Target{Name: fmt.Sprintf("n%d", i), Client: cl})
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.close()
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return targets
}

// offer runs a load for a time and returns its report, which must add up.
func offer(t *testing.T, c *chain, o Options, d time.Duration) *Report {
	t.Helper()
	if o.Targets == nil {
		o.Targets = c.run(t)
	}
	if o.NetworkID == 0 {
		o.NetworkID = 20100
	}
	if o.Expire == 0 {
		o.Expire = 200 // ten seconds: no payment expires because the machine is busy
	}
	if o.Late == 0 {
		o.Late = 5 * time.Second
	}
	g, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := pause(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := g.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	addsUp(t, r)
	return r
}

func addsUp(t *testing.T, r *Report) {
	t.Helper()
	c := r.Counts
	if c.Sum() != c.Intended || c.Sent+c.Missed != c.Intended || c.Accepted+c.Refused+c.Errors != c.Sent ||
		c.Validated+c.Claimed+c.Expired+c.Pending != c.Accepted {
		t.Fatalf("does not add up: %+v", c)
	}
	if int64(len(r.Points)) != c.Validated+c.Claimed+c.Expired || r.Latency.N != int64(len(r.Points)) {
		t.Errorf("%d points, %d in the histogram, %+v", len(r.Points), r.Latency.N, c)
	}
}

func TestEverythingValidates(t *testing.T) {
	c := newChain(3)
	r := offer(t, c, Options{Rate: 300, Accounts: 60, Reads: 50, Pages: 20, Held: 2}, 2*time.Second)
	k := r.Counts
	if k.Validated != k.Sent || k.Refused+k.Claimed+k.Expired+k.Pending+k.Errors != 0 || c.badSeq != 0 {
		t.Fatalf("%+v, codes %v, %d bad sequences", k, r.Codes, c.badSeq)
	}
	if took := r.Ended.Sub(r.Started).Seconds(); float64(k.Intended) < 300*(took-1) || float64(k.Intended) > 300*took {
		t.Errorf("intended %d in %vs", k.Intended, took)
	}
	if k.Reads == 0 || k.ReadErrors != 0 {
		t.Errorf("%+v", k)
	}
	if r.Latency.P50 <= 0 {
		t.Errorf("%+v", r.Latency)
	}
}

// TestAllFail is trial L01: with nothing validated the throughput is zero.
func TestAllFail(t *testing.T) {
	c := newChain(1)
	c.refuse = func(int) (protocol.TER, bool) { return protocol.TelINSUF_FEE_P, true }
	r := offer(t, c, Options{Rate: 200, Accounts: 50}, time.Second)
	if r.Counts.Refused != r.Counts.Sent || r.Counts.Sent == 0 || r.Validated != 0 || r.Codes["telINSUF_FEE_P"] != r.Counts.Sent {
		t.Fatalf("%+v %v", r.Counts, r.Codes)
	}
	if !strings.Contains(strings.Join(r.Lines(), "\n"), "0.0/s validated") {
		t.Error(r.Lines())
	}
}

// TestMixedOutcomes is trial L01's mix: each outcome has its line, all add up.
func TestMixedOutcomes(t *testing.T) {
	c := newChain(2)
	c.refuse = func(n int) (protocol.TER, bool) { return protocol.TelCAN_NOT_QUEUE_FULL, n%5 == 0 }
	c.claim = func(n int) bool { return n%7 == 0 }
	c.swallow = func(n int) bool { return n%11 == 0 }
	r := offer(t, c, Options{Rate: 100, Accounts: 100, Expire: 40}, 2*time.Second)
	k := r.Counts
	if k.Validated == 0 || k.Claimed == 0 || k.Refused == 0 || k.Expired == 0 || k.Pending != 0 {
		t.Fatalf("%+v %v", k, r.Codes)
	}
	if r.Codes["tecUNFUNDED_PAYMENT"] != k.Claimed {
		t.Error(r.Codes)
	}
	if float64(k.Validated) < 0.5*float64(k.Sent) { // accounts find their sequence again
		t.Errorf("%+v, codes %v", k, r.Codes)
	}
}

// TestStall is trial L03: a node that answers nothing for a while brings no burst
// afterwards, and a rate beyond the generator is told.
func TestStall(t *testing.T) {
	c := newChain(1)
	o := Options{Rate: 100, Accounts: 20, InFlight: 2, Targets: c.run(t), NetworkID: 1}
	stall := make(chan struct{})
	g, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := pause(t.Context(), 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.stall = stall
	c.mu.Unlock()
	if err := pause(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.stall = nil
	c.mu.Unlock()
	close(stall)
	before := g.Counts()
	if err := pause(t.Context(), 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if sent := g.Counts().Sent - before.Sent; sent > 75 {
		t.Errorf("%d sends in the half second after the stall, 50 were due", sent)
	}
	r, err := g.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	addsUp(t, r)
	if ok, why := r.Comparable(); ok || r.Missed["no account free"] == 0 {
		t.Errorf("comparable %v %q, missed %v", ok, why, r.Missed)
	}
}

func TestNodeDies(t *testing.T) {
	c := newChain(2)
	targets := c.run(t)
	n, err := apitest.Serve(c.nodes[0], "", api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cl, err := client.Dial(n.Addr, client.Options{Name: "mortal"})
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	targets[0] = Target{Name: "mortal", Client: cl}
	g, err := Start(t.Context(), Options{Rate: 100, Accounts: 40, Targets: targets, NetworkID: 1, Expire: 40})
	if err != nil {
		t.Fatal(err)
	}
	if err := pause(t.Context(), 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := pause(t.Context(), 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	n, err = apitest.Serve(c.nodes[0], n.Addr, api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Stop()
	if err := pause(t.Context(), 1500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := g.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	addsUp(t, r)
	if r.Missed["node down"] == 0 || r.Counts.Pending != 0 || r.Counts.Validated < r.Counts.Intended/2 || r.Gaps != 0 {
		t.Fatalf("%+v missed %v codes %v gaps %d", r.Counts, r.Missed, r.Codes, r.Gaps)
	}
}

func TestUnfundedAccounts(t *testing.T) {
	c := newChain(1)
	c.nodes[0].OnAccount = func(string, api.LedgerRef) (api.Account, error) { return api.Account{}, api.ErrNotFound }
	_, err := Start(t.Context(), Options{Rate: 1, Targets: c.run(t), Seed: 3, Accounts: 5})
	var none *NoAccountError
	if !errors.As(err, &none) || none.Accounts != 5 || !strings.Contains(err.Error(), "of seed 3") {
		t.Fatal(err)
	}
}

func TestOptions(t *testing.T) {
	if err := (Options{}).Default().Validate(); err == nil || !strings.Contains(err.Error(), "no target") {
		t.Error(err)
	}
}

func TestAccountKeysAreStable(t *testing.T) {
	if AccountKey(1, 0).AccountID() == AccountKey(1, 1).AccountID() || AccountKey(1, 0).AccountID() == AccountKey(2, 0).AccountID() {
		t.Fatal("keys repeat")
	}
	const want = "rBGm32SsbRi395VKMSMe1MXf5tNJ14PuPm"
	if got := AccountKey(1, 0).AccountID().String(); got != want {
		t.Fatalf("account 0 of seed 1 is %s; prepared states have %s", got, want)
	}
}

func TestPaymentsAreValid(t *testing.T) {
	key := AccountKey(1, 0)
	a := &account{key: key, id: key.AccountID()}
	for _, id := range []uint32{0, 1024, 1025, 20100} {
		p, err := template{networkID: id, fee: 10}.sign(a, AccountKey(1, 1).AccountID(), 5, 7, 99)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := protocol.ParseTransaction(p.blob)
		if err != nil || !crypto.VerifyTransaction(tx, crypto.Canonical) || tx.ID() != p.id || tx.Sequence() != 7 {
			t.Fatal(tx, err)
		}
		if got, ok := tx.NetworkID(); ok != (id > 1024) || ok && got != id {
			t.Errorf("network %d: %d %v", id, got, ok)
		}
		if lls, ok := tx.LastLedgerSequence(); !ok || lls != 99 {
			t.Error(lls, ok)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	key := AccountKey(1, 0)
	a := &account{key: key, id: key.AccountID()}
	to := AccountKey(1, 1).AccountID()
	tmpl := template{networkID: 20100, fee: 10}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tmpl.sign(a, to, 5, 7, 99); err != nil {
			b.Fatal(err)
		}
	}
}
