package memory

import (
	"encoding/binary"
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
		mem.Close()
		return nil, fmt.Errorf("memory: probe: %w", err)
	}
	return &probe{mem: mem, pagemap: pagemap, page: uint64(os.Getpagesize())}, nil
}

func (p *probe) close() {
	p.mem.Close()
	p.pagemap.Close()
}

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
