package payload

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"ledgerlab/shamap/payload/heaptrace"
)

// steps is a clock that moves with each look.
func steps() func() int64 {
	var n atomic.Int64
	return func() int64 { return n.Add(1) }
}

// recorded writes what r gathered as a trace and reads it back.
func recorded(t *testing.T, r *Recorder) (events []heaptrace.Event) {
	t.Helper()
	var raw bytes.Buffer
	w, err := heaptrace.NewWriter(&raw, heaptrace.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for b := range r.Blocks() {
		if err := w.Events(b); err != nil {
			t.Fatal(err)
		}
		r.Done(b)
	}
	if err := w.Footer(heaptrace.Footer{}); err != nil {
		t.Fatal(err)
	}
	in, err := heaptrace.NewReader(&raw)
	if err != nil {
		t.Fatal(err)
	}
	for {
		it, err := in.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		if it.Event != nil {
			e := *it.Event
			e.Chunks = append([]heaptrace.Chunk(nil), e.Chunks...)
			events = append(events, e)
		}
	}
}

// TestRecorderSeesEveryChunk: many goroutines allocate and release by every way
// there is. In the trace no address is given twice without an end between, no
// end comes without its begin, sizes and tags agree, and the counts are the
// heap's own.
func TestRecorderSeesEveryChunk(t *testing.T) {
	for _, kind := range kindsHere() {
		h, err := NewHeap(kind)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRecorder(RecorderOptions{Now: steps(), Blocks: 4096})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Record(r); err != nil {
			t.Fatal(err)
		}
		if err := h.Record(r); !errors.Is(err, ErrRecording) {
			t.Error("two recorders at once:", err)
		}
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() { useHeap(h, rand.New(rand.NewPCG(g, 1))) })
		}
		wg.Wait()
		h.Mark("sweep")
		h.Reclaim()
		h.Reclaim()
		h.Reclaim()
		h.StopRecording(r)
		r.Close()
		h.Alloc(TagOther, 8) // after the end: nobody is told
		checkTrace(t, recorded(t, r), h.Stats().Total, kind)
	}
}

// useHeap makes and releases blobs, and batches that no header owns.
func useHeap(h *Heap, rng *rand.Rand) {
	var blobs []*Blob
	for range 3000 {
		if len(blobs) > 50 || rng.IntN(3) == 0 && len(blobs) > 0 {
			i := rng.IntN(len(blobs))
			blobs[i].Release()
			blobs[i] = blobs[len(blobs)-1]
			blobs = blobs[:len(blobs)-1]
			continue
		}
		blobs = append(blobs, h.NewBlob(Tag(rng.IntN(int(Tags))), make([]byte, 1+rng.IntN(700))))
		if rng.IntN(20) == 0 {
			sizes, out := make([]uint32, 100), make([]unsafe.Pointer, 100)
			for i := range sizes {
				sizes[i] = 96
			}
			h.AllocBatch(TagInner, sizes, out)
			h.FreeBatch(TagInner, out, 96)
		}
	}
	for _, b := range blobs {
		b.Release()
	}
}

func checkTrace(t *testing.T, events []heaptrace.Event, total TagStats, kind string) {
	t.Helper()
	live := map[uint64]heaptrace.Chunk{}
	var allocs, frees uint64
	last, marks := int64(0), 0
	for _, e := range events {
		if e.TimeNS < last {
			t.Fatal("time runs backwards")
		}
		last = e.TimeNS
		if e.Mark != "" {
			marks++
		}
		for _, c := range e.Chunks {
			was, there := live[c.Addr]
			switch {
			case e.Free && (!there || was != c):
				t.Fatalf("%s: the end of %+v, its begin was %+v", kind, c, was)
			case e.Free:
				delete(live, c.Addr)
				frees++
			case there:
				t.Fatalf("%s: %+v was given while it was live", kind, c)
			default:
				live[c.Addr] = c
				allocs++
			}
		}
		if kind == "c" && e.Mark == "" && e.Thread == 0 {
			t.Fatal("an event without a thread")
		}
	}
	if allocs != total.Allocs-1 || frees != total.Frees || len(live) != 0 || marks != 1 {
		t.Errorf("%s: %d given of %d, %d back of %d, %d live, %d marks", kind, allocs, total.Allocs, frees, total.Frees, len(live), marks)
	}
}

func kindsHere() []string {
	if cSupported {
		return []string{"go", "c"}
	}
	return []string{"go"}
}

// TestRecorderIsBounded: when nobody takes the blocks, the rest is counted as
// lost and nothing waits.
func TestRecorderIsBounded(t *testing.T) {
	h, err := NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRecorder(RecorderOptions{Now: steps(), BlockBytes: 4096, Blocks: 2, Sites: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Record(r); err != nil {
		t.Fatal(err)
	}
	const n = 5000
	for range n {
		h.Alloc(TagLeaf, 16)
	}
	h.StopRecording(r)
	r.Close()
	kept := 0
	for _, e := range recorded(t, r) {
		kept += len(e.Chunks)
	}
	if s := r.Stats(); s.Allocs != n || s.Lost == 0 || kept+int(s.Lost) != n {
		t.Errorf("%+v, kept %d", s, kept)
	}
}

// TestRecorderNamesSites: the place outside this package that asked for memory.
func TestRecorderNamesSites(t *testing.T) {
	r, err := NewRecorder(RecorderOptions{Now: steps(), Sites: 1})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Record(r); err != nil {
		t.Fatal(err)
	}
	h.Alloc(TagLeaf, 16)
	h.Alloc(TagLeaf, 16) // another line: beyond the bound of one site
	s := r.Sites(0)
	if len(s) != 1 || s[0].ID != 1 || !strings.Contains(s[0].Text, "testing.tRunner") || len(r.Sites(1)) != 0 {
		t.Errorf("%+v", s)
	}
	h.StopRecording(r)
	r.Close()
	if e := recorded(t, r); len(e) != 2 || e[0].Site != 1 || e[1].Site != 0 {
		t.Errorf("%+v", e)
	}
}

// TestRecorderOffCostsNoMemory: without a recorder an allocation makes no Go
// memory that it did not make before.
func TestRecorderOffCostsNoMemory(t *testing.T) {
	if !cSupported {
		t.Skip("needs C memory")
	}
	h, err := NewHeap("c")
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(1000, func() {
		p := [1]unsafe.Pointer{h.Alloc(TagLeaf, 64)}
		h.FreeBatch(TagLeaf, p[:], 64)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRecorderOptions(t *testing.T) {
	err := RecorderOptions{BlockBytes: 1, Blocks: -1}.Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Error(err)
	}
}

// BenchmarkRecorder tells what recording costs a chunk, and what it costs when
// nobody records.
func BenchmarkRecorder(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[on], func(b *testing.B) {
			h, err := NewHeap(kindsHere()[len(kindsHere())-1])
			if err != nil {
				b.Fatal(err)
			}
			if on {
				r, err := NewRecorder(RecorderOptions{Now: steps()})
				if err != nil {
					b.Fatal(err)
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					for block := range r.Blocks() {
						r.Done(block)
					}
				}()
				defer func() { r.Close(); <-done }()
				if err := h.Record(r); err != nil {
					b.Fatal(err)
				}
				defer h.StopRecording(r)
			}
			sizes, out := make([]uint32, 64), make([]unsafe.Pointer, 64)
			for i := range sizes {
				sizes[i] = 200
			}
			for b.Loop() {
				h.AllocBatch(TagLeaf, sizes, out)
				h.FreeBatch(TagLeaf, out, 200)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/chunk")
		})
	}
}
