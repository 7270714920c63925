package shamap

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"ledgerlab/shamap/payload"
)

// Node types; the leaf types have the numbers of their Kind.
const (
	typeTx     = uint8(KindTx)
	typeTxMeta = uint8(KindTxMeta)
	typeState  = uint8(KindState)
	typeInner  = uint8(4) // payload: prefix and 16 hashes, the prefix form itself
	typeSparse = uint8(5) // payload: the present hashes only
)

// Bits of Node.own beside the number of the map that may modify the node.
const (
	ownUnsaved   = 1 << 31 // no sink has taken the node yet
	ownDirty     = 1 << 30 // the hash, and the parent's copy of it, are out of date
	ownFullBelow = 1 << 29 // nothing is missing under the node
	ownMask      = 1<<29 - 1
)

const (
	branches   = 16
	maxDepth   = 64 // of a leaf
	denseBytes = 4 + 32*branches
	keyBytes   = 32
)

// Node is one node of a tree: a counted header of 64 bytes, followed in the
// same object by as many child links as there are children. Its bytes are in
// the payload heap. Once its hash is computed a node does not change, except
// that links to children appear. All exported methods are safe for concurrent
// use.
//
// A link holds a reference on the child, so a node in hand keeps everything
// linked under it.
type Node struct {
	hash  [32]byte
	hd    payload.Header
	mask  uint16 // branches present
	slots uint8  // links that fit into the object
	typ   uint8
	own   uint32 // owner and bits; atomic once the node is shared
}

const nodeBytes = unsafe.Sizeof(Node{})

// newNode makes a node with room for children links, from h when that is not
// nil. Where the payload is Go memory one more link keeps it alive.
func newNode(goHeap bool, children int, h *headers) *Node {
	words := children
	if goHeap {
		words++
	}
	n := h.take((words + 1) / 2)
	n.slots = uint8(children)
	return n
}

// setPayload gives the node its bytes, with one reference on the node.
func (n *Node) setPayload(h *payload.Heap, t payload.Tag, p unsafe.Pointer, size int) {
	n.hd.Init(h, t, p, size)
	if h.InGo() {
		n.hd.Aux = 1
		*n.slot(int(n.slots)) = p
	}
}

// keep is the link that keeps Go payload alive, nil for C payload.
func (n *Node) keep() *unsafe.Pointer {
	if n.hd.Aux == 0 {
		return nil
	}
	return n.slot(int(n.slots))
}

func (n *Node) slot(i int) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(n), nodeBytes+uintptr(i)*unsafe.Sizeof(n)))
}

func (n *Node) isLeaf() bool { return n.typ < typeInner }

func (n *Node) has(branch int) bool { return n.mask>>branch&1 != 0 }

func (n *Node) children() int { return bits.OnesCount16(n.mask) }

func rank(mask uint16, branch int) int { return bits.OnesCount16(mask & (1<<branch - 1)) }

// kid gives the linked child of a branch that is present, nil when it is not
// in memory or not linked.
func (n *Node) kid(branch int) *Node {
	return (*Node)(atomic.LoadPointer(n.slot(rank(n.mask, branch))))
}

// setKid links a child into a node nobody else sees yet.
func (n *Node) setKid(branch int, k *Node) {
	*(**Node)(unsafe.Pointer(n.slot(rank(n.mask, branch)))) = k
}

// link links a loaded child into a node that may be shared. The link takes a
// reference of its own; where another goroutine was faster, nothing happens.
func (n *Node) link(branch int, k *Node) {
	k.hd.AddRef()
	if !atomic.CompareAndSwapPointer(n.slot(rank(n.mask, branch)), nil, unsafe.Pointer(k)) {
		k.Release()
	}
}

// raw is the payload. Its user holds the node, a pin, or a guard.
func (n *Node) raw() []byte { return unsafe.Slice((*byte)(n.hd.Raw()), n.hd.Len()) }

// childHash is the hash of a present branch, in place.
func (n *Node) childHash(branch int) *[32]byte {
	off := 4 + 32*branch
	if n.typ == typeSparse {
		off = 32 * rank(n.mask, branch)
	}
	return (*[32]byte)(unsafe.Add(n.hd.Raw(), off))
}

// key of a leaf, in place.
func (n *Node) key() *[32]byte { return (*[32]byte)(unsafe.Add(n.hd.Raw(), n.hd.Len()-keyBytes)) }

// data of a leaf, in place.
func (n *Node) data() []byte {
	b := n.raw()
	return b[4 : len(b)-keyBytes]
}

// hashed is the part of a leaf's payload that its hash covers, as a length.
func (n *Node) hashed() int {
	if n.typ == typeTx {
		return n.hd.Len() - keyBytes
	}
	return n.hd.Len()
}

func (n *Node) ownedBy(owner uint32) bool {
	return owner != 0 && atomic.LoadUint32(&n.own)&ownMask == owner
}

func (n *Node) bit(b uint32) bool { return atomic.LoadUint32(&n.own)&b != 0 }

func (n *Node) setBit(b uint32)   { atomic.OrUint32(&n.own, b) }
func (n *Node) clearBit(b uint32) { atomic.AndUint32(&n.own, ^b) }

// Acquire takes a reference; false says the node is gone. It turns a weak
// reference, a plain pointer, into a strong one.
func (n *Node) Acquire() bool { return n.hd.Acquire() }

// Release gives a reference back. What nobody else holds goes with it.
func (n *Node) Release() {
	if n.hd.Drop() {
		buryOne(n)
	}
}

// DropIfSole gives up the only reference in one step; false says that others
// hold the node, and nothing changed.
func (n *Node) DropIfSole() bool {
	if !n.hd.DropIfSole() {
		return false
	}
	buryOne(n)
	return true
}

// Alive says whether the node is referenced.
func (n *Node) Alive() bool { return n.hd.Alive() }

// Hash is the node's hash; the node must be hashed, as all nodes are that
// leave this package.
func (n *Node) Hash() [32]byte { return n.hash }

// IsInner says whether the node has children.
func (n *Node) IsInner() bool { return !n.isLeaf() }

// PayloadLen is the number of payload bytes asked for.
func (n *Node) PayloadLen() int { return n.hd.Len() }

// HeaderLen is the number of bytes of the Go object.
func (n *Node) HeaderLen() int {
	words := int(n.slots) + int(n.hd.Aux)
	return int(nodeBytes) + (words+1)/2*16
}

// kidAt is kid by position among the present branches.
func (n *Node) kidAt(i int) *Node { return (*Node)(atomic.LoadPointer(n.slot(i))) }
