package cache

import (
	"sync/atomic"
	"time"
)

// entry is one slot of a partition. Invariant: strong means the cache owns one reference on v.
type entry[V Counted] struct {
	v V
	// stamp is the last access in nanoseconds on the cache's clock, shifted left by one; the low bit means strong.
	stamp int64
}

func (e *entry[V]) strong() bool        { return e.stamp&1 != 0 }
func (e *entry[V]) lastAccess() int64   { return e.stamp >> 1 }
func (e *entry[V]) touch(now int64)     { e.stamp = now<<1 | e.stamp&1 }
func (e *entry[V]) strengthen(at int64) { e.stamp = at<<1 | 1 }
func (e *entry[V]) weaken()             { e.stamp &^= 1 }

// Tagged is a partitioned cache with strong and weak entries. It is safe for concurrent use.
type Tagged[K comparable, V Counted] struct {
	opts  Options
	hash  func(K) uint64
	now   func() time.Time
	epoch time.Time // stamps count from here

	parts []*partition[K, entry[V]]
	gauge lockGauge

	size      atomic.Int64 // entries, strong and weak
	strong    atomic.Int64
	hits      atomic.Uint64
	misses    atomic.Uint64
	target    atomic.Int64
	targetAge atomic.Int64 // nanoseconds
	expireAll atomic.Bool
}

// NewTagged makes an empty cache. hash spreads keys over partitions; now gives ages and lock times.
func NewTagged[K comparable, V Counted](o Options, hash func(K) uint64, now func() time.Time) *Tagged[K, V] {
	o = o.withDefaults()
	c := &Tagged[K, V]{opts: o, hash: hash, now: now, epoch: now()}
	c.parts = newPartitions[K, entry[V]](o, &c.gauge, now)
	c.target.Store(int64(o.TargetSize))
	c.targetAge.Store(int64(o.TargetAge))
	c.expireAll.Store(o.ExpireAll)
	return c
}

// Name is Options.Name.
func (c *Tagged[K, V]) Name() string { return c.opts.Name }

// SetTarget changes size and age from the next sweep on.
func (c *Tagged[K, V]) SetTarget(size int, age time.Duration) {
	c.target.Store(int64(max(size, 0)))
	c.targetAge.Store(int64(max(age, 0)))
}

// SetExpireAll switches Options.ExpireAll from the next sweep on.
func (c *Tagged[K, V]) SetExpireAll(on bool) { c.expireAll.Store(on) }

func (c *Tagged[K, V]) part(k K) *partition[K, entry[V]] {
	return c.parts[c.hash(k)%uint64(len(c.parts))]
}

func (c *Tagged[K, V]) stamp() int64 { return int64(c.now().Sub(c.epoch)) }

// Fetch returns the value under k with one reference for the caller. A weak entry whose value lives becomes strong
// again; that is returned but, as in rippled, not counted as a hit.
func (c *Tagged[K, V]) Fetch(k K) (V, bool) {
	now := c.stamp()
	p := c.part(k)
	p.lock()
	v, found, hit := c.fetchLocked(p, k, now)
	p.unlock()
	if hit {
		c.hits.Add(1)
	} else if !found {
		c.misses.Add(1)
	}
	return v, found
}

// fetchLocked must be called with p's lock held.
func (c *Tagged[K, V]) fetchLocked(p *partition[K, entry[V]], k K, now int64) (v V, found, hit bool) {
	e, ok := p.m[k]
	if !ok {
		return v, false, false
	}
	if !e.v.Acquire() { // the caller's reference
		c.eraseLocked(p, k, e)
		return v, false, false
	}
	if e.strong() {
		e.touch(now)
		p.m[k] = e
		return e.v, true, true
	}
	if e.v.Acquire() { // the cache's reference
		e.strengthen(now)
		p.m[k] = e
		c.strong.Add(1)
	}
	return e.v, true, false
}

// eraseLocked removes an entry whose value has died; p's lock must be held.
func (c *Tagged[K, V]) eraseLocked(p *partition[K, entry[V]], k K, e entry[V]) {
	delete(p.m, k)
	c.size.Add(-1)
	if e.strong() {
		c.strong.Add(-1)
	}
}

// Canonicalize stores v under k, or meets the value that is there, as m says. It consumes the caller's reference on v
// and returns the winner with one reference for the caller; the bool says whether a living value was there.
func (c *Tagged[K, V]) Canonicalize(k K, v V, m Mode) (V, bool) {
	now := c.stamp()
	p := c.part(k)
	p.lock()
	winner, loser, drops, existed := c.canonicalizeLocked(p, k, v, m, now)
	p.unlock()
	for range drops {
		loser.Release()
	}
	return winner, existed
}

// canonicalizeLocked must be called with p's lock held. The caller releases loser drops times after unlocking.
func (c *Tagged[K, V]) canonicalizeLocked(p *partition[K, entry[V]], k K, v V, m Mode, now int64) (winner, loser V, drops int, existed bool) {
	e, ok := p.m[k]
	if ok && e.v == v {
		if !e.strong() && v.Acquire() {
			c.strong.Add(1)
			e.strengthen(now)
		}
		e.touch(now)
		p.m[k] = e
		return v, v, 0, true
	}
	if ok && !e.v.Acquire() { // died meanwhile: the caller's value takes the slot
		c.eraseLocked(p, k, e)
		ok = false
	}
	if !ok {
		if v.Acquire() {
			p.m[k] = entry[V]{v: v, stamp: now<<1 | 1}
			c.size.Add(1)
			c.strong.Add(1)
		}
		return v, v, 0, false
	}
	// e.v carries one more reference now, taken above.
	wasStrong := e.strong()
	if m == ReplaceClient {
		if !wasStrong && e.v.Acquire() {
			c.strong.Add(1)
			e.strengthen(now)
		}
		e.touch(now)
		p.m[k] = e
		return e.v, v, 1, true
	}
	old := e.v
	drops = 1
	if wasStrong {
		drops = 2
	}
	if !v.Acquire() {
		return v, old, 1, true // a caller without a reference: leave the cache as it is
	}
	if !wasStrong {
		c.strong.Add(1)
	}
	p.m[k] = entry[V]{v: v, stamp: now<<1 | 1}
	return v, old, drops, true
}

// Touch marks k as used now without fetching it and reports whether a strong entry was there.
func (c *Tagged[K, V]) Touch(k K) bool {
	now := c.stamp()
	p := c.part(k)
	p.lock()
	e, ok := p.m[k]
	ok = ok && e.strong()
	if ok {
		e.touch(now)
		p.m[k] = e
	}
	p.unlock()
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return ok
}

// Delete forgets k and reports whether it was there.
func (c *Tagged[K, V]) Delete(k K) bool {
	p := c.part(k)
	p.lock()
	e, ok := p.m[k]
	if ok {
		c.eraseLocked(p, k, e)
	}
	p.unlock()
	if ok && e.strong() {
		e.v.Release()
	}
	return ok
}

// Weaken gives up the cache's reference under k but remembers the value while others hold it (rippled's del with
// valid set). It reports whether the entry is still there.
func (c *Tagged[K, V]) Weaken(k K) bool {
	p := c.part(k)
	p.lock()
	e, ok := p.m[k]
	wasStrong := ok && e.strong()
	if wasStrong {
		e.weaken()
		p.m[k] = e
		c.strong.Add(-1)
	}
	p.unlock()
	if wasStrong {
		e.v.Release()
	}
	if ok && !e.v.Alive() {
		c.eraseDead(p, k, e.v)
		return false
	}
	return ok
}

// eraseDead removes k if it still is a weak entry of the dead value v.
func (c *Tagged[K, V]) eraseDead(p *partition[K, entry[V]], k K, v V) {
	p.lock()
	if e, ok := p.m[k]; ok && e.v == v && !e.strong() {
		c.eraseLocked(p, k, e)
	}
	p.unlock()
}

// Keys appends every key to dst. No lock is held while memory is reserved, and none over more than one chunk of one
// partition (LockSingle: over all).
func (c *Tagged[K, V]) Keys(dst []K) []K { return keysOf(c.parts, int(c.size.Load()), dst) }

// Clear drops every entry, strong and weak.
func (c *Tagged[K, V]) Clear() {
	for _, p := range c.parts {
		old := p.replace()
		strong := 0
		for _, e := range old {
			if e.strong() {
				strong++
				e.v.Release()
			}
		}
		c.size.Add(-int64(len(old)))
		c.strong.Add(-int64(strong))
	}
}

// TakeHoldMax is the longest hold of a lock by a sweep, a key listing or a clear since it was last asked.
func (c *Tagged[K, V]) TakeHoldMax() time.Duration { return c.gauge.takeHoldMax() }

// Stats is a snapshot.
func (c *Tagged[K, V]) Stats() Stats {
	s := Stats{
		Name: c.opts.Name, Size: int(c.size.Load()), Strong: int(c.strong.Load()), Partitions: len(c.parts),
		TargetSize: int(c.target.Load()), TargetAge: time.Duration(c.targetAge.Load()),
		Hits: c.hits.Load(), Misses: c.misses.Load(),
	}
	c.gauge.fill(&s)
	return s
}
