package node

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"ledgerlab/api"
	"ledgerlab/api/web"
	"ledgerlab/node/ledger"
	"ledgerlab/node/memory"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/query"
	"ledgerlab/node/rcl"
	"ledgerlab/node/record"
)

// backend is the node as the control plane sees it.
type backend struct{ n *Node }

var _ api.Backend = (*backend)(nil)

// newControl opens the listeners of the control plane and the web side.
func (n *Node) newControl() (err error) {
	if n.controlListener = n.opt.Control; n.controlListener == nil {
		if n.controlListener, err = net.Listen("tcp", n.cfg.Listen.Control); err != nil {
			return fmt.Errorf("listen.control: %w", err)
		}
	}
	if n.webListener = n.opt.Web; n.webListener == nil && n.cfg.Listen.Web != "" {
		if n.webListener, err = net.Listen("tcp", n.cfg.Listen.Web); err != nil {
			return fmt.Errorf("listen.web: %w", err)
		}
	}
	if n.query, err = query.New(n.chain, func() *ledger.OpenView { return n.door.Open().Current() }, query.Default()); err != nil {
		return err
	}
	if n.history != nil {
		n.query.UseIndex(n.history.ix)
	}
	l := n.cfg.Limits
	n.control, err = api.New(api.Options{
		Backend: &backend{n}, Flags: n.flags, Records: n.records, MessageBytes: l.MessageBytes, Streams: l.Streams,
		Requests: l.Requests, Deadline: l.Deadline, Log: n.log,
	})
	return err
}

func (n *Node) serveWeb(ctx context.Context) error {
	return web.New(web.Options{
		Gatherer: n.metrics.Gatherer(), Log: n.log,
		Extra: map[string]http.Handler{"GET /debug/heap/trace": n.heapTraceHandler()},
		Ready: func() (bool, string) {
			if h := n.halted.Load(); h != nil {
				return false, h.String()
			}
			m := n.driver.Mode()
			return m == rcl.ModeFull || n.cfg.Standalone, m.String()
		},
	}).Serve(ctx, n.webListener)
}

func (n *Node) publicKey() string { return protocol.EncodeNodePublic(n.key.Public) }

// openSeq is the sequence of the open ledger.
func (n *Node) openSeq() uint32 {
	v := n.door.Open().Current()
	defer v.Release()
	return v.Header().Sequence
}

// loadFactor is what a transaction must pay now, as a multiple of the base fee.
func (n *Node) loadFactor() (factor float64, openTxs, expected int) {
	v := n.door.Open().Current()
	defer v.Release()
	m := n.queue.Metrics(v)
	return float64(m.OpenLedgerLevel) / float64(m.ReferenceLevel), m.InLedger, m.Expected
}

// modeTimes is the time in each operating mode; it adds up to the uptime.
func (n *Node) modeTimes() map[string]time.Duration {
	s := n.driver.Status()
	out := make(map[string]time.Duration)
	for m, t := range s.Accounting {
		if t.Duration > 0 || t.Entered > 0 {
			out[rcl.OperatingMode(m).String()] = t.Duration
		}
	}
	return out
}

// mode is the operating mode as server_info shows it to an operator.
func (n *Node) mode(s rcl.Status) string {
	h := n.halted.Load()
	switch {
	case h != nil:
		return h.String()
	case n.cfg.Standalone:
		return "standalone"
	case s.Mode == rcl.ModeFull && s.Proposing:
		return "proposing"
	case s.Mode == rcl.ModeFull && s.Validator:
		return "validating"
	}
	return s.Mode.String()
}

func (b *backend) Info(context.Context) (api.Info, error) {
	n := b.n
	s := n.driver.Status()
	seq, hash := n.lastValidated()
	i := api.Info{
		Name: n.cfg.Name, Role: string(n.cfg.Role), Mode: n.mode(s), PublicKey: n.publicKey(), Version: n.opt.Version,
		Allocator: string(memory.Detect().Allocator), NetworkID: n.cfg.NetworkID, Validating: s.Validator,
		Uptime: n.now().Sub(n.started), OpenSeq: n.openSeq(), ClosedSeq: s.ClosedSeq, ValidatedSeq: seq, ValidatedHash: hash,
		CompleteLedgers: n.chain.Complete(), Quorum: s.Quorum, Proposers: s.PrevProposers, Converge: s.PrevRound,
		QueueSize: n.queue.Len(), RSSBytes: memory.RSS(), ModeTimes: n.modeTimes(),
	}
	i.RotationState = n.rotationState()
	i.NextRotationSeq, i.Rotation = i.RotationState.Next, n.rotation(i.RotationState)
	if seq > 0 {
		i.ValidatedAge = n.chain.ValidatedAge(n.networkNow())
	}
	if n.webListener != nil {
		i.WebAddress = n.webListener.Addr().String()
	}
	i.LoadFactor, i.OpenSize, i.ExpectedSize = n.loadFactor()
	i.Peers = n.apiPeers()
	return i, nil
}

func (n *Node) apiPeers() []api.Peer {
	if n.overlay == nil {
		return nil
	}
	var out []api.Peer
	for _, p := range n.overlay.Peers() {
		if !p.Connected {
			continue
		}
		out = append(out, api.Peer{
			Name: p.Name, PublicKey: p.Key.String(), Address: p.Address, Inbound: p.Inbound, Latency: p.Latency,
			Connected: n.now().Sub(p.Since), ValidatedSeq: p.Status.ValidatedSeq, SentBytes: p.Counters.BytesOut,
			ReceivedBytes: p.Counters.BytesIn, Dropped: p.Counters.Dropped,
		})
	}
	return out
}

func (b *backend) Sweep(ctx context.Context) (*record.Sweep, error) {
	i, err := b.n.sweeper.Sweep(ctx, "request")
	if err != nil {
		return nil, err
	}
	if r := b.n.lastSweep.Load(); r != nil && r.GetNumber() >= i.Seq {
		return r, nil // as recorded: RSS and CPU were read at the borders of the sweep
	}
	return nil, fmt.Errorf("%w: the sweep was not recorded", api.ErrNotNow)
}

func (b *backend) Trim(_ context.Context, method string, pad int64) (*record.Trim, error) {
	n := b.n
	if method == "" && pad < 0 {
		i := n.trimmer.Trim(memory.Manual)
		return trimRecord(n.trims.Load(), n.sweeps.Load(), n.trimmer.Options().Policy.String(), i), nil
	}
	o := n.trimmer.Options()
	if method != "" {
		m, err := memory.ParseMethod(method)
		if err != nil {
			return nil, &api.FieldError{Field: "method", Msg: err.Error()}
		}
		o.Method = m
	}
	if pad >= 0 {
		o.Pad = pad
	}
	once, err := memory.New(o, memory.Sources{Now: n.now, Done: n.trimmed})
	if err != nil {
		return nil, &api.FieldError{Field: "pad_bytes", Msg: err.Error()}
	}
	i := once.Trim(memory.Manual)
	return trimRecord(n.trims.Load(), n.sweeps.Load(), o.Policy.String(), i), nil
}

func (b *backend) Rotate(ctx context.Context) (uint32, error) {
	ctx, cancel := b.n.takingPart(ctx)
	defer cancel()
	i, err := b.n.rotator.Rotate(ctx)
	if err != nil {
		return 0, err
	}
	if i.Err != nil {
		return i.Seq, fmt.Errorf("%w: rotation %s: %w", api.ErrNotNow, i.Result, i.Err)
	}
	return i.Seq, nil
}

func (b *backend) Memory(_ context.Context, full bool) (api.Memory, error) {
	n := b.n
	s, cheap, err := n.sampleNow()
	if err != nil {
		return api.Memory{}, err
	}
	m := api.Memory{Sample: s, Allocator: string(memory.Detect().Allocator)}
	if !full {
		m.Lines = memoryLines(cheap, nil)
		return m, nil
	}
	sheet, err := n.readSheet()
	if err != nil {
		return m, err
	}
	s.Full, s.RssBytes, s.Sheet, s.Beside = true, sheet.RSS, lineMap(sheet.Lines), lineMap(sheet.Beside)
	n.records.Sheet(sheetRecord(onRequest, n.sweeps.Load(), &sheet))
	holders, err := n.holders()
	if err != nil {
		return m, err
	}
	m.Lines = memoryLines(sheet.Lines, append(sheet.Beside, holders...))
	return m, nil
}

// memoryLines puts the lines of a sheet and those beside it in order, with what each is.
func memoryLines(lines, beside []memory.Line) []api.MemoryLine {
	var out []api.MemoryLine
	for _, l := range lines {
		out = append(out, api.MemoryLine{Name: l.Name, Bytes: l.Bytes, Doc: memory.Doc(l.Name)})
	}
	for _, l := range beside {
		out = append(out, api.MemoryLine{Name: l.Name, Bytes: l.Bytes, Beside: true, Doc: memory.Doc(l.Name)})
	}
	return out
}

func (b *backend) Waits(context.Context) ([]*record.Place, error) { return b.n.places(), nil }

func (b *backend) Fault(_ context.Context, f api.LinkFault) (int, error) {
	n := b.n
	if n.overlay == nil {
		return 0, fmt.Errorf("%w: a stand-alone node has no links", api.ErrUnsupported)
	}
	fault := peer.Fault{Cut: f.Partition, Loss: f.Loss, Delay: f.Delay, Jitter: f.Jitter, Bandwidth: int(f.BandwidthBytes)}
	if f.Clear {
		fault = peer.Fault{}
	}
	var out, in peer.Fault
	if f.Out || f.Clear || !f.In {
		out = fault
	}
	if f.In || f.Clear || !f.Out {
		in = fault
	}
	links := 0
	for _, p := range n.overlay.Peers() {
		if f.Peer != "" && f.Peer != p.Name && f.Peer != p.Key.String() {
			continue
		}
		if err := n.overlay.SetFault(p.ID, out, in); err != nil {
			return links, &api.FieldError{Field: "fault", Msg: err.Error()}
		}
		links++
		n.records.Fault(&record.Fault{Kind: "link", Target: p.Name, Active: !f.Clear, Detail: fmt.Sprintf("out %+v in %+v", out, in)})
	}
	if links == 0 {
		return 0, fmt.Errorf("%w: no peer called %q", api.ErrNotFound, f.Peer)
	}
	return links, nil
}

func (b *backend) WatchLedgers(fn func(api.ValidatedLedger)) (cancel func()) {
	return b.n.watch.add(fn)
}

func (b *backend) Accept(ctx context.Context) (uint32, [32]byte, error) {
	n := b.n
	if !n.cfg.Standalone {
		return 0, [32]byte{}, fmt.Errorf("%w: only a stand-alone node closes ledgers on request", api.ErrNotNow)
	}
	ctx, cancel := n.takingPart(ctx)
	defer cancel()
	// The new ledger is validated and published behind the answer of the driver.
	published := make(chan api.ValidatedLedger, 16)
	defer n.watch.add(func(v api.ValidatedLedger) {
		select {
		case published <- v:
		default: // nobody waits for that many
		}
	})()
	open, err := n.driver.LedgerAccept(ctx)
	if err != nil {
		return 0, [32]byte{}, err
	}
	for {
		select {
		case v := <-published:
			if v.Header.Seq+1 >= open {
				return v.Header.Seq, v.Header.Hash, nil
			}
		case <-ctx.Done():
			return 0, [32]byte{}, fmt.Errorf("ledger %d was closed but not validated: %w", open-1, context.Cause(ctx))
		}
	}
}

func (b *backend) Shutdown(reason string) {
	b.n.log.Info("shutdown requested", "reason", reason)
	b.n.end(errShutdown)
}
