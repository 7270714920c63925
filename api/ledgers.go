package api

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"google.golang.org/grpc"

	controlv1 "ledgerlab/proto/control/v1"
)

// maxBlobBytes is the largest transaction that is looked at.
const maxBlobBytes = 1 << 20

func hexHash(h [32]byte) string { return strings.ToUpper(hex.EncodeToString(h[:])) }

func hash32(field string, b []byte) (h [32]byte, err error) {
	if len(b) != len(h) {
		return h, fieldErr(field, "has %d bytes; 32 are needed", len(b))
	}
	copy(h[:], b)
	return h, nil
}

// ledgerRef reads a choice of ledger; none is the newest validated.
func ledgerRef(field string, r *controlv1.LedgerRef) (LedgerRef, error) {
	switch ref := r.GetRef().(type) {
	case *controlv1.LedgerRef_Seq:
		if ref.Seq == 0 {
			return LedgerRef{}, fieldErr(field+".seq", "0 is no ledger; the first is 1")
		}
		return LedgerRef{Seq: ref.Seq}, nil
	case *controlv1.LedgerRef_Hash:
		h, err := hash32(field+".hash", ref.Hash)
		return LedgerRef{Hash: h}, err
	case *controlv1.LedgerRef_Name:
		switch ref.Name {
		case "validated", "closed", "current":
			return LedgerRef{Name: ref.Name}, nil
		}
		return LedgerRef{}, fieldErr(field+".name", "%q is not allowed; allowed: validated, closed, current", ref.Name)
	default:
		return LedgerRef{Name: "validated"}, nil
	}
}

func submitMode(field string, m controlv1.SubmitMode) (SubmitMode, error) {
	switch m {
	case controlv1.SubmitMode_SUBMIT_MODE_UNSPECIFIED, controlv1.SubmitMode_SUBMIT_MODE_WAIT:
		return SubmitWait, nil
	case controlv1.SubmitMode_SUBMIT_MODE_ASYNC:
		return SubmitAsync, nil
	default:
		return 0, fieldErr(field, "%d is not allowed; allowed: WAIT, ASYNC", m)
	}
}

// submit checks and hands over a batch; the func returned waits for the answers.
func (s *Server) submit(ctx context.Context, blobs [][]byte, m controlv1.SubmitMode, failHard bool) (func() ([]*controlv1.SubmitResult, error), error) {
	mode, err := submitMode("mode", m)
	if err != nil {
		return nil, err
	}
	if len(blobs) == 0 || len(blobs) > s.opts.BatchLimit {
		return nil, fieldErr("blobs", "holds %d transactions; 1 to %d are allowed", len(blobs), s.opts.BatchLimit)
	}
	for _, b := range blobs {
		if len(b) == 0 || len(b) > maxBlobBytes {
			return nil, fieldErr("blob", "has %d bytes; 1 to %d are allowed", len(b), maxBlobBytes)
		}
	}
	wait, err := s.opts.Backend.Submit(ctx, blobs, mode, failHard)
	if err != nil {
		return nil, err
	}
	return func() ([]*controlv1.SubmitResult, error) {
		results, err := wait()
		if err == nil && len(results) != len(blobs) {
			err = errors.New("backend gave another number of results than it got transactions")
		}
		if err != nil {
			return nil, err
		}
		return resultProtos(results), nil
	}, nil
}

func resultProtos(results []SubmitResult) []*controlv1.SubmitResult {
	out := make([]*controlv1.SubmitResult, len(results))
	for i := range results {
		r := &results[i]
		out[i] = &controlv1.SubmitResult{
			TxId: r.ID[:], Code: int32(r.Code), Token: r.Token, Message: r.Message,
			Accepted: r.Applied || r.Queued || r.Kept || r.Broadcast,
			Applied:  r.Applied, Queued: r.Queued, Kept: r.Kept, Broadcast: r.Broadcast,
			OpenSeq: r.OpenSeq, AccountSeq: r.AccountSeq,
		}
	}
	return out
}

// Submit takes one transaction.
func (s *Server) Submit(ctx context.Context, req *controlv1.SubmitRequest) (*controlv1.SubmitResponse, error) {
	wait, err := s.submit(ctx, [][]byte{req.Blob}, req.Mode, req.FailHard)
	if err != nil {
		return nil, err
	}
	out, err := wait()
	if err != nil {
		return nil, err
	}
	return &controlv1.SubmitResponse{Result: out[0]}, nil
}

// SubmitBatch takes several transactions.
func (s *Server) SubmitBatch(ctx context.Context, req *controlv1.SubmitBatchRequest) (*controlv1.SubmitBatchResponse, error) {
	wait, err := s.submit(ctx, req.Blobs, req.Mode, false)
	if err != nil {
		return nil, err
	}
	out, err := wait()
	return &controlv1.SubmitBatchResponse{Results: out}, err
}

// submitsAtWork bounds the batches of one stream that wait for their answers; a
// client that sends more is held up by flow control.
const submitsAtWork = 256

type pendingSubmit struct {
	id   uint64
	wait func() ([]*controlv1.SubmitResult, error)
}

// SubmitStream takes batches in order and answers them in order, while later ones
// are already taken in.
func (s *Server) SubmitStream(st grpc.BidiStreamingServer[controlv1.SubmitStreamRequest, controlv1.SubmitStreamResponse]) error {
	ctx, cancel := context.WithCancel(st.Context())
	defer cancel()
	pending := make(chan pendingSubmit, submitsAtWork)
	var recvErr error // written before pending is closed
	go func() {       // ends with the call at the latest: Recv fails once the handler has returned
		defer close(pending)
		recvErr = s.recvSubmits(ctx, st, pending)
	}()
	for p := range pending {
		out, err := p.wait()
		if err != nil {
			return err
		}
		if err := st.Send(&controlv1.SubmitStreamResponse{Id: p.id, Results: out}); err != nil {
			return err
		}
	}
	return recvErr
}

func (s *Server) recvSubmits(ctx context.Context, st grpc.BidiStreamingServer[controlv1.SubmitStreamRequest, controlv1.SubmitStreamResponse], pending chan<- pendingSubmit) (err error) {
	defer func() {
		if p := recover(); p != nil { // not under the interceptor's own recover
			err = s.panicked(controlv1.ControlService_SubmitStream_FullMethodName, p)
		}
	}()
	for {
		req, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		wait, err := s.submit(ctx, req.Blobs, req.Mode, false)
		if err != nil {
			return err
		}
		select {
		case pending <- pendingSubmit{req.Id, wait}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Transaction says where a transaction stands.
func (s *Server) Transaction(ctx context.Context, req *controlv1.TransactionRequest) (*controlv1.TransactionResponse, error) {
	id, err := hash32("tx_id", req.TxId)
	if err != nil {
		return nil, err
	}
	t, err := s.opts.Backend.Transaction(ctx, id)
	if err != nil {
		return nil, err
	}
	return &controlv1.TransactionResponse{
		Found: t.Found, LedgerSeq: t.LedgerSeq, Code: int32(t.Code), Token: t.Token,
		SearchedFrom: t.From, SearchedTo: t.To, SearchedAll: t.All,
	}, nil
}

func checkAddress(address string) error {
	if len(address) < 25 || len(address) > 35 || address[0] != 'r' {
		return fieldErr("account", "%.40q is not a classic address", address)
	}
	return nil
}

// AccountInfo reads an account root.
func (s *Server) AccountInfo(ctx context.Context, req *controlv1.AccountInfoRequest) (*controlv1.AccountInfoResponse, error) {
	ref, err := ledgerRef("ledger", req.Ledger)
	if err != nil {
		return nil, err
	}
	if err := checkAddress(req.Account); err != nil {
		return nil, err
	}
	a, err := s.opts.Backend.Account(ctx, req.Account, ref)
	if err != nil {
		return nil, err
	}
	return &controlv1.AccountInfoResponse{
		Account: a.Address, Sequence: a.Sequence, BalanceDrops: a.Balance, OwnerCount: a.OwnerCount,
		Flags: a.Flags, Queued: uint32(a.Queued), LedgerSeq: a.LedgerSeq, LedgerHash: hexHash(a.LedgerHash), Validated: a.Validated,
	}, nil
}

// StatePage reads a piece of a ledger's state.
func (s *Server) StatePage(ctx context.Context, req *controlv1.StatePageRequest) (*controlv1.StatePageResponse, error) {
	ref, err := ledgerRef("ledger", req.Ledger)
	if err != nil {
		return nil, err
	}
	var marker [32]byte
	if len(req.Marker) > 0 {
		if marker, err = hash32("marker", req.Marker); err != nil {
			return nil, err
		}
	}
	limit := int(req.Limit)
	switch {
	case limit == 0:
		limit = min(256, s.opts.PageLimit)
	case limit > s.opts.PageLimit:
		return nil, fieldErr("limit", "%d is above %d", limit, s.opts.PageLimit)
	}
	p, err := s.opts.Backend.StatePage(ctx, ref, marker, limit)
	if err != nil {
		return nil, err
	}
	out := &controlv1.StatePageResponse{LedgerSeq: p.LedgerSeq, LedgerHash: hexHash(p.LedgerHash)}
	for i := range p.Entries {
		e := &controlv1.StateEntry{Key: p.Entries[i].Key[:]}
		if !req.KeysOnly {
			e.Data = p.Entries[i].Data
		}
		out.Entries = append(out.Entries, e)
	}
	if p.More {
		out.Marker = p.Next[:]
	}
	return out, nil
}

// LedgerInfo describes a ledger.
func (s *Server) LedgerInfo(ctx context.Context, req *controlv1.LedgerInfoRequest) (*controlv1.LedgerInfoResponse, error) {
	ref, err := ledgerRef("ledger", req.Ledger)
	if err != nil {
		return nil, err
	}
	l, err := s.opts.Backend.Ledger(ctx, ref, req.Transactions)
	if err != nil {
		return nil, err
	}
	return &controlv1.LedgerInfoResponse{
		Header: headerProto(l.Header), Closed: l.Closed, Validated: l.Validated,
		TransactionCount: uint32(l.Count), Transactions: txProtos(l.Transactions),
	}, nil
}

func headerProto(h Header) *controlv1.LedgerHeader {
	return &controlv1.LedgerHeader{
		Seq: h.Seq, Hash: hexHash(h.Hash), ParentHash: hexHash(h.Parent), AccountHash: hexHash(h.AccountHash), TxHash: hexHash(h.TxHash),
		TotalDrops: h.TotalDrops, CloseTime: h.CloseTime, ParentCloseTime: h.ParentCloseTime,
		CloseResolutionS: uint32(h.CloseResolution), CloseFlags: uint32(h.CloseFlags),
	}
}

func txProtos(txs []LedgerTx) []*controlv1.LedgerTransaction {
	out := make([]*controlv1.LedgerTransaction, len(txs))
	for i := range txs {
		out[i] = &controlv1.LedgerTransaction{TxId: txs[i].ID[:], Code: int32(txs[i].Code)}
	}
	return out
}
