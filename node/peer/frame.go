package peer

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ledgerlab/node/protocol"
	peerv1 "ledgerlab/proto/peer/v1"
)

// kind is a field of peer.v1.Frame.
type kind = protowire.Number

const (
	kindHello kind = iota + 1
	kindStatus
	kindTransaction
	kindHaveTransaction
	kindGetTransaction
	kindHaveSet
	kindProposal
	kindValidation
	kindManifest
	kindRequest
	kindReply
	kindPing
)

// Limits of one frame. Those with a source are rippled's.
const (
	txBytesMax         = 1 << 20 // rippled txMaxSizeBytes
	txCountMax         = 10_000  // TMTransactions objects
	idCountMax         = 10_000  // TMHaveTransactions hashes
	consensusCountMax  = 4096
	proposalBytesMin   = 64
	proposalBytesMax   = 1024
	validationBytesMin = 50 // rippled: a shorter one is invalid
	validationBytesMax = 8192
	requestCountMax    = 256
	nodeIDCountMax     = 256    // nodes per request, rippled
	replyNodesMax      = 12_288 // hardMaxReplyNodes
	replyBytesMax      = 1 << 20
	depthMax           = 3 // maxQueryDepth
	helloBytesMax      = 1024
)

// spec is what a kind may look like: bytes of one message, messages of one frame.
type spec struct{ bytesMin, bytesMax, countMax int }

var specs = [...]spec{
	kindHello:           {1, helloBytesMax, 1},
	kindStatus:          {0, 256, 1},
	kindTransaction:     {1, txBytesMax, txCountMax},
	kindHaveTransaction: {32, 32, idCountMax},
	kindGetTransaction:  {32, 32, idCountMax},
	kindHaveSet:         {32, 32, 256},
	kindProposal:        {proposalBytesMin, proposalBytesMax, consensusCountMax},
	kindValidation:      {validationBytesMin, validationBytesMax, consensusCountMax},
	kindManifest:        {1, 1024, 256},
	kindRequest:         {1, 1 << 14, requestCountMax},
	kindReply:           {1, 2 * replyBytesMax, requestCountMax},
	kindPing:            {0, 16, 4},
}

// Reason is why a frame was refused. The set is closed: it labels a metric.
type Reason string

// Reasons for closing a peer over a frame.
const (
	BadTruncated Reason = "truncated"    // ends inside a field, or a length points past the end
	BadKind      Reason = "unknown_kind" // a field that peer.v1.Frame does not have
	BadLength    Reason = "bad_length"   // a message shorter or longer than its kind allows
	BadCount     Reason = "too_many"     // more messages of a kind than one frame may hold
	BadContent   Reason = "malformed"    // a nested message does not decode
	BadOrder     Reason = "order"        // no hello first, or a second one
	BadNetwork   Reason = "network"      // another network id or version
	BadOversize  Reason = "oversize"     // over the frame limit
	BadEmpty     Reason = "empty"
)

// Reasons lists them all.
func Reasons() []Reason {
	return []Reason{BadTruncated, BadKind, BadLength, BadCount, BadContent, BadOrder, BadNetwork, BadOversize, BadEmpty}
}

// FrameError is a refused frame.
type FrameError struct {
	Reason Reason
	Offset int
	What   string
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("bad frame (%s) at byte %d: %s", e.Reason, e.Offset, e.What)
}

// frame is a decoded frame; its slices lie in the bytes it was decoded from.
type frame struct {
	hello     *peerv1.Hello
	status    *peerv1.Status
	txs       [][]byte
	have, get []protocol.Hash
	sets      []protocol.Hash
	raw       [kindManifest + 1][][]byte // proposals, validations, manifests
	requests  []*peerv1.GetLedger
	replies   []*peerv1.LedgerData
	pings     []*peerv1.Ping
	messages  int
}

// parse checks b against all limits before it allocates for what b holds.
func (f *frame) parse(b []byte) error {
	if len(b) == 0 {
		return &FrameError{BadEmpty, 0, "no field"}
	}
	var counts [len(specs)]int
	for pos := 0; pos < len(b); {
		num, typ, n := protowire.ConsumeTag(b[pos:])
		if n < 0 {
			return &FrameError{BadTruncated, pos, "field tag"}
		}
		if num < kindHello || num > kindPing || typ != protowire.BytesType {
			return &FrameError{BadKind, pos, fmt.Sprintf("field %d of wire type %d", num, typ)}
		}
		val, m := protowire.ConsumeBytes(b[pos+n:])
		if m < 0 {
			return &FrameError{BadTruncated, pos, fmt.Sprintf("field %d", num)}
		}
		s := specs[num]
		if len(val) < s.bytesMin || len(val) > s.bytesMax {
			return &FrameError{BadLength, pos, fmt.Sprintf("field %d of %d bytes, allowed %d..%d", num, len(val), s.bytesMin, s.bytesMax)}
		}
		if counts[num]++; counts[num] > s.countMax {
			return &FrameError{BadCount, pos, fmt.Sprintf("over %d of field %d", s.countMax, num)}
		}
		if err := f.add(num, val); err != nil {
			return &FrameError{BadContent, pos, fmt.Sprintf("field %d: %v", num, err)}
		}
		f.messages++
		pos += n + m
	}
	return nil
}

func (f *frame) add(num kind, val []byte) error {
	switch num {
	case kindHello:
		f.hello = new(peerv1.Hello)
		return proto.Unmarshal(val, f.hello)
	case kindStatus:
		f.status = new(peerv1.Status)
		return proto.Unmarshal(val, f.status)
	case kindTransaction:
		f.txs = append(f.txs, val)
	case kindHaveTransaction:
		f.have = append(f.have, protocol.Hash(val))
	case kindGetTransaction:
		f.get = append(f.get, protocol.Hash(val))
	case kindHaveSet:
		f.sets = append(f.sets, protocol.Hash(val))
	case kindProposal, kindValidation, kindManifest:
		f.raw[num] = append(f.raw[num], val)
	case kindRequest:
		return f.addRequest(val)
	case kindReply:
		return f.addReply(val)
	case kindPing:
		p := new(peerv1.Ping)
		f.pings = append(f.pings, p)
		return proto.Unmarshal(val, p)
	}
	return nil
}

func (f *frame) addRequest(val []byte) error {
	if err := countNested(val, 5, nodeIDCountMax); err != nil {
		return err
	}
	r := new(peerv1.GetLedger)
	if err := proto.Unmarshal(val, r); err != nil {
		return err
	}
	want := 33
	if r.Item == peerv1.Item_ITEM_BY_HASH {
		want = 32
	}
	for _, id := range r.NodeIds {
		if len(id) != want {
			return fmt.Errorf("node id of %d bytes, want %d", len(id), want)
		}
	}
	if (len(r.Hash) != 0 && len(r.Hash) != 32) || r.Depth > depthMax {
		return fmt.Errorf("hash of %d bytes, depth %d", len(r.Hash), r.Depth)
	}
	f.requests = append(f.requests, r)
	return nil
}

func (f *frame) addReply(val []byte) error {
	if err := countNested(val, 5, replyNodesMax); err != nil {
		return err
	}
	r := new(peerv1.LedgerData)
	if err := proto.Unmarshal(val, r); err != nil {
		return err
	}
	if len(r.Hash) != 0 && len(r.Hash) != 32 {
		return fmt.Errorf("hash of %d bytes", len(r.Hash))
	}
	f.replies = append(f.replies, r)
	return nil
}

// countNested walks the fields of a message and fails when field num occurs more than limit times.
func countNested(b []byte, num protowire.Number, limit int) error {
	n := 0
	for len(b) > 0 {
		got, typ, m := protowire.ConsumeTag(b)
		if m < 0 {
			return protowire.ParseError(m)
		}
		v := protowire.ConsumeFieldValue(got, typ, b[m:])
		if v < 0 {
			return protowire.ParseError(v)
		}
		if got == num {
			if n++; n > limit {
				return fmt.Errorf("over %d of field %d", limit, num)
			}
		}
		b = b[m+v:]
	}
	return nil
}

// appendMessage adds one message to a frame under construction.
func appendMessage(b []byte, k kind, val []byte) []byte {
	b = protowire.AppendTag(b, k, protowire.BytesType)
	return protowire.AppendBytes(b, val)
}

// messageBytes is what appendMessage adds.
func messageBytes(val int) int { return 1 + protowire.SizeBytes(val) }
