package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/chain"
	"ledgerlab/node/ingest"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// submission is a set of blobs on their way; its answers come from the batcher.
type submission struct {
	n       *Node
	blobs   [][]byte
	results []api.SubmitResult
	answers chan submitAnswer // room for all: a late answer never blocks the batcher
	waiting int
}

type submitAnswer struct {
	at  int
	r   ingest.Reply
	err error
}

func (b *backend) Submit(ctx context.Context, blobs [][]byte, mode api.SubmitMode, failHard bool) (func() ([]api.SubmitResult, error), error) {
	o := ingest.SubmitOptions{Mode: ingest.Wait, FailHard: failHard}
	if mode == api.SubmitAsync {
		o.Mode = ingest.Async
	}
	s := &submission{
		n: b.n, blobs: blobs, results: make([]api.SubmitResult, len(blobs)), answers: make(chan submitAnswer, len(blobs)),
	}
	for i, blob := range blobs {
		if err := b.n.door.Start(blob, o, func(r ingest.Reply, err error) { s.answers <- submitAnswer{i, r, err} }); err != nil {
			s.results[i] = refusal(blob, err)
			continue
		}
		s.waiting++
	}
	return func() ([]api.SubmitResult, error) { return s.wait(ctx) }, nil
}

func (s *submission) wait(ctx context.Context) ([]api.SubmitResult, error) {
	seq := s.n.openSeq()
	for ; s.waiting > 0; s.waiting-- {
		select {
		case a := <-s.answers:
			if a.err != nil {
				s.results[a.at] = refusal(s.blobs[a.at], a.err)
				continue
			}
			s.results[a.at] = s.n.submitResult(a.r, seq)
		case <-ctx.Done():
			return nil, fmt.Errorf("submit: %d of %d not answered: %w", s.waiting, len(s.blobs), ctx.Err())
		}
	}
	return s.results, nil
}

func (n *Node) submitResult(r ingest.Reply, seq uint32) api.SubmitResult {
	res := api.SubmitResult{ID: r.ID, Applied: r.Applied, Queued: r.Queued, Kept: r.Kept, Broadcast: r.Broadcast, OpenSeq: seq}
	if r.HasResult {
		res.Code, res.Token, res.Message = int(r.TER), r.TER.String(), r.TER.Message()
	} else {
		res.Token, res.Message = "pending", "Taken in; not applied yet."
		res.Kept = true
	}
	return res
}

// refusal is the result of a transaction that did not pass the door.
func refusal(blob []byte, err error) api.SubmitResult {
	res := api.SubmitResult{Code: int(protocol.TemINVALID), Token: protocol.TemINVALID.String(), Message: err.Error()}
	if t, perr := protocol.ParseTransaction(blob); perr == nil {
		res.ID = t.ID()
	}
	if errors.Is(err, ingest.ErrBusy) || errors.Is(err, ingest.ErrEnded) {
		res.Code, res.Token = int(protocol.TelLOCAL_ERROR), protocol.TelLOCAL_ERROR.String()
	}
	return res
}

// resolve finds a ledger for a reference; counted for the caller.
func (n *Node) resolve(ref api.LedgerRef) (l *ledger.Ledger, err error) {
	switch {
	case ref.Seq != 0:
		l, err = n.chain.LedgerBySeq(ref.Seq)
	case ref.Hash != [32]byte{}:
		l, err = n.chain.LedgerByHash(ref.Hash)
	case ref.Name == "closed":
		l = n.chain.Closed()
	case ref.Name == "" || ref.Name == "validated":
		l = n.chain.Validated()
	default:
		return nil, &api.FieldError{Field: "ledger.name", Msg: fmt.Sprintf("%q cannot be read this way; allowed: validated, closed", ref.Name)}
	}
	if errors.Is(err, chain.ErrNotHere) || (err == nil && l == nil) {
		return nil, fmt.Errorf("%w: that ledger is not held here (complete: %s)", api.ErrNotFound, n.chain.Complete())
	}
	return l, err
}

func (b *backend) Account(_ context.Context, address string, ref api.LedgerRef) (api.Account, error) {
	n := b.n
	id, err := protocol.ParseAccountID(address)
	if err != nil {
		return api.Account{}, &api.FieldError{Field: "account", Msg: err.Error()}
	}
	if ref.Name == "current" {
		return n.currentAccount(id, address)
	}
	l, err := n.resolve(ref)
	if err != nil {
		return api.Account{}, err
	}
	defer l.Release()
	root, err := ledger.ReadAccount(l, id)
	if err != nil {
		n.chain.Incomplete(l.Sequence(), err)
		return api.Account{}, err
	}
	if root == nil {
		return api.Account{}, fmt.Errorf("%w: account %s in ledger %d", api.ErrNotFound, address, l.Sequence())
	}
	return n.apiAccount(root, address, l.Sequence(), l.Hash(), l.Sequence() <= n.chain.ValidatedSeq()), nil
}

func (n *Node) currentAccount(id protocol.AccountID, address string) (api.Account, error) {
	v := n.door.Open().Current()
	defer v.Release()
	root, err := ledger.ReadAccount(v, id)
	if err != nil {
		return api.Account{}, err
	}
	if root == nil {
		return api.Account{}, fmt.Errorf("%w: account %s in the open ledger", api.ErrNotFound, address)
	}
	return n.apiAccount(root, address, v.Header().Sequence, protocol.Hash{}, false), nil
}

func (n *Node) apiAccount(r *protocol.AccountRoot, address string, seq uint32, hash protocol.Hash, validated bool) api.Account {
	return api.Account{
		Address: address, Sequence: r.Sequence, Balance: uint64(r.Balance), OwnerCount: r.OwnerCount, Flags: r.Flags,
		Queued: len(n.queue.Account(r.Account)), LedgerSeq: seq, LedgerHash: hash, Validated: validated,
	}
}

func (b *backend) StatePage(_ context.Context, ref api.LedgerRef, marker [32]byte, limit int) (api.StatePage, error) {
	n := b.n
	l, err := n.resolve(ref)
	if err != nil {
		return api.StatePage{}, err
	}
	defer l.Release()
	p := api.StatePage{LedgerSeq: l.Sequence(), LedgerHash: l.Hash(), Entries: make([]api.StateEntry, 0, limit)}
	err = l.State().Walk(marker, func(key [32]byte, data []byte) bool {
		if len(p.Entries) == limit {
			p.Next, p.More = key, true
			return false
		}
		p.Entries = append(p.Entries, api.StateEntry{Key: key, Data: append([]byte(nil), data...)})
		return true
	})
	if err != nil {
		n.chain.Incomplete(l.Sequence(), err)
		return api.StatePage{}, fmt.Errorf("ledger %d: page: %w", l.Sequence(), err)
	}
	return p, nil
}

func (b *backend) Ledger(_ context.Context, ref api.LedgerRef, withTx bool) (api.LedgerInfo, error) {
	n := b.n
	if ref.Name == "current" {
		v := n.door.Open().Current()
		defer v.Release()
		return api.LedgerInfo{Header: apiHeader(v.Header(), protocol.Hash{}), Count: v.TxCount()}, nil
	}
	l, err := n.resolve(ref)
	if err != nil {
		return api.LedgerInfo{}, err
	}
	defer l.Release()
	results, err := txResults(l)
	if err != nil {
		n.chain.Incomplete(l.Sequence(), err)
		return api.LedgerInfo{}, err
	}
	i := api.LedgerInfo{Header: apiHeader(l.Header(), l.Hash()), Closed: true, Validated: l.Sequence() <= n.chain.ValidatedSeq(), Count: len(results)}
	if withTx {
		for _, r := range results {
			i.Transactions = append(i.Transactions, api.LedgerTx{ID: r.ID, Code: int(r.TER)})
		}
	}
	return i, nil
}

// searchLedgersMax bounds how far back Transaction looks: the node keeps no
// index of transactions.
const searchLedgersMax = 256

func (b *backend) Transaction(ctx context.Context, id [32]byte) (api.TxStatus, error) {
	n := b.n
	first, last := n.chain.Range()
	s := api.TxStatus{From: first, To: last}
	if last == 0 {
		return s, nil
	}
	s.From = max(first, last-min(last, searchLedgersMax-1))
	deadline := time.Now().Add(10 * time.Second)
	for seq := last; seq >= s.From && seq > 0; seq-- {
		if ctx.Err() != nil || time.Now().After(deadline) {
			s.From = seq + 1
			return s, ctx.Err()
		}
		found, err := n.transactionIn(seq, id, &s)
		if err != nil || found {
			return s, err
		}
	}
	return s, nil
}

func (n *Node) transactionIn(seq uint32, id protocol.Hash, s *api.TxStatus) (bool, error) {
	l, err := n.chain.LedgerBySeq(seq)
	if errors.Is(err, chain.ErrNotHere) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer l.Release()
	if l.Header().TxHash.IsZero() {
		return false, nil
	}
	_, meta, ok, err := l.Tx(id)
	if err != nil || !ok {
		return false, err
	}
	ter, err := itemResult(meta)
	if err != nil {
		return false, err
	}
	s.Found, s.LedgerSeq, s.Code, s.Token = true, seq, int(ter), ter.String()
	return true, nil
}
