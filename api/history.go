package api

import (
	"context"
	"encoding/binary"

	controlv1 "ledgerlab/proto/control/v1"
)

// accountTxsDefault is how many transactions an answer has when none is asked for,
// rippled's default of account_tx; accountTxsMax bounds what may be asked for.
const (
	accountTxsDefault = 200
	accountTxsMax     = 1000
)

// AccountTransactions lists the transactions of an account.
func (s *Server) AccountTransactions(ctx context.Context, req *controlv1.AccountTransactionsRequest) (*controlv1.AccountTransactionsResponse, error) {
	if err := checkAddress(req.Account); err != nil {
		return nil, err
	}
	q := AccountTxQuery{Address: req.Account, First: req.FirstSeq, Last: req.LastSeq, Forward: req.Forward, Limit: int(req.Limit)}
	switch {
	case q.Limit == 0:
		q.Limit = accountTxsDefault
	case q.Limit > accountTxsMax:
		return nil, fieldErr("limit", "%d is above %d", q.Limit, accountTxsMax)
	}
	if q.Last != 0 && q.First > q.Last {
		return nil, fieldErr("first_seq", "%d is above last_seq %d", q.First, q.Last)
	}
	if len(req.Marker) > 0 {
		if len(req.Marker) != markerLen {
			return nil, fieldErr("marker", "has %d bytes; %d are needed", len(req.Marker), markerLen)
		}
		q.After = AccountTx{Seq: binary.BigEndian.Uint32(req.Marker), Place: binary.BigEndian.Uint32(req.Marker[4:])}
	}
	a, err := s.opts.Backend.AccountTransactions(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &controlv1.AccountTransactionsResponse{FirstSeq: a.First, LastSeq: a.Last}
	for i := range a.Txs {
		t := &a.Txs[i]
		out.Transactions = append(out.Transactions, &controlv1.AccountTransaction{TxId: t.ID[:], LedgerSeq: t.Seq, Place: t.Place})
	}
	if n := len(a.Txs); a.More && n > 0 {
		out.Marker = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, a.Txs[n-1].Seq), a.Txs[n-1].Place)
	}
	for _, m := range a.Missing {
		out.Missing = append(out.Missing, &controlv1.LedgerRange{FirstSeq: m.First, LastSeq: m.Last})
	}
	return out, nil
}

// markerLen is a ledger and a place in it.
const markerLen = 8
