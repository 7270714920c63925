package client

import (
	"context"

	controlv1 "ledgerlab/proto/control/v1"
	recordv1 "ledgerlab/proto/record/v1"
)

// Info asks who and where the node is.
func (c *Client) Info(ctx context.Context) (*controlv1.InfoResponse, error) {
	return call(ctx, c, c.rpc.Info, &controlv1.InfoRequest{})
}

// Flags asks for every flag with its value.
func (c *Client) Flags(ctx context.Context) ([]*controlv1.Flag, error) {
	resp, err := call(ctx, c, c.rpc.ListFlags, &controlv1.ListFlagsRequest{})
	return resp.GetFlags(), err
}

// SetFlags sets all values or none and returns what changed, with the ledger from
// which it holds.
func (c *Client) SetFlags(ctx context.Context, values map[string]string) ([]*controlv1.FlagChange, error) {
	resp, err := call(ctx, c, c.rpc.SetFlags, &controlv1.SetFlagsRequest{Values: values})
	return resp.GetChanges(), err
}

// Sweep runs a cache sweep now.
func (c *Client) Sweep(ctx context.Context) (*recordv1.SweepRecord, error) {
	resp, err := call(ctx, c, c.rpc.Sweep, &controlv1.SweepRequest{})
	return resp.GetSweep(), err
}

// Trim gives free memory back now. method "" and pad below 0 take the flags'.
func (c *Client) Trim(ctx context.Context, method string, pad int64) (*recordv1.TrimRecord, error) {
	req := &controlv1.TrimRequest{Method: method}
	if pad >= 0 {
		req.PadBytes = &pad
	}
	resp, err := call(ctx, c, c.rpc.Trim, req)
	return resp.GetTrim(), err
}

// Rotate asks for a rotation of the store and returns the ledger it was asked at.
func (c *Client) Rotate(ctx context.Context) (uint32, error) {
	resp, err := call(ctx, c, c.rpc.Rotate, &controlv1.RotateRequest{})
	return resp.GetSeq(), err
}

// Memory asks for the balance sheet; full measures what costs, too.
func (c *Client) Memory(ctx context.Context, full bool) (*controlv1.MemoryResponse, error) {
	return call(ctx, c, c.rpc.Memory, &controlv1.MemoryRequest{Full: full})
}

// Waits asks for the counters of the waiting places.
func (c *Client) Waits(ctx context.Context) ([]*recordv1.Place, error) {
	resp, err := call(ctx, c, c.rpc.Waits, &controlv1.WaitsRequest{})
	return resp.GetPlaces(), err
}

// Fault puts a fault on links or clears it and returns how many links it met.
func (c *Client) Fault(ctx context.Context, f *controlv1.FaultRequest) (int, error) {
	resp, err := call(ctx, c, c.rpc.Fault, f)
	return int(resp.GetLinks()), err
}

// Submit gives one signed transaction and waits for its first result.
func (c *Client) Submit(ctx context.Context, blob []byte) (*controlv1.SubmitResult, error) {
	resp, err := call(ctx, c, c.rpc.Submit, &controlv1.SubmitRequest{Blob: blob})
	return resp.GetResult(), err
}

// SubmitBatch gives several signed transactions; async answers before they are applied.
func (c *Client) SubmitBatch(ctx context.Context, blobs [][]byte, async bool) ([]*controlv1.SubmitResult, error) {
	resp, err := call(ctx, c, c.rpc.SubmitBatch, &controlv1.SubmitBatchRequest{Blobs: blobs, Mode: mode(async)})
	return resp.GetResults(), err
}

func mode(async bool) controlv1.SubmitMode {
	if async {
		return controlv1.SubmitMode_SUBMIT_MODE_ASYNC
	}
	return controlv1.SubmitMode_SUBMIT_MODE_WAIT
}

// AccountTransactions lists validated transactions of an account.
func (c *Client) AccountTransactions(ctx context.Context, req *controlv1.AccountTransactionsRequest) (*controlv1.AccountTransactionsResponse, error) {
	return call(ctx, c, c.rpc.AccountTransactions, req)
}

// Transaction asks where a transaction stands.
func (c *Client) Transaction(ctx context.Context, id [32]byte) (*controlv1.TransactionResponse, error) {
	return call(ctx, c, c.rpc.Transaction, &controlv1.TransactionRequest{TxId: id[:]})
}

// Validated chooses the newest validated ledger.
func Validated() *controlv1.LedgerRef { return named("validated") }

// Closed chooses the last closed ledger.
func Closed() *controlv1.LedgerRef { return named("closed") }

// Current chooses the open ledger.
func Current() *controlv1.LedgerRef { return named("current") }

// Seq chooses a ledger by sequence.
func Seq(seq uint32) *controlv1.LedgerRef {
	return &controlv1.LedgerRef{Ref: &controlv1.LedgerRef_Seq{Seq: seq}}
}

func named(name string) *controlv1.LedgerRef {
	return &controlv1.LedgerRef{Ref: &controlv1.LedgerRef_Name{Name: name}}
}

// AccountInfo reads an account at a ledger; nil is the newest validated.
func (c *Client) AccountInfo(ctx context.Context, account string, ledger *controlv1.LedgerRef) (*controlv1.AccountInfoResponse, error) {
	return call(ctx, c, c.rpc.AccountInfo, &controlv1.AccountInfoRequest{Account: account, Ledger: ledger})
}

// StatePage reads up to limit entries of a ledger's state from marker on.
func (c *Client) StatePage(ctx context.Context, ledger *controlv1.LedgerRef, marker []byte, limit int) (*controlv1.StatePageResponse, error) {
	return call(ctx, c, c.rpc.StatePage, &controlv1.StatePageRequest{Ledger: ledger, Marker: marker, Limit: uint32(limit)})
}

// LedgerInfo describes a ledger; nil is the newest validated.
func (c *Client) LedgerInfo(ctx context.Context, ledger *controlv1.LedgerRef, withTx bool) (*controlv1.LedgerInfoResponse, error) {
	return call(ctx, c, c.rpc.LedgerInfo, &controlv1.LedgerInfoRequest{Ledger: ledger, Transactions: withTx})
}

// LedgerAccept closes the open ledger of a stand-alone node.
func (c *Client) LedgerAccept(ctx context.Context) (*controlv1.LedgerAcceptResponse, error) {
	return call(ctx, c, c.rpc.LedgerAccept, &controlv1.LedgerAcceptRequest{})
}

// Shutdown asks the node to end.
func (c *Client) Shutdown(ctx context.Context, reason string) error {
	_, err := call(ctx, c, c.rpc.Shutdown, &controlv1.ShutdownRequest{Reason: reason})
	return err
}
