package rcl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ledgerlab/node/crypto"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// fakeNet joins drivers in memory. Messages take 5 to 25 ms.
type fakeNet struct {
	t     *testing.T
	nodes []*fakeNode
	// signed: real signatures, which dominate the cost of a test.
	signed bool

	mu        sync.Mutex
	rng       *rand.Rand
	validated map[uint32]protocol.Hash // first seen
	forks     []string
	cut       map[*fakeNode]bool
	loss      float64 // of proposals and validations
}

// fakeNode is a driver with fakes around it. Its disk outlives it.
type fakeNode struct {
	net    *fakeNet
	index  int
	key    *crypto.KeyPair
	disk   *disk
	build  time.Duration
	wrong  atomic.Bool // the next build differs
	opts   func(*Options)
	hooks  Hooks
	now    atomic.Pointer[life]
	status atomic.Pointer[peer.Status]

	mu     sync.Mutex
	rounds []RoundInfo
	up     atomic.Bool
	cancel context.CancelFunc
	done   chan error
}

// life is what a node is between a start and its end.
type life struct {
	chain  *fakeChain
	open   *fakeOpen
	sets   *Sets
	driver *Driver
}

func (n *fakeNode) chain() *fakeChain { return n.now.Load().chain }
func (n *fakeNode) open() *fakeOpen   { return n.now.Load().open }
func (n *fakeNode) sets() *Sets       { return n.now.Load().sets }
func (n *fakeNode) driver() *Driver   { return n.now.Load().driver }

func newNet(t *testing.T, n int) *fakeNet {
	f := &fakeNet{t: t, rng: rand.New(rand.NewPCG(1, 2)), validated: map[uint32]protocol.Hash{}, cut: map[*fakeNode]bool{}}
	for i := range n {
		g := genesis()
		g.Closed = uint32(netSeconds())
		node := &fakeNode{net: f, index: i, key: key(t, i), disk: &disk{valid: g}, build: 50 * time.Millisecond}
		f.nodes = append(f.nodes, node)
	}
	return f
}

func netSeconds() int64 { return time.Now().Unix() - 946_684_800 }

func (f *fakeNet) trusted() (keys [][]byte) {
	for _, n := range f.nodes {
		keys = append(keys, n.key.Public)
	}
	return keys
}

// start begins a life of the node from its disk.
func (n *fakeNode) start() {
	l := &life{
		chain: &fakeChain{n: n, ledgers: map[protocol.Hash]*Ledger{}, asking: map[protocol.Hash]bool{}},
		open:  &fakeOpen{open: map[protocol.Hash]Tx{}}, sets: testSets(n.net.t),
	}
	l.chain.closed, l.chain.valid = n.disk.valid, n.disk.valid
	l.chain.ledgers[n.disk.valid.Hash] = n.disk.valid
	n.status.Store(&peer.Status{})
	o := Default()
	o.Trusted = n.net.trusted()
	o.Cookie = uint64(n.index)
	if n.opts != nil {
		n.opts(&o)
	}
	hooks := n.hooks
	round := hooks.Round
	hooks.Round = func(r RoundInfo) {
		n.mu.Lock()
		n.rounds = append(n.rounds, r)
		n.mu.Unlock()
		if round != nil {
			round(r)
		}
	}
	var sign Signer = cheapSigner{n.key}
	verify := cheapVerify
	if n.net.signed {
		sign, verify = signer{n.key}, crypto.VerifyDigest
	}
	d, err := New(o, Deps{
		Chain: l.chain, Open: l.open, Net: n, Sets: l.sets, Signer: sign, Signed: &n.disk.log,
		Verify: verify, Hooks: hooks, Log: testLog(fmt.Sprintf("n%d", n.index)),
	})
	if err != nil {
		n.net.t.Fatal(err)
	}
	l.driver = d
	n.now.Store(l)
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel, n.done = cancel, make(chan error, 1)
	n.up.Store(true)
	go func() { n.done <- d.Run(ctx) }()
	for _, p := range n.net.others(n) {
		p.driver().PeerUp(peer.ID(n.index))
		d.PeerUp(peer.ID(p.index))
		n.net.send(p, n, func() { d.PeerStatus(peer.ID(p.index), *p.status.Load()) })
	}
}

func (n *fakeNode) kill() {
	n.up.Store(false)
	n.cancel()
	if err := <-n.done; err != nil {
		n.net.t.Errorf("n%d: %v", n.index, err)
	}
	n.sets().Close()
}

// others are the running nodes that n is connected to.
func (f *fakeNet) others(n *fakeNode) (out []*fakeNode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.nodes {
		if p != n && p.up.Load() && f.cut[p] == f.cut[n] {
			out = append(out, p)
		}
	}
	return out
}

func (f *fakeNet) send(from, to *fakeNode, fn func()) {
	f.mu.Lock()
	delay := 5*time.Millisecond + time.Duration(f.rng.Int64N(int64(20*time.Millisecond)))
	f.mu.Unlock()
	life := to.now.Load()
	time.AfterFunc(delay, func() {
		f.mu.Lock()
		ok := f.cut[from] == f.cut[to]
		f.mu.Unlock()
		if ok && to.up.Load() && to.now.Load() == life {
			fn()
		}
	})
}

func (f *fakeNet) lost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loss > 0 && f.rng.Float64() < f.loss
}

func (f *fakeNet) noteValidated(n *fakeNode, l *Ledger) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h, ok := f.validated[l.Sequence]; ok && h != l.Hash {
		f.forks = append(f.forks, fmt.Sprintf("ledger %d: n%d validated %s, before that %s was", l.Sequence, n.index, l.Hash, h))
		return
	}
	f.validated[l.Sequence] = l.Hash
}

// The methods of Network.

func (n *fakeNode) broadcast(except peer.Mask, fn func(p *fakeNode)) {
	for _, p := range n.net.others(n) {
		if !except.Has(peer.ID(p.index)) {
			n.net.send(n, p, func() { fn(p) })
		}
	}
}

func (n *fakeNode) BroadcastProposal(raw []byte, except peer.Mask) {
	if except != 0 {
		return // a full mesh needs no relay
	}
	n.broadcast(except, func(p *fakeNode) {
		if !n.net.lost() {
			p.driver().Proposal(peer.ID(n.index), raw)
		}
	})
}

func (n *fakeNode) BroadcastValidation(raw []byte, except peer.Mask) {
	if except != 0 {
		return
	}
	n.broadcast(except, func(p *fakeNode) { p.driver().Validation(peer.ID(n.index), raw) })
}

func (n *fakeNode) BroadcastHaveSet(set protocol.Hash) {
	n.broadcast(0, func(p *fakeNode) { p.driver().HaveSet(peer.ID(n.index), set) })
}

func (n *fakeNode) SetStatus(s peer.Status) {
	n.status.Store(&s)
	n.broadcast(0, func(p *fakeNode) { p.driver().PeerStatus(peer.ID(n.index), s) })
}

func (n *fakeNode) Peers() (out []peer.Info) {
	connected := map[*fakeNode]bool{}
	for _, p := range n.net.others(n) {
		connected[p] = true
	}
	for _, p := range n.net.nodes {
		if p == n {
			continue
		}
		info := peer.Info{ID: peer.ID(p.index), Name: fmt.Sprintf("n%d", p.index), Validator: p.key.Public, Connected: connected[p]}
		if s := p.status.Load(); s != nil && info.Connected {
			info.Status = *s
		}
		out = append(out, info)
	}
	return out
}

func (n *fakeNode) Ask(to peer.ID, r peer.Request, done func(peer.Response, error)) bool {
	for _, p := range n.net.others(n) {
		if peer.ID(p.index) == to {
			n.net.send(n, p, func() {
				resp := p.sets().Serve(r)
				n.net.send(p, n, func() { go done(resp, nil) })
			})
			return true
		}
	}
	return false
}

// inBubble runs f in virtual time and stops the nodes at its end.
func inBubble(t *testing.T, n int, f func(net *fakeNet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		net := newNet(t, n)
		f(net)
		for _, node := range net.nodes {
			if node.up.Load() {
				node.kill()
			}
		}
		for _, fork := range net.forks {
			t.Error(fork)
		}
		time.Sleep(time.Minute) // let timers of the fakes fire
	})
}

// await sleeps until every running node has validated seq, and returns how long
// that took.
func (f *fakeNet) await(seq uint32, limit time.Duration) time.Duration {
	f.t.Helper()
	begin := time.Now()
	for {
		synctest.Wait()
		low := ^uint32(0)
		for _, n := range f.nodes {
			if n.up.Load() {
				low = min(low, n.chain().Validated().Sequence)
			}
		}
		if low >= seq {
			return time.Since(begin)
		}
		if time.Since(begin) > limit {
			f.t.Fatalf("ledger %d not validated everywhere within %s: %s", seq, limit, f.state())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (f *fakeNet) state() (s string) {
	for _, n := range f.nodes {
		if !n.up.Load() {
			s += fmt.Sprintf("\nn%d down", n.index)
			continue
		}
		st := n.driver().Status()
		s += fmt.Sprintf("\nn%d %s %s %s closed %d %s validated %d proposers %d waiting %q", n.index, st.Mode, st.Phase, st.RoundMode,
			st.ClosedSeq, st.ClosedHash.String()[:8], st.ValidatedSeq, st.Proposers, st.Waiting)
	}
	return s
}

// traffic submits a transaction every 100 ms to all nodes, each at its own time,
// missing some, until stop is closed.
func (f *fakeNet) traffic(miss float64) (stop func()) {
	quit := make(chan struct{})
	go func() {
		for i := 1; ; i++ {
			select {
			case <-quit:
				return
			case <-time.After(100 * time.Millisecond):
			}
			tx := makeTx(f.t, i)
			for _, n := range f.nodes {
				f.mu.Lock()
				skip := f.rng.Float64() < miss
				f.mu.Unlock()
				if n.up.Load() && !skip {
					n.open().submit(tx)
				}
			}
		}
	}()
	return func() { close(quit) }
}
