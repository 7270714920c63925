package heaptrace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes a trace.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter begins a trace.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, fmt.Errorf("heaptrace: %w", err)
	}
	h.Version = Version
	out := &Writer{w: w}
	return out, out.json(kindHeader, h)
}

// Events writes the bytes of a Block.
func (w *Writer) Events(b []byte) error { return w.block(kindEvents, b) }

// Site names a site.
func (w *Writer) Site(s Site) error {
	b := binary.AppendUvarint(nil, uint64(s.ID))
	return w.block(kindSite, append(b, s.Text[:min(len(s.Text), textMax)]...))
}

// Memory writes what the process weighs.
func (w *Writer) Memory(m Memory) error { return w.json(kindMemory, m) }

// Footer ends the trace.
func (w *Writer) Footer(f Footer) error { return w.json(kindFooter, f) }

func (w *Writer) json(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("heaptrace: block %c: %w", kind, err)
	}
	return w.block(kind, b)
}

// block writes kind, length, bytes and checksum in one call.
func (w *Writer) block(kind byte, b []byte) error {
	if len(b) > blockMax {
		return fmt.Errorf("heaptrace: block %c of %d bytes: at most %d", kind, len(b), blockMax)
	}
	w.buf = append(w.buf[:0], kind)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(b)))
	w.buf = append(w.buf, b...)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, checksum(kind, b))
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("heaptrace: block %c: %w", kind, err)
	}
	return nil
}

func checksum(kind byte, b []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte{kind}, castagnoli), castagnoli, b)
}
