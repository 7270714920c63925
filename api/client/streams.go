package client

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	controlv1 "ledgerlab/proto/control/v1"
	recordv1 "ledgerlab/proto/record/v1"
)

func quickBackoff() backoff.Config {
	return backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second}
}

// RecordOptions choose what Records sends.
type RecordOptions struct {
	Token     string   // behind which to begin; empty = from now on
	FromStart bool     // without a token: from the oldest record held
	Kinds     []string // empty = all
	Follow    bool     // stay, and come back after a broken connection
	OnLost    func(n uint64)
	OnBreak   func(err error) // the connection broke and is taken up again
}

// Records calls fn with each record in order. With Follow it ends only with ctx,
// with an error of fn, or with a refusal of the request. It returns the token
// behind the last record.
func (c *Client) Records(ctx context.Context, o RecordOptions, fn func(*recordv1.Record) error) (token string, err error) {
	token = o.Token
	fromStart := o.FromStart
	for {
		err := c.recordsOnce(ctx, &token, fromStart, o, fn)
		if !o.Follow || !c.again(ctx, err, o.OnBreak) {
			return token, c.wrap(err)
		}
		// without a token nothing was received yet: what comes meanwhile is wanted
		fromStart = fromStart || token == ""
	}
}

// callbackError carries an error of the caller's func past the stream's own.
type callbackError struct{ err error }

func (e *callbackError) Error() string { return e.err.Error() }
func (e *callbackError) Unwrap() error { return e.err }

func (c *Client) recordsOnce(ctx context.Context, token *string, fromStart bool, o RecordOptions, fn func(*recordv1.Record) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := c.rpc.Records(ctx, &controlv1.RecordsRequest{Token: *token, FromStart: fromStart, Kinds: o.Kinds, Follow: o.Follow})
	if err != nil {
		return err
	}
	for {
		resp, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if resp.Lost > 0 && o.OnLost != nil {
			o.OnLost(resp.Lost)
		}
		if err := fn(resp.Record); err != nil {
			return &callbackError{err}
		}
		*token = resp.Token
	}
}

// again waits and reports whether a stream that ended with err is taken up again.
func (c *Client) again(ctx context.Context, err error, onBreak func(error)) bool {
	var cb *callbackError
	if ctx.Err() != nil || errors.As(err, &cb) {
		return false
	}
	switch status.Code(err) {
	case codes.InvalidArgument, codes.Unimplemented, codes.PermissionDenied:
		return false
	}
	if onBreak != nil && err != nil {
		onBreak(c.wrap(err))
	}
	t := time.NewTimer(c.opts.Retry)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// LedgerOptions choose what WatchLedgers sends.
type LedgerOptions struct {
	Transactions bool   // with the ids and results of their transactions
	From         uint32 // 0 = the next one
	Follow       bool   // come back after a broken connection, without a gap as far as ledgers are held
	OnReady      func() // the watch is set up: ledgers validated from now on will come
	OnLost       func(n uint64)
	OnBreak      func(err error)
}

// WatchLedgers calls fn with each validated ledger in order until ctx ends or fn
// fails.
func (c *Client) WatchLedgers(ctx context.Context, o LedgerOptions, fn func(*controlv1.WatchLedgersResponse) error) error {
	next := o.From
	for {
		err := c.ledgersOnce(ctx, &next, o, fn)
		if !o.Follow || !c.again(ctx, err, o.OnBreak) {
			return c.wrap(err)
		}
	}
}

func (c *Client) ledgersOnce(ctx context.Context, next *uint32, o LedgerOptions, fn func(*controlv1.WatchLedgersResponse) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := c.rpc.WatchLedgers(ctx, &controlv1.WatchLedgersRequest{Transactions: o.Transactions, FromSeq: *next})
	if err != nil {
		return err
	}
	if md, err := st.Header(); err != nil || md == nil {
		_, rerr := st.Recv()
		return errors.Join(err, rerr)
	}
	if o.OnReady != nil {
		o.OnReady()
	}
	for {
		resp, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if resp.Dropped > 0 && o.OnLost != nil {
			o.OnLost(resp.Dropped)
		}
		if err := fn(resp); err != nil {
			return &callbackError{err}
		}
		*next = resp.Header.GetSeq() + 1
	}
}

// WatchFlags calls fn with each change of a flag until ctx ends or fn fails.
func (c *Client) WatchFlags(ctx context.Context, fn func(*controlv1.FlagChange) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := c.rpc.WatchFlags(ctx, &controlv1.WatchFlagsRequest{})
	if err != nil {
		return c.wrap(err)
	}
	for {
		resp, err := st.Recv()
		if err != nil {
			return c.wrap(err)
		}
		if err := fn(resp.Change); err != nil {
			return err
		}
	}
}

// Submitter sends batches of transactions over one stream.
type Submitter struct {
	c      *Client
	st     controlv1.ControlService_SubmitStreamClient
	cancel context.CancelFunc
}

// NewSubmitter opens a stream for submissions.
func (c *Client) NewSubmitter(ctx context.Context) (*Submitter, error) {
	ctx, cancel := context.WithCancel(ctx)
	st, err := c.rpc.SubmitStream(ctx)
	if err != nil {
		cancel()
		return nil, c.wrap(err)
	}
	return &Submitter{c: c, st: st, cancel: cancel}, nil
}

// Send gives one batch; id comes back with its results. One goroutine may send
// while another receives.
func (s *Submitter) Send(id uint64, blobs [][]byte, async bool) error {
	return s.c.wrap(s.st.Send(&controlv1.SubmitStreamRequest{Id: id, Blobs: blobs, Mode: mode(async)}))
}

// Recv returns the results of the next batch, in the order of Send.
func (s *Submitter) Recv() (id uint64, results []*controlv1.SubmitResult, err error) {
	resp, err := s.st.Recv()
	if err != nil {
		return 0, nil, s.c.wrap(err)
	}
	return resp.Id, resp.Results, nil
}

// Close ends the stream.
func (s *Submitter) Close() {
	_ = s.st.CloseSend() // the cancel below ends the stream in any case
	s.cancel()
}
