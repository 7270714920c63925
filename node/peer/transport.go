package peer

import "context"

// Conn carries whole frames. Send and Recv may be called from one goroutine each, Close from any.
type Conn interface {
	// Send takes over frame.
	Send(frame []byte) error
	// Recv returns the next frame, which the caller owns.
	Recv() ([]byte, error)
	// Close ends the connection; Send and Recv return soon after.
	Close()
}

// Transport makes connections whose other end is proven to hold a key. A frame over the limit must end the connection
// before anything is allocated for it.
type Transport interface {
	Key() Key
	// Serve accepts until ctx ends, then waits for every accept call. accept is called on a goroutine of its own and
	// owns the connection until it returns. Keys that are not known are turned away.
	Serve(ctx context.Context, known func(Key) bool, frameBytesMax int, accept func(Key, Conn)) error
	// Dial connects to p, or fails; the connection ends with ctx.
	Dial(ctx context.Context, p PeerConfig, frameBytesMax int) (Conn, error)
}
