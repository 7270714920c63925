package payload

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"ledgerlab/shamap/payload/heaptrace"
)

// ErrRecording is returned while a heap is being recorded already.
var ErrRecording = errors.New("payload: the heap is being recorded already")

// RecorderOptions bound a Recorder.
type RecorderOptions struct {
	Now        func() int64 // nanoseconds since the trace began; required
	BlockBytes int          // of events that are handed over together; default 256 KiB
	Blocks     int          // that may wait to be taken; further ones are lost and counted; default 64
	Sites      int          // different call sites; further ones are site 0; default 4096
}

func (o RecorderOptions) filled() RecorderOptions {
	if o.BlockBytes == 0 {
		o.BlockBytes = 256 << 10
	}
	if o.Blocks == 0 {
		o.Blocks = 64
	}
	if o.Sites == 0 {
		o.Sites = 4096
	}
	return o
}

// Validate reports all faults at once.
func (o RecorderOptions) Validate() error {
	o = o.filled()
	var errs []error
	if o.Now == nil {
		errs = append(errs, errors.New("payload: a recorder needs a clock"))
	}
	if o.BlockBytes < 4096 || o.BlockBytes > 1<<20 {
		errs = append(errs, fmt.Errorf("payload: recorder blocks of %d bytes: from 4096 to 1 MiB", o.BlockBytes))
	}
	if o.Blocks < 1 || o.Sites < 0 {
		errs = append(errs, fmt.Errorf("payload: recorder of %d blocks and %d sites: from 1 and from 0", o.Blocks, o.Sites))
	}
	return errors.Join(errs...)
}

// siteDepth is how much of a call stack makes a site: a tree is built by recursion,
// and who builds it stands behind that.
const siteDepth = 20

// Recorder collects every chunk that a heap gives and takes back, in the order in
// which addresses can be reused: an allocation is written after malloc has
// answered, the end of a chunk before free is called. Blocks of events come out
// of Blocks; whoever takes them gives their memory back by Done.
type Recorder struct {
	opt    RecorderOptions
	blocks chan []byte
	spare  chan []byte

	mu struct { // all of it; held for one batch
		sync.Mutex
		block         heaptrace.Block
		sites         map[[siteDepth]uintptr]uint32
		order         [][siteDepth]uintptr // by number, from 1
		allocs, frees uint64
		lost          uint64
		closed        bool
	}
}

// RecorderStats count chunks.
type RecorderStats struct {
	Allocs, Frees uint64
	Lost          uint64 // that the bound on blocks refused; in Allocs and Frees, too
}

// NewRecorder makes a recorder. Heap.Record begins with it.
func NewRecorder(o RecorderOptions) (*Recorder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.filled()
	r := &Recorder{opt: o, blocks: make(chan []byte, o.Blocks), spare: make(chan []byte, 4)}
	r.mu.block.Reset(make([]byte, 0, o.BlockBytes+blockSlack))
	r.mu.sites = make(map[[siteDepth]uintptr]uint32)
	return r, nil
}

// blockSlack holds the one event that goes beyond a block's size.
const blockSlack = 16 << 10

// Blocks gives full blocks; it is closed after Close.
func (r *Recorder) Blocks() <-chan []byte { return r.blocks }

// Done gives the memory of a block back.
func (r *Recorder) Done(block []byte) {
	select {
	case r.spare <- block:
	default: // enough is spare
	}
}

// Stats reads the counters.
func (r *Recorder) Stats() RecorderStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return RecorderStats{r.mu.allocs, r.mu.frees, r.mu.lost}
}

// Flush hands over what was collected so far.
func (r *Recorder) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hand()
}

// Close hands over the rest and ends the recorder; the heap must have let go of it.
func (r *Recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.closed {
		return
	}
	r.hand()
	r.mu.closed = true
	close(r.blocks)
}

// hand gives the block away. Its caller holds the lock.
func (r *Recorder) hand() {
	b := &r.mu.block
	if r.mu.closed || b.Len() == 0 {
		return
	}
	select {
	case r.blocks <- b.Bytes():
		select {
		case mem := <-r.spare:
			b.Reset(mem)
		default:
			b.Reset(make([]byte, 0, r.opt.BlockBytes+blockSlack))
		}
	default: // nobody takes them as fast: this block is lost
		r.mu.lost += uint64(b.Chunks())
		b.Reset(b.Bytes())
	}
}

// begin begins an event. Its caller holds the lock; false says that the recorder
// has ended.
func (r *Recorder) begin(thread, site uint32, free bool, n int) bool {
	if r.mu.closed {
		return false
	}
	if r.mu.block.Len() >= r.opt.BlockBytes {
		r.hand()
	}
	r.mu.block.Event(r.opt.Now(), thread, site, free, n)
	return true
}

func (r *Recorder) alloc(t Tag, sizes []uint32, at []unsafe.Pointer) {
	var pcs [siteDepth]uintptr
	runtime.Callers(3, pcs[:]) // the caller of the heap
	thread := threadID()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 0; i < len(sizes); i += freeBatch {
		part := sizes[i:min(i+freeBatch, len(sizes))]
		if !r.begin(thread, r.site(&pcs), false, len(part)) {
			return
		}
		for k, size := range part {
			r.mu.block.Chunk(uint64(uintptr(at[i+k])), size, uint8(t))
		}
		r.mu.allocs += uint64(len(part))
	}
}

func (r *Recorder) free(p *pile) {
	thread := threadID()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begin(thread, 0, true, p.n) {
		return
	}
	for i := range p.n {
		r.mu.block.Chunk(uint64(p.addr[i]), p.size[i], p.tag[i])
	}
	r.mu.frees += uint64(p.n)
}

// freeSame is free for chunks of one size that no header owned.
func (r *Recorder) freeSame(t Tag, chunks []unsafe.Pointer, size int) {
	thread := threadID()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 0; i < len(chunks); i += freeBatch {
		part := chunks[i:min(i+freeBatch, len(chunks))]
		if !r.begin(thread, 0, true, len(part)) {
			return
		}
		for _, p := range part {
			r.mu.block.Chunk(uint64(uintptr(p)), uint32(size), uint8(t))
		}
		r.mu.frees += uint64(len(part))
	}
}

// Mark writes what the node did at this moment.
func (r *Recorder) Mark(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.closed {
		return
	}
	if r.mu.block.Len() >= r.opt.BlockBytes {
		r.hand()
	}
	r.mu.block.Mark(r.opt.Now(), reason)
}

// site numbers a call stack. Its caller holds the lock.
func (r *Recorder) site(pcs *[siteDepth]uintptr) uint32 {
	if id, ok := r.mu.sites[*pcs]; ok {
		return id
	}
	if len(r.mu.order) >= r.opt.Sites {
		return 0
	}
	r.mu.order = append(r.mu.order, *pcs)
	id := uint32(len(r.mu.order))
	r.mu.sites[*pcs] = id
	return id
}

// Sites names the sites with numbers from after on.
func (r *Recorder) Sites(after uint32) []heaptrace.Site {
	r.mu.Lock()
	var list [][siteDepth]uintptr
	if int(after) < len(r.mu.order) {
		list = r.mu.order[after:]
	}
	r.mu.Unlock()
	out := make([]heaptrace.Site, 0, len(list))
	for i := range list {
		out = append(out, heaptrace.Site{ID: after + uint32(i) + 1, Text: siteText(list[i][:])})
	}
	return out
}

// siteText is the frames of a stack outside this package, innermost first; of a
// recursion each function once.
func siteText(pcs []uintptr) string {
	n := 0
	for n < len(pcs) && pcs[n] != 0 {
		n++
	}
	if n == 0 {
		return ""
	}
	var b strings.Builder
	seen := map[string]bool{}
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		if f.Function != "" && !seen[f.Function] && !strings.Contains(f.Function, "/payload.") {
			seen[f.Function] = true
			if b.Len() > 0 {
				b.WriteString(" < ")
			}
			fmt.Fprintf(&b, "%s:%d", f.Function, f.Line)
		}
		if !more {
			return b.String()
		}
	}
}

// Record begins to tell r of every chunk.
func (h *Heap) Record(r *Recorder) error {
	if !h.recorder.CompareAndSwap(nil, r) {
		return ErrRecording
	}
	return nil
}

// StopRecording ends it; a call that is under way may still come to r.
func (h *Heap) StopRecording(r *Recorder) { h.recorder.CompareAndSwap(r, nil) }

// Mark tells the recorder, if there is one, what the node does now.
func (h *Heap) Mark(reason string) {
	if r := h.recorder.Load(); r != nil {
		r.Mark(reason)
	}
}
