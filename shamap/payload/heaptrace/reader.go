package heaptrace

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Item is one thing of a trace; exactly one field is set.
type Item struct {
	Event  *Event // valid until the next call of Next
	Memory *Memory
	Site   *Site
	Footer *Footer
}

// Reader reads a trace.
type Reader struct {
	r      *bufio.Reader
	header Header
	buf    []byte
	events decoder
	ended  bool
}

// NewReader reads the begin of a trace.
func NewReader(r io.Reader) (*Reader, error) {
	out := &Reader{r: bufio.NewReaderSize(r, 1<<16)}
	var m [len(magic)]byte
	if _, err := io.ReadFull(out.r, m[:]); err != nil || string(m[:]) != magic {
		return nil, fmt.Errorf("%w: no heap trace (it begins with %q)", ErrFormat, m[:])
	}
	kind, b, err := out.block()
	if err != nil {
		return nil, err
	}
	if kind != kindHeader {
		return nil, fmt.Errorf("%w: the first block is %q, not the header", ErrFormat, kind)
	}
	if err := strict(b, &out.header); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	h := &out.header
	switch {
	case h.Version != Version:
		return nil, fmt.Errorf("%w: version %d; this program reads %d", ErrFormat, h.Version, Version)
	case len(h.Tags) > tagMax+1 || len(h.Live) > len(h.Tags):
		return nil, fmt.Errorf("%w: header names %d tags", ErrFormat, len(h.Tags))
	}
	for i, l := range h.Live {
		if l.Chunks < 0 || l.Bytes < 0 || l.Chunks > 1<<40 || l.Bytes > 1<<50 {
			return nil, fmt.Errorf("%w: header: %d chunks of %d bytes live under tag %d", ErrFormat, l.Chunks, l.Bytes, i)
		}
	}
	return out, nil
}

// strict decodes one JSON value; unknown fields are passed over.
func strict(b []byte, to any) error {
	if !utf8.Valid(b) {
		return errors.New("not UTF-8")
	}
	return json.Unmarshal(b, to)
}

// Header says what was recorded.
func (r *Reader) Header() Header { return r.header }

// Next reads the next item. It ends with io.EOF after the footer, with ErrCut
// when the trace ends before it, with ErrFormat when a block is damaged.
func (r *Reader) Next() (Item, error) {
	for {
		if len(r.events.b) > 0 {
			e, ok := r.events.next()
			if !ok {
				return Item{}, fmt.Errorf("%w: an event that is none", ErrFormat)
			}
			return Item{Event: e}, nil
		}
		if r.ended {
			return Item{}, io.EOF
		}
		kind, b, err := r.block()
		if err != nil {
			return Item{}, err
		}
		if kind == kindEvents {
			r.events = decoder{b: b, event: Event{Chunks: r.events.event.Chunks}}
			continue
		}
		item, err := r.item(kind, b)
		if err != nil {
			return Item{}, fmt.Errorf("%w: block %q: %w", ErrFormat, kind, err)
		}
		r.ended = item.Footer != nil
		return item, nil
	}
}

func (r *Reader) item(kind byte, b []byte) (Item, error) {
	switch kind {
	case kindMemory:
		var m Memory
		return Item{Memory: &m}, strict(b, &m)
	case kindFooter:
		var f Footer
		return Item{Footer: &f}, strict(b, &f)
	case kindSite:
		id, n := binary.Uvarint(b)
		if n <= 0 || id > 1<<32-1 || len(b)-n > textMax {
			return Item{}, errors.New("not a site")
		}
		return Item{Site: &Site{uint32(id), string(b[n:])}}, nil
	}
	return Item{}, errors.New("unknown kind")
}

// block reads one block and checks it. Its bytes are valid until the next call.
func (r *Reader) block() (kind byte, b []byte, err error) {
	kind, err = r.r.ReadByte()
	if err != nil {
		return 0, nil, cut(err)
	}
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return 0, nil, cut(err)
	}
	if n > blockMax {
		return 0, nil, fmt.Errorf("%w: block %q of %d bytes: at most %d", ErrFormat, kind, n, blockMax)
	}
	if uint64(cap(r.buf)) < n+4 {
		r.buf = make([]byte, n+4)
	}
	r.buf = r.buf[:n+4]
	if _, err := io.ReadFull(r.r, r.buf); err != nil {
		return 0, nil, cut(err)
	}
	b = r.buf[:n]
	if binary.LittleEndian.Uint32(r.buf[n:]) != checksum(kind, b) {
		return 0, nil, fmt.Errorf("%w: block %q has a wrong checksum", ErrFormat, kind)
	}
	return kind, b, nil
}

// cut makes the end of the file ErrCut.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return fmt.Errorf("heaptrace: %w", err)
}
