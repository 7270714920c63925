package chain

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"
	"time"

	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// Repairs are rare; whoever reads a corrupt object waits for its copy.
const (
	repairsAtOnce = 4
	repairPeers   = 4 // that are asked, one after the other
	repairTimeout = 2 * time.Second
)

// ErrNoCopy is an object that no peer gave.
var ErrNoCopy = errors.New("chain: no peer gave a copy")

// Repair asks peers for the bytes of a tree node or header whose stored bytes are wrong, and returns a copy that hashes
// to h.
func (m *Master) Repair(h protocol.Hash) ([]byte, error) {
	if m.d.Peers == nil {
		return nil, fmt.Errorf("%w: there are none", ErrNoCopy)
	}
	select {
	case m.repairs <- struct{}{}:
		defer func() { <-m.repairs }()
	default:
		return nil, fmt.Errorf("%w: %d repairs are under way", ErrNoCopy, repairsAtOnce)
	}
	why := errors.New("no peer is connected")
	peers := m.d.Peers.Connected()
	n := bits.OnesCount64(uint64(peers))
	for range min(n, repairPeers) {
		to := nth(peers, int(atomic.AddUint32(&m.acq.next, 1))%n)
		b, err := m.copyFrom(to, h)
		if err == nil {
			return b, nil
		}
		why = fmt.Errorf("peer %d: %w", to, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrNoCopy, why)
}

func (m *Master) copyFrom(to peer.ID, h protocol.Hash) ([]byte, error) {
	ch := make(chan answer, 1)
	req := peer.Request{Item: peer.ItemByHash, NodeIDs: [][]byte{h[:]}}
	if !m.d.Peers.Ask(to, req, func(r peer.Response, err error) { ch <- answer{r, err} }) {
		return nil, errors.New("not asked")
	}
	t := time.NewTimer(repairTimeout)
	defer t.Stop()
	select {
	case <-t.C:
		return nil, errors.New("timeout")
	case a := <-ch:
		if a.err != nil || a.r.Err != "" {
			return nil, errors.Join(a.err, errors.New(a.r.Err))
		}
		for _, n := range a.r.Nodes {
			if protocol.SHA512Half(n.Data) == h {
				return n.Data, nil
			}
		}
		return nil, errors.New("its bytes hash to another value")
	}
}
