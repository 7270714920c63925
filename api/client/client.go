package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	controlv1 "ledgerlab/proto/control/v1"
)

// Options configure a Client.
type Options struct {
	Name         string        // of the node, for messages; default its address
	Timeout      time.Duration // of a unary call whose context has no deadline; default 10s
	Retry        time.Duration // pause before a stream is taken up again; default 500ms
	MessageBytes int           // largest message; default 16 MiB
}

// Default fills what is zero.
func (o Options) Default() Options {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Retry == 0 {
		o.Retry = 500 * time.Millisecond
	}
	if o.MessageBytes == 0 {
		o.MessageBytes = 16 << 20
	}
	return o
}

// Client talks to one node.
type Client struct {
	opts Options
	conn *grpc.ClientConn
	rpc  controlv1.ControlServiceClient
}

// Dial returns a client of the node at addr. It does not wait for a connection;
// WaitServing does.
func Dial(addr string, o Options) (*Client, error) {
	o = o.Default()
	if o.Name == "" {
		o.Name = addr
	}
	conn, err := grpc.NewClient(addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 2 * time.Second, Backoff: quickBackoff()}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(o.MessageBytes), grpc.MaxCallSendMsgSize(o.MessageBytes)))
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", o.Name, err)
	}
	return &Client{opts: o, conn: conn, rpc: controlv1.NewControlServiceClient(conn)}, nil
}

// Close ends the connection and every stream on it.
func (c *Client) Close() error { return c.conn.Close() }

// Name returns the node's name as given in the options.
func (c *Client) Name() string { return c.opts.Name }

// RPC returns the generated client, for calls with options of their own.
func (c *Client) RPC() controlv1.ControlServiceClient { return c.rpc }

// Error is a failed call in one line.
type Error struct {
	Node   string
	Code   codes.Code
	Msg    string
	Fields map[string]string // path of a field of the request -> what is wrong with it
	Reason string            // machine-readable, such as NEEDS_RESTART or LIMIT
	err    error
}

// Error is one line.
func (e *Error) Error() string {
	if e.Code == codes.Unavailable {
		return fmt.Sprintf("node %s does not answer: %s", e.Node, plain(e.Msg))
	}
	if e.Code == codes.DeadlineExceeded {
		return fmt.Sprintf("node %s did not answer in time", e.Node)
	}
	return fmt.Sprintf("node %s: %s", e.Node, oneLine(e.Msg))
}

// Unwrap returns the gRPC error.
func (e *Error) Unwrap() error { return e.err }

func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }

// plain drops the words of the transport before the cause.
func plain(s string) string {
	for _, lead := range []string{`connection error: desc = "`, "transport: ", "Error while dialing: "} {
		s = strings.TrimPrefix(s, lead)
	}
	return strings.TrimSuffix(oneLine(s), `"`)
}

// wrap turns a gRPC error into an *Error.
func (c *Client) wrap(err error) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	st, ok := status.FromError(err)
	if !ok {
		return fmt.Errorf("node %s: %w", c.opts.Name, err)
	}
	e := &Error{Node: c.opts.Name, Code: st.Code(), Msg: st.Message(), err: err}
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			e.Reason = d.Reason
		case *errdetails.BadRequest:
			e.Fields = map[string]string{}
			for _, v := range d.FieldViolations {
				e.Fields[v.Field] = v.Description
			}
		}
	}
	return e
}

// call runs one unary call with the client's deadline.
func call[Req, Resp any](ctx context.Context, c *Client, fn func(context.Context, *Req, ...grpc.CallOption) (*Resp, error), req *Req) (*Resp, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.opts.Timeout)
		defer cancel()
	}
	resp, err := fn(ctx, req)
	if err != nil {
		return nil, c.wrap(err)
	}
	return resp, nil
}

// Serving reports whether the node's health service answers that it serves.
func (c *Client) Serving(ctx context.Context) bool {
	resp, err := healthv1.NewHealthClient(c.conn).Check(ctx, &healthv1.HealthCheckRequest{})
	return err == nil && resp.Status == healthv1.HealthCheckResponse_SERVING
}

// WaitServing waits until the node serves or ctx ends.
func (c *Client) WaitServing(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		one, cancel := context.WithTimeout(ctx, time.Second)
		ok := c.Serving(one)
		cancel()
		if ok {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("node %s does not serve yet: %w", c.opts.Name, ctx.Err())
		}
	}
}
