package node

import (
	"context"
	"errors"
	"fmt"

	"ledgerlab/api"
	"ledgerlab/node/history"
	"ledgerlab/node/ingest"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/query"
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
	if r.HasResult && !r.Applied && r.Tx != nil {
		res.AccountSeq = n.openSequence(r.Tx.Account())
	}
	if r.HasResult {
		res.Code, res.Token, res.Message = int(r.TER), r.TER.String(), r.TER.Message()
	} else {
		res.Token, res.Message = "pending", "Taken in; not applied yet."
		res.Kept = true
	}
	return res
}

// openSequence is the next sequence of an account in the open ledger, 0 when it
// is not known: what a client that was refused needs to go on.
func (n *Node) openSequence(id protocol.AccountID) uint32 {
	v := n.door.Open().Current()
	defer v.Release()
	root, err := ledger.ReadAccount(v, id)
	if err != nil || root == nil {
		return 0
	}
	return root.Sequence
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

// queryError chooses the answer of the control plane for a query that failed.
func (n *Node) queryError(err error) error {
	var bad *query.BadSelector
	switch {
	case errors.As(err, &bad):
		return &api.FieldError{Field: "ledger.name", Msg: bad.Error()}
	case errors.Is(err, query.ErrNoIndex):
		return errors.Join(api.ErrUnsupported, err)
	case errors.Is(err, query.ErrNotFound):
		return fmt.Errorf("%w (complete ledgers: %s)", errors.Join(api.ErrNotFound, err), n.chain.Complete())
	}
	return err
}

func queryRef(r api.LedgerRef) query.Ref { return query.Ref{Seq: r.Seq, Hash: r.Hash, Name: r.Name} }

func (b *backend) Account(_ context.Context, address string, ref api.LedgerRef) (api.Account, error) {
	n := b.n
	id, err := protocol.ParseAccountID(address)
	if err != nil {
		return api.Account{}, &api.FieldError{Field: "account", Msg: err.Error()}
	}
	a, err := n.query.Account(id, queryRef(ref))
	if err != nil {
		return api.Account{}, n.queryError(err)
	}
	r := a.Root
	return api.Account{
		Address: address, Sequence: r.Sequence, Balance: uint64(r.Balance), OwnerCount: r.OwnerCount, Flags: r.Flags,
		Queued: n.queue.Waiting(id), LedgerSeq: a.Seq, LedgerHash: a.Hash, Validated: a.Validated,
	}, nil
}

func (b *backend) StatePage(_ context.Context, ref api.LedgerRef, marker [32]byte, limit int) (api.StatePage, error) {
	page, err := b.n.query.StatePage(queryRef(ref), marker, limit)
	if err != nil {
		return api.StatePage{}, b.n.queryError(err)
	}
	p := api.StatePage{LedgerSeq: page.Seq, LedgerHash: page.Hash, Next: page.Next, More: page.More, Entries: make([]api.StateEntry, len(page.Items))}
	for i, it := range page.Items {
		p.Entries[i] = api.StateEntry{Key: it.Key, Data: it.Data}
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
	l, err := n.query.Ledger(queryRef(ref), true)
	if err != nil {
		return api.LedgerInfo{}, n.queryError(err)
	}
	i := api.LedgerInfo{Header: apiHeader(&l.Header, l.Hash), Closed: true, Validated: l.Validated, Count: len(l.Txs)}
	if withTx {
		for _, t := range l.Txs {
			i.Transactions = append(i.Transactions, api.LedgerTx{ID: t.ID, Code: int(t.Result)})
		}
	}
	return i, nil
}

func (b *backend) Transaction(_ context.Context, id [32]byte) (api.TxStatus, error) {
	found, searched, err := b.n.query.Transaction(id, 0, 0)
	s := api.TxStatus{From: searched.First, To: searched.Last, All: searched.All}
	if errors.Is(err, query.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return s, b.n.queryError(err)
	}
	s.Found, s.LedgerSeq, s.Code, s.Token = true, found.Seq, int(found.Tx.Result), found.Tx.Result.String()
	return s, nil
}

func (b *backend) AccountTransactions(_ context.Context, q api.AccountTxQuery) (api.AccountTxs, error) {
	n := b.n
	id, err := protocol.ParseAccountID(q.Address)
	if err != nil {
		return api.AccountTxs{}, &api.FieldError{Field: "account", Msg: err.Error()}
	}
	h := history.Query{Account: id, First: q.First, Last: q.Last, Forward: q.Forward, Limit: q.Limit}
	if q.After != (api.AccountTx{}) {
		h.After = &history.Entry{Seq: q.After.Seq, Place: q.After.Place}
	}
	got, err := n.query.AccountTransactions(h)
	if err != nil {
		return api.AccountTxs{}, n.queryError(err)
	}
	out := api.AccountTxs{More: got.More, First: got.First, Last: got.Last}
	for _, e := range got.Txs {
		out.Txs = append(out.Txs, api.AccountTx{ID: e.ID, Seq: e.Seq, Place: e.Place})
	}
	for _, m := range got.Missing {
		out.Missing = append(out.Missing, api.SeqRange{First: m.First, Last: m.Last})
	}
	return out, nil
}
