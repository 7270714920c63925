package heaptrace

import "encoding/binary"

// Ops of an event.
const (
	opAlloc = 0
	opFree  = 1
	opMark  = 2
)

// Block collects events. The zero Block is empty and ready.
type Block struct {
	b      []byte
	last   int64
	addr   uint64
	events int
	chunks int
}

// Reset empties the block and gives it memory to fill.
func (b *Block) Reset(mem []byte) { *b = Block{b: mem[:0]} }

// Bytes are the encoded events.
func (b *Block) Bytes() []byte { return b.b }

// Len is the number of bytes so far.
func (b *Block) Len() int { return len(b.b) }

// Chunks is the number of chunks in it.
func (b *Block) Chunks() int { return b.chunks }

// Event begins an event of n chunks, each of which is added by Chunk.
func (b *Block) Event(at int64, thread, site uint32, free bool, n int) {
	op := byte(opAlloc)
	if free {
		op = opFree
	}
	b.begin(op, at)
	b.b = binary.AppendUvarint(b.b, uint64(thread))
	if !free {
		b.b = binary.AppendUvarint(b.b, uint64(site))
	}
	b.b = binary.AppendUvarint(b.b, uint64(n))
}

// begin writes the op and the time since the event before; the first of a block
// has its time since the begin of the trace.
func (b *Block) begin(op byte, at int64) {
	at = max(at, b.last) // clocks of two threads may differ by a little
	b.b = append(b.b, op)
	b.b = binary.AppendUvarint(b.b, uint64(at-b.last))
	b.last = at
	b.events++
}

// Chunk adds one chunk of the event begun last.
func (b *Block) Chunk(addr uint64, size uint32, tag uint8) {
	b.b = binary.AppendUvarint(b.b, uint64(size)<<3|uint64(tag&tagMax))
	b.b = binary.AppendVarint(b.b, int64(addr-b.addr))
	b.addr = addr
	b.chunks++
}

// Mark adds a mark.
func (b *Block) Mark(at int64, reason string) {
	b.begin(opMark, at)
	reason = reason[:min(len(reason), textMax)]
	b.b = binary.AppendUvarint(b.b, uint64(len(reason)))
	b.b = append(b.b, reason...)
}

// decoder reads the events of one block.
type decoder struct {
	b     []byte
	last  int64
	addr  uint64
	event Event // its chunks are reused
}

func (d *decoder) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, false
	}
	d.b = d.b[n:]
	return v, true
}

// next reads one event; ok is false when the bytes are malformed.
func (d *decoder) next() (e *Event, ok bool) {
	op := d.b[0]
	d.b = d.b[1:]
	dt, ok := d.uvarint()
	if !ok || dt > 1<<62 || d.last+int64(dt) < d.last {
		return nil, false
	}
	d.last += int64(dt)
	e = &d.event
	*e = Event{TimeNS: d.last, Free: op == opFree, Chunks: e.Chunks[:0]}
	switch op {
	case opMark:
		n, ok := d.uvarint()
		if !ok || n > textMax || n > uint64(len(d.b)) {
			return nil, false
		}
		e.Mark, d.b = string(d.b[:n]), d.b[n:]
		return e, true
	case opAlloc, opFree:
		return e, d.chunks(e)
	}
	return nil, false
}

func (d *decoder) chunks(e *Event) bool {
	thread, ok := d.uvarint()
	if !ok || thread > 1<<32-1 {
		return false
	}
	e.Thread = uint32(thread)
	if !e.Free {
		site, ok := d.uvarint()
		if !ok || site > 1<<32-1 {
			return false
		}
		e.Site = uint32(site)
	}
	n, ok := d.uvarint()
	if !ok || n > chunkMax {
		return false
	}
	for range n {
		v, ok := d.uvarint()
		if !ok || v>>3 >= sizeMax {
			return false
		}
		delta, k := binary.Varint(d.b)
		if k <= 0 {
			return false
		}
		d.b = d.b[k:]
		d.addr += uint64(delta)
		e.Chunks = append(e.Chunks, Chunk{d.addr, uint32(v >> 3), uint8(v & tagMax)})
	}
	return true
}
