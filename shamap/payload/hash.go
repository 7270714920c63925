package payload

import (
	"crypto/sha512"
	"math/bits"
	"unsafe"
)

// HashMax is the number of messages that one call into C hashes at most: long
// enough to pay for the call, short enough (10 us) not to lose the processor.
const HashMax = 32

// HalfMany computes the first 32 bytes of SHA-512 of n messages at addr with
// the given sizes. Eight or four neighbours are hashed together where the
// processor can; that is best when they have the same number of 128-byte
// blocks. The caller keeps the memory alive.
func (h *Heap) HalfMany(addr []uintptr, size []uint32, out [][32]byte) {
	if h.lanes > 0 && len(addr) > 1 {
		for i := 0; i < len(addr); i += HashMax {
			e := min(i+HashMax, len(addr))
			cHash(h.lanes, addr[i:e], size[i:e], out[i:e])
		}
		return
	}
	for i := range addr {
		sum := sha512.Sum512(unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr[i]))), size[i]))
		out[i] = [32]byte(sum[:32])
	}
}

// HalfSparse is HalfMany for inner nodes of which only the present child
// hashes are kept, in the order of mask's bits from the lowest.
func (h *Heap) HalfSparse(addr []uintptr, mask []uint16, out [][32]byte) {
	if h.lanes > 0 && len(addr) > 1 {
		for i := 0; i < len(addr); i += HashMax {
			e := min(i+HashMax, len(addr))
			cHashSparse(h.lanes, addr[i:e], mask[i:e], out[i:e])
		}
		return
	}
	var full [516]byte
	for i := range addr {
		Spread(&full, *(*unsafe.Pointer)(unsafe.Pointer(&addr[i])), mask[i])
		sum := sha512.Sum512(full[:])
		out[i] = [32]byte(sum[:32])
	}
}

// Spread builds the 516-byte prefix form of an inner node from its present
// child hashes.
func Spread(full *[516]byte, hashes unsafe.Pointer, mask uint16) {
	*full = [516]byte{'M', 'I', 'N', 0}
	from := unsafe.Slice((*[32]byte)(hashes), bits.OnesCount16(mask))
	for i := range from {
		copy(full[4+32*bits.TrailingZeros16(mask):], from[i][:])
		mask &= mask - 1
	}
}

// Prefetch asks for the cache lines of chunks ahead of their use.
func (h *Heap) Prefetch(addr []uintptr, size []uint32) {
	if h.c && len(addr) > 0 {
		cPrefetch(addr, size)
	}
}
