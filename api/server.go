package api

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	controlv1 "ledgerlab/proto/control/v1"
)

// ServiceName is the name of the control service, for health checks.
const ServiceName = "control.v1.ControlService"

// stopGrace is how long calls at work may take once the server is told to stop.
const stopGrace = 2 * time.Second

// Server is the control plane of a node.
type Server struct {
	controlv1.UnimplementedControlServiceServer

	opts    Options
	grpc    *grpc.Server
	health  *health.Server
	done    chan struct{} // closed when the server stops: streams end
	streams chan struct{} // a slot for each open stream
	calls   chan struct{} // a slot for each unary call at work
	counts  counters
}

type counters struct {
	calls, failed, panics, refusedCalls, refusedStreams, watchDropped atomic.Uint64
}

// Stats are counters since the start.
type Stats struct {
	Calls          uint64 // unary calls and streams begun
	Failed         uint64 // ended with an error
	Panics         uint64
	RefusedCalls   uint64 // by the bound on calls
	RefusedStreams uint64 // by the bound on streams
	WatchDropped   uint64 // messages lost to slow watchers
	OpenStreams    int    // now
}

// New returns a server that is not yet listening.
func New(o Options) (*Server, error) {
	o = o.Default()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, health: health.NewServer(), done: make(chan struct{}),
		streams: make(chan struct{}, o.Streams), calls: make(chan struct{}, o.Requests),
	}
	s.grpc = grpc.NewServer(
		grpc.MaxRecvMsgSize(o.MessageBytes),
		grpc.MaxSendMsgSize(o.MessageBytes),
		// unary calls and streams share it; both have a bound of their own over all connections
		grpc.MaxConcurrentStreams(uint32(o.Streams+o.Requests)),
		grpc.UnaryInterceptor(s.unary),
		grpc.StreamInterceptor(s.stream),
		// a watcher that is gone without a word is noticed
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)
	controlv1.RegisterControlServiceServer(s.grpc, s)
	healthv1.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
	s.SetServing(false)
	return s, nil
}

// SetServing tells health checks whether the node serves.
func (s *Server) SetServing(ok bool) {
	st := healthv1.HealthCheckResponse_NOT_SERVING
	if ok {
		st = healthv1.HealthCheckResponse_SERVING
	}
	s.health.SetServingStatus("", st)
	s.health.SetServingStatus(ServiceName, st)
}

// Serve answers calls on l until ctx ends; calls at work then have a short grace.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ended := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		s.health.Shutdown()
		close(s.done)
		force := time.AfterFunc(stopGrace, s.grpc.Stop)
		s.grpc.GracefulStop()
		force.Stop()
	}()
	err := s.grpc.Serve(l)
	close(ended)
	<-stopped
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("control plane: %w", err)
	}
	return nil
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	return Stats{
		Calls: s.counts.calls.Load(), Failed: s.counts.failed.Load(), Panics: s.counts.panics.Load(),
		RefusedCalls: s.counts.refusedCalls.Load(), RefusedStreams: s.counts.refusedStreams.Load(),
		WatchDropped: s.counts.watchDropped.Load(), OpenStreams: len(s.streams),
	}
}
