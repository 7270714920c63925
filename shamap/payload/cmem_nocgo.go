//go:build !cgo || !linux

package payload

import "unsafe"

const cSupported = false

func lanesSupported() int { return 0 }

func cAlloc([]uint32, []unsafe.Pointer) int64          { panic(ErrUnsupported) }
func cFree([]uintptr, []uint8, *[Tags]int64)           { panic(ErrUnsupported) }
func cHash(int, []uintptr, []uint32, [][32]byte)       { panic(ErrUnsupported) }
func cHashSparse(int, []uintptr, []uint16, [][32]byte) { panic(ErrUnsupported) }
func cPrefetch([]uintptr, []uint32)                    {}
