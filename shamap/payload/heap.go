package payload

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Tag says what bytes are for.
type Tag uint8

// Tags, in the order of the balance sheet.
const (
	TagInner Tag = iota // inner nodes: child hashes
	TagLeaf             // account-state leaves
	TagItem             // transaction leaves
	TagBlob             // stored node objects
	TagQueue            // queued transactions
	TagOther
	Tags // number of tags
)

func (t Tag) String() string {
	if t >= Tags {
		return "unknown"
	}
	return [...]string{"inner", "leaf", "item", "blob", "queue", "other"}[t]
}

// TagStats are the figures of one tag. Requested bytes are what was asked for;
// usable bytes are what the allocator says it gave (kind go: the same).
type TagStats struct {
	Live        int64 // chunks referenced, or allocated and not yet given to a header
	LiveBytes   int64 // requested
	Limbo       int64 // chunks retired and not freed yet
	LimboBytes  int64 // requested
	UsableBytes int64 // live and limbo
	Allocs      uint64
	Frees       uint64
}

// Stats is one reading of a heap. Its parts are read one after another.
type Stats struct {
	Kind   string
	ByTag  [Tags]TagStats
	Total  TagStats
	Epoch  uint64
	Guards int64  // readers inside guards
	Stalls uint64 // times a releaser waited for limbo to shrink
}

// FreedBytes counts the requested bytes given back to the allocator after a
// retirement, since the heap was made; cheap.
func (h *Heap) FreedBytes() uint64 { return h.freed.Load() }

// Options of a heap.
type Options struct {
	Kind          string // "c" (malloc) or "go"; default "c" where cgo is there, else "go"
	Kernel        string // "auto": SHA-512 of eight at a time with AVX-512, of four with AVX2; "avx2": of four; "go": of one; default "auto"
	LimboBytesMax int64  // bytes in limbo above which releasers wait a little; default 64 MiB
}

// Default gives the options of a node.
func Default() Options {
	o := Options{Kind: "go", Kernel: "auto", LimboBytesMax: 64 << 20}
	if cSupported {
		o.Kind = "c"
	}
	return o
}

// Kernels are the values of Options.Kernel that this processor and build can
// run, "auto" first.
func Kernels() []string {
	if lanesSupported() == 0 {
		return []string{"auto", "go"}
	}
	return []string{"auto", "avx2", "go"}
}

// Validate reports all faults at once.
func (o Options) Validate() error {
	var errs []error
	switch o.Kind {
	case "go":
	case "c":
		if !cSupported {
			errs = append(errs, ErrUnsupported)
		}
	default:
		errs = append(errs, fmt.Errorf("payload: kind %q: want c or go", o.Kind))
	}
	switch o.Kernel {
	case "auto", "go":
	case "avx2":
		if !slices.Contains(Kernels(), o.Kernel) {
			errs = append(errs, errors.New("payload: kernel avx2: not on this processor or in this build"))
		}
	default:
		errs = append(errs, fmt.Errorf("payload: kernel %q: want auto, avx2 or go", o.Kernel))
	}
	if o.LimboBytesMax <= 0 {
		errs = append(errs, fmt.Errorf("payload: limbo of %d bytes: want more than 0", o.LimboBytesMax))
	}
	return errors.Join(errs...)
}

type tagCount struct {
	live, liveBytes, limbo, limboBytes, usable atomic.Int64
	allocs, frees                              atomic.Uint64
	_                                          [72]byte
}

// Heap gives and takes back the bytes. All methods are safe for concurrent use.
type Heap struct {
	// recorder is told of every chunk; nil when nobody records. It stands first, beside what never changes: looking at it
	// must not wait for counters that others write.
	recorder atomic.Pointer[Recorder]

	opt    Options
	c      bool // bytes are C memory
	lanes  int  // messages hashed at a time by a vector kernel; 0: Go's function
	id     uint16
	tags   [Tags]tagCount
	stalls atomic.Uint64
	freed  atomic.Uint64 // requested bytes, see FreedBytes
	epochs epochs
	limbo  limbo
}

// NewHeap makes a heap of kind "c" or "go" with default options.
func NewHeap(kind string) (*Heap, error) {
	o := Default()
	o.Kind = kind
	return New(o)
}

// New makes a heap.
func New(o Options) (*Heap, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	h := &Heap{opt: o, c: o.Kind == "c"}
	switch o.Kernel {
	case "auto":
		h.lanes = lanesSupported()
	case "avx2":
		h.lanes = 4
	}
	h.epochs.now.Store(2)
	return h, heaps.add(h)
}

// table maps the heap number in a header to the heap.
type table struct {
	mu   sync.Mutex // writers
	list atomic.Pointer[[]*Heap]
}

var heaps table

func heapByID(id uint16) *Heap { return (*heaps.list.Load())[id] }

func (t *table) add(h *Heap) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*Heap
	if p := t.list.Load(); p != nil {
		list = slices.Clone(*p)
	}
	at := slices.Index(list, nil)
	if at < 0 {
		at = len(list)
		list = append(list, nil)
	}
	if at > 1<<16-1 {
		return errors.New("payload: too many heaps open")
	}
	h.id, list[at] = uint16(at), h
	t.list.Store(&list)
	return nil
}

func (t *table) remove(h *Heap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.Clone(*t.list.Load())
	list[h.id] = nil
	t.list.Store(&list)
}

// Kind is "c" or "go".
func (h *Heap) Kind() string { return h.opt.Kind }

// Lanes is the number of hashes computed at a time: 8, 4 or 1.
func (h *Heap) Lanes() int { return max(1, h.lanes) }

// Close reclaims and ends the heap. It fails, and the heap stays, while
// anything is still referenced.
func (h *Heap) Close() error {
	h.Reclaim()
	s := h.Stats()
	if s.Total.Live != 0 || s.Total.Limbo != 0 {
		return fmt.Errorf("payload: heap closed with %d chunks (%d bytes) live and %d in limbo",
			s.Total.Live, s.Total.LiveBytes, s.Total.Limbo)
	}
	heaps.remove(h)
	return nil
}

// Alloc gives one chunk of n bytes, not cleared.
func (h *Heap) Alloc(t Tag, n int) unsafe.Pointer {
	var out [1]unsafe.Pointer
	size := [1]uint32{uint32(n)}
	h.AllocBatch(t, size[:], out[:])
	return out[0]
}

// AllocBatch gives one chunk for each size, not cleared. Up to BatchMax chunks
// cost one call into C.
func (h *Heap) AllocBatch(t Tag, sizes []uint32, out []unsafe.Pointer) {
	var bytes, usable int64
	if h.c {
		for i := 0; i < len(sizes); i += BatchMax {
			usable += cAlloc(sizes[i:min(i+BatchMax, len(sizes))], out[i:])
		}
		for _, n := range sizes {
			bytes += int64(n)
		}
	} else {
		for i, n := range sizes {
			out[i] = unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
			bytes += int64(n)
		}
		usable = bytes
	}
	if r := h.recorder.Load(); r != nil {
		r.alloc(t, sizes, out)
	}
	c := &h.tags[t]
	c.live.Add(int64(len(sizes)))
	c.liveBytes.Add(bytes)
	c.usable.Add(usable)
	c.allocs.Add(uint64(len(sizes)))
}

// BatchMax is the number of chunks that one call into C allocates at most.
const BatchMax = 64

// FreeBatch gives chunks back that no header ever owned.
func (h *Heap) FreeBatch(t Tag, chunks []unsafe.Pointer, size int) {
	if len(chunks) == 0 {
		return
	}
	if r := h.recorder.Load(); r != nil {
		r.freeSame(t, chunks, size)
	}
	usable := [Tags]int64{}
	usable[t] = int64(len(chunks)) * int64(size)
	if h.c {
		usable[t] = 0
		var addr [freeBatch]uintptr
		var tag [freeBatch]uint8
		for len(chunks) > 0 {
			n := min(len(chunks), freeBatch)
			for i, p := range chunks[:n] {
				addr[i], tag[i] = uintptr(p), uint8(t)
			}
			cFree(addr[:n], tag[:n], &usable)
			h.gave(t, n, size)
			chunks = chunks[n:]
		}
	} else {
		h.gave(t, len(chunks), size)
	}
	h.tags[t].usable.Add(-usable[t])
}

func (h *Heap) gave(t Tag, n, size int) {
	c := &h.tags[t]
	c.live.Add(-int64(n))
	c.liveBytes.Add(-int64(n) * int64(size))
	c.frees.Add(uint64(n))
}

// Stats reads all counters.
func (h *Heap) Stats() Stats {
	s := Stats{Kind: h.opt.Kind, Epoch: h.epochs.now.Load(), Stalls: h.stalls.Load()}
	s.Guards = h.epochs.readers(0) + h.epochs.readers(1)
	for t := range s.ByTag {
		c, r := &h.tags[t], &s.ByTag[t]
		*r = TagStats{
			Live: c.live.Load(), LiveBytes: c.liveBytes.Load(), Limbo: c.limbo.Load(), LimboBytes: c.limboBytes.Load(),
			UsableBytes: c.usable.Load(), Allocs: c.allocs.Load(), Frees: c.frees.Load(),
		}
		s.Total.Live += r.Live
		s.Total.LiveBytes += r.LiveBytes
		s.Total.Limbo += r.Limbo
		s.Total.LimboBytes += r.LimboBytes
		s.Total.UsableBytes += r.UsableBytes
		s.Total.Allocs += r.Allocs
		s.Total.Frees += r.Frees
	}
	return s
}

// InGo says whether the bytes are Go memory.
func (h *Heap) InGo() bool { return !h.c }
