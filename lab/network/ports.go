package network

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// addresses are where one node listens.
type addresses struct {
	Peer, Control, Web string
}

// choosePorts returns loopback addresses for each node that nobody listens on
// now. All are held open together while choosing, so that none is given twice.
func choosePorts(nodes []NodeSpec, base int) ([]addresses, error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close() // it was only held to keep the port
		}
	}()
	take := func(node, what string, port int) (string, error) {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		l, err := net.Listen("tcp4", addr)
		if errors.Is(err, syscall.EADDRINUSE) {
			return "", fmt.Errorf("port %d is in use; node %s needs it for its %s address: stop who has it, or choose another base port", port, node, what)
		}
		if err != nil {
			return "", fmt.Errorf("port for the %s address of node %s: %w", what, node, err)
		}
		held = append(held, l)
		return l.Addr().String(), nil
	}
	out := make([]addresses, len(nodes))
	for i, n := range nodes {
		for j, dst := range []*string{&out[i].Peer, &out[i].Control, &out[i].Web} {
			port := 0
			if base != 0 {
				port = base + 3*i + j
			}
			addr, err := take(n.Name, [...]string{"peer", "control", "web"}[j], port)
			if err != nil {
				return nil, err
			}
			*dst = addr
		}
	}
	return out, nil
}

// free reports the first of the addresses that somebody listens on.
func (a addresses) free(node string) error {
	for _, x := range []struct{ what, addr string }{{"peer", a.Peer}, {"control", a.Control}, {"web", a.Web}} {
		l, err := net.Listen("tcp4", x.addr)
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("%s is in use; node %s needs it for its %s address", x.addr, node, x.what)
		}
		if err != nil {
			return fmt.Errorf("%s address of node %s: %w", x.what, node, err)
		}
		if err := l.Close(); err != nil {
			return fmt.Errorf("%s address of node %s: %w", x.what, node, err)
		}
	}
	return nil
}
