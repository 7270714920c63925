//go:build cgo && linux

package payload

/*
#cgo CFLAGS: -O2 -fno-omit-frame-pointer
#cgo noescape ll_alloc
#cgo nocallback ll_alloc
#cgo noescape ll_free
#cgo nocallback ll_free
#cgo noescape ll_half
#cgo nocallback ll_half
#cgo noescape ll_half_sparse
#cgo nocallback ll_half_sparse
#cgo noescape ll_prefetch
#cgo nocallback ll_prefetch
#include "cmem.h"
*/
import "C"

import "unsafe"

const cSupported = true

func lanesSupported() int { return int(C.ll_lanes()) }

// cAlloc asks malloc for each size and answers the usable bytes of all.
func cAlloc(sizes []uint32, out []unsafe.Pointer) int64 {
	var at [BatchMax]C.uintptr_t
	usable := C.ll_alloc(C.uint32_t(len(sizes)), (*C.uint32_t)(&sizes[0]), &at[0])
	if usable < 0 {
		panic("payload: malloc gave no memory")
	}
	for i := range sizes {
		out[i] = *(*unsafe.Pointer)(unsafe.Pointer(&at[i]))
	}
	return int64(usable)
}

// cFree frees and adds the usable bytes of each tag.
func cFree(addr []uintptr, tag []uint8, usable *[Tags]int64) {
	C.ll_free(C.uint32_t(len(addr)), (*C.uintptr_t)(unsafe.Pointer(&addr[0])), (*C.uint8_t)(&tag[0]),
		(*C.int64_t)(unsafe.Pointer(usable)))
}

func cHash(lanes int, addr []uintptr, size []uint32, out [][32]byte) {
	C.ll_half(C.uint32_t(lanes), C.uint32_t(len(addr)), (*C.uintptr_t)(unsafe.Pointer(&addr[0])), (*C.uint32_t)(&size[0]),
		(*C.uint8_t)(&out[0][0]))
}

func cHashSparse(lanes int, addr []uintptr, mask []uint16, out [][32]byte) {
	C.ll_half_sparse(C.uint32_t(lanes), C.uint32_t(len(addr)), (*C.uintptr_t)(unsafe.Pointer(&addr[0])), (*C.uint16_t)(&mask[0]),
		(*C.uint8_t)(&out[0][0]))
}

func cPrefetch(addr []uintptr, size []uint32) {
	C.ll_prefetch(C.uint32_t(len(addr)), (*C.uintptr_t)(unsafe.Pointer(&addr[0])), (*C.uint32_t)(&size[0]))
}
