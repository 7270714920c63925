package store

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// filter answers "surely not here" for a generation that this process made: most lookups of a rotation, and every read
// of an older ledger, ask the writable generation for something that only the archive has, and asking Pebble costs
// several microseconds (its own filters are not consulted on the lowest level by Get). Keys are SHA-512 halves, so
// their bytes serve as the hash values.
//
// It is a chain of blocked Bloom filters, each of twice the size of the one before, so that it grows with the
// generation. Beyond filterKeysMax it stops answering. Bits are set before the write they stand for can be seen.
type filter struct {
	mu     sync.Mutex // guards growth; never held while anybody looks
	blocks atomic.Pointer[[]*bloom]
}

const (
	filterKeysFirst = 1 << 16
	filterKeysMax   = 1 << 26 // 128 MiB of bits
	filterBitsKey   = 16      // one in a few hundred absent keys is asked for in vain
	filterProbes    = 6
	blockBits       = 512 // one cache line
)

type bloom struct {
	words []atomic.Uint64
	room  int64 // keys
	used  atomic.Int64
}

func newBloom(keys int) *bloom {
	return &bloom{words: make([]atomic.Uint64, keys*filterBitsKey/64), room: int64(keys)}
}

// line is the first word of the key's cache line, in the bloom's own words.
func (b *bloom) line(h *Hash) []atomic.Uint64 {
	const words = blockBits / 64
	lines := uint64(len(b.words) / words)
	at := binary.LittleEndian.Uint64(h[:]) % lines * words
	return b.words[at : at+words]
}

// probes are nine-bit positions within a line.
func probes(h *Hash) uint64 { return binary.LittleEndian.Uint64(h[8:]) }

func (b *bloom) add(h *Hash) {
	line, p := b.line(h), probes(h)
	for range filterProbes {
		line[p>>6&7].Or(1 << (p & 63))
		p >>= 9
	}
}

func (b *bloom) has(h *Hash) bool {
	line, p := b.line(h), probes(h)
	for range filterProbes {
		if line[p>>6&7].Load()&(1<<(p&63)) == 0 {
			return false
		}
		p >>= 9
	}
	return true
}

func newFilter() *filter {
	f := &filter{}
	f.blocks.Store(&[]*bloom{newBloom(filterKeysFirst)})
	return f
}

// add takes the keys of a batch before it is written.
func (f *filter) add(b *Batch) {
	if f == nil {
		return
	}
	last := f.last(int64(b.Len()))
	if last == nil {
		return
	}
	b.eachHash(func(h *Hash) { last.add(h) })
}

// last is the filter that has room for n more keys, nil when there is none any more.
func (f *filter) last(n int64) *bloom {
	blocks := *f.blocks.Load()
	if len(blocks) == 0 {
		return nil
	}
	if l := blocks[len(blocks)-1]; l.used.Add(n) <= l.room {
		return l
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if blocks = *f.blocks.Load(); len(blocks) == 0 {
		return nil
	}
	l := blocks[len(blocks)-1]
	if l.used.Load() > l.room {
		if l.room*2 > filterKeysMax {
			f.blocks.Store(&[]*bloom{})
			return nil
		}
		room := l.room * 2
		for room < n {
			room *= 2
		}
		l = newBloom(int(room))
		next := append(append([]*bloom{}, blocks...), l)
		f.blocks.Store(&next)
	}
	l.used.Add(n)
	return l
}

// lacks reports that h was surely never written. A nil filter and one that overflowed do not know.
func (f *filter) lacks(h *Hash) bool {
	if f == nil {
		return false
	}
	blocks := *f.blocks.Load()
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].has(h) {
			return false
		}
	}
	return len(blocks) > 0
}

// bytes is the memory of the bits.
func (f *filter) bytes() uint64 {
	if f == nil {
		return 0
	}
	n := 0
	for _, b := range *f.blocks.Load() {
		n += 8 * len(b.words)
	}
	return uint64(n)
}
