package chain

import (
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/shamap"
)

// Serve answers a peer's request for a header or for nodes of a ledger's trees.
// Transaction sets are consensus' own and are refused here.
func (m *Master) Serve(_ peer.ID, r peer.Request) peer.Response {
	out := peer.Response{Item: r.Item, Hash: r.Hash, Seq: r.Seq}
	switch r.Item {
	case peer.ItemByHash:
		m.serveByHash(r, &out)
	case peer.ItemHeader, peer.ItemStateNodes, peer.ItemTxNodes:
		l, err := m.ledgerFor(r)
		if err != nil {
			out.Err = "ledger is not here"
			break
		}
		defer l.Release()
		out.Hash, out.Seq = l.Hash(), l.Sequence()
		m.serveLedger(l, r, &out)
	default:
		out.Err = "unknown item"
	}
	m.count(func(s *Stats) {
		if s.Served++; out.Err != "" {
			s.ServeRefused++
		}
	})
	return out
}

func (m *Master) ledgerFor(r peer.Request) (*ledger.Ledger, error) {
	if r.Hash.IsZero() {
		return m.LedgerBySeq(r.Seq)
	}
	return m.LedgerByHash(r.Hash)
}

// serveDepthMax bounds how deep below a wanted node a reply goes.
const serveDepthMax = 3

func (m *Master) serveLedger(l *ledger.Ledger, r peer.Request, out *peer.Response) {
	if r.Item == peer.ItemHeader {
		out.Nodes = []peer.Node{{Data: l.Header().AppendTo(nil)}}
		return
	}
	tree := l.State()
	if r.Item == peer.ItemTxNodes {
		tree = l.Txs()
	}
	left := m.opt.Acquire.ServeNodesMax
	for i, raw := range r.NodeIDs {
		if i >= m.opt.Acquire.ServeNodesMax || left <= 0 {
			break
		}
		id, err := shamap.ParseNodeID(raw)
		if err != nil {
			out.Err = "node id is malformed"
			return
		}
		// Every wanted node comes first; what is left of the bound goes below.
		share := max(1, left/(len(r.NodeIDs)-i))
		nodes, err := tree.NodeFat(id, min(max(r.Depth, 0), serveDepthMax), true, share)
		if err != nil {
			m.noteErr(err, l)
			continue
		}
		for _, n := range nodes {
			out.Nodes = append(out.Nodes, peer.Node{ID: n.ID.AppendTo(nil), Data: n.Data})
		}
		left -= len(nodes)
	}
	if len(out.Nodes) == 0 {
		out.Err = "nodes are not here"
	}
}

func (m *Master) serveByHash(r peer.Request, out *peer.Response) {
	for i, raw := range r.NodeIDs {
		if i >= m.opt.Acquire.ServeNodesMax {
			break
		}
		if len(raw) != 32 {
			out.Err = "hash is malformed"
			return
		}
		body, err := m.d.Family.Fetch([32]byte(raw))
		if err == nil && body != nil {
			out.Nodes = append(out.Nodes, peer.Node{ID: raw, Data: body})
		}
	}
	if len(out.Nodes) == 0 {
		out.Err = "nodes are not here"
	}
}
