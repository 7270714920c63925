package memory

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnsupported is what cannot be done in this process: no cgo, or another allocator than it is for.
var ErrUnsupported = errors.New("memory: unsupported")

// Allocator is who owns malloc.
type Allocator string

// The allocators that are told apart.
const (
	Glibc    Allocator = "glibc"
	Jemalloc Allocator = "jemalloc"
	Mimalloc Allocator = "mimalloc"
	Tcmalloc Allocator = "tcmalloc"
	Unknown  Allocator = "unknown"
	NoCgo    Allocator = "none" // built without cgo: no C memory
)

// ParseAllocator reads a value of heap.allocator.
func ParseAllocator(s string) (Allocator, error) {
	switch a := Allocator(s); a {
	case Glibc, Jemalloc, Mimalloc, Tcmalloc:
		return a, nil
	}
	return "", fmt.Errorf("memory: allocator %q: want glibc, jemalloc, mimalloc or tcmalloc", s)
}

// Owner is the allocator of this process.
type Owner struct {
	Allocator Allocator
	// Path is the object that malloc comes from.
	Path string
	// Recorder is set when an allocation recorder stands in front of it.
	Recorder bool
	// Version is what the allocator says of itself, "" when it says nothing.
	Version string
}

// Library is the usual file name of a preloadable allocator and the Debian package that has it.
func Library(a Allocator) (file, pkg string, ok bool) {
	switch a {
	case Jemalloc:
		return "libjemalloc.so.2", "libjemalloc2", true
	case Mimalloc:
		return "libmimalloc.so.2.0", "libmimalloc2.0", true
	case Tcmalloc:
		return "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4", true
	case Glibc, Unknown, NoCgo:
	}
	return "", "", false
}

// Expect checks that the owner is what the configuration asked for.
func Expect(want Allocator) error {
	o := Detect()
	if o.Allocator == want || want == "" {
		return nil
	}
	file, pkg, ok := Library(want)
	if !ok {
		return fmt.Errorf("memory: heap.allocator=%s, but malloc belongs to %s (%s)", want, o.Allocator, o.Path)
	}
	return fmt.Errorf("memory: heap.allocator=%s, but malloc belongs to %s (%s); preload %s (package %s)",
		want, o.Allocator, o.Path, file, pkg)
}

// HeapStats is what an allocator says of its own heap. Fields it does not know are -1.
type HeapStats struct {
	Allocator Allocator
	InUse     int64 // bytes handed out, the allocator's own overhead a chunk included
	Free      int64 // bytes it keeps for later, whether resident or not
	Mapped    int64 // bytes in chunks that have a mapping of their own, within InUse
	Resident  int64 // bytes it believes resident
	Arenas    int64
	// StayMax and StaySum are the longest time at one arena, with its lock held or awaited, and the time at all of
	// them: what asking cost the threads of one arena at most. 0 where the allocator keeps accounts and walks nothing.
	StayMax, StaySum time.Duration
}

func noStats(a Allocator) HeapStats {
	return HeapStats{Allocator: a, InUse: -1, Free: -1, Mapped: -1, Resident: -1, Arenas: -1}
}

// Tuning are settings of glibc's malloc; zero leaves one alone.
type Tuning struct {
	ArenaMax      int   // heap.arena_max
	MmapThreshold int64 // heap.mmap_threshold; setting it freezes the dynamic threshold
	TrimThreshold int64 // heap.trim_threshold
	TopPad        int64 // heap.top_pad
}

// Validate reports everything that is wrong with t.
func (t Tuning) Validate() error {
	var errs []error
	if t.ArenaMax < 0 || t.ArenaMax > 1<<16 {
		errs = append(errs, fmt.Errorf("memory: heap.arena_max %d: want 0 to 65536", t.ArenaMax))
	}
	for _, v := range []struct {
		name string
		n    int64
	}{{"mmap_threshold", t.MmapThreshold}, {"trim_threshold", t.TrimThreshold}, {"top_pad", t.TopPad}} {
		if v.n < 0 || v.n > 1<<31-1 {
			errs = append(errs, fmt.Errorf("memory: heap.%s %d: want 0 to %d", v.name, v.n, 1<<31-1))
		}
	}
	return errors.Join(errs...)
}

// Zero says that nothing is to be tuned.
func (t Tuning) Zero() bool { return t == Tuning{} }
