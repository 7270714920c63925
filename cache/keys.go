package cache

import (
	"sync/atomic"
	"time"
)

// Keys remembers keys by age (rippled's KeyCache), with the generation that the full-below cache needs. It is safe
// for concurrent use.
type Keys[K comparable] struct {
	opts  Options
	hash  func(K) uint64
	now   func() time.Time
	epoch time.Time
	parts []*partition[K, int64] // last access, nanoseconds since epoch
	gauge lockGauge

	size       atomic.Int64
	hits       atomic.Uint64
	misses     atomic.Uint64
	target     atomic.Int64
	targetAge  atomic.Int64
	generation atomic.Uint32
	expireAll  atomic.Bool
}

// NewKeys makes an empty cache of generation 1.
func NewKeys[K comparable](o Options, hash func(K) uint64, now func() time.Time) *Keys[K] {
	o = o.withDefaults()
	c := &Keys[K]{opts: o, hash: hash, now: now, epoch: now()}
	c.parts = newPartitions[K, int64](o, &c.gauge, now)
	c.target.Store(int64(o.TargetSize))
	c.targetAge.Store(int64(o.TargetAge))
	c.generation.Store(1)
	c.expireAll.Store(o.ExpireAll)
	return c
}

// Name is Options.Name.
func (c *Keys[K]) Name() string { return c.opts.Name }

// Generation starts at 1 and grows with each Clear.
func (c *Keys[K]) Generation() uint32 { return c.generation.Load() }

// SetTarget changes size and age from the next sweep on.
func (c *Keys[K]) SetTarget(size int, age time.Duration) {
	c.target.Store(int64(max(size, 0)))
	c.targetAge.Store(int64(max(age, 0)))
}

// SetExpireAll switches Options.ExpireAll from the next sweep on.
func (c *Keys[K]) SetExpireAll(on bool) { c.expireAll.Store(on) }

func (c *Keys[K]) part(k K) *partition[K, int64] { return c.parts[c.hash(k)%uint64(len(c.parts))] }

// Touch marks k as used now and reports whether it was there.
func (c *Keys[K]) Touch(k K) bool {
	now := int64(c.now().Sub(c.epoch))
	p := c.part(k)
	p.lock()
	_, ok := p.m[k]
	if ok {
		p.m[k] = now
	}
	p.unlock()
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return ok
}

// Insert remembers k and reports whether it was new.
func (c *Keys[K]) Insert(k K) bool {
	now := int64(c.now().Sub(c.epoch))
	p := c.part(k)
	p.lock()
	_, ok := p.m[k]
	p.m[k] = now
	p.unlock()
	if !ok {
		c.size.Add(1)
	}
	return !ok
}

// Delete forgets k and reports whether it was there.
func (c *Keys[K]) Delete(k K) bool {
	p := c.part(k)
	p.lock()
	_, ok := p.m[k]
	delete(p.m, k)
	p.unlock()
	if ok {
		c.size.Add(-1)
	}
	return ok
}

// Keys appends every key to dst.
func (c *Keys[K]) Keys(dst []K) []K { return keysOf(c.parts, int(c.size.Load()), dst) }

// Clear forgets everything and starts the next generation.
func (c *Keys[K]) Clear() {
	for _, p := range c.parts {
		c.size.Add(-int64(len(p.replace())))
	}
	c.generation.Add(1)
}

// Reset forgets everything and goes back to generation 1.
func (c *Keys[K]) Reset() {
	c.Clear()
	c.generation.Store(1)
	c.hits.Store(0)
	c.misses.Store(0)
}

// Sweep forgets old keys. A key from the future (the clock went back) is set to now. Sweeps must not overlap.
func (c *Keys[K]) Sweep(now time.Time) SweepStats {
	start := c.now()
	s := SweepStats{
		Name: c.opts.Name, SizeBefore: int(c.size.Load()), TargetSize: int(c.target.Load()),
		TargetAge: time.Duration(c.targetAge.Load()), Partitions: len(c.parts),
	}
	s.EffectiveAge = effectiveAge(s.SizeBefore, s.TargetSize, s.TargetAge)
	if c.expireAll.Load() {
		s.EffectiveAge = 0
	}
	at := int64(now.Sub(c.epoch))
	for _, p := range c.parts {
		n := 0
		p.sweepChunks(&s, func(k K, last int64) {
			keep, next := sweepKey(at, at-int64(s.EffectiveAge), last)
			switch {
			case !keep:
				delete(p.m, k)
				n++
			case next != last:
				p.m[k] = next
			}
		})
		c.size.Add(-int64(n))
		s.MapRemovals += n
	}
	s.SizeAfter = int(c.size.Load())
	s.Duration = c.now().Sub(start)
	return s
}

func sweepKey(at, cutoff, last int64) (keep bool, next int64) {
	if last > at {
		return true, at
	}
	return last > cutoff, last
}

func (p *partition[K, E]) sweepChunks(s *SweepStats, visit func(k K, e E)) {
	h := hold{mu: p.mu, now: p.now, gauge: p.gauge}
	h.lock()
	n, gen := 0, p.gen
	for k, e := range p.m {
		visit(k, e)
		if n++; n == p.chunk {
			n = 0
			h.unlock()
			h.lock()
			if p.gen != gen { // cleared meanwhile
				break
			}
		}
	}
	h.unlock()
	s.addHold(&h)
}

// TakeHoldMax is the longest hold of a lock by a sweep, a key listing or a clear since it was last asked.
func (c *Keys[K]) TakeHoldMax() time.Duration { return c.gauge.takeHoldMax() }

// Stats is a snapshot.
func (c *Keys[K]) Stats() Stats {
	s := Stats{
		Name: c.opts.Name, Size: int(c.size.Load()), Strong: int(c.size.Load()), Partitions: len(c.parts),
		TargetSize: int(c.target.Load()), TargetAge: time.Duration(c.targetAge.Load()),
		Hits: c.hits.Load(), Misses: c.misses.Load(),
	}
	c.gauge.fill(&s)
	return s
}
