package node

import (
	"context"
	"fmt"
	"net"

	"ledgerlab/node/crypto"
	"ledgerlab/node/jobs"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// newOverlay makes the overlay; a stand-alone node has none.
func (n *Node) newOverlay() error {
	if n.cfg.Standalone {
		return nil
	}
	o := peer.Default()
	o.Name, o.NetworkID, o.Log, o.Now = n.cfg.Name, n.cfg.NetworkID, n.log, n.now
	if n.cfg.Role == "validator" {
		o.Validator = n.key.Public
	}
	// Serving trees to peers is a job like any other: it waits for a worker.
	o.Dispatch = func(fn func()) bool { return n.jobs.Add(jobs.LedgerRequest, func(context.Context) { fn() }) }
	mode, err := peer.ParseRelayMode(n.flags.Enum("relay.mode"))
	if err != nil {
		return err
	}
	o.Mode, o.Flush = mode, n.flags.Duration("relay.flush")
	for _, p := range n.cfg.Peers {
		key, err := peer.ParseKey(p.PublicKey)
		if err != nil {
			return fmt.Errorf("peer %s: %w", p.Address, err)
		}
		name := p.Name
		if name == "" {
			name = p.Address
		}
		o.Peers = append(o.Peers, peer.PeerConfig{Name: name, Address: p.Address, Key: key})
	}
	transport, err := n.transport()
	if err != nil {
		return err
	}
	n.overlay, err = peer.New(o, transport, n.peerHandler())
	return err
}

func (n *Node) transport() (peer.Transport, error) {
	if n.opt.Transport != nil {
		return n.opt.Transport, nil
	}
	l, err := net.Listen("tcp", n.cfg.Listen.Peer)
	if err != nil {
		return nil, fmt.Errorf("listen.peer: %w", err)
	}
	n.peerListener = l
	return peer.NewGRPC(l, n.identity())
}

func (n *Node) identity() peer.Identity {
	return peer.Identity{
		Key: peer.Key(n.key.Public), Sign: n.key.Sign,
		Verify: func(pub, msg, sig []byte) bool { return crypto.Verify(pub, msg, sig, crypto.Canonical) },
	}
}

// peerHandler sends what peers bring to the part it is for. The parts are made
// after the overlay, so the funcs look them up when they are called.
func (n *Node) peerHandler() peer.Handler {
	return peer.Handler{
		Up:           func(id peer.ID) { n.driver.PeerUp(id) },
		Down:         func(id peer.ID, reason string) { n.driver.PeerDown(id, reason) },
		Status:       func(from peer.ID, s peer.Status) { n.driver.PeerStatus(from, s) },
		Transactions: func(from peer.ID, txs []peer.Tx) { n.door.RelayIn(from, txs) },
		Missing:      func(from peer.ID, ids []protocol.Hash) []protocol.Hash { return n.door.Missing(from, ids) },
		Blob:         func(id protocol.Hash) []byte { return n.door.Blob(id) },
		Known:        func(p peer.ID, ids []protocol.Hash, out []bool) { n.door.Known(p, ids, out) },
		HaveSet:      func(from peer.ID, set protocol.Hash) { n.driver.HaveSet(from, set) },
		Proposal:     func(from peer.ID, raw []byte) { n.driver.Proposal(from, raw) },
		Validation:   func(from peer.ID, raw []byte) { n.driver.Validation(from, raw) },
		Serve:        n.serve,
	}
}

// serve answers a peer's request for a header or for tree nodes.
func (n *Node) serve(from peer.ID, r peer.Request) peer.Response {
	if r.Item == peer.ItemTxSet {
		return n.sets.Serve(r)
	}
	return n.chain.Serve(from, r)
}
