//go:build !cgo || !linux

package payload

import "unsafe"

const cSupported = false

func lanesSupported() bool { return false }

func cAlloc([]uint32, []unsafe.Pointer) int64     { panic(ErrUnsupported) }
func cFree([]uintptr, []uint8, *[Tags]int64)      { panic(ErrUnsupported) }
func cHash([]uintptr, []uint32, [][32]byte)       { panic(ErrUnsupported) }
func cHashSparse([]uintptr, []uint16, [][32]byte) { panic(ErrUnsupported) }
func cPrefetch([]uintptr, []uint32)               {}
