//go:build invariants

package payload

import (
	"hash/crc32"
	"unsafe"
)

const invariants = true

// poison overwrites bytes that are about to be freed, so that a late reader
// sees nonsense instead of something plausible.
func poison(p uintptr, n uint32) {
	b := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n)
	for i := range b {
		b[i] = 0xDB
	}
}

type checksum struct{ sum uint32 }

func (c *checksum) set(b []byte) { c.sum = crc32.ChecksumIEEE(b) }

func (c *checksum) check(b []byte) {
	if crc32.ChecksumIEEE(b) != c.sum {
		panic("payload: bytes changed behind their header")
	}
}
