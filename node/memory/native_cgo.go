//go:build cgo && linux

package memory

/*
#cgo LDFLAGS: -ldl
#include <malloc.h>
#include <stdlib.h>
#include "native.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"time"
	"unsafe"
)

const cgoEnabled = true

var kinds = [...]Allocator{Unknown, Glibc, Jemalloc, Mimalloc, Tcmalloc}

// detected asks once: the owner of malloc cannot change while the process runs.
var detected = sync.OnceValue(func() Owner {
	var raw C.ll_owner
	C.ll_detect(&raw)
	o := Owner{Allocator: Unknown, Path: C.GoString(&raw.path[0]), Recorder: raw.recorder != 0}
	if k := int(raw.kind); k >= 0 && k < len(kinds) {
		o.Allocator = kinds[k]
	}
	o.Version = C.GoString(&raw.version[0])
	return o
})

// Detect tells who owns malloc.
func Detect() Owner { return detected() }

// purge gives free memory of the C heap back and returns what the allocator answered.
func purge(a Allocator, pad int64) (int, error) {
	var answer C.int
	if C.ll_purge(C.size_t(max(pad, 0)), &answer) == 0 {
		return 0, fmt.Errorf("%w: no purge for the allocator %s", ErrUnsupported, a)
	}
	return int(answer), nil
}

// ReadHeapStats asks the allocator. On glibc it walks all free chunks with the arena locks held.
func ReadHeapStats() (HeapStats, error) {
	o := Detect()
	var raw C.ll_stats
	if C.ll_read_stats(&raw) == 0 {
		return noStats(o.Allocator), fmt.Errorf("%w: the allocator %s gives no statistics", ErrUnsupported, o.Allocator)
	}
	return HeapStats{
		Allocator: o.Allocator, InUse: int64(raw.in_use), Free: int64(raw.free), Mapped: int64(raw.mapped),
		Resident: int64(raw.resident), Arenas: int64(raw.arenas),
		StayMax: time.Duration(raw.stay_max_ns), StaySum: time.Duration(raw.stay_sum_ns),
	}, nil
}

// MallocInfo is glibc's malloc_info: XML with every arena.
func MallocInfo() (string, error) {
	s := C.ll_malloc_info()
	if s == nil {
		return "", fmt.Errorf("%w: malloc_info is glibc's", ErrUnsupported)
	}
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s), nil
}

// Tune sets glibc's parameters. It belongs to the very start of the process, before other threads exist.
func Tune(t Tuning) error {
	if err := t.Validate(); err != nil || t.Zero() {
		return err
	}
	if a := Detect().Allocator; a != Glibc {
		return fmt.Errorf("%w: heap tuning is for glibc, malloc belongs to %s", ErrUnsupported, a)
	}
	for _, p := range []struct {
		name string
		code C.int
		n    int64
	}{
		{"arena_max", C.LL_ARENA_MAX, int64(t.ArenaMax)},
		{"mmap_threshold", C.LL_MMAP_THRESHOLD, t.MmapThreshold},
		{"trim_threshold", C.LL_TRIM_THRESHOLD, t.TrimThreshold},
		{"top_pad", C.LL_TOP_PAD, t.TopPad},
	} {
		if p.n != 0 && C.ll_mallopt(p.code, C.int(p.n)) == 0 {
			return fmt.Errorf("memory: mallopt refused heap.%s=%d", p.name, p.n)
		}
	}
	return nil
}

// mallinfo is glibc's other account of the same, for tests.
func mallinfo() (inUse, free, mapped int64) {
	m := C.mallinfo2()
	return int64(m.uordblks + m.hblkhd), int64(m.fordblks), int64(m.hblkhd)
}

// cChain allocates a chunk that remembers the last one of its chain; cFreeChain frees a chain.
func cChain(last uintptr, n int) uintptr { return uintptr(C.mem_chain(C.uintptr_t(last), C.size_t(n))) }
func cFreeChain(last uintptr)            { C.mem_free_chain(C.uintptr_t(last)) }

// cAlloc and cFree are for tests: the package's own tests must not use cgo.
func cAlloc(n int) uintptr { return uintptr(C.mem_alloc(C.size_t(n))) }
func cFree(p uintptr)      { C.mem_free(C.uintptr_t(p)) }
