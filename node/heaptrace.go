package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ledgerlab/node/memory"
	"ledgerlab/shamap/payload"
	"ledgerlab/shamap/payload/heaptrace"
)

const (
	heapTraceMax   = time.Hour // of one recording
	heapTraceSheet = 5         // seconds between two full sheets in it
)

// heapTraceHandler streams a recording of the payload heap to whoever asks:
// GET /debug/heap/trace?seconds=60. It ends early when the client goes; one
// recording at a time.
func (n *Node) heapTraceHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seconds, err := strconv.ParseFloat(r.URL.Query().Get("seconds"), 64)
		length := time.Duration(seconds * float64(time.Second))
		if err != nil || length <= 0 || length > heapTraceMax {
			http.Error(w, fmt.Sprintf("seconds=%s: above 0, at most %.0f", r.URL.Query().Get("seconds"), heapTraceMax.Seconds()), http.StatusBadRequest)
			return
		}
		t, err := n.newHeapTrace()
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		defer t.close()
		c := http.NewResponseController(w)
		if err := c.SetWriteDeadline(time.Time{}); err != nil { // it lasts as long as was asked for
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		if err := t.run(r.Context(), w, c.Flush, length); err != nil {
			n.log.Warn("heap trace ended early", "err", err)
		}
	})
}

// heapTrace is one recording under way.
type heapTrace struct {
	n     *Node
	begun time.Time
	rec   *payload.Recorder
	sites uint32 // named so far
	w     *heaptrace.Writer
}

func (n *Node) newHeapTrace() (*heapTrace, error) {
	t := &heapTrace{n: n, begun: n.now()}
	var err error
	if t.rec, err = payload.NewRecorder(payload.RecorderOptions{Now: func() int64 { return n.now().Sub(t.begun).Nanoseconds() }}); err != nil {
		return nil, err
	}
	return t, n.store.heap.Record(t.rec)
}

// close lets go of the heap; it may be called again.
func (t *heapTrace) close() {
	t.n.store.heap.StopRecording(t.rec)
	t.rec.Close()
}

// run writes the trace until its length is over or ctx ends.
func (t *heapTrace) run(ctx context.Context, out io.Writer, flush func() error, length time.Duration) (err error) {
	if t.w, err = heaptrace.NewWriter(out, t.header()); err != nil {
		return err
	}
	if err := errors.Join(t.weigh(true), flush()); err != nil {
		return err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	end := time.NewTimer(length)
	defer end.Stop()
	for turn := 1; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.n.ctx.Done():
			return t.finish()
		case <-end.C:
			return t.finish()
		case b := <-t.rec.Blocks():
			if err := t.w.Events(b); err != nil {
				return err
			}
			t.rec.Done(b)
		case <-tick.C:
			t.rec.Flush()
			if err := errors.Join(t.nameSites(), t.weigh(turn%heapTraceSheet == 0), flush()); err != nil {
				return err
			}
			turn++
		}
	}
}

// finish writes what is left and the footer.
func (t *heapTrace) finish() error {
	t.close()
	for b := range t.rec.Blocks() {
		if err := t.w.Events(b); err != nil {
			return err
		}
	}
	s := t.rec.Stats()
	return errors.Join(t.nameSites(), t.weigh(true), t.w.Footer(heaptrace.Footer{
		DurationNS: t.n.now().Sub(t.begun).Nanoseconds(), Allocs: s.Allocs, Frees: s.Frees, Lost: s.Lost, Live: t.live(),
	}))
}

func (t *heapTrace) nameSites() error {
	for _, s := range t.rec.Sites(t.sites) {
		if err := t.w.Site(s); err != nil {
			return err
		}
		t.sites = s.ID
	}
	return nil
}

func (t *heapTrace) header() heaptrace.Header {
	h := heaptrace.Header{
		Node: t.n.cfg.Name, Kind: t.n.store.heap.Kind(), Allocator: string(memory.Detect().Allocator), StartedNS: t.n.started.UnixNano(),
		BegunNS: t.begun.UnixNano(), Live: t.live(), Flags: t.n.flags.Snapshot(), CPUs: runtime.NumCPU(),
	}
	for tag := range payload.Tags {
		h.Tags = append(h.Tags, payload.Tag(tag).String())
	}
	return h
}

func (t *heapTrace) live() []heaptrace.Live {
	var out []heaptrace.Live
	st := t.n.store.heap.Stats()
	for _, s := range st.ByTag { // limbo is not given back yet
		out = append(out, heaptrace.Live{Chunks: s.Live + s.Limbo, Bytes: s.LiveBytes + s.LimboBytes, Usable: s.UsableBytes})
	}
	return out
}

// weigh writes what the process weighs; full measures the C heap, too.
func (t *heapTrace) weigh(full bool) error {
	m := heaptrace.Memory{
		TimeNS: t.n.now().Sub(t.begun).Nanoseconds(), RSS: memory.RSS(), Payload: t.n.store.heap.Stats().Total.UsableBytes,
		CHeap: -1, COther: -1, Retained: -1,
	}
	if full {
		sheet, err := t.n.readSheet()
		if err != nil {
			return fmt.Errorf("heap trace: %w", err)
		}
		m.RSS, m.CHeap, m.COther, m.Retained = sheet.RSS, 0, 0, sheet.Bytes(memory.LineCRetained)
		for _, l := range sheet.Lines {
			if !strings.HasPrefix(l.Name, "c_") {
				continue
			}
			m.CHeap += l.Bytes
			if l.Name == memory.LineCUntouched { // of memtables and caches: payloads are written at once
				m.COther += l.Bytes
			}
			if tag, ok := strings.CutPrefix(l.Name, memory.LineCPrefix); ok && !payloadTag(tag) {
				m.COther += l.Bytes
			}
		}
	}
	return t.w.Memory(m)
}

// payloadTag says that a tag of the sheet is one of the payload heap.
func payloadTag(name string) bool {
	for tag := range payload.Tags {
		if payload.Tag(tag).String() == name {
			return true
		}
	}
	return false
}
