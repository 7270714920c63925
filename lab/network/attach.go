package network

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/api/client"
)

// maxRequestBytes bounds one request or answer on the socket.
const maxRequestBytes = 64 << 10

// request is what another process asks of the owner; answer is one line back.
type request struct {
	Verb string            `json:"verb"` // kill, stop, restart, pause, resume, down
	Node int               `json:"node"`
	Set  map[string]string `json:"set,omitempty"`
}

type answer struct {
	Error   string `json:"error,omitempty"`
	Refused bool   `json:"refused,omitempty"` // the request does not go with what is there: nothing was done
	PID     int    `json:"pid,omitempty"`
}

// listen opens the socket. Its path is kept short: the kernel allows 107 bytes.
func (n *Network) listen() error {
	path := filepath.Join(n.opts.Dir, "control.sock")
	if len(path) > 100 {
		dir, err := os.MkdirTemp("", "ledgerlab-")
		if err != nil {
			return err
		}
		path = filepath.Join(dir, "s")
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of an owner that was killed
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("socket of the network: %w", err)
	}
	n.socket = l
	n.mu.Lock()
	n.mu.state.Socket = path
	n.mu.Unlock()
	n.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed
			}
			n.wg.Go(func() { n.serve(conn) })
		}
	})
	return nil
}

// serve answers one request.
func (n *Network) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }() // what was to be said is said by then
	limit := n.opts.StopAfter + killGrace
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return
	}
	var req request
	if err := json.NewDecoder(bufio.NewReaderSize(conn, maxRequestBytes)).Decode(&req); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out answer
	if err := n.handle(ctx, req); err != nil {
		var refused *RefusedError
		out.Error, out.Refused = strings.ReplaceAll(err.Error(), "\n", "; "), errors.As(err, &refused)
	} else if req.Verb == "restart" {
		out.PID = n.PIDs()[req.Node]
	}
	_ = json.NewEncoder(conn).Encode(out) // who asked may be gone
}

func (n *Network) handle(ctx context.Context, req request) error {
	if req.Verb != "down" && (req.Node < 0 || req.Node >= n.Len()) {
		return &RefusedError{fmt.Errorf("there is no node %d; the network has %d", req.Node, n.Len())}
	}
	switch req.Verb {
	case "kill":
		return n.refuseDown(req.Node, n.Kill(ctx, req.Node))
	case "stop":
		return n.refuseDown(req.Node, n.Stop(ctx, req.Node))
	case "restart":
		return n.Restart(ctx, req.Node, req.Set)
	case "pause":
		return n.refuseDown(req.Node, n.Pause(req.Node))
	case "resume":
		return n.refuseDown(req.Node, n.Resume(req.Node))
	case "down":
		n.mu.Lock()
		defer n.mu.Unlock()
		if !n.mu.down {
			n.mu.down = true
			close(n.mu.downReq)
		}
		return nil
	default:
		return fmt.Errorf("unknown request %q", req.Verb)
	}
}

// refuseDown says in words, and as a refusal, that node i does not run.
func (n *Network) refuseDown(i int, err error) error {
	if !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return &RefusedError{&DownError{Node: n.Nodes()[i].Name, Dir: n.Dir()}}
}

// DownError is a request to a node whose process is not there.
type DownError struct{ Node, Dir string }

// Error is one line.
func (e *DownError) Error() string {
	return fmt.Sprintf("node %s is down; ledgerlab restart --dir %s --node %s starts it again", e.Node, e.Dir, e.Node)
}

// Handle speaks to a network that another process owns.
type Handle struct {
	dir   string
	state stateFile
}

// Attach finds the network in dir. It need not be running.
func Attach(dir string) (*Handle, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s, ok, err := readState(abs)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("folder %s holds no network (no %s)", dir, stateName)
	}
	return &Handle{dir: abs, state: s}, nil
}

// Up reports whether the process that owns the network is there.
func (h *Handle) Up() bool { return h.state.Running && h.state.Owner.alive() }

// Nodes returns the nodes as the folder knows them.
func (h *Handle) Nodes() []NodeState { return h.state.Nodes }

// NetworkID returns the network's id.
func (h *Handle) NetworkID() uint32 { return h.state.NetworkID }

// Index returns the number of the node called name, which may also be its number.
func (h *Handle) Index(name string) (int, error) { return indexOf(h.state.Nodes, name) }

// Runs returns nil when the process of node i is there, else a *DownError.
func (h *Handle) Runs(i int) error {
	if st := h.state.Nodes[i]; !st.Process.alive() {
		return &DownError{Node: st.Name, Dir: h.dir}
	}
	return nil
}

// LastLine is the last line of the log of node i.
func (h *Handle) LastLine(i int) string { return lastLine(logTail(h.state.Nodes[i].Log, logTailLines)) }

// Client returns a new client of node i.
func (h *Handle) Client(i int) (*client.Client, error) {
	if i < 0 || i >= len(h.state.Nodes) {
		return nil, fmt.Errorf("there is no node %d; the network has %d", i, len(h.state.Nodes))
	}
	return client.Dial(h.state.Nodes[i].Control, client.Options{Name: h.state.Nodes[i].Name})
}

// Status asks every node.
func (h *Handle) Status(ctx context.Context) []Status {
	var clients []*client.Client
	defer func() {
		for _, c := range clients {
			_ = c.Close() // nothing is at work on it any longer
		}
	}()
	dial := make([]*client.Client, len(h.state.Nodes))
	for i := range h.state.Nodes {
		if c, err := h.Client(i); err == nil {
			dial[i], clients = c, append(clients, c)
		}
	}
	return statuses(ctx, h.state.Nodes, func(i int) (*client.Client, error) {
		if dial[i] == nil {
			return nil, fmt.Errorf("node %s has no address", h.state.Nodes[i].Name)
		}
		return dial[i], nil
	})
}

// Kill ends node i at once.
func (h *Handle) Kill(ctx context.Context, i int) error {
	return h.node(ctx, request{Verb: "kill", Node: i})
}

// Stop asks node i to end.
func (h *Handle) Stop(ctx context.Context, i int) error {
	return h.node(ctx, request{Verb: "stop", Node: i})
}

// Pause stops the clock of node i.
func (h *Handle) Pause(ctx context.Context, i int) error {
	return h.node(ctx, request{Verb: "pause", Node: i})
}

// Resume lets a paused node go on.
func (h *Handle) Resume(ctx context.Context, i int) error {
	return h.node(ctx, request{Verb: "resume", Node: i})
}

// Restart starts node i on the data it has, stopping it first if it runs.
func (h *Handle) Restart(ctx context.Context, i int, set map[string]string) error {
	return h.node(ctx, request{Verb: "restart", Node: i, Set: set})
}

func (h *Handle) node(ctx context.Context, req request) error {
	if !h.Up() {
		return &RefusedError{fmt.Errorf("the network in %s is not up; start it with: ledgerlab up --dir %s", h.dir, h.dir)}
	}
	return h.ask(ctx, req)
}

// ask sends one request to the owner and waits for its answer.
func (h *Handle) ask(ctx context.Context, req request) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", h.state.Socket)
	if err != nil {
		return fmt.Errorf("the owner of the network does not answer: %w", err)
	}
	defer func() { _ = conn.Close() }()                         // what was to be said is said by then
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends the read below
	if err := json.NewEncoder(conn).Encode(req); err != nil {
		return fmt.Errorf("the owner of the network does not answer: %w", err)
	}
	var out answer
	if err := json.NewDecoder(conn).Decode(&out); err != nil {
		return fmt.Errorf("the owner of the network did not answer: %w", errors.Join(err, ctx.Err()))
	}
	switch {
	case out.Refused:
		return &RefusedError{errors.New(out.Error)}
	case out.Error != "":
		return errors.New(out.Error)
	}
	return nil
}

// Down ends the network and waits until every process is gone. If the owner does
// not answer, its nodes are ended by their process numbers.
func (h *Handle) Down(ctx context.Context) error {
	if h.Up() {
		if err := h.ask(ctx, request{Verb: "down"}); err == nil {
			return h.waitGone(ctx)
		}
		_ = h.state.Owner.signal(unix.SIGTERM) // it did not answer; what it leaves is ended below
	}
	for _, n := range h.state.Nodes {
		_ = n.Process.signal(unix.SIGKILL) // not there: as wanted
	}
	if err := h.waitGone(ctx); err != nil {
		return err
	}
	h.state.Running, h.state.Owner = false, procID{}
	for i := range h.state.Nodes {
		h.state.Nodes[i].Process = procID{}
	}
	return h.state.write(h.dir)
}

func (h *Handle) waitGone(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		// the owner may live on with other work; its folder says when it let go
		now, _, err := readState(h.dir)
		alive := ""
		for _, n := range now.Nodes {
			if n.Process.alive() {
				alive = n.Name
			}
		}
		if alive == "" && err == nil && (!now.Running || !now.Owner.alive()) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the network in %s is not gone yet (node %s): %w", h.dir, alive, ctx.Err())
		}
	}
}
