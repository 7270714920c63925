package cache

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// LRU is the rival policy: the most recently used entries up to a capacity, none older than that, no weak side. A
// sweep of it does nothing. It is safe for concurrent use.
type LRU[K comparable, V Counted] struct {
	opts  Options
	hash  func(K) uint64
	now   func() time.Time
	parts []*lruPart[K, V]
	gauge lockGauge

	hits    atomic.Uint64
	misses  atomic.Uint64
	evicted atomic.Uint64
}

// lruPart is one golang-lru list; the partition's map is unused, its lock guards list and out.
type lruPart[K comparable, V Counted] struct {
	*partition[K, V]
	list *simplelru.LRU[K, V]
	out  []V // values pushed out under the lock, released after it
}

// NewLRU makes an empty cache of Options.TargetSize entries spread over the partitions.
func NewLRU[K comparable, V Counted](o Options, hash func(K) uint64, now func() time.Time) (*LRU[K, V], error) {
	o = o.withDefaults()
	c := &LRU[K, V]{opts: o, hash: hash, now: now}
	each := (o.TargetSize + o.Partitions - 1) / o.Partitions
	for _, p := range newPartitions[K, V](o, &c.gauge, now) {
		q := &lruPart[K, V]{partition: p}
		list, err := simplelru.NewLRU(each, func(_ K, v V) { q.out = append(q.out, v) })
		if err != nil {
			return nil, fmt.Errorf("cache %s: capacity %d: %w", o.Name, o.TargetSize, err)
		}
		q.list = list
		c.parts = append(c.parts, q)
	}
	return c, nil
}

// Name is Options.Name.
func (c *LRU[K, V]) Name() string { return c.opts.Name }

func (c *LRU[K, V]) part(k K) *lruPart[K, V] { return c.parts[c.hash(k)%uint64(len(c.parts))] }

// takeLocked returns what was pushed out; the lock must be held.
func (p *lruPart[K, V]) takeLocked() []V {
	out := p.out
	p.out = nil
	return out
}

func releaseAll[V Counted](vs []V) {
	for _, v := range vs {
		v.Release()
	}
}

// Fetch returns the value under k with one reference for the caller.
func (c *LRU[K, V]) Fetch(k K) (V, bool) {
	p := c.part(k)
	p.lock()
	v, ok := p.list.Get(k)
	ok = ok && v.Acquire()
	p.unlock()
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return v, ok
}

// Canonicalize stores v under k or meets the value that is there; see Cache.
func (c *LRU[K, V]) Canonicalize(k K, v V, m Mode) (V, bool) {
	p := c.part(k)
	p.lock()
	old, existed := p.list.Get(k)
	winner := v
	switch {
	case existed && (old == v):
	case existed && m == ReplaceClient && old.Acquire():
		winner = old
	case v.Acquire():
		if existed {
			p.list.Remove(k)
		}
		p.list.Add(k, v)
	}
	out := p.takeLocked()
	p.unlock()
	if n := len(out); n > 0 && !existed {
		c.evicted.Add(uint64(n))
	}
	releaseAll(out)
	if winner != v {
		v.Release()
	}
	return winner, existed
}

// Delete forgets k and reports whether it was there.
func (c *LRU[K, V]) Delete(k K) bool {
	p := c.part(k)
	p.lock()
	ok := p.list.Remove(k)
	out := p.takeLocked()
	p.unlock()
	releaseAll(out)
	return ok
}

// Keys appends every key to dst, oldest first within a partition.
func (c *LRU[K, V]) Keys(dst []K) []K {
	for _, p := range c.parts {
		dst = append(dst, p.keys()...)
	}
	return dst
}

func (p *lruPart[K, V]) keys() []K {
	h := hold{mu: p.mu, now: p.now, gauge: p.gauge}
	h.lock()
	defer h.unlock()
	return p.list.Keys()
}

// Clear drops every entry.
func (c *LRU[K, V]) Clear() {
	for _, p := range c.parts {
		p.lock()
		p.list.Purge()
		out := p.takeLocked()
		p.unlock()
		releaseAll(out)
	}
}

// SetTarget changes the capacity at once; the age has no meaning here.
func (c *LRU[K, V]) SetTarget(size int, _ time.Duration) {
	each := max(1, (size+len(c.parts)-1)/len(c.parts))
	for _, p := range c.parts {
		p.lock()
		n := p.list.Resize(each)
		out := p.takeLocked()
		p.unlock()
		c.evicted.Add(uint64(n))
		releaseAll(out)
	}
}

// SetExpireAll has no meaning here: nothing expires.
func (c *LRU[K, V]) SetExpireAll(bool) {}

func (c *LRU[K, V]) size() int {
	n := 0
	for _, p := range c.parts {
		p.lock()
		n += p.list.Len()
		p.unlock()
	}
	return n
}

// Sweep only reports sizes: an LRU gives up entries when others come.
func (c *LRU[K, V]) Sweep(time.Time) SweepStats {
	n := c.size()
	return SweepStats{
		Name: c.opts.Name, SizeBefore: n, SizeAfter: n, StrongBefore: n, StrongAfter: n,
		TargetSize: c.opts.TargetSize, Partitions: len(c.parts),
	}
}

// TakeHoldMax is the longest hold of a lock by a sweep, a key listing or a clear since it was last asked.
func (c *LRU[K, V]) TakeHoldMax() time.Duration { return c.gauge.takeHoldMax() }

// Stats is a snapshot.
func (c *LRU[K, V]) Stats() Stats {
	n := c.size()
	s := Stats{
		Name: c.opts.Name, Size: n, Strong: n, Partitions: len(c.parts), TargetSize: c.opts.TargetSize,
		Hits: c.hits.Load(), Misses: c.misses.Load(), Evicted: c.evicted.Load(),
	}
	c.gauge.fill(&s)
	return s
}

// New makes the cache that the policy names.
func New[K comparable, V Counted](p Policy, o Options, hash func(K) uint64, now func() time.Time) (Cache[K, V], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if p == PolicyLRU {
		return NewLRU[K, V](o, hash, now)
	}
	return NewTagged[K, V](o, hash, now), nil
}
