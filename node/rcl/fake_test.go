package rcl

import (
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"ledgerlab/node/crypto"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// key returns the node key of fake node i.
func key(t testing.TB, i int) *crypto.KeyPair {
	t.Helper()
	k, err := crypto.GenerateNodeKey(crypto.SeedFromPassphrase(fmt.Sprintf("rcl %d", i)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

type signer struct{ k *crypto.KeyPair }

func (s signer) Public() []byte                    { return s.k.Public }
func (s signer) SignDigest(h protocol.Hash) []byte { return s.k.SignDigest(h) }

// cheapSigner signs with a hash, which checks nothing but costs nothing.
type cheapSigner struct{ k *crypto.KeyPair }

func (s cheapSigner) Public() []byte { return s.k.Public }
func (s cheapSigner) SignDigest(h protocol.Hash) []byte {
	sum := protocol.SHA512Half(s.k.Public, h[:])
	return sum[:]
}

func cheapVerify(public []byte, digest protocol.Hash, signature []byte) bool {
	return protocol.SHA512Half(public, digest[:]) == protocol.Hash(signature)
}

// memLog is a SignedLog in memory; it outlives its node.
type memLog struct{ raw []byte }

func (m *memLog) Load() ([]byte, error)  { return m.raw, nil }
func (m *memLog) Store(raw []byte) error { m.raw = raw; return nil }

// makeTx makes transaction number n; it is not signed.
func makeTx(t testing.TB, n int) Tx {
	t.Helper()
	o := &protocol.Object{}
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, uint32(n))
	o.SetDrops(protocol.FieldAmount, 1_000_000)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetBlob(protocol.FieldSigningPubKey, make([]byte, 33))
	o.SetBlob(protocol.FieldTxnSignature, make([]byte, 64))
	o.SetAccountID(protocol.FieldAccount, protocol.AccountOne)
	o.SetAccountID(protocol.FieldDestination, protocol.AccountOne)
	tx, err := protocol.ParseTransaction(o.AppendTo(nil))
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func testHeap(t testing.TB) *payload.Heap {
	t.Helper()
	h, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func testSets(t testing.TB) *Sets {
	t.Helper()
	return NewSets(SetsConfig{Env: &shamap.Env{Heap: testHeap(t)}})
}

// disk is what a fake node keeps when it is killed.
type disk struct {
	valid *Ledger
	log   memLog
}

// fakeChain keeps ledgers in a map. Building is a hash over what goes in.
type fakeChain struct {
	n *fakeNode

	mu      sync.Mutex
	ledgers map[protocol.Hash]*Ledger
	closed  *Ledger
	valid   *Ledger
	asking  map[protocol.Hash]bool
}

func genesis() *Ledger {
	l := &Ledger{Sequence: 1, Closed: 0, Resolution: 10, Agreed: true}
	l.Hash[0] = 1
	return l
}

func (c *fakeChain) Closed() *Ledger {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func (c *fakeChain) Validated() *Ledger {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.valid
}

func (c *fakeChain) Ledger(id protocol.Hash) (*Ledger, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, ok := c.ledgers[id]
	return l, ok
}

// Acquire asks all connected nodes; an answer brings the ledger.
func (c *fakeChain) Acquire(id protocol.Hash, _ uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking[id] {
		return
	}
	c.asking[id] = true
	time.AfterFunc(2*time.Second, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asking, id)
	})
	for _, p := range c.n.net.others(c.n) {
		c.n.net.send(c.n, p, func() {
			if l, ok := p.chain().Ledger(id); ok {
				c.n.net.send(p, c.n, func() { c.acquired(l) })
			}
		})
	}
}

func (c *fakeChain) acquired(l *Ledger) {
	c.mu.Lock()
	c.ledgers[l.Hash] = l
	c.mu.Unlock()
	c.n.driver().LedgerAcquired(l)
}

func (c *fakeChain) Build(r BuildRequest, done func(BuildResult)) {
	time.AfterFunc(c.n.build, func() {
		b := binary.BigEndian.AppendUint32(r.Parent.Hash[:], r.CloseTime)
		b = append(b, r.Resolution, 0)
		if r.CloseTimeCorrect {
			b[len(b)-1] = 1
		}
		b = append(b, r.SetID[:]...)
		for _, t := range r.Txs {
			id := t.ID()
			b = append(b, id[:]...)
		}
		if c.n.wrong.Load() {
			c.n.wrong.Store(false)
			b = append(b, "a fee of one more drop"...)
		}
		l := &Ledger{
			Hash: protocol.SHA512Half(b), ParentHash: r.Parent.Hash, Sequence: r.Parent.Sequence + 1, Closed: r.CloseTime,
			ParentTime: r.Parent.Closed, Resolution: r.Resolution, Agreed: r.CloseTimeCorrect,
			Ancestors: append(slices.Clone(r.Parent.Ancestors), r.Parent.Hash),
		}
		if len(l.Ancestors) > 256 {
			l.Ancestors = l.Ancestors[1:]
		}
		c.mu.Lock()
		c.ledgers[l.Hash] = l
		c.mu.Unlock()
		done(BuildResult{Ledger: l, Txs: len(r.Txs), Apply: c.n.build})
	})
}

func (c *fakeChain) SetClosed(id protocol.Hash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = c.ledgers[id]
}

func (c *fakeChain) CheckAccept(id protocol.Hash, seq uint32, _ int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.ledgers[id]; l != nil && (c.valid == nil || seq > c.valid.Sequence) {
		c.valid = l
		c.n.disk.valid = l
		c.n.net.noteValidated(c.n, l)
		c.n.driver().Validated(l)
	}
}

func (c *fakeChain) Compatible(id protocol.Hash) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.ledgers[id]
	if l == nil || c.valid == nil || l.Sequence < c.valid.Sequence {
		return l != nil
	}
	a := l.Ancestor(c.valid.Sequence)
	return a == c.valid.ID() || a == [32]byte{}
}

func (c *fakeChain) Range() (uint32, uint32) { return 1, c.valid.Sequence }

// fakeOpen is an open ledger: transactions not yet in a ledger.
type fakeOpen struct {
	mu   sync.Mutex
	open map[protocol.Hash]Tx
	last []AcceptRequest
}

func (o *fakeOpen) submit(t Tx) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[t.ID()] = t
}

func (o *fakeOpen) Pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

func (o *fakeOpen) Close() (out []Tx) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.open {
		out = append(out, t)
	}
	o.open = map[protocol.Hash]Tx{}
	return out
}

func (o *fakeOpen) Accept(r AcceptRequest, done func(AcceptStats)) {
	o.mu.Lock()
	for _, t := range r.Retry {
		o.open[t.ID()] = t
	}
	o.last = append(o.last, r)
	n := len(o.open)
	o.mu.Unlock()
	time.AfterFunc(5*time.Millisecond, func() { done(AcceptStats{Txs: n}) })
}

// testLog shows the driver's log of one node with LEDGERLAB_LOG set.
func testLog(name string) *slog.Logger {
	var w io.Writer = io.Discard
	if os.Getenv("LEDGERLAB_LOG") != "" {
		w = os.Stderr
	}
	return slog.New(slog.NewTextHandler(w, nil)).With("node", name)
}
