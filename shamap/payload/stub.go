package payload

import "sync/atomic"

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
	return [...]string{"inner", "leaf", "item", "blob", "queue", "other"}[t]
}

// TagStats are the figures of one tag.
type TagStats struct {
	Live       int64 // chunks referenced
	LiveBytes  int64 // bytes asked for by them
	Limbo      int64 // chunks retired and not freed yet
	LimboBytes int64
}

// Stats is one reading of a heap.
type Stats struct {
	Kind        string
	ByTag       [Tags]TagStats
	UsableBytes int64 // what the allocator says those chunks occupy (kind c), live and limbo
	Allocs      uint64
	Frees       uint64
	Epoch       uint64
	Guards      int64  // readers inside guards
	Stalls      uint64 // times a releaser waited for limbo to shrink
}

// Header is the counted part of whatever keeps bytes in a Heap.
type Header struct {
	state atomic.Uint64
}

// Heap gives and takes back the bytes.
type Heap struct{}

// NewHeap makes a heap of kind "c" or "go".
func NewHeap(kind string) (*Heap, error) { panic("todo") }

func (h *Heap) Kind() string { panic("todo") }
func (h *Heap) Stats() Stats { panic("todo") }
func (h *Heap) Close() error { panic("todo") }

// Reclaim frees what no guard can see any more and reports what it freed and what must still wait.
func (h *Heap) Reclaim() (freedBytes, limboBytes int64) { panic("todo") }

// Guard protects reads without references.
type Guard struct{}

func (h *Heap) Enter() Guard { panic("todo") }
func (g Guard) Exit()        { panic("todo") }

// Blob is a counted byte string in the heap.
type Blob struct{ Header }

func (h *Heap) NewBlob(t Tag, b []byte) *Blob       { panic("todo") }
func (b *Blob) Acquire() bool                       { panic("todo") }
func (b *Blob) Release()                            { panic("todo") }
func (b *Blob) DropIfSole() bool                    { panic("todo") }
func (b *Blob) Alive() bool                         { panic("todo") }
func (b *Blob) Len() int                            { panic("todo") }
func (b *Blob) AppendTo(dst []byte) ([]byte, error) { panic("todo") }
