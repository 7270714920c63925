package peer

import (
	"google.golang.org/protobuf/proto"

	"ledgerlab/node/protocol"
	peerv1 "ledgerlab/proto/peer/v1"
)

// marshal encodes one of our own messages, which cannot fail.
func marshal(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("peer: own message does not encode: " + err.Error())
	}
	return b
}

func hashBytes(h protocol.Hash) []byte {
	if h.IsZero() {
		return nil
	}
	return h[:]
}

// toHash takes a hash field; one of a wrong length counts as absent.
func toHash(b []byte) protocol.Hash {
	if len(b) != 32 {
		return protocol.Hash{}
	}
	return protocol.Hash(b)
}

func statusToProto(s Status) *peerv1.Status {
	return &peerv1.Status{
		Mode: peerv1.Mode(s.Mode), Event: peerv1.Event(s.Event), ClosedSeq: s.ClosedSeq, ClosedHash: hashBytes(s.ClosedHash),
		ParentHash: hashBytes(s.ParentHash), ValidatedSeq: s.ValidatedSeq, ValidatedHash: hashBytes(s.ValidatedHash),
		FirstSeq: s.FirstSeq, LastSeq: s.LastSeq, NetworkTime: s.NetworkTime,
	}
}

func statusFromProto(p *peerv1.Status) Status {
	s := Status{
		ClosedSeq: p.ClosedSeq, ClosedHash: toHash(p.ClosedHash), ParentHash: toHash(p.ParentHash),
		ValidatedSeq: p.ValidatedSeq, ValidatedHash: toHash(p.ValidatedHash), FirstSeq: p.FirstSeq, LastSeq: p.LastSeq, NetworkTime: p.NetworkTime,
	}
	if p.Mode >= 0 && p.Mode <= peerv1.Mode(ModeProposing) {
		s.Mode = Mode(p.Mode)
	}
	if p.Event >= 0 && p.Event <= peerv1.Event(EventLostSync) {
		s.Event = Event(p.Event)
	}
	return s
}

func requestToProto(r Request, cookie uint64) *peerv1.GetLedger {
	return &peerv1.GetLedger{Cookie: cookie, Item: peerv1.Item(r.Item), Hash: hashBytes(r.Hash), Seq: r.Seq, NodeIds: r.NodeIDs, Depth: uint32(r.Depth)}
}

func requestFromProto(p *peerv1.GetLedger) Request {
	r := Request{Hash: toHash(p.Hash), Seq: p.Seq, NodeIDs: p.NodeIds, Depth: int(p.Depth)}
	if p.Item > 0 && p.Item <= peerv1.Item(ItemByHash) {
		r.Item = Item(p.Item)
	}
	return r
}

// responseToProto keeps the reply under replyBytesMax: what does not fit is asked for again.
func responseToProto(r Response, cookie uint64) *peerv1.LedgerData {
	p := &peerv1.LedgerData{Cookie: cookie, Item: peerv1.Item(r.Item), Hash: hashBytes(r.Hash), Seq: r.Seq, Error: r.Err[:min(len(r.Err), 256)]}
	total := 0
	for _, n := range r.Nodes[:min(len(r.Nodes), replyNodesMax)] {
		if total += len(n.ID) + len(n.Data) + 16; total > replyBytesMax {
			break
		}
		p.Nodes = append(p.Nodes, &peerv1.Node{Id: n.ID, Data: n.Data})
	}
	return p
}

func responseFromProto(p *peerv1.LedgerData, from ID) Response {
	r := Response{From: from, Item: Item(p.Item), Hash: toHash(p.Hash), Seq: p.Seq, Err: p.Error, Nodes: make([]Node, len(p.Nodes))}
	for i, n := range p.Nodes {
		r.Nodes[i] = Node{ID: n.Id, Data: n.Data}
	}
	return r
}
