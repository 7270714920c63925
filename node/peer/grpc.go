package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	peerv1 "ledgerlab/proto/peer/v1"
)

// connectWait bounds one attempt to connect, handshake included.
const connectWait = 3 * time.Second

// GRPC is the transport of real networks: gRPC over TLS 1.3, both sides proven by their node keys.
type GRPC struct {
	listener net.Listener
	id       Identity
	cert     certificate
}

// NewGRPC takes over a listener, on loopback unless the network spans machines.
func NewGRPC(listener net.Listener, id Identity) (*GRPC, error) {
	cert, err := newCertificate(id)
	if err != nil {
		return nil, fmt.Errorf("peer certificate: %w", err)
	}
	return &GRPC{listener: listener, id: id, cert: cert}, nil
}

// Key is this node's key.
func (t *GRPC) Key() Key { return t.id.Key }

// Addr is the address it listens on.
func (t *GRPC) Addr() net.Addr { return t.listener.Addr() }

// frameBox is the message type of rawCodec.
type frameBox struct{ b []byte }

// rawCodec passes frames as bytes, so that limits are checked before anything is decoded. On the wire they are
// peer.v1.Frame messages.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	box, ok := v.(*frameBox)
	if !ok {
		return nil, fmt.Errorf("peer codec: unexpected %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(box.b)}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	box, ok := v.(*frameBox)
	if !ok {
		return fmt.Errorf("peer codec: unexpected %T", v)
	}
	box.b = data.Materialize()
	return nil
}

// stream is what both ends of a gRPC stream offer.
type stream interface {
	SendMsg(m any) error
	RecvMsg(m any) error
}

type grpcConn struct {
	stream stream
	close  func()
	once   sync.Once
}

func (c *grpcConn) Send(frame []byte) error { return c.stream.SendMsg(&frameBox{frame}) }

func (c *grpcConn) Recv() ([]byte, error) {
	var box frameBox
	err := c.stream.RecvMsg(&box)
	if status.Code(err) == codes.ResourceExhausted { // the length in the header is over the limit
		return nil, &FrameError{BadOversize, 0, status.Convert(err).Message()}
	}
	return box.b, err
}

func (c *grpcConn) Close() { c.once.Do(c.close) }

var linkDesc = peerv1.OverlayService_ServiceDesc.Streams[0]

const linkMethod = peerv1.OverlayService_Link_FullMethodName

// Serve accepts until ctx ends.
func (t *GRPC) Serve(ctx context.Context, known func(Key) bool, frameBytesMax int, accept func(Key, Conn)) error {
	var sessions sync.WaitGroup
	link := func(_ any, ss grpc.ServerStream) error {
		sessions.Add(1)
		defer sessions.Done()
		key, err := keyOf(ss.Context())
		if err != nil {
			return status.Error(codes.Unauthenticated, err.Error())
		}
		sctx, cancel := context.WithCancel(ss.Context())
		defer cancel()
		// A server stream ends when its handler returns; a reader that is stuck in RecvMsg is not woken by us but by
		// that return, so the session runs beside the handler.
		done := make(chan struct{})
		go func() {
			defer close(done)
			accept(key, &grpcConn{stream: ss, close: cancel})
		}()
		sessions.Add(1)
		go func() { defer sessions.Done(); <-done }()
		select {
		case <-done:
		case <-sctx.Done():
		}
		return nil
	}
	desc := grpc.ServiceDesc{
		ServiceName: peerv1.OverlayService_ServiceDesc.ServiceName, HandlerType: (*any)(nil), Metadata: peerv1.OverlayService_ServiceDesc.Metadata,
		Streams: []grpc.StreamDesc{{StreamName: linkDesc.StreamName, Handler: link, ServerStreams: true, ClientStreams: true}},
	}
	server := grpc.NewServer(
		grpc.Creds(credentials.NewTLS(t.cert.server(known, t.id.Verify))), grpc.ForceServerCodecV2(rawCodec{}),
		grpc.MaxRecvMsgSize(frameBytesMax), grpc.MaxSendMsgSize(2*frameBytesMax), grpc.MaxConcurrentStreams(1),
		grpc.ConnectionTimeout(connectWait), grpc.WaitForHandlers(true), grpc.MaxHeaderListSize(8<<10),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
	)
	server.RegisterService(&desc, nil)
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	err := server.Serve(t.listener)
	server.Stop()
	sessions.Wait()
	if ctx.Err() != nil || errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}
	return fmt.Errorf("peer listener: %w", err)
}

// keyOf reads the key that the TLS handshake has proven.
func keyOf(ctx context.Context) (Key, error) {
	p, ok := grpcpeer.FromContext(ctx)
	if !ok {
		return Key{}, errors.New("no peer")
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(info.State.PeerCertificates) == 0 {
		return Key{}, errors.New("no certificate")
	}
	return claimedKey(info.State.PeerCertificates[0])
}

// Dial connects to p.
func (t *GRPC) Dial(ctx context.Context, p PeerConfig, frameBytesMax int) (Conn, error) {
	cc, err := grpc.NewClient("passthrough:///"+p.Address,
		grpc.WithTransportCredentials(credentials.NewTLS(t.cert.client(p.Key, t.id.Verify))),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(frameBytesMax), grpc.MaxCallSendMsgSize(2*frameBytesMax)),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(), grpc.WithIdleTimeout(0),
	)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", p.Name, err)
	}
	sctx, cancel := context.WithCancel(ctx)
	slow := time.AfterFunc(connectWait, cancel)
	s, err := cc.NewStream(sctx, &linkDesc, linkMethod)
	if !slow.Stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("dial %s: %w", p.Name, err), cc.Close())
	}
	return &grpcConn{stream: s, close: func() {
		cancel()
		_ = cc.Close() // only says it was closed before
	}}, nil
}
