package peer

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	peerv1 "ledgerlab/proto/peer/v1"
)

var errReplaced = errors.New("replaced by a newer connection")

func asFrameError(err error, target **FrameError) bool { return errors.As(err, target) }

// peerState is what is kept of a configured peer between its sessions.
type peerState struct {
	id                ID
	cfg               PeerConfig
	session           atomic.Pointer[session] // greeted, or nil
	faultOut, faultIn atomic.Pointer[Fault]

	framesIn, framesOut, bytesIn, bytesOut, messagesIn, messagesOut atomic.Uint64
	dropped, suppressed, sessions                                   atomic.Uint64

	mu struct {
		sync.Mutex
		status    Status
		statusAt  time.Time
		latency   time.Duration
		validator []byte
		version   uint32
		lastError string
		balance   float64 // of charges, as of balanceAt
		balanceAt time.Time
	}
}

func (p *peerState) setStatus(st Status, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.status, p.mu.statusAt = st, now
}

func (p *peerState) setError(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.lastError = err.Error()
}

func (p *peerState) greet(h *peerv1.Hello, since time.Time) {
	p.sessions.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.validator, p.mu.version = h.Validator, h.Version
	p.mu.status, p.mu.statusAt, p.mu.latency = Status{}, time.Time{}, 0
}

// addLatency smooths as rippled does: seven parts old, one part new.
func (p *peerState) addLatency(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mu.latency == 0 {
		p.mu.latency = d
		return
	}
	p.mu.latency = (7*p.mu.latency + d) / 8
}

// Peers describes all configured peers, in their order.
func (o *Overlay) Peers() []Info {
	out := make([]Info, len(o.peers))
	for i, p := range o.peers {
		out[i] = p.info()
	}
	return out
}

// Peer describes one configured peer.
func (o *Overlay) Peer(id ID) (Info, bool) {
	if int(id) >= len(o.peers) {
		return Info{}, false
	}
	return o.peers[id].info(), true
}

func (p *peerState) info() Info {
	v := Info{ID: p.id, Name: p.cfg.Name, Key: p.cfg.Key, Address: p.cfg.Address, Sessions: p.sessions.Load()}
	if s := p.session.Load(); s != nil {
		v.Connected, v.Inbound, v.Since, v.SendQueue = true, s.inbound, s.since, s.queue.len()
	}
	v.Counters = Counters{
		FramesIn: p.framesIn.Load(), FramesOut: p.framesOut.Load(), BytesIn: p.bytesIn.Load(), BytesOut: p.bytesOut.Load(),
		MessagesIn: p.messagesIn.Load(), MessagesOut: p.messagesOut.Load(), Dropped: p.dropped.Load(), Suppressed: p.suppressed.Load(),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v.Charges = p.mu.balance
	v.Status, v.StatusAt, v.Latency, v.Validator, v.Version, v.LastError = p.mu.status, p.mu.statusAt, p.mu.latency, p.mu.validator, p.mu.version, p.mu.lastError
	return v
}
