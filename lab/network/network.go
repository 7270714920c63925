package network

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/api/client"
)

// killGrace is how long a killed process may take to be gone.
const killGrace = 10 * time.Second

// Death is a process that ended without having been asked to.
type Death struct {
	Node   int
	Name   string
	Reason string // how it ended, in words
	Log    string // last lines of its log
	NoRoom bool   // its machine had no room for it, such as on its disk
}

// Error is one line, with the last line of the log.
func (d Death) Error() string {
	s := fmt.Sprintf("node %s died: %s", d.Name, d.Reason)
	if last := lastLine(d.Log); last != "" {
		s += "; its log ends: " + last
	}
	return s
}

// Network is a running network owned by this process.
type Network struct {
	opts   Options
	spawn  *spawner
	died   chan Death
	socket net.Listener
	wg     sync.WaitGroup // watchers and the socket

	act sync.Mutex // one start, stop or kill at a time

	mu struct {
		sync.Mutex
		state   stateFile
		procs   []*process // nil = not running
		clients []*client.Client
		closed  bool
		downReq chan struct{} // closed when another process asked for everything to end
		down    bool
	}
}

// Start makes the folder if needed, clones the prepared state, and starts every
// process. It does not wait for them to serve: WaitReady does. On error nothing
// is left running.
func Start(ctx context.Context, o Options) (*Network, error) {
	o, err := o.Default()
	if err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	state, err := prepare(o)
	if err != nil {
		return nil, err
	}
	n := &Network{opts: o, spawn: newSpawner(), died: make(chan Death, 4*len(o.Nodes))}
	n.mu.state = state
	n.mu.procs = make([]*process, len(o.Nodes))
	n.mu.clients = make([]*client.Client, len(o.Nodes))
	n.mu.downReq = make(chan struct{})
	if err := n.open(ctx); err != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), killGrace)
		defer cancel()
		return nil, errors.Join(err, n.Close(end))
	}
	return n, nil
}

func (n *Network) open(ctx context.Context) error {
	owner, err := identify(os.Getpid())
	if err != nil {
		return err
	}
	if err := n.listen(); err != nil {
		return err
	}
	n.mu.Lock()
	n.mu.state.Owner, n.mu.state.Running = owner, true
	n.mu.Unlock()
	for i := range n.opts.Nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := n.launch(i); err != nil {
			return err
		}
	}
	return n.save()
}

// launch starts the process of node i. n.act or exclusive use is needed.
func (n *Network) launch(i int) error {
	n.mu.Lock()
	spec, st, closed := n.opts.Nodes[i], n.mu.state.Nodes[i], n.mu.closed
	n.mu.Unlock()
	if closed {
		return errors.New("the network is ending")
	}
	env, err := environment(os.Environ(), spec, n.opts.Env)
	if err != nil {
		return err
	}
	p, err := n.spawn.launch(n.opts.Binary, append(slices.Clone(n.opts.Args), st.Config), env, st.Log)
	if err != nil {
		return fmt.Errorf("node %s: %w", st.Name, err)
	}
	n.mu.Lock()
	n.mu.procs[i] = p
	n.mu.state.Nodes[i].Process, n.mu.state.Nodes[i].Paused = p.id, false
	n.mu.Unlock()
	n.wg.Go(func() { n.attend(i, p) })
	return nil
}

// attend waits for a process and tells a death nobody asked for.
func (n *Network) attend(i int, p *process) {
	<-p.gone
	n.mu.Lock()
	st := n.mu.state.Nodes[i]
	if n.mu.procs[i] == p {
		n.mu.procs[i] = nil
		n.mu.state.Nodes[i].Process, n.mu.state.Nodes[i].Paused = procID{}, false
	}
	n.mu.Unlock()
	if err := n.save(); err != nil {
		n.opts.Log.Warn("network.json not written", "err", err)
	}
	if p.asked.Load() {
		return
	}
	d := Death{Node: i, Name: st.Name, Reason: p.reason(), Log: logTail(st.Log, logTailLines), NoRoom: p.code() == exitTryAgain}
	n.opts.Log.Warn("node died", slog.String("node", d.Name), slog.String("reason", d.Reason))
	select {
	case n.died <- d:
	default: // nobody listens; the log and the status tell it
	}
}

// Died delivers processes that ended without having been asked to.
func (n *Network) Died() <-chan Death { return n.died }

// DownRequested is closed when another process asked for the network to end.
func (n *Network) DownRequested() <-chan struct{} { return n.mu.downReq }

// Len is the number of nodes.
func (n *Network) Len() int { return len(n.opts.Nodes) }

// Dir is the network's folder.
func (n *Network) Dir() string { return n.opts.Dir }

// Nodes returns the state of every node.
func (n *Network) Nodes() []NodeState {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.mu.state.Nodes)
}

// PIDs returns the process of each node; 0 for one that does not run.
func (n *Network) PIDs() []int {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]int, len(n.mu.state.Nodes))
	for i, s := range n.mu.state.Nodes {
		out[i] = s.Process.PID
	}
	return out
}

// Index returns the number of the node called name, which may also be its number.
func (n *Network) Index(name string) (int, error) { return indexOf(n.Nodes(), name) }

// Client returns the shared client of node i, which stays good over restarts.
func (n *Network) Client(i int) (*client.Client, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i < 0 || i >= len(n.mu.clients) {
		return nil, fmt.Errorf("there is no node %d; the network has %d", i, len(n.mu.clients))
	}
	if n.mu.clients[i] == nil {
		c, err := client.Dial(n.mu.state.Nodes[i].Control, client.Options{Name: n.mu.state.Nodes[i].Name})
		if err != nil {
			return nil, err
		}
		n.mu.clients[i] = c
	}
	return n.mu.clients[i], nil
}

// Kill ends node i at once, as a power failure would.
func (n *Network) Kill(ctx context.Context, i int) error {
	n.act.Lock()
	defer n.act.Unlock()
	return n.end(ctx, i, unix.SIGKILL)
}

// Stop asks node i to end and waits; one that does not is killed.
func (n *Network) Stop(ctx context.Context, i int) error {
	n.act.Lock()
	defer n.act.Unlock()
	return n.end(ctx, i, unix.SIGTERM)
}

// Restart starts node i on the data it has, stopping it first if it runs. set
// overrides initial flags from now on; nil keeps them.
func (n *Network) Restart(ctx context.Context, i int, set map[string]string) error {
	n.act.Lock()
	defer n.act.Unlock()
	if i < 0 || i >= len(n.opts.Nodes) {
		return fmt.Errorf("there is no node %d; the network has %d", i, len(n.opts.Nodes))
	}
	if err := n.reconfigure(i, set); err != nil { // before anything is stopped for it
		return &RefusedError{err}
	}
	if err := n.end(ctx, i, unix.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	n.mu.Lock()
	st := n.mu.state.Nodes[i]
	n.mu.Unlock()
	if err := (addresses{st.Peer, st.Control, st.Web}).free(st.Name); err != nil {
		return &RefusedError{err}
	}
	if err := n.launch(i); err != nil {
		return err
	}
	return n.save()
}

// Pause stops the clock of node i without ending it; Resume lets it go on.
func (n *Network) Pause(i int) error { return n.freeze(i, true) }

// Resume lets a paused node go on.
func (n *Network) Resume(i int) error { return n.freeze(i, false) }

func (n *Network) freeze(i int, pause bool) error {
	n.act.Lock()
	defer n.act.Unlock()
	p, err := n.running(i)
	if err != nil {
		return err
	}
	sig := unix.SIGCONT
	if pause {
		sig = unix.SIGSTOP
	}
	if err := p.id.signal(sig); err != nil {
		return fmt.Errorf("node %s: %w", n.opts.Nodes[i].Name, err)
	}
	n.mu.Lock()
	n.mu.state.Nodes[i].Paused = pause
	n.mu.Unlock()
	return n.save()
}

func (n *Network) running(i int) (*process, error) {
	if i < 0 || i >= len(n.opts.Nodes) {
		return nil, fmt.Errorf("there is no node %d; the network has %d", i, len(n.opts.Nodes))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mu.procs[i] == nil {
		return nil, fmt.Errorf("node %s does not run: %w", n.opts.Nodes[i].Name, os.ErrProcessDone)
	}
	return n.mu.procs[i], nil
}

// end sends sig to node i and waits until it is gone; after StopAfter, or when
// ctx ends, it is killed. n.act must be held.
func (n *Network) end(ctx context.Context, i int, sig unix.Signal) error {
	p, err := n.running(i)
	if err != nil {
		return err
	}
	n.mu.Lock()
	p.asked.Store(true)
	paused := n.mu.state.Nodes[i].Paused
	n.mu.Unlock()
	if err := p.id.signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("node %s: %w", n.opts.Nodes[i].Name, err)
	}
	if paused && sig != unix.SIGKILL {
		_ = p.id.signal(unix.SIGCONT) // or it could not end; if it is gone all is well
	}
	wait := time.NewTimer(n.opts.StopAfter)
	defer wait.Stop()
	select {
	case <-p.gone:
		return nil
	case <-wait.C:
	case <-ctx.Done():
	}
	n.opts.Log.Warn("node does not end and is killed", "node", n.opts.Nodes[i].Name)
	_ = p.id.signal(unix.SIGKILL) // fails only if it is gone by now
	<-p.gone
	return nil
}

// Close stops every node, waits until they are gone, and marks the folder as not
// running. It may be called again.
func (n *Network) Close(ctx context.Context) error {
	n.mu.Lock()
	closed := n.mu.closed
	n.mu.closed = true
	clients := n.mu.clients
	n.mu.Unlock()
	if closed {
		return nil
	}
	errs := n.endAll(ctx)
	if n.socket != nil {
		errs = append(errs, n.socket.Close())
	}
	n.wg.Wait() // requests that came before are answered with an error by now
	n.spawn.close()
	for _, c := range clients {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	n.mu.Lock()
	n.mu.state.Running, n.mu.state.Owner, n.mu.state.Socket = false, procID{}, ""
	n.mu.Unlock()
	return errors.Join(append(errs, n.save())...)
}

// endAll stops the nodes side by side.
func (n *Network) endAll(ctx context.Context) []error {
	n.act.Lock()
	defer n.act.Unlock()
	var ends sync.WaitGroup
	errs := make([]error, len(n.opts.Nodes))
	for i := range n.opts.Nodes {
		ends.Go(func() {
			if err := n.end(ctx, i, unix.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
				errs[i] = err
			}
		})
	}
	ends.Wait()
	return errs
}

// save writes network.json.
func (n *Network) save() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.mu.state.write(n.opts.Dir)
}
