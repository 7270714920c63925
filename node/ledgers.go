package node

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ledgerlab/node/chain"
	"ledgerlab/node/jobs"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/rcl"
	"ledgerlab/node/rotate"
	"ledgerlab/node/tx"
)

// newChain makes the ledger master and gives it its first ledger.
func (n *Node) newChain() error {
	engine, err := n.newEngine()
	if err != nil {
		return err
	}
	o := chain.Default()
	o.IndexBound, o.Held, o.History = n.flags.Int("ledger.index_bound"), n.flags.Int("ledger.held"), uint32(n.flags.Int("ledger.history"))
	n.chain, err = chain.New(o, chain.Deps{
		Env: n.store.env, Family: n.store.family, Engine: engine, Bulk: n.bulkChain, Now: n.now, Log: n.log,
	})
	if err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	if err := n.chain.Load(func() (*ledger.Ledger, error) { return ledger.Genesis(n.store.env, n.genesis) }); err != nil {
		return err
	}
	n.reopenSigned()
	return nil
}

// reopenSigned takes up the ledger of the newest validation this node signed, when
// it was not yet validated as the process ended.
func (n *Node) reopenSigned() {
	signed := n.signedLog()
	if signed == nil {
		return
	}
	raw, err := signed.Load()
	if err != nil || raw == nil {
		return // the driver reads it again and says what is wrong with it
	}
	v, err := protocol.ParseValidation(raw)
	if err != nil || v.LedgerSequence <= n.chain.ValidatedSeq() {
		return
	}
	if err := n.chain.Reopen(v.LedgerHash); err != nil {
		n.log.Warn("ledger that was signed is not taken up; it is fetched if a quorum validated it",
			"seq", v.LedgerSequence, "hash", v.LedgerHash.String(), "cause", err)
		return
	}
	n.log.Info("ledger that was signed and not yet validated is taken up", "seq", v.LedgerSequence, "hash", v.LedgerHash.String())
}

// newEngine makes the builder's transaction engine. It asks the door for the
// verdict on a signature, so that each is verified once: what came with a peer's
// set and was never at the door is verified then.
func (n *Node) newEngine() (*tx.Engine, error) {
	e, err := tx.New(tx.Options{
		NetworkID:     n.cfg.NetworkID,
		SignatureGood: func(t *protocol.Transaction) bool { return n.door.SignatureGood(t) },
	})
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	return e, nil
}

// bulkChain runs a build or an acquisition whole on the thread that jobs.bulk
// names.
func (n *Node) bulkChain(ctx context.Context, kind string, fn func(ctx context.Context) error) error {
	k := jobs.BulkAcquire
	if kind == "build" {
		k = jobs.BulkBuild
	}
	return n.jobs.Bulk(ctx, jobs.Bulk{Kind: k, Run: fn})
}

// rclChain is the chain in the words of the consensus driver.
type rclChain struct {
	n *Node

	mu    sync.Mutex // guards known; held for a map access
	known map[protocol.Hash]*rcl.Ledger
}

var _ rcl.Chain = (*rclChain)(nil)

// knownMax bounds the translated ledgers; consensus names the last few.
const knownMax = 64

// view translates a borrowed ledger.
func (c *rclChain) view(l *ledger.Ledger) *rcl.Ledger {
	if l == nil {
		return nil
	}
	h := l.Header()
	id := l.Hash()
	c.mu.Lock()
	got := c.known[id]
	c.mu.Unlock()
	if got != nil {
		return got
	}
	v := &rcl.Ledger{
		Hash: id, ParentHash: h.ParentHash, Sequence: h.Sequence, Closed: h.CloseTime, ParentTime: h.ParentCloseTime,
		Resolution: h.CloseTimeResolution, Agreed: l.CloseAgreed(), Ancestors: c.ancestors(l),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= knownMax {
		clear(c.known)
	}
	c.known[id] = v
	return v
}

// ancestors reads the skip list; a ledger whose list cannot be read still knows
// its parent.
func (c *rclChain) ancestors(l *ledger.Ledger) []protocol.Hash {
	e, err := l.Read(protocol.SkipListKey())
	if err == nil && e != nil {
		if o, ok := e.(*protocol.Object); ok {
			if hashes, ok := o.GetHashes(protocol.FieldHashes); ok {
				return hashes
			}
		}
	}
	if l.Sequence() > 1 {
		return []protocol.Hash{l.Header().ParentHash}
	}
	return nil
}

// taken translates a counted ledger and gives its count back.
func (c *rclChain) taken(l *ledger.Ledger) *rcl.Ledger {
	if l == nil {
		return nil
	}
	defer l.Release()
	return c.view(l)
}

func (c *rclChain) Closed() *rcl.Ledger    { return c.taken(c.n.chain.Closed()) }
func (c *rclChain) Validated() *rcl.Ledger { return c.taken(c.n.chain.Validated()) }

func (c *rclChain) Ledger(id protocol.Hash) (*rcl.Ledger, bool) {
	l := c.taken(c.n.chain.Ledger(id))
	return l, l != nil
}

func (c *rclChain) Acquire(id protocol.Hash, seq uint32) { c.n.chain.Acquire(id, seq) }

func (c *rclChain) Build(r rcl.BuildRequest, done func(rcl.BuildResult)) {
	parent := c.n.chain.Ledger(r.Parent.Hash)
	if parent == nil {
		go done(rcl.BuildResult{Err: fmt.Errorf("build %d: parent %s is not here", r.Parent.Sequence+1, r.Parent.Hash)})
		return
	}
	req := chain.Request{
		Parent: parent, Salt: r.SetID, Txs: r.Txs,
		Close: ledger.Close{Time: r.CloseTime, Resolution: r.Resolution, Agreed: r.CloseTimeCorrect},
	}
	c.n.chain.Build(c.n.ctx, req, func(b chain.Built) {
		defer parent.Release()
		res := rcl.BuildResult{
			Txs: b.Stats.Txs, Apply: b.Stats.Apply + b.Stats.Tree, Flush: b.Stats.Flush, Err: b.Err, Retry: b.Retry,
		}
		if b.Err == nil {
			res.Ledger = c.taken(b.Ledger)
		}
		done(res)
	})
}

func (c *rclChain) SetClosed(id protocol.Hash) {
	if err := c.n.chain.SetClosed(id); err != nil && !errors.Is(err, chain.ErrNotHere) {
		c.n.log.Error("set closed ledger", "hash", id.String(), "err", err)
	}
}

func (c *rclChain) CheckAccept(id protocol.Hash, seq uint32, validations int) {
	c.n.chain.CheckAccept(id, seq, validations)
}

func (c *rclChain) Compatible(id protocol.Hash) bool { return c.n.chain.Compatible(id) }

func (c *rclChain) Range() (first, last uint32) { return c.n.chain.Range() }

// rotationLedger lends a counted ledger to a rotation.
func rotationLedger(l *ledger.Ledger) *rotate.Ledger {
	return &rotate.Ledger{Seq: l.Sequence(), Hash: l.Hash(), State: l.State(), Release: l.Release}
}
