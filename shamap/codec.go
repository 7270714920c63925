package shamap

import (
	"crypto/sha512"
	"math/bits"
	"unsafe"

	"ledgerlab/shamap/payload"
)

// Prefixes of the hashed forms (rippled HashPrefix.h) and type bytes of the
// wire forms (rippled SHAMapTreeNode.h).
const (
	prefixInner  = "MIN\x00"
	prefixState  = "MLN\x00"
	prefixTxMeta = "SND\x00"
	prefixTx     = "TXN\x00"

	wireTx         = 0
	wireState      = 1
	wireInner      = 2
	wireCompressed = 3
	wireTxMeta     = 4

	// compressBelow: an inner node with fewer children travels compressed.
	compressBelow = 12

	// dataBytesMax bounds a leaf; the ledger's largest objects are far below.
	dataBytesMax = 1 << 24
)

func prefixOf(typ uint8) string {
	switch typ {
	case typeState:
		return prefixState
	case typeTxMeta:
		return prefixTxMeta
	}
	return prefixTx
}

func half(b []byte) [32]byte {
	s := sha512.Sum512(b)
	return [32]byte(s[:32])
}

// AppendPrefixed appends the form that is hashed and stored.
func (n *Node) AppendPrefixed(dst []byte) ([]byte, error) {
	if !n.hd.Pin() {
		return dst, ErrReleased
	}
	dst = n.appendPrefixed(dst)
	if n.hd.Unpin() {
		buryOne(n)
	}
	return dst, nil
}

// AppendWire appends the form that peers exchange.
func (n *Node) AppendWire(dst []byte) ([]byte, error) {
	if !n.hd.Pin() {
		return dst, ErrReleased
	}
	dst = n.appendWire(dst)
	if n.hd.Unpin() {
		buryOne(n)
	}
	return dst, nil
}

func (n *Node) appendPrefixed(dst []byte) []byte {
	switch n.typ {
	case typeSparse:
		var full [denseBytes]byte
		payload.Spread(&full, n.hd.Raw(), n.mask)
		return append(dst, full[:]...)
	case typeTx:
		return append(dst, n.raw()[:n.hashed()]...)
	}
	return append(dst, n.raw()...)
}

func (n *Node) appendWire(dst []byte) []byte {
	switch n.typ {
	case typeTx:
		return append(append(dst, n.data()...), wireTx)
	case typeTxMeta:
		return append(append(dst, n.raw()[4:]...), wireTxMeta)
	case typeState:
		return append(append(dst, n.raw()[4:]...), wireState)
	}
	if n.children() >= compressBelow {
		for b := range branches {
			if n.has(b) {
				dst = append(dst, n.childHash(b)[:]...)
			} else {
				dst = append(dst, make([]byte, 32)...)
			}
		}
		return append(dst, wireInner)
	}
	for m := n.mask; m != 0; m &= m - 1 {
		b := bits.TrailingZeros16(m)
		dst = append(dst, n.childHash(b)[:]...)
		dst = append(dst, byte(b))
	}
	return append(dst, wireCompressed)
}

// WireToPrefixed appends the prefix form of a node given in wire form.
func WireToPrefixed(dst, wire []byte) ([]byte, error) {
	if len(wire) < 2 {
		return dst, parseError("wire form without a body")
	}
	body := wire[:len(wire)-1]
	switch wire[len(wire)-1] {
	case wireTx:
		return append(append(dst, prefixTx...), body...), nil
	case wireState:
		return append(append(dst, prefixState...), body...), nil
	case wireTxMeta:
		return append(append(dst, prefixTxMeta...), body...), nil
	case wireInner:
		if len(body) != 32*branches {
			return dst, parseError("full inner node of wrong length")
		}
		return append(append(dst, prefixInner...), body...), nil
	case wireCompressed:
		return inflate(dst, body)
	}
	return dst, parseError("unknown wire type")
}

func inflate(dst, body []byte) ([]byte, error) {
	if len(body)%33 != 0 || len(body) > 33*branches {
		return dst, parseError("compressed inner node of wrong length")
	}
	full := [denseBytes]byte([]byte(prefixInner + string(make([]byte, 32*branches))))
	var seen uint16
	for ; len(body) > 0; body = body[33:] {
		b := body[32]
		if b >= branches || seen>>b&1 != 0 {
			return dst, parseError("compressed inner node names a branch out of range or twice")
		}
		if [32]byte(body[:32]) == ([32]byte{}) {
			return dst, parseError("compressed inner node holds an empty hash")
		}
		seen |= 1 << b
		copy(full[4+32*int(b):], body[:32])
	}
	return append(dst, full[:]...), nil
}

type parseError string

func (e parseError) Error() string { return "shamap: " + string(e) }

// shape is what a prefix form says about its node.
type shape struct {
	typ  uint8
	mask uint16
	key  [32]byte
	data []byte
}

// parse reads a prefix form whose hash is h.
func parse(h [32]byte, b []byte) (s shape, err error) {
	if len(b) < 5 {
		return s, parseError("too short")
	}
	body := b[4:]
	switch string(b[:4]) {
	case prefixInner:
		return parseInner(body)
	case prefixTx:
		s = shape{typ: typeTx, key: h, data: body}
	case prefixTxMeta, prefixState:
		s.typ = typeState
		if b[0] == 'S' {
			s.typ = typeTxMeta
		}
		if len(body) <= keyBytes {
			return s, parseError("leaf without data")
		}
		at := len(body) - keyBytes
		s.key, s.data = [32]byte(body[at:]), body[:at]
	default:
		return s, parseError("unknown prefix")
	}
	if len(s.data) > dataBytesMax {
		return s, parseError("leaf too long")
	}
	if s.key == ([32]byte{}) {
		return s, parseError("leaf with an empty key")
	}
	return s, nil
}

func parseInner(body []byte) (s shape, err error) {
	s = shape{typ: typeInner, data: body}
	if len(body) != 32*branches {
		return s, parseError("inner node of wrong length")
	}
	for b := range branches {
		if [32]byte(body[32*b:]) != ([32]byte{}) {
			s.mask |= 1 << b
		}
	}
	if s.mask == 0 {
		return s, parseError("inner node without children")
	}
	return s, nil
}

// ParsePrefixed makes a node of stored bytes after checking that they hash to
// h. The node comes with one reference and without links.
func ParsePrefixed(env *Env, h [32]byte, b []byte) (*Node, error) {
	if got := half(b); got != h {
		return nil, ErrCorrupt{Hash: h, Reason: "its bytes hash to another value"}
	}
	s, err := parse(h, b)
	if err != nil {
		return nil, ErrCorrupt{Hash: h, Reason: err.Error()[len("shamap: "):]}
	}
	return env.node(h, s), nil
}

func (e *Env) node(h [32]byte, s shape) *Node {
	var n *Node
	if s.typ == typeInner {
		n = e.newInner(s.mask, nil, nil)
		for m := s.mask; m != 0; m &= m - 1 {
			b := bits.TrailingZeros16(m)
			*n.childHash(b) = [32]byte(s.data[32*b:])
		}
	} else {
		n = e.newLeaf(s.typ, &s.key, s.data, nil, nil)
	}
	n.hash, n.own = h, 0
	return n
}

func leafBytes(data []byte) int { return 4 + len(data) + keyBytes }

// newLeaf makes a leaf, in chunk when that is not nil. Its hash is not set.
func (e *Env) newLeaf(typ uint8, key *[32]byte, data []byte, chunk unsafe.Pointer, h *headers) *Node {
	size := leafBytes(data)
	tag := leafTag(typ)
	if chunk == nil {
		chunk = e.Heap.Alloc(tag, size)
	}
	n := newNode(e.Heap.InGo(), 0, h)
	n.typ = typ
	n.own = ownDirty | ownUnsaved
	n.setPayload(e.Heap, tag, chunk, size)
	b := n.raw()
	copy(b, prefixOf(typ))
	copy(b[4:], data)
	copy(b[size-keyBytes:], key[:])
	return n
}

func leafTag(typ uint8) payload.Tag {
	if typ == typeState {
		return payload.TagLeaf
	}
	return payload.TagItem
}

func (e *Env) innerBytes(mask uint16) int {
	if e.Sparse {
		return 32 * bits.OnesCount16(mask)
	}
	return denseBytes
}

// newInner makes an inner node, in chunk when that is not nil. Dense payload
// gets its prefix and empty hashes; links and hashes are not set.
func (e *Env) newInner(mask uint16, chunk unsafe.Pointer, h *headers) *Node {
	size := e.innerBytes(mask)
	fresh := chunk == nil
	if fresh {
		chunk = e.Heap.Alloc(payload.TagInner, size)
	}
	n := newNode(e.Heap.InGo(), bits.OnesCount16(mask), h)
	n.mask = mask
	n.typ = typeInner
	n.own = ownDirty | ownUnsaved
	n.setPayload(e.Heap, payload.TagInner, chunk, size)
	if e.Sparse {
		n.typ = typeSparse
		return n
	}
	if fresh {
		b := n.raw()
		clear(b)
		copy(b, prefixInner)
	}
	return n
}
