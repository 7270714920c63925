package replay

import (
	"errors"
	"fmt"
	"io"

	"ledgerlab/shamap/payload"
	"ledgerlab/shamap/payload/heaptrace"
)

// older is a chunk that was live when the trace began.
type older struct {
	size uint32
	tag  uint8
	addr uint64 // 0: its end is not in the trace
}

// scan is what a first pass over a trace tells.
type scan struct {
	header  heaptrace.Header
	footer  *heaptrace.Footer
	weights []heaptrace.Memory
	older   []older
	threads map[uint32]uint64 // chunks allocated by each
	end     int64
	cut     bool
}

// olderMax bounds the chunks made before the first event; a header that claims
// more is not believed.
const olderMax = 64 << 20

// scanTrace reads a trace once: which ends have no begin in it, what the process
// weighed, which threads allocate.
func scanTrace(in io.Reader) (*scan, error) {
	r, err := heaptrace.NewReader(in)
	if err != nil {
		return nil, err
	}
	s := &scan{header: r.Header(), threads: map[uint32]uint64{}}
	live := map[uint64]bool{}
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, heaptrace.ErrCut) {
			s.cut = true
			break
		}
		if err != nil {
			return nil, err
		}
		switch {
		case it.Event != nil:
			if err := s.event(it.Event, live); err != nil {
				return nil, err
			}
		case it.Memory != nil:
			s.weights = append(s.weights, *it.Memory)
			s.end = max(s.end, it.Memory.TimeNS)
		case it.Footer != nil:
			s.footer = it.Footer
			s.end = max(s.end, it.Footer.DurationNS)
		}
	}
	return s, s.rest()
}

func (s *scan) event(e *heaptrace.Event, live map[uint64]bool) error {
	s.end = max(s.end, e.TimeNS)
	if !e.Free && e.Mark == "" {
		s.threads[e.Thread] += uint64(len(e.Chunks))
	}
	for _, c := range e.Chunks {
		if int(c.Tag) >= int(payload.Tags) {
			return fmt.Errorf("%w: tag %d", heaptrace.ErrFormat, c.Tag)
		}
		switch {
		case !e.Free:
			live[c.Addr] = true
		case live[c.Addr]:
			delete(live, c.Addr)
		case len(s.older) >= olderMax:
			return fmt.Errorf("%w: more than %d chunks from before the trace", heaptrace.ErrFormat, olderMax)
		default:
			s.older = append(s.older, older{c.Size, c.Tag, c.Addr})
		}
	}
	return nil
}

// rest adds the older chunks whose end is not in the trace: as many as the header
// says were live, of the average size of what is left.
func (s *scan) rest() error {
	for tag, l := range s.header.Live {
		if tag >= int(payload.Tags) {
			return fmt.Errorf("%w: tag %d", heaptrace.ErrFormat, tag)
		}
		chunks, bytes := l.Chunks, l.Bytes
		for _, o := range s.older {
			if int(o.tag) == tag {
				chunks--
				bytes -= int64(o.size)
			}
		}
		if chunks <= 0 || bytes <= 0 {
			continue
		}
		if chunks > olderMax-int64(len(s.older)) || bytes/chunks > 1<<30 {
			return fmt.Errorf("%w: the header has %d chunks live under tag %d", heaptrace.ErrFormat, l.Chunks, tag)
		}
		for range chunks {
			s.older = append(s.older, older{size: uint32(bytes / chunks), tag: uint8(tag)})
		}
	}
	return nil
}

// outside is what the node's other parts weighed at a moment: everything but its
// C heap, and what in the C heap was live and not of the payload heap. ok is
// false when no full weighing tells.
func (s *scan) outside(at int64) (bytes int64, ok bool) {
	var before, after *heaptrace.Memory
	for i := range s.weights {
		w := &s.weights[i]
		if w.CHeap < 0 {
			continue
		}
		if w.TimeNS <= at {
			before = w
		} else {
			after = w
			break
		}
	}
	value := func(w *heaptrace.Memory) float64 { return float64(w.RSS - w.CHeap + w.COther) }
	switch {
	case before == nil && after == nil:
		return 0, false
	case before == nil:
		return int64(value(after)), true
	case after == nil:
		return int64(value(before)), true
	}
	part := float64(at-before.TimeNS) / float64(after.TimeNS-before.TimeNS)
	return int64(value(before) + part*(value(after)-value(before))), true
}

// then is what the node weighed when it was recorded, by the weighing next to a
// moment.
func (s *scan) then(at int64) (rss, cHeap int64) {
	for i := range s.weights {
		w := &s.weights[i]
		if w.TimeNS > at && i > 0 {
			break
		}
		rss, cHeap = w.RSS, 0
		if w.CHeap > 0 {
			cHeap = w.CHeap
		}
	}
	return rss, cHeap
}
