package cache

import (
	"sync"
	"sync/atomic"
	"time"
)

// lockGauge measures what callers wait for the locks of a cache and how long the long holders keep them. An
// uncontended lock costs no clock reading.
type lockGauge struct {
	waits     atomic.Uint64
	waitTotal atomic.Int64
	waitMax   atomic.Int64
	holdMax   atomic.Int64
	window    atomic.Int64 // holdMax since takeHoldMax
}

func (g *lockGauge) takeHoldMax() time.Duration { return time.Duration(g.window.Swap(0)) }

func (g *lockGauge) waited(d time.Duration) {
	g.waits.Add(1)
	g.waitTotal.Add(int64(d))
	storeMax(&g.waitMax, int64(d))
}

func (g *lockGauge) fill(s *Stats) {
	s.Waits = g.waits.Load()
	s.WaitTotal = time.Duration(g.waitTotal.Load())
	s.WaitMax = time.Duration(g.waitMax.Load())
	s.HoldMax = time.Duration(g.holdMax.Load())
}

func storeMax(a *atomic.Int64, v int64) {
	for {
		old := a.Load()
		if v <= old || a.CompareAndSwap(old, v) {
			return
		}
	}
}

// partition is one map and its lock.
type partition[K comparable, E any] struct {
	mu     *sync.Mutex // guards m; shared by all partitions under LockSingle
	m      map[K]E
	gen    uint32 // guarded by mu: how often m was replaced
	shared bool   // LockSingle
	chunk  int
	gauge  *lockGauge
	now    func() time.Time
}

func newPartitions[K comparable, E any](o Options, g *lockGauge, now func() time.Time) []*partition[K, E] {
	parts := make([]*partition[K, E], o.Partitions)
	single := new(sync.Mutex)
	for i := range parts {
		mu := single
		if o.Lock == LockPartition {
			mu = new(sync.Mutex)
		}
		parts[i] = &partition[K, E]{
			mu: mu, m: make(map[K]E), shared: o.Lock == LockSingle, chunk: o.SweepChunk, gauge: g, now: now,
		}
	}
	return parts
}

func (p *partition[K, E]) lock() {
	if p.mu.TryLock() {
		return
	}
	t := p.now()
	p.mu.Lock()
	p.gauge.waited(p.now().Sub(t))
}

func (p *partition[K, E]) unlock() { p.mu.Unlock() }

// replace swaps in an empty map and returns the old one.
func (p *partition[K, E]) replace() map[K]E {
	fresh := make(map[K]E)
	p.lock()
	old := p.m
	p.m = fresh
	p.gen++
	p.unlock()
	return old
}

// hold is a lock held in turns by a long visitor, with its times.
type hold struct {
	mu    *sync.Mutex
	now   func() time.Time
	gauge *lockGauge
	since time.Time
	n     int
	max   time.Duration
	total time.Duration
}

func (h *hold) lock() {
	h.mu.Lock()
	h.since = h.now()
}

func (h *hold) unlock() {
	d := h.now().Sub(h.since)
	h.mu.Unlock()
	h.n++
	h.total += d
	h.max = max(h.max, d)
	storeMax(&h.gauge.holdMax, int64(d))
	storeMax(&h.gauge.window, int64(d))
}

// keysOf appends the keys of all partitions to dst.
func keysOf[K comparable, E any](parts []*partition[K, E], size int, dst []K) []K {
	dst = grow(dst, size)
	if len(parts) > 0 && parts[0].shared {
		return keysSingle(parts, dst)
	}
	for _, p := range parts {
		dst = p.appendKeys(dst)
	}
	return dst
}

// keysSingle holds the one lock over all partitions, as rippled does, with the memory reserved before.
func keysSingle[K comparable, E any](parts []*partition[K, E], dst []K) []K {
	p := parts[0]
	h := hold{mu: p.mu, now: p.now, gauge: p.gauge}
	h.lock()
	defer h.unlock()
	for _, p := range parts {
		for k := range p.m {
			dst = append(dst, k)
		}
	}
	return dst
}

// appendKeys visits p in chunks; between chunks the lock is free and dst may grow.
func (p *partition[K, E]) appendKeys(dst []K) []K {
	h := hold{mu: p.mu, now: p.now, gauge: p.gauge}
	dst = grow(dst, p.chunk)
	h.lock()
	n, gen := 0, p.gen
	for k := range p.m {
		dst = append(dst, k)
		if n++; n == p.chunk {
			n = 0
			h.unlock()
			dst = grow(dst, p.chunk)
			h.lock()
			if p.gen != gen {
				break
			}
		}
	}
	h.unlock()
	return dst
}

// grow makes room for n more keys without a lock.
func grow[K any](dst []K, n int) []K {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	next := make([]K, len(dst), len(dst)+max(n, len(dst)/4))
	copy(next, dst)
	return next
}
