package rcl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// Driver is the consensus driver of one node. Its exported methods are safe for
// concurrent use; everything below "owned by the goroutine of Run" is touched by
// that goroutine only.
type Driver struct {
	o    Options
	d    Deps
	log  *slog.Logger
	self consensus.NodeID // zero without a signer

	box      *mailbox
	seen     *suppressor
	trusted  map[consensus.NodeID]bool
	acq      *acquirer
	origin   time.Time // of the steady clock
	offset   atomic.Int64
	delay    atomic.Int64
	counters liveCounters
	status   atomic.Pointer[Status]

	// Owned by the goroutine of Run.
	ctx      context.Context
	fatal    error
	core     *consensus.Core
	inputs   []consensus.Input // to be fed, in order
	feeding  bool
	mode     modeState
	closed   *Ledger // last closed ledger
	valid    *Ledger // last validated ledger
	boot     bootState
	round    roundState
	asked    map[protocol.Hash]time.Time // validated ledgers not here, first asked for
	pending  map[protocol.Hash]quorumOf  // ledgers with a quorum that are not here
	builtAt  map[uint32]builtLedger      // newest own builds by sequence
	signTime uint32                      // of the last own validation
	lastProp []byte                      // own last proposal, sent again to new peers
	lastVal  []byte                      // own last validation, likewise
	accepts  []chan acceptAnswer         // LedgerAccept callers
}

type acceptAnswer struct {
	seq uint32
	err error
}

// New checks the options and dependencies.
func New(o Options, deps Deps) (*Driver, error) {
	if err := errors.Join(o.Validate(), deps.validate()); err != nil {
		return nil, fmt.Errorf("rcl: options: %w", err)
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	d := &Driver{
		o: o, d: deps, log: deps.Log, box: newMailbox(o.QueueMax), seen: newSuppressor(),
		trusted: map[consensus.NodeID]bool{}, asked: map[protocol.Hash]time.Time{},
		pending: map[protocol.Hash]quorumOf{}, builtAt: map[uint32]builtLedger{},
	}
	var nodes []consensus.NodeID
	for _, k := range o.Trusted {
		n := consensus.NodeID(k)
		if !d.trusted[n] {
			nodes = append(nodes, n)
		}
		d.trusted[n] = true
	}
	if deps.Signer != nil {
		d.self = consensus.NodeID(deps.Signer.Public())
	}
	d.delay.Store(int64(o.Delay))
	d.acq = newAcquirer(deps.Sets, deps.Net, func(id protocol.Hash, set *TxSet, took time.Duration) {
		d.box.post(func() { d.setEnded(id, set, took) })
	})
	d.core = consensus.New(consensus.Config{Parms: o.Parms, Self: d.self, Trusted: nodes, Quorum: o.Quorum})
	d.status.Store(&Status{Validator: deps.Signer != nil, Trusted: len(nodes), Quorum: d.core.Quorum(), Phase: "accepted"})
	return d, nil
}

// Run drives consensus until ctx ends. It fails when a ledger cannot be built.
func (d *Driver) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer d.acq.wg.Wait()
	defer cancel()
	d.ctx, d.origin = ctx, time.Now()
	if err := d.start(); err != nil {
		return err
	}
	timer := time.NewTimer(d.o.Parms.Granularity)
	defer timer.Stop()
	for {
		d.publish()
		select {
		case <-ctx.Done():
			d.answerAccepts(0, ctx.Err())
			return nil
		case <-d.box.wake:
			d.drain()
		case <-timer.C:
			// What has come goes before the vote: on a busy machine both are ready, and a
			// position left in the queue may split the network.
			d.drain()
			if !d.o.Standalone {
				d.heartbeat()
			}
			timer.Reset(d.o.Parms.Granularity)
		}
		if d.fatal != nil {
			d.answerAccepts(0, d.fatal)
			return d.fatal
		}
	}
}

func (d *Driver) drain() {
	for _, f := range d.box.take() {
		f()
	}
}

// times are both clocks for the core.
func (d *Driver) times() consensus.Times {
	return consensus.Times{Steady: time.Since(d.origin), Network: d.netNow()}
}

func (d *Driver) netNow() consensus.NetTime {
	return consensus.NetTimeOf(time.Now().Add(d.o.Skew + time.Duration(d.offset.Load())))
}

// Now is this node's network time: wall clock, skew and close-time offset.
func (d *Driver) Now() uint32 { return uint32(d.netNow()) }

// feed gives the core an input and carries out what it answers. Inputs that arise
// while an effect is carried out wait until all effects before them are done.
func (d *Driver) feed(in consensus.Input) {
	d.inputs = append(d.inputs, in)
	if d.feeding {
		return
	}
	d.feeding = true
	for len(d.inputs) > 0 {
		in := d.inputs[0]
		d.inputs = d.inputs[1:]
		for _, e := range d.core.Step(d.times(), in) {
			d.effect(e)
		}
	}
	d.feeding = false
}

// heartbeat is one tick of consensus.granularity.
func (d *Driver) heartbeat() {
	if d.peersUp() < d.o.PeersMin {
		d.setMode(ModeDisconnected, "too few peers")
		return
	}
	if d.mode.now == ModeDisconnected {
		d.setMode(ModeConnected, "enough peers")
	}
	d.setMode(d.mode.now, "validated age") // connected and syncing turn into each other
	if !d.core.Started() {
		d.bootstrap()
		return
	}
	d.acq.next(d.ctx)
	d.feed(consensus.Tick{OpenTransactions: d.d.Open.Pending()})
}

func (d *Driver) peersUp() (n int) {
	for _, p := range d.d.Net.Peers() {
		if p.Connected {
			n++
		}
	}
	return n
}

// SetParms replaces the consensus constants from the next input on.
func (d *Driver) SetParms(p consensus.Parms) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("rcl: consensus constants: %w", err)
	}
	d.box.post(func() {
		d.o.Parms = p
		d.feed(consensus.SetParms{Parms: p})
	})
	return nil
}

// SetDelay changes Options.Delay.
func (d *Driver) SetDelay(delay time.Duration) { d.delay.Store(int64(max(0, delay))) }

// later runs f after the flagged delay, at once without one. f runs on any
// goroutine.
func (d *Driver) later(f func()) {
	if delay := time.Duration(d.delay.Load()); delay > 0 {
		time.AfterFunc(delay, f)
		return
	}
	f()
}

// LedgerAccept closes the open ledger at once (stand-alone only) and returns the
// sequence of the new open ledger.
func (d *Driver) LedgerAccept(ctx context.Context) (uint32, error) {
	if !d.o.Standalone {
		return 0, ErrNotStandalone
	}
	answer := make(chan acceptAnswer, 1)
	d.box.post(func() {
		d.accepts = append(d.accepts, answer)
		if len(d.accepts) == 1 {
			d.feed(consensus.Simulate{})
		}
	})
	select {
	case a := <-answer:
		return a.seq, a.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// ErrNotStandalone refuses LedgerAccept in a network.
var ErrNotStandalone = errors.New("rcl: ledgers are closed by consensus, not on demand")

// answerAccepts answers the first waiting caller, or all of them with an error,
// and closes the next ledger if more wait.
func (d *Driver) answerAccepts(seq uint32, err error) {
	for len(d.accepts) > 0 {
		d.accepts[0] <- acceptAnswer{seq, err}
		d.accepts = d.accepts[1:]
		if err == nil {
			break
		}
	}
	if err == nil && len(d.accepts) > 0 {
		d.feed(consensus.Simulate{})
	}
}

// peerMask is the set of one peer, for leaving it out of a relay.
func peerMask(id peer.ID) peer.Mask { return peer.Mask(0).With(id) }
