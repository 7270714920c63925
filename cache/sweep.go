package cache

import (
	"sync"
	"time"
)

// effectiveAge is how old an entry may be before a sweep gives it up (TaggedCache.ipp): the target age, shrunk in
// proportion when the map has outgrown its target, but then never under a second.
func effectiveAge(mapSize, target int, age time.Duration) time.Duration {
	if target == 0 || mapSize <= target {
		return age
	}
	return max(time.Duration(int64(age)/int64(mapSize)*int64(target))+
		time.Duration(int64(age)%int64(mapSize)*int64(target)/int64(mapSize)), ageMin)
}

// victim is a strong entry found old: the reference now belongs to the sweep.
type victim[K comparable, V Counted] struct {
	k K
	v V
}

// Sweep gives up old entries exactly as rippled does: a sole owner's entry is erased, an entry whose value others
// hold becomes weak, dead weak entries are erased. Victims are collected under their partition's lock only, a chunk
// at a time, and dropped outside of it. Sweeps must not overlap.
func (c *Tagged[K, V]) Sweep(now time.Time) SweepStats {
	start := c.now()
	s := SweepStats{
		Name: c.opts.Name, SizeBefore: int(c.size.Load()), StrongBefore: int(c.strong.Load()),
		TargetSize: int(c.target.Load()), TargetAge: time.Duration(c.targetAge.Load()), Partitions: len(c.parts),
	}
	s.EffectiveAge = effectiveAge(s.SizeBefore, s.TargetSize, s.TargetAge)
	cutoff := int64(now.Sub(c.epoch) - s.EffectiveAge)
	if c.expireAll.Load() {
		s.EffectiveAge = 0
		cutoff = int64(1)<<62 - 1
	}
	if c.opts.Lock == LockSingle {
		c.sweepSingle(cutoff, &s)
	} else {
		for _, p := range c.parts {
			c.sweepPartition(p, cutoff, &s)
		}
	}
	s.SizeAfter, s.StrongAfter = int(c.size.Load()), int(c.strong.Load())
	s.Duration = c.now().Sub(start)
	return s
}

// sweepPartition visits p in chunks. Invariant: the map is read and written under p's lock only, the iteration step
// included, so stopping between chunks is the same as changing the map inside the loop, which Go defines.
func (c *Tagged[K, V]) sweepPartition(p *partition[K, entry[V]], cutoff int64, s *SweepStats) {
	h := hold{mu: p.mu, now: p.now, gauge: p.gauge}
	victims := make([]victim[K, V], 0, p.chunk)
	h.lock()
	n, gen := 0, p.gen
	for k, e := range p.m {
		victims = c.visitLocked(p, k, e, cutoff, victims, s)
		if n++; n == p.chunk {
			n = 0
			h.unlock()
			dead := c.drop(victims, s)
			victims = victims[:0]
			h.lock()
			c.eraseLockedAll(p, dead, s)
			if p.gen != gen { // cleared meanwhile
				break
			}
		}
	}
	h.unlock()
	if dead := c.drop(victims, s); len(dead) > 0 {
		h.lock()
		c.eraseLockedAll(p, dead, s)
		h.unlock()
	}
	s.addHold(&h)
}

// sweepSingle holds the one lock over all partitions, one goroutine each, as rippled does; drops follow after it is
// let go.
func (c *Tagged[K, V]) sweepSingle(cutoff int64, s *SweepStats) {
	p0 := c.parts[0]
	h := hold{mu: p0.mu, now: p0.now, gauge: p0.gauge}
	victims := make([][]victim[K, V], len(c.parts))
	stats := make([]SweepStats, len(c.parts))
	h.lock()
	var wg sync.WaitGroup
	for i, p := range c.parts {
		wg.Go(func() {
			for k, e := range p.m {
				victims[i] = c.visitLocked(p, k, e, cutoff, victims[i], &stats[i])
			}
		})
	}
	wg.Wait()
	h.unlock()
	for i, p := range c.parts {
		s.add(&stats[i])
		if dead := c.drop(victims[i], s); len(dead) > 0 {
			h.lock()
			c.eraseLockedAll(p, dead, s)
			h.unlock()
		}
	}
	s.addHold(&h)
}

// visitLocked judges one entry; p's lock must be held. An old strong entry turns weak and its reference moves to the
// victims.
func (c *Tagged[K, V]) visitLocked(p *partition[K, entry[V]], k K, e entry[V], cutoff int64, victims []victim[K, V], s *SweepStats) []victim[K, V] {
	if !e.strong() {
		if !e.v.Alive() {
			s.WeakDead++
			s.MapRemovals++
			c.eraseLocked(p, k, e)
		}
		return victims
	}
	if e.lastAccess() > cutoff {
		return victims
	}
	s.CacheRemovals++
	e.weaken()
	p.m[k] = e
	c.strong.Add(-1)
	return append(victims, victim[K, V]{k, e.v})
}

// drop gives up the victims' references, outside every lock, and returns the victims that died of it, in place.
func (c *Tagged[K, V]) drop(victims []victim[K, V], s *SweepStats) []victim[K, V] {
	dead := victims[:0]
	for _, x := range victims {
		if x.v.DropIfSole() {
			s.Dropped++
			dead = append(dead, x)
			continue
		}
		s.Demoted++
		x.v.Release()
	}
	return dead
}

// eraseLockedAll erases the weak entries of values that died in drop; p's lock must be held. An entry that was
// replaced meanwhile is left alone.
func (c *Tagged[K, V]) eraseLockedAll(p *partition[K, entry[V]], dead []victim[K, V], s *SweepStats) {
	for _, x := range dead {
		if e, ok := p.m[x.k]; ok && e.v == x.v && !e.strong() {
			s.MapRemovals++
			c.eraseLocked(p, x.k, e)
		}
	}
}

func (s *SweepStats) add(o *SweepStats) {
	s.CacheRemovals += o.CacheRemovals
	s.MapRemovals += o.MapRemovals
	s.Demoted += o.Demoted
	s.Dropped += o.Dropped
	s.WeakDead += o.WeakDead
}

func (s *SweepStats) addHold(h *hold) {
	s.LockHolds += h.n
	s.LockHoldTotal += h.total
	s.LockHoldMax = max(s.LockHoldMax, h.max)
}
