package verify

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ledgerlab/node/chain"
	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/node/txq"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// server is a stand-alone server: no peers, closes on command.
type server struct {
	env     *shamap.Env
	good    func(*protocol.Transaction) bool
	bad     map[protocol.Hash]bool
	submits *tx.Engine
	builder *chain.Builder
	queue   *txq.Queue
	closed  *ledger.Ledger
	open    *ledger.OpenView

	held     []*protocol.Transaction // unsorted; canonical under heldSalt
	heldSalt protocol.Hash
	locals   []local
}

// local is a transaction submitted here, tried again at each rebuild.
// rippled: LocalTxs.cpp.
type local struct {
	tx      *protocol.Transaction
	expires uint32
}

// localLedgers is how many ledgers a local transaction is kept.
const localLedgers = 5

// standaloneExpected is the expected ledger size of a stand-alone server.
// rippled: TxQ::Setup minimumTxnInLedgerSA.
const standaloneExpected = 1000

func newServer(o Options) (*server, error) {
	heap, err := payload.NewHeap(o.Heap)
	if err != nil {
		return nil, err
	}
	verified := make(map[protocol.Hash]bool)
	good := func(t *protocol.Transaction) bool {
		v, ok := verified[t.ID()]
		if !ok {
			v = len(t.SigningPubKey()) == 0 || // multi-signed: judged by the signer list
				crypto.Verify(t.SigningPubKey(), t.SigningData(), t.TxnSignature(), crypto.Canonical)
			verified[t.ID()] = v
		}
		return v
	}
	submits, err := tx.New(tx.Options{SignatureGood: good})
	if err != nil {
		return nil, err
	}
	builds, err := tx.New(tx.Options{})
	if err != nil {
		return nil, err
	}
	q := txq.Default()
	q.Initial, q.Heap = standaloneExpected, heap
	if o.QueueExpected > 0 {
		q.Initial = o.QueueExpected
	}
	queue, err := txq.New(q)
	if err != nil {
		return nil, err
	}
	return &server{
		env: &shamap.Env{Heap: heap, Lanes: o.Lanes}, good: good, bad: make(map[protocol.Hash]bool), submits: submits, queue: queue,
		builder: chain.NewBuilder(builds, time.Now, 0),
	}, nil
}

// unsetFees are the defaults of the recorded servers: 200 and 50 XRP of reserve.
// rippled 1.10: Config.h FEE_ACCOUNT_RESERVE, FEE_OWNER_RESERVE.
func unsetFees() ledger.Fees {
	return ledger.Fees{Base: 10, Reserve: 200_000_000, Increment: 50_000_000}
}

// start takes the first closed ledger over.
func (s *server) start(l *ledger.Ledger) {
	s.closed = l
	s.open = ledger.NewOpenView(l)
	s.heldSalt = l.Hash()
}

func (s *server) release() {
	s.queue.Close()
	if s.open != nil {
		s.open.Release()
	}
	if s.closed != nil {
		s.closed.Release()
	}
}

// submit is a client's submission: NetworkOPs::processTransaction and apply.
func (s *server) submit(t *protocol.Transaction) (tx.Result, error) {
	// A malformed transaction is remembered as bad, and answered so when it comes
	// again. rippled: HashRouter SF_BAD.
	if s.bad[t.ID()] || !s.good(t) {
		return tx.Result{TER: protocol.TemBAD_SIGNATURE}, nil
	}
	res, err := s.apply(t)
	if err != nil {
		return res, err
	}
	s.keepLocal(t)
	for next := t; res.TER.IsTes() && next != nil; {
		// A success lets the account's next held transaction try.
		if next = s.popHeld(next); next == nil {
			break
		}
		r, err := s.apply(next)
		if err != nil {
			return res, err
		}
		if !r.TER.IsTes() {
			break
		}
	}
	return res, nil
}

func (s *server) apply(t *protocol.Transaction) (tx.Result, error) {
	res, err := s.queue.Apply(s.submits, s.open, t, tx.Unlimited)
	if err == nil && res.TER.IsTem() {
		s.bad[t.ID()] = true
	}
	if err == nil && res.TER.IsTer() {
		s.held = append(s.held, t)
	}
	return res, err
}

func (s *server) keepLocal(t *protocol.Transaction) {
	e := s.open.Header().Sequence + localLedgers
	if last, ok := t.LastLedgerSequence(); ok {
		e = min(e, last+1)
	}
	s.locals = append(s.locals, local{t, e})
}

// popHeld takes the account's first held transaction at or after t; the number may
// leave a gap. rippled: CanonicalTXSet::popAcctTransaction.
func (s *server) popHeld(t *protocol.Transaction) *protocol.Transaction {
	best := -1
	for i, h := range s.held {
		if h.Account() != t.Account() || h.SeqProxy().Compare(t.SeqProxy()) < 0 {
			continue
		}
		if best < 0 || protocol.CanonicalLess(s.heldSalt, h, s.held[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	next := s.held[best]
	s.held = slices.Delete(s.held, best, best+1)
	return next
}

// close builds the next ledger from the open one and rebuilds the open one on it.
func (s *server) close(c ledger.Close) (*ledger.Ledger, error) {
	if err := s.applyHeld(); err != nil {
		return nil, err
	}
	txs := make([]*protocol.Transaction, 0, s.open.TxCount())
	for _, r := range s.open.Txs() {
		txs = append(txs, r.Tx)
	}
	salt, err := s.setHash(txs)
	if err != nil {
		return nil, err
	}
	b, err := s.builder.Build(chain.Request{Parent: s.closed, Salt: salt, Txs: txs, Close: c})
	if err != nil {
		return nil, err
	}
	if err := s.rebuild(b, salt); err != nil {
		b.Ledger.Release()
		return nil, err
	}
	s.closed.Release()
	s.closed = b.Ledger
	return b.Ledger, s.sweepLocals()
}

// applyHeld tries all held transactions. rippled: LedgerMaster::applyHeldTransactions.
func (s *server) applyHeld() error {
	for _, t := range sorted(s.heldSalt, s.held) {
		if _, err := s.queue.Apply(s.submits, s.open, t, 0); err != nil {
			return err
		}
	}
	s.held = s.held[:0]
	s.heldSalt = s.open.Header().ParentHash
	return nil
}

func sorted(salt protocol.Hash, txs []*protocol.Transaction) []*protocol.Transaction {
	out := slices.Clone(txs)
	slices.SortFunc(out, func(a, b *protocol.Transaction) int {
		return protocol.NewCanonicalKey(salt, a).Compare(protocol.NewCanonicalKey(salt, b))
	})
	return slices.CompactFunc(out, func(a, b *protocol.Transaction) bool { return a.ID() == b.ID() })
}

// setHash is the hash of the set as consensus agrees on it.
func (s *server) setHash(txs []*protocol.Transaction) (protocol.Hash, error) {
	m := shamap.New(s.env, shamap.KindTx)
	defer m.Release()
	changes := make([]shamap.Change, len(txs))
	for i, t := range txs {
		changes[i] = shamap.Change{Key: t.ID(), Data: t.Blob()}
	}
	if err := m.Apply(changes); err != nil {
		return protocol.Hash{}, err
	}
	h, err := m.Hash()
	return h, err
}

// rebuild is OpenLedger::accept with TxQ::processClosedLedger before it.
func (s *server) rebuild(b chain.Built, salt protocol.Hash) error {
	inLedger := make([]*protocol.Transaction, 0, b.Stats.Txs)
	old := s.open.TxsByID()
	for _, t := range old {
		if in, err := b.Ledger.HasTx(t.ID()); err != nil {
			return err
		} else if in {
			inLedger = append(inLedger, t)
		}
	}
	if err := s.queue.ProcessClosed(b.Ledger, inLedger, false); err != nil {
		return err
	}
	next := ledger.NewOpenView(b.Ledger)
	if err := s.reapply(next, b, old, salt); err != nil {
		next.Release()
		return err
	}
	s.open.Release()
	s.open = next
	return nil
}

func (s *server) reapply(next *ledger.OpenView, b chain.Built, old []*protocol.Transaction, salt protocol.Hash) error {
	retries := slices.Clone(b.Retry)
	for _, t := range old {
		if in, err := b.Ledger.HasTx(t.ID()); err != nil {
			return err
		} else if in {
			continue
		}
		again, err := s.applyOne(next, t, tx.Retry)
		if err != nil {
			return err
		}
		if again {
			retries = append(retries, t)
		}
	}
	if err := s.retryPasses(next, sorted(salt, retries)); err != nil {
		return err
	}
	if _, err := s.queue.Accept(s.submits, next); err != nil {
		return err
	}
	for _, t := range sorted(protocol.Hash{}, s.localTxs()) {
		if _, err := s.queue.Apply(s.submits, next, t, 0); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) localTxs() []*protocol.Transaction {
	out := make([]*protocol.Transaction, len(s.locals))
	for i := range s.locals {
		out[i] = s.locals[i].tx
	}
	return out
}

// retryPasses is the loop of OpenLedger::apply.
func (s *server) retryPasses(v *ledger.OpenView, txs []*protocol.Transaction) error {
	const passes, retryPasses = 3, 1
	flags := tx.Retry
	for pass := range passes {
		changes := 0
		kept := txs[:0]
		for _, t := range txs {
			before := v.TxCount()
			again, err := s.applyOne(v, t, flags)
			if err != nil {
				return err
			}
			if v.TxCount() != before {
				changes++
			}
			if again {
				kept = append(kept, t)
			}
		}
		txs = kept
		if changes == 0 && flags == 0 {
			break
		}
		if changes == 0 || pass >= retryPasses {
			flags = 0
		}
	}
	return nil
}

// applyOne applies directly, not through the queue; again says that it may succeed
// later.
func (s *server) applyOne(v *ledger.OpenView, t *protocol.Transaction, flags tx.Flags) (again bool, err error) {
	res, err := s.submits.Apply(v, t, flags)
	if err != nil {
		return false, err
	}
	return !res.Applied && !res.TER.IsTef() && !res.TER.IsTem() && !res.TER.IsTel(), nil
}

// sweepLocals forgets local transactions that are in the ledger, expired or past.
func (s *server) sweepLocals() error {
	var errs []error
	s.locals = slices.DeleteFunc(s.locals, func(l local) bool {
		gone, err := s.localGone(l)
		if err != nil {
			errs = append(errs, err)
		}
		return gone
	})
	if len(errs) != 0 {
		return fmt.Errorf("verify: local transactions: %w", errors.Join(errs...))
	}
	return nil
}

func (s *server) localGone(l local) (bool, error) {
	if s.closed.Sequence() > l.expires {
		return true, nil
	}
	if in, err := s.closed.HasTx(l.tx.ID()); err != nil || in {
		return in, err
	}
	root, err := ledger.ReadAccount(s.closed, l.tx.Account())
	if err != nil || root == nil {
		return false, err
	}
	sp := l.tx.SeqProxy()
	switch {
	case !sp.Ticket:
		return root.Sequence > sp.Value, nil
	case root.Sequence <= sp.Value:
		return false, nil
	}
	e, err := s.closed.Read(protocol.TicketKey(l.tx.Account(), sp.Value))
	return e == nil, err
}
