package chain

import (
	"fmt"
	"slices"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Passes over a set. rippled: OpenLedger.h LEDGER_TOTAL_PASSES, LEDGER_RETRY_PASSES.
const (
	totalPasses = 3
	retryPasses = 1
)

// Request is a ledger to build.
type Request struct {
	// Parent is borrowed: the caller holds it until the build is done.
	Parent *ledger.Ledger
	// Salt of the canonical order: the hash of the agreed set.
	Salt protocol.Hash
	// Txs in any order.
	Txs   []*protocol.Transaction
	Close ledger.Close
	// InOrder applies the transactions as they stand, once and without retry; a
	// replay of a known ledger does so.
	InOrder bool
}

// Built is a ledger made.
type Built struct {
	Ledger *ledger.Ledger // acquired for the caller
	// Retry are left over after the passes: they may apply later.
	Retry []*protocol.Transaction
	// Failed can never apply on this ledger.
	Failed []*protocol.Transaction
	Stats  BuildStats
	Err    error
}

// BuildStats say what a build did and where its time went.
type BuildStats struct {
	Txs    int // in the ledger
	Passes int
	Apply  time.Duration // transactions
	Tree   time.Duration // trees and hashes
	Flush  time.Duration // nodes into the store's batch, and its commit
	Nodes  int           // flushed
	Bytes  int
}

// Builder builds ledgers, one at a time.
type Builder struct {
	engine *tx.Engine
	lb     ledger.Builder
	now    func() time.Time
	passes int
	retry  int
}

// NewBuilder returns a builder. passes 0 takes rippled's numbers.
func NewBuilder(e *tx.Engine, now func() time.Time, passes int) *Builder {
	b := &Builder{engine: e, now: now, passes: passes, retry: retryPasses}
	if b.passes == 0 {
		b.passes = totalPasses
	}
	return b
}

// candidate is a transaction with its place in the canonical order.
type candidate struct {
	key protocol.CanonicalKey
	tx  *protocol.Transaction
}

// Build applies the set and makes the child, hashed and not yet flushed.
func (b *Builder) Build(r Request) (Built, error) {
	start := b.now()
	v := ledger.NewBuildView(r.Parent, len(r.Txs))
	defer v.Release()
	var out Built
	var err error
	if r.InOrder {
		err = b.applyInOrder(v, r.Txs, &out)
	} else {
		err = b.applyPasses(v, canonical(r.Salt, r.Txs), &out)
	}
	if err != nil {
		return Built{}, fmt.Errorf("chain: build %d: %w", r.Parent.Sequence()+1, err)
	}
	applied := b.now()
	if out.Ledger, err = b.lb.Build(v, r.Close); err != nil {
		return Built{}, fmt.Errorf("chain: build: %w", err)
	}
	out.Stats.Txs = v.TxCount()
	out.Stats.Apply, out.Stats.Tree = applied.Sub(start), b.now().Sub(applied)
	return out, nil
}

func canonical(salt protocol.Hash, txs []*protocol.Transaction) []candidate {
	out := make([]candidate, len(txs))
	for i, t := range txs {
		out[i] = candidate{protocol.NewCanonicalKey(salt, t), t}
	}
	slices.SortFunc(out, func(a, b candidate) int { return a.key.Compare(b.key) })
	return out
}

// applyPasses is rippled's BuildLedger.cpp applyTransactions: what may succeed later
// is tried again, and only once no retry is certain does a tec claim its fee.
func (b *Builder) applyPasses(v *ledger.OpenView, set []candidate, out *Built) error {
	certainRetry := true
	for pass := range b.passes {
		changes := 0
		kept := set[:0]
		out.Stats.Passes = pass + 1
		for _, c := range set {
			if pass == 0 {
				if in, err := v.Base().HasTx(c.tx.ID()); err != nil {
					return err
				} else if in {
					continue
				}
			}
			flags := tx.Flags(0)
			if certainRetry {
				flags = tx.Retry
			}
			res, err := b.engine.Apply(v, c.tx, flags)
			switch {
			case err != nil:
				return err
			case res.Applied:
				changes++
			case res.TER.IsTef(), res.TER.IsTem(), res.TER.IsTel():
				out.Failed = append(out.Failed, c.tx)
			default:
				kept = append(kept, c)
			}
		}
		set = kept
		if changes == 0 && !certainRetry {
			break
		}
		if changes == 0 || pass >= b.retry {
			certainRetry = false
		}
	}
	for _, c := range set {
		out.Retry = append(out.Retry, c.tx)
	}
	return nil
}

// applyInOrder replays transactions in the order in which a ledger applied them.
func (b *Builder) applyInOrder(v *ledger.OpenView, txs []*protocol.Transaction, out *Built) error {
	out.Stats.Passes = 1
	for _, t := range txs {
		res, err := b.engine.Apply(v, t, 0)
		if err != nil {
			return err
		}
		if !res.Applied {
			out.Failed = append(out.Failed, t)
		}
	}
	return nil
}
