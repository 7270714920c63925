package api

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"ledgerlab/node/config"
)

// errorDomain stands in every ErrorInfo.
const errorDomain = "ledgerlab"

// unary bounds calls at work, gives a deadline to those without one, turns panics
// and errors into statuses.
func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (resp any, err error) {
	s.counts.calls.Add(1)
	defer func() { s.count(err) }()
	select {
	case s.calls <- struct{}{}:
		defer func() { <-s.calls }()
	default:
		s.counts.refusedCalls.Add(1)
		return nil, limitStatus("REQUESTS", fmt.Sprintf("%d calls are at work, the most allowed; try again", cap(s.calls)))
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.opts.Deadline)
		defer cancel()
	}
	defer func() {
		if p := recover(); p != nil {
			resp, err = nil, s.panicked(info.FullMethod, p)
		}
	}()
	resp, err = h(ctx, req)
	return resp, toStatus(err)
}

// stream bounds open streams, ends them when the server stops, turns panics and
// errors into statuses.
func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, h grpc.StreamHandler) (err error) {
	s.counts.calls.Add(1)
	defer func() { s.count(err) }()
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		s.counts.refusedStreams.Add(1)
		return limitStatus("STREAMS", fmt.Sprintf("%d streams are open, the most allowed", cap(s.streams)))
	}
	ctx, cancel := context.WithCancelCause(ss.Context())
	defer cancel(nil)
	go func() {
		select {
		case <-s.done:
			cancel(errStopping)
		case <-ctx.Done():
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(info.FullMethod, p)
		}
	}()
	err = h(srv, &boundStream{ss, ctx})
	if errors.Is(context.Cause(ctx), errStopping) {
		return status.Error(codes.Unavailable, "the node is stopping")
	}
	return toStatus(err)
}

var errStopping = errors.New("stopping")

type boundStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (b *boundStream) Context() context.Context { return b.ctx }

func (s *Server) count(err error) {
	if err != nil {
		s.counts.failed.Add(1)
	}
}

func (s *Server) panicked(method string, p any) error {
	s.counts.panics.Add(1)
	s.opts.Log.Error("call panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return status.Error(codes.Internal, "internal error; the node's log has its stack")
}

// toStatus gives an error of the backend its code and details.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	var field *FieldError
	var flagValue *config.ValueError
	var flagName *config.UnknownFlagError
	switch {
	case errors.As(err, &field):
		return fieldStatus(err.Error(), field.Field, field.Msg)
	case errors.As(err, &flagValue):
		return fieldStatus(err.Error(), "values."+flagValue.Flag, err.Error())
	case errors.As(err, &flagName):
		return fieldStatus(err.Error(), "values."+flagName.Name, err.Error())
	case errors.Is(err, config.ErrRestart):
		return infoStatus(codes.FailedPrecondition, "NEEDS_RESTART", err.Error())
	case errors.Is(err, ErrNotFound):
		return infoStatus(codes.NotFound, "NOT_FOUND", err.Error())
	case errors.Is(err, ErrUnsupported):
		return infoStatus(codes.Unimplemented, "UNSUPPORTED", err.Error())
	case errors.Is(err, ErrNotNow):
		return infoStatus(codes.FailedPrecondition, "NOT_NOW", err.Error())
	case errors.Is(err, ErrBusy):
		return infoStatus(codes.ResourceExhausted, "BUSY", err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	default:
		return infoStatus(codes.Internal, "INTERNAL", err.Error())
	}
}

func infoStatus(code codes.Code, reason, msg string) error {
	st := status.New(code, msg)
	if d, err := st.WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: errorDomain}); err == nil {
		st = d
	}
	return st.Err()
}

func limitStatus(limit, msg string) error {
	st := status.New(codes.ResourceExhausted, msg)
	d, err := st.WithDetails(
		&errdetails.ErrorInfo{Reason: "LIMIT", Domain: errorDomain, Metadata: map[string]string{"limit": limit}},
		&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: limit, Description: msg}}})
	if err == nil {
		st = d
	}
	return st.Err()
}

func fieldStatus(msg, field, desc string) error {
	st := status.New(codes.InvalidArgument, msg)
	d, err := st.WithDetails(
		&errdetails.ErrorInfo{Reason: "INVALID_FIELD", Domain: errorDomain, Metadata: map[string]string{"field": field}},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: field, Description: desc}}})
	if err == nil {
		st = d
	}
	return st.Err()
}
