//go:build !cgo || !linux

package memory

import "fmt"

const cgoEnabled = false

// Detect tells who owns malloc: without cgo, nobody.
func Detect() Owner { return Owner{Allocator: NoCgo} }

func purge(Allocator, int64) (int, error) {
	return 0, fmt.Errorf("%w: built without cgo", ErrUnsupported)
}

// ReadHeapStats needs cgo.
func ReadHeapStats() (HeapStats, error) {
	return noStats(NoCgo), fmt.Errorf("%w: built without cgo", ErrUnsupported)
}

// MallocInfo needs cgo.
func MallocInfo() (string, error) { return "", fmt.Errorf("%w: built without cgo", ErrUnsupported) }

// Tune needs cgo.
func Tune(t Tuning) error {
	if err := t.Validate(); err != nil || t.Zero() {
		return err
	}
	return fmt.Errorf("%w: built without cgo", ErrUnsupported)
}

func mallinfo() (inUse, free, mapped int64) { return 0, 0, 0 }

func cChain(last uintptr, _ int) uintptr { return last }
func cFreeChain(uintptr)                 {}

func cAlloc(int) uintptr { return 0 }
func cFree(uintptr)      {}
