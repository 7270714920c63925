package payload

import (
	"sync/atomic"
	"unsafe"
)

const guardSlots = 16

// guardSlot counts the readers of the two epochs that can have any. Slots are
// apart by two cache lines, so that readers do not disturb one another.
type guardSlot struct {
	n [2]atomic.Int64
	_ [112]byte
}

// epochs is the one clock that guards and limbo share. The epoch advances from
// e to e+1 only when no reader of e-1 is left; whatever was retired in e-1 or
// before can then be seen by nobody.
type epochs struct {
	now   atomic.Uint64
	slots [guardSlots]guardSlot
}

// Guard protects reads of bytes whose header was alive after Enter. It is
// short: re-enter it every few hundred nodes, and never wait inside it.
type Guard struct{ c *atomic.Int64 }

// Enter begins a guarded read.
func (h *Heap) Enter() Guard {
	var here byte
	at := uintptr(unsafe.Pointer(&here)) >> 10 // goroutines have stacks of their own
	s := &h.epochs.slots[(at^at>>6)%guardSlots]
	for {
		e := h.epochs.now.Load()
		c := &s.n[e&1]
		c.Add(1)
		if h.epochs.now.Load() == e {
			return Guard{c}
		}
		c.Add(-1) // the epoch moved on meanwhile: this count may have come too late
	}
}

// Exit ends a guarded read.
func (g Guard) Exit() { g.c.Add(-1) }

// readers counts the guards of an epoch. It may count one that is about to
// retry; it never misses one that has succeeded.
func (e *epochs) readers(epoch uint64) (n int64) {
	for i := range e.slots {
		n += e.slots[i].n[epoch&1].Load()
	}
	return n
}

// tryAdvance moves the clock if no reader is in its way. Its caller holds the
// limbo's lock.
func (e *epochs) tryAdvance() bool {
	now := e.now.Load()
	if e.readers(now+1) != 0 { // same slot as now-1
		return false
	}
	e.now.Store(now + 1)
	return true
}
