package payload

import (
	"runtime"
	"sync"
	"unsafe"
)

const freeBatch = 256 // chunks freed by one call into C

// pile is a list of chunks that die together.
type pile struct {
	n     int
	addr  [freeBatch]uintptr
	size  [freeBatch]uint32
	tag   [freeBatch]uint8
	keep  []*unsafe.Pointer // kind go: the slots that keep the bytes alive
	next  *pile
	bytes [Tags]int64
	count [Tags]int64
}

func (p *pile) add(h *Header, keep *unsafe.Pointer) {
	i := p.n
	p.addr[i], p.size[i], p.tag[i] = h.p, h.n, uint8(h.tag)
	if keep != nil {
		p.keep = append(p.keep, keep)
	}
	p.bytes[h.tag] += int64(h.n)
	p.count[h.tag]++
	p.n++
}

func (p *pile) move(from *pile) { // from fits
	copy(p.addr[p.n:], from.addr[:from.n])
	copy(p.size[p.n:], from.size[:from.n])
	copy(p.tag[p.n:], from.tag[:from.n])
	p.keep = append(p.keep, from.keep...)
	for t := range p.bytes {
		p.bytes[t] += from.bytes[t]
		p.count[t] += from.count[t]
	}
	p.n += from.n
	from.reset()
}

func (p *pile) reset() {
	clear(p.keep)
	p.n, p.keep, p.next = 0, p.keep[:0], nil
	p.bytes, p.count = [Tags]int64{}, [Tags]int64{}
}

// limbo holds what is dead and may still be seen by a guarded reader.
type limbo struct {
	mu    sync.Mutex // all fields
	open  *pile      // collects small retirements
	gen   [3]*pile   // by epoch of retirement
	spare *pile      // empty piles for reuse
	idle  int        // length of spare
	bytes int64
}

func (l *limbo) take() *pile {
	if p := l.spare; p != nil {
		l.spare, p.next = p.next, nil
		l.idle--
		return p
	}
	return &pile{}
}

// Retirer collects dead headers of one goroutine and hands them over in
// piles. The zero value is not usable; see Heap.Retirer.
type Retirer struct {
	heap *Heap
	p    *pile
}

// Retirer begins a collection.
func (h *Heap) Retirer() Retirer { return Retirer{heap: h} }

// Add takes a header that died (Drop, DropIfSole or Unpin said so). keep, for
// kind go, is the pointer that keeps the bytes alive; it is cleared when no
// reader can see them any more.
func (r *Retirer) Add(h *Header, keep *unsafe.Pointer) {
	if r.p == nil {
		r.heap.limbo.mu.Lock()
		r.p = r.heap.limbo.take()
		r.heap.limbo.mu.Unlock()
	}
	r.p.add(h, keep)
	if r.p.n == freeBatch {
		r.heap.retire(r.p)
		r.p = nil
	}
}

// Flush hands over what was collected.
func (r *Retirer) Flush() {
	if r.p != nil {
		r.heap.retire(r.p)
		r.p = nil
	}
}

// RetireOne is Retirer for a single header.
func (h *Heap) RetireOne(hd *Header, keep *unsafe.Pointer) {
	c := &h.tags[hd.tag]
	c.live.Add(-1)
	c.liveBytes.Add(-int64(hd.n))
	c.limbo.Add(1)
	c.limboBytes.Add(int64(hd.n))
	l := &h.limbo
	l.mu.Lock()
	if l.open == nil {
		l.open = l.take()
	}
	l.open.add(hd, keep)
	l.bytes += int64(hd.n)
	free := h.fill(nil)
	over := l.bytes > h.opt.LimboBytesMax
	l.mu.Unlock()
	h.freePiles(free)
	if over {
		h.backPressure()
	}
}

// retire moves p into limbo and frees whatever limbo can let go.
func (h *Heap) retire(p *pile) {
	for t := range p.bytes {
		if p.count[t] != 0 {
			c := &h.tags[t]
			c.live.Add(-p.count[t])
			c.liveBytes.Add(-p.bytes[t])
			c.limbo.Add(p.count[t])
			c.limboBytes.Add(p.bytes[t])
		}
	}
	l := &h.limbo
	l.mu.Lock()
	for t := range p.bytes {
		l.bytes += p.bytes[t]
	}
	if l.open != nil && l.open.n+p.n <= freeBatch {
		l.open.move(p)
		l.recycle(p)
		p = nil
	} else if l.open == nil && p.n < freeBatch {
		l.open, p = p, nil
	}
	free := h.fill(p)
	over := l.bytes > h.opt.LimboBytesMax
	l.mu.Unlock()
	h.freePiles(free)
	if over {
		h.backPressure()
	}
}

// fill moves the full pile p, if any, and the open one, if it is full, into
// limbo and returns what can be freed. Its caller holds the limbo's lock.
func (h *Heap) fill(p *pile) (free *pile) {
	l := &h.limbo
	if p == nil && l.open.n < freeBatch {
		return nil
	}
	if p != nil {
		l.push(h.epochs.now.Load(), p)
	}
	if l.open != nil && l.open.n == freeBatch {
		l.push(h.epochs.now.Load(), l.open)
		l.open = nil
	}
	return h.collect()
}

func (l *limbo) push(epoch uint64, p *pile) {
	g := &l.gen[epoch%3]
	p.next, *g = *g, p
}

func (l *limbo) recycle(p *pile) {
	p.reset()
	if l.idle < 8 {
		p.next, l.spare = l.spare, p
		l.idle++
	}
}

// collect advances the epoch as far as readers let it and returns the piles
// that nobody can see. Its caller holds the limbo's lock.
func (h *Heap) collect() (free *pile) {
	l := &h.limbo
	for range 2 {
		if !h.epochs.tryAdvance() {
			break
		}
		g := &l.gen[(h.epochs.now.Load()+1)%3] // retired two epochs ago
		for p := *g; p != nil; {
			next := p.next
			p.next, free = free, p
			for t := range p.bytes {
				l.bytes -= p.bytes[t]
			}
			p = next
		}
		*g = nil
	}
	return free
}

// backPressure lets readers finish when more is in limbo than allowed. The
// wait is bounded, so that a caller inside a guard does not wait for itself.
func (h *Heap) backPressure() {
	h.stalls.Add(1)
	for range 200 {
		runtime.Gosched()
		if _, left := h.Reclaim(); left <= h.opt.LimboBytesMax/2 {
			return
		}
	}
}

// Reclaim frees what no guard can see any more and reports the bytes it freed
// and the bytes that must still wait.
func (h *Heap) Reclaim() (freedBytes, limboBytes int64) {
	l := &h.limbo
	l.mu.Lock()
	before := l.bytes
	if l.open != nil && l.open.n > 0 {
		l.push(h.epochs.now.Load(), l.open)
		l.open = nil
	}
	free := h.collect()
	left := l.bytes
	l.mu.Unlock()
	h.freePiles(free)
	return before - left, left
}

func (h *Heap) freePiles(p *pile) {
	for p != nil {
		next := p.next
		h.freePile(p)
		h.limbo.mu.Lock()
		h.limbo.recycle(p)
		h.limbo.mu.Unlock()
		p = next
	}
}

func (h *Heap) freePile(p *pile) {
	if invariants {
		for i := range p.n {
			poison(p.addr[i], p.size[i])
		}
	}
	if r := h.recorder.Load(); r != nil {
		r.free(p)
	}
	var usable [Tags]int64
	if h.c {
		cFree(p.addr[:p.n], p.tag[:p.n], &usable)
	} else {
		for _, k := range p.keep {
			*k = nil
		}
		usable = p.bytes
	}
	for t := range p.count {
		if p.count[t] != 0 {
			c := &h.tags[t]
			c.limbo.Add(-p.count[t])
			c.limboBytes.Add(-p.bytes[t])
			h.freed.Add(uint64(p.bytes[t]))
			c.usable.Add(-usable[t])
			c.frees.Add(uint64(p.count[t]))
		}
	}
}
