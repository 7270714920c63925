package memory

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probe reads this process's own memory through /proc, where an address that has just vanished is an error and not a
// fault.
type probe struct {
	mem, pagemap *os.File
	page         uint64
}

func openProbe() (*probe, error) {
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		return nil, fmt.Errorf("memory: probe: %w", err)
	}
	pagemap, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("memory: probe: %w", err), mem.Close())
	}
	return &probe{mem: mem, pagemap: pagemap, page: uint64(os.Getpagesize())}, nil
}

func (p *probe) close() error { return errors.Join(p.mem.Close(), p.pagemap.Close()) }

func (p *probe) words(addr uint64) (w [4]uint64, ok bool) {
	var raw [32]byte
	if n, err := p.mem.ReadAt(raw[:], int64(addr)); err != nil || n != len(raw) {
		return w, false
	}
	for i := range w {
		w[i] = binary.NativeEndian.Uint64(raw[8*i:])
	}
	return w, true
}

const pagePresent = 1 << 63 // bit of a pagemap entry

// present says which pages of a range are resident.
func (p *probe) present(start, end uint64) []bool {
	n := int((end - start + p.page - 1) / p.page)
	raw := make([]byte, 8*n)
	got, _ := p.pagemap.ReadAt(raw, int64(start/p.page*8))
	out := make([]bool, n)
	for i := range got / 8 {
		out[i] = binary.NativeEndian.Uint64(raw[8*i:])&pagePresent != 0
	}
	return out
}

const (
	goTries = 5        // readings of Go's heap, of which the quietest counts
	goStill = 64 << 10 // bytes of change during a reading that need no other try
)

// goHeap reads the resident pages of Go's heap and the runtime's accounts so close together that they speak of the
// same moment: the runtime gives pages back and takes new ones all the time, and smaps is too slow for it.
func (p *probe) goHeap(vmas []VMA, pieces [][]piece, lazy int64) (goFigures, int64) {
	var best goFigures
	var rss int64
	least := int64(-1)
	for range goTries {
		before := readGo()
		pages := int64(0)
		for i := range vmas {
			if len(pieces[i]) != 1 || pieces[i][0].class != classGoHeap {
				continue
			}
			pages += p.count(vmas[i].Start, vmas[i].End)
		}
		after := readGo()
		if moved := before.moved(after); least < 0 || moved < least {
			least, best, rss = moved, before.mean(after), pages*int64(p.page)-lazy
		}
		if least <= goStill {
			break
		}
	}
	return best, max(0, rss)
}

// count is how many pages of a range are resident.
func (p *probe) count(start, end uint64) int64 {
	const step = 1 << 14 // pages at a time
	raw := make([]byte, 8*step)
	n := int64(0)
	for at := start; at < end; at += step * p.page {
		want := min(step, (end-at)/p.page)
		got, _ := p.pagemap.ReadAt(raw[:8*want], int64(at/p.page*8))
		for i := range got / 8 {
			if binary.NativeEndian.Uint64(raw[8*i:])&pagePresent != 0 {
				n++
			}
		}
	}
	return n
}

const stackDefault = 8 << 20

// layout describes this process.
func (p *probe) layout(a Allocator) layout {
	anchor := new([4096]byte) // somewhere in Go's heap
	l := layout{
		goHeap: uint64(uintptr(unsafe.Pointer(anchor))), allocator: a, stackSize: stackDefault, page: p.page,
		words: p.words, present: p.present,
	}
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &lim) == nil && lim.Cur >= 64<<10 && lim.Cur < 1<<40 {
		l.stackSize = lim.Cur &^ (p.page - 1)
	}
	return l
}
