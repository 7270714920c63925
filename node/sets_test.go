package node

import (
	"testing"

	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/rcl"
	"ledgerlab/shamap"
)

// TestSetTravels gets sets of several sizes from a peer, as consensus does.
func TestSetTravels(t *testing.T) {
	nodes := memoryNetwork(t, 2, nil)
	a, b := nodes[0], nodes[1]
	k := masterKey(t)
	for _, n := range []int{1, 2, 17, 130} {
		var txs []rcl.Tx
		for i := range n {
			tx, err := protocol.ParseTransaction(payment(t, k, protocol.AccountID{1, byte(n)}, uint32(i+1), 1000, 20100))
			if err != nil {
				t.Fatal(err)
			}
			txs = append(txs, tx)
		}
		set, err := a.sets.Make(txs)
		if err != nil {
			t.Fatal(err)
		}
		id := protocol.Hash(set.ID())
		s := shamap.NewSyncer(&shamap.Env{Heap: b.Node.store.heap}, shamap.KindTx, id)
		for step := 0; !s.Done() && step < 20; step++ {
			want, err := s.Missing(256)
			if err != nil {
				t.Fatal(err)
			}
			req := peer.Request{Item: peer.ItemTxSet, Hash: id, Depth: 3}
			for _, w := range want {
				req.NodeIDs = append(req.NodeIDs, w.ID.AppendTo(nil))
			}
			ch := make(chan peer.Response, 1)
			if !b.overlay.Ask(0, req, func(r peer.Response, err error) { ch <- r }) {
				awaitPeers(t, nodes)
				continue
			}
			r := <-ch
			if r.Err != "" {
				t.Fatal(r.Err)
			}
			for _, x := range r.Nodes {
				nid, err := shamap.ParseNodeID(x.ID)
				if err != nil {
					t.Fatal(err)
				}
				if res, err := s.AddNode(nid, x.Data); err != nil || res == shamap.AddInvalid {
					t.Fatalf("set of %d: node %x: %v %v", n, x.ID, res, err)
				}
			}
		}
		if !s.Done() {
			t.Errorf("set of %d transactions is not complete", n)
		}
		s.Release()
	}
}
