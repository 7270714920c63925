package heaptrace

import "errors"

// Version is the format version in the header.
const Version = 1

// magic begins a trace.
const magic = "LLHEAPT1"

// Kinds of block.
const (
	kindHeader = 'H'
	kindSite   = 'S'
	kindEvents = 'E'
	kindMemory = 'M'
	kindFooter = 'F'
)

// Bounds of what a reader accepts.
const (
	blockMax = 4 << 20 // bytes of one block
	chunkMax = 1 << 16 // chunks of one event
	textMax  = 4096    // bytes of a site or of the reason of a mark
	sizeMax  = 1 << 31 // bytes of one chunk
	tagMax   = 7       // tags take three bits
)

// Errors of a reader.
var (
	ErrFormat = errors.New("heaptrace: malformed")
	ErrCut    = errors.New("heaptrace: cut off before its footer")
)

// Live is what one tag held at a moment.
type Live struct {
	Chunks int64 `json:"chunks"`
	Bytes  int64 `json:"bytes"`
	Usable int64 `json:"usable_bytes"`
}

// Header says what was recorded.
type Header struct {
	Version   int               `json:"version"`
	Node      string            `json:"node"`
	Kind      string            `json:"kind"`       // of the heap: c or go
	Allocator string            `json:"allocator"`  // owner of malloc
	StartedNS int64             `json:"started_ns"` // the process, wall clock
	BegunNS   int64             `json:"begun_ns"`   // the trace, wall clock
	Tags      []string          `json:"tags"`       // names by number
	Live      []Live            `json:"live"`       // by tag, when the trace began; their allocation is not in it
	Flags     map[string]string `json:"flags"`
	CPUs      int               `json:"cpus"`
}

// Footer ends a whole trace.
type Footer struct {
	DurationNS int64  `json:"duration_ns"`
	Allocs     uint64 `json:"allocs"` // recorded
	Frees      uint64 `json:"frees"`
	Lost       uint64 `json:"lost"` // events that the bound on memory refused
	Live       []Live `json:"live"` // by tag, at the end
}

// Memory is what the process weighed. Figures that were not measured are -1.
type Memory struct {
	TimeNS   int64 `json:"t_ns"`
	RSS      int64 `json:"rss_bytes"`
	Payload  int64 `json:"payload_bytes"`      // usable bytes live in the heap
	CHeap    int64 `json:"c_heap_bytes"`       // resident of the C allocator, all of it
	COther   int64 `json:"c_other_live_bytes"` // of it live and not of this heap
	Retained int64 `json:"c_retained_bytes"`
}

// Site is a place that allocates: an innermost part of a call stack.
type Site struct {
	ID   uint32
	Text string
}

// Chunk is one allocation or the end of one.
type Chunk struct {
	Addr uint64
	Size uint32 // bytes asked for
	Tag  uint8
}

// Event is one call of the heap: chunks given, or taken back, together on one
// thread. A mark has no chunks and says what the node did at that moment.
type Event struct {
	TimeNS int64
	Thread uint32
	Site   uint32 // 0 = not known
	Free   bool
	Mark   string // "" = none
	Chunks []Chunk
}
