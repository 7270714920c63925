package payload

import (
	"sync/atomic"
	"unsafe"
)

// The state word: pins in the low half, the strong count above them, and one
// bit that says the bytes are given up. Strong references and pins are
// separate, so that a surplus release by one caller never takes a reader's
// protection. Bit 63 stays clear; it shows an underflow.
const (
	one      uint64 = 1 << 32
	dead     uint64 = 1 << 62
	strong   uint64 = (1<<62 - 1) &^ (one - 1)
	overflow uint64 = 1 << 61
)

// Header is the counted part of whatever keeps bytes in a Heap. It holds no
// pointer the collector would have to follow. A Header must not be copied.
type Header struct {
	state atomic.Uint64
	p     uintptr // address of the bytes; C memory, or Go memory that the owner keeps alive
	n     uint32  // bytes asked for
	heap  uint16  // number of the heap in the table
	tag   Tag
	Aux   uint8 // at the owner's disposal; written before the header is shared
}

// Init makes the header own chunk p of n bytes, with one strong reference.
// For a heap of kind go the caller must keep p alive by a pointer of its own.
func (h *Header) Init(hp *Heap, t Tag, p unsafe.Pointer, n int) {
	h.p, h.n, h.heap, h.tag = uintptr(p), uint32(n), hp.id, t
	// Nobody else sees the header yet: a plain store does not wait for earlier
	// ones to reach memory, as an atomic one would.
	*(*uint64)(unsafe.Pointer(&h.state)) = one
}

// Raw gives the address of the bytes. It is for types built on Header, which
// must hold a reference, a pin or a guard while they use it and never hand it
// on.
func (h *Header) Raw() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&h.p)) }

// Addr is Raw as a number, for the batch functions of Heap.
func (h *Header) Addr() uintptr { return h.p }

// Len is the number of bytes asked for.
func (h *Header) Len() int { return int(h.n) }

// Tag says what the bytes are for.
func (h *Header) Tag() Tag { return h.tag }

// Heap is the heap that the bytes belong to.
func (h *Header) Heap() *Heap { return heapByID(h.heap) }

// Alive says whether a strong reference exists.
func (h *Header) Alive() bool {
	s := h.state.Load()
	return s&dead == 0 && s&strong != 0
}

// Refs is the number of strong references, for tests and reports.
func (h *Header) Refs() int { return int(h.state.Load() & strong >> 32) }

// Acquire takes a strong reference unless none is left. It is how a weak
// reference, a plain pointer to the header, becomes a strong one.
func (h *Header) Acquire() bool {
	for {
		s := h.state.Load()
		if s&dead != 0 || s&strong == 0 {
			return false
		}
		if h.state.CompareAndSwap(s, s+one) {
			return true
		}
	}
}

// AddRef takes a further reference; the caller knows that one exists.
func (h *Header) AddRef() {
	if s := h.state.Add(one); s&(dead|overflow) != 0 {
		panic("payload: reference added to a released header")
	}
}

// Drop gives a strong reference back and reports whether it was the last; the
// caller must then retire the header. It panics when there is none to give.
func (h *Header) Drop() (died bool) {
	for {
		s := h.state.Load()
		if s&dead != 0 || s&strong == 0 {
			panic("payload: released twice")
		}
		next := s - one
		if next == 0 {
			next = dead
		}
		if h.state.CompareAndSwap(s, next) {
			return next == dead
		}
	}
}

// DropEdge is Drop for an edge inside a structure whose counts are known to be
// right; it is cheaper where the count is shared.
func (h *Header) DropEdge() (died bool) {
	if h.state.Load() == one && h.state.CompareAndSwap(one, dead) {
		return true
	}
	s := h.state.Add(^(one - 1))
	if s&(dead|1<<63) != 0 {
		panic("payload: released twice")
	}
	return s == 0 && h.state.CompareAndSwap(0, dead)
}

// DropIfSole gives up the only reference in one step. It reports false, and
// changes nothing, when anybody else holds or reads the header.
func (h *Header) DropIfSole() (died bool) { return h.state.CompareAndSwap(one, dead) }

// Pin protects the bytes without a reference; false says they are gone.
func (h *Header) Pin() bool {
	for {
		s := h.state.Load()
		if s&dead != 0 || s&strong == 0 {
			return false
		}
		if h.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// Unpin ends a Pin. It reports true when the strong references went meanwhile
// and this was the last pin: the caller must retire the header.
func (h *Header) Unpin() (died bool) {
	s := h.state.Add(^uint64(0))
	return s == 0 && h.state.CompareAndSwap(0, dead)
}
