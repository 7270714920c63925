package peer

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// memoryDepth frames wait on each way of a memory connection before Send blocks.
const memoryDepth = 64

// MemoryNetwork joins transports inside one process, for tests of whole nodes. It has no clock of its own, so that
// virtual time works.
type MemoryNetwork struct {
	mu struct {
		sync.Mutex
		nodes map[Key]*memoryTransport
	}
}

// NewMemoryNetwork returns an empty network.
func NewMemoryNetwork() *MemoryNetwork {
	n := new(MemoryNetwork)
	n.mu.nodes = make(map[Key]*memoryTransport)
	return n
}

// Transport is the attachment of the node with key k.
func (n *MemoryNetwork) Transport(k Key) Transport {
	return &memoryTransport{net: n, key: k}
}

type memoryTransport struct {
	net   *MemoryNetwork
	key   Key
	known func(Key) bool
	limit int
	calls chan memoryCall
	done  <-chan struct{}
}

type memoryCall struct {
	from Key
	conn *memoryConn
}

func (t *memoryTransport) Key() Key { return t.key }

func (t *memoryTransport) Serve(ctx context.Context, known func(Key) bool, frameBytesMax int, accept func(Key, Conn)) error {
	t.known, t.limit, t.calls, t.done = known, frameBytesMax, make(chan memoryCall), ctx.Done()
	t.net.mu.Lock()
	t.net.mu.nodes[t.key] = t
	t.net.mu.Unlock()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case c := <-t.calls:
			wg.Go(func() {
				accept(c.from, c.conn)
				c.conn.Close()
			})
		case <-ctx.Done():
			t.net.mu.Lock()
			if t.net.mu.nodes[t.key] == t {
				delete(t.net.mu.nodes, t.key)
			}
			t.net.mu.Unlock()
			return nil
		}
	}
}

func (t *memoryTransport) Dial(ctx context.Context, p PeerConfig, frameBytesMax int) (Conn, error) {
	t.net.mu.Lock()
	other := t.net.mu.nodes[p.Key]
	t.net.mu.Unlock()
	if other == nil {
		return nil, fmt.Errorf("dial %s: nobody there", p.Name)
	}
	if !other.known(t.key) {
		return nil, fmt.Errorf("dial %s: turned away", p.Name)
	}
	end := &memoryEnd{closed: make(chan struct{})}
	ab, ba := make(chan []byte, memoryDepth), make(chan []byte, memoryDepth)
	near := &memoryConn{end: end, in: ba, out: ab, limit: frameBytesMax}
	far := &memoryConn{end: end, in: ab, out: ba, limit: other.limit}
	select {
	case other.calls <- memoryCall{t.key, far}:
		return near, nil
	case <-other.done:
		return nil, fmt.Errorf("dial %s: nobody there", p.Name)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type memoryEnd struct {
	once   sync.Once
	closed chan struct{}
}

type memoryConn struct {
	end     *memoryEnd
	in, out chan []byte
	limit   int
}

func (c *memoryConn) Send(frame []byte) error {
	select {
	case c.out <- frame:
		return nil
	case <-c.end.closed:
		return io.ErrClosedPipe
	}
}

func (c *memoryConn) Recv() ([]byte, error) {
	select {
	case b := <-c.in:
		if len(b) > c.limit {
			return nil, &FrameError{BadOversize, 0, fmt.Sprintf("%d bytes", len(b))}
		}
		return b, nil
	case <-c.end.closed:
		return nil, io.EOF
	}
}

func (c *memoryConn) Close() { c.end.once.Do(func() { close(c.end.closed) }) }
