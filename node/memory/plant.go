package memory

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// LeakKind is a growth made on purpose (flag plant.leak).
type LeakKind string

// The kinds. Each grows in a layer of its own and is counted nowhere but in the Plant.
const (
	LeakNone  LeakKind = "none"
	LeakGo    LeakKind = "go"    // Go objects that a list keeps
	LeakC     LeakKind = "c"     // malloc, past the payload heap
	LeakMmap  LeakKind = "mmap"  // a mapped file, past every allocator
	LeakIndex LeakKind = "index" // a Go map that only grows, as rippled's index of ledgers did
)

// LeakKinds are the values of plant.leak.
func LeakKinds() []LeakKind { return []LeakKind{LeakNone, LeakGo, LeakC, LeakMmap, LeakIndex} }

// LineOf is the line of the balance sheet in which a kind grows.
func LineOf(k LeakKind) string {
	switch k {
	case LeakGo, LeakIndex:
		return LineGoLive
	case LeakC:
		return LineCOther
	case LeakMmap:
		return LineFiles
	case LeakNone:
	}
	return ""
}

const (
	leakUnit  = 1024     // bytes of a planted object
	leakMost  = 4 << 30  // bytes planted at most, of all kinds
	mapWindow = 64 << 20 // bytes of a planted file that are mapped at a time
)

// leakObject fills a size class of Go exactly, with the word that the allocator puts before an object of this size that
// has pointers: so what is planted is what grows.
type leakObject struct {
	next *leakObject
	_    [leakUnit - 16]byte
}

// Plant leaks memory at a rate, to test what finds leaks. It is safe for concurrent use and starts nothing: its owner
// calls Grow now and then. What is planted stays when the leak is switched off, as a leak does.
type Plant struct {
	now func() time.Time
	dir string

	mu struct {
		sync.Mutex
		kind    LeakKind
		rate    int64 // bytes a minute
		last    time.Time
		owed    float64 // bytes due and not planted yet
		planted map[LeakKind]int64

		objects *leakObject
		index   map[uint64]*leakObject
		chunks  uintptr // a list of C chunks
		file    *os.File
		maps    [][]byte
		used    int // bytes touched in the last of maps
	}
}

// NewPlant makes one that leaks nothing. The file of kind mmap lies in dir, without a name; "" is the folder for
// temporary files.
func NewPlant(dir string, now func() time.Time) *Plant {
	p := &Plant{dir: dir, now: now}
	p.mu.kind, p.mu.planted, p.mu.index = LeakNone, map[LeakKind]int64{}, map[uint64]*leakObject{}
	return p
}

// Set changes kind and rate, bytes a minute, from now on.
func (p *Plant) Set(kind LeakKind, rate int64) error {
	if kind == LeakC && !cgoEnabled {
		return fmt.Errorf("%w: plant.leak=c: built without cgo", ErrUnsupported)
	}
	if kind != LeakNone && LineOf(kind) == "" || rate < 0 {
		return fmt.Errorf("memory: plant.leak %q at %d bytes a minute: want one of %v, from 0", kind, rate, LeakKinds())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.kind, p.mu.rate, p.mu.last, p.mu.owed = kind, rate, p.now(), 0
	return nil
}

// Planted is what was planted so far, by kind.
func (p *Plant) Planted() map[LeakKind]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[LeakKind]int64, len(p.mu.planted))
	for k, n := range p.mu.planted {
		out[k] = n
	}
	return out
}

// Grow plants what is due since the last call. Beyond 4 GiB in all nothing more grows.
func (p *Plant) Grow() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.mu.owed += float64(p.mu.rate) * now.Sub(p.mu.last).Minutes()
	p.mu.last = now
	unit := int64(leakUnit)
	if p.mu.kind == LeakMmap {
		unit = int64(os.Getpagesize())
	}
	n := int64(p.mu.owed) / unit * unit
	total := int64(0)
	for _, b := range p.mu.planted {
		total += b
	}
	if p.mu.kind == LeakNone || n <= 0 || total+n > leakMost {
		return nil
	}
	if err := p.plantLocked(n); err != nil {
		return fmt.Errorf("memory: plant.leak=%s: %w", p.mu.kind, err)
	}
	p.mu.owed -= float64(n)
	p.mu.planted[p.mu.kind] += n
	return nil
}

// plantLocked leaks n bytes, whole units; the lock is held.
func (p *Plant) plantLocked(n int64) error {
	if p.mu.kind == LeakMmap {
		return p.mapLocked(int(n))
	}
	for range n / leakUnit {
		switch p.mu.kind {
		case LeakGo:
			p.mu.objects = &leakObject{next: p.mu.objects}
		case LeakIndex:
			p.mu.index[uint64(len(p.mu.index))] = new(leakObject)
		case LeakC:
			p.mu.chunks = cChain(p.mu.chunks, leakUnit-8) // with glibc's word of overhead a unit
		case LeakNone, LeakMmap:
		}
	}
	return nil
}

// mapLocked touches n more bytes of the mapped file; the lock is held.
func (p *Plant) mapLocked(n int) error {
	if p.mu.file == nil {
		f, err := os.CreateTemp(p.dir, "plant-*.map")
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil { // it goes with the process
			return errors.Join(err, f.Close())
		}
		p.mu.file, p.mu.used = f, mapWindow
	}
	page := os.Getpagesize()
	for ; n > 0; n -= page {
		if p.mu.used == mapWindow {
			at := int64(len(p.mu.maps)) * mapWindow
			if err := p.mu.file.Truncate(at + mapWindow); err != nil {
				return err
			}
			m, err := unix.Mmap(int(p.mu.file.Fd()), at, mapWindow, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			if err != nil {
				return fmt.Errorf("mmap: %w", err)
			}
			// A page that is written shall be a page that is resident, not a huge one around it.
			if err := unix.Madvise(m, unix.MADV_RANDOM); err != nil {
				return fmt.Errorf("madvise: %w", errors.Join(err, unix.Munmap(m)))
			}
			p.mu.maps, p.mu.used = append(p.mu.maps, m), 0
		}
		p.mu.maps[len(p.mu.maps)-1][p.mu.used] = 1
		p.mu.used += page
	}
	return nil
}

// Close gives everything back.
func (p *Plant) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, m := range p.mu.maps {
		errs = append(errs, unix.Munmap(m))
	}
	if p.mu.file != nil {
		errs = append(errs, p.mu.file.Close())
	}
	cFreeChain(p.mu.chunks)
	p.mu.kind, p.mu.objects, p.mu.chunks, p.mu.file, p.mu.maps = LeakNone, nil, 0, nil, nil
	p.mu.index, p.mu.planted = map[uint64]*leakObject{}, map[LeakKind]int64{}
	return errors.Join(errs...)
}
