package cache

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// value counts its references and panics on misuse.
type value struct {
	id   int
	refs atomic.Int64
}

const deadRefs = -1 << 40

func newValue(id int) *value {
	v := &value{id: id}
	v.refs.Store(1)
	return v
}

func (v *value) Acquire() bool {
	for {
		n := v.refs.Load()
		if n < 0 {
			return false
		}
		if v.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (v *value) Release() {
	for {
		n := v.refs.Load()
		if n < 1 {
			panic("released too often")
		}
		next := n - 1
		if next == 0 {
			next = deadRefs
		}
		if v.refs.CompareAndSwap(n, next) {
			return
		}
	}
}

func (v *value) DropIfSole() bool { return v.refs.CompareAndSwap(1, deadRefs) }
func (v *value) Alive() bool      { return v.refs.Load() > 0 }

type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time      { return time.Unix(0, c.ns.Load()) }
func (c *clock) add(d time.Duration) { c.ns.Add(int64(d)) }

func intHash(k int) uint64 { return uint64(k) * 0x9E3779B97F4A7C15 }

func newTagged(o Options) (*Tagged[int, *value], *clock) {
	c := new(clock)
	if o.Name == "" {
		o.Name = "test"
	}
	return NewTagged[int, *value](o, intHash, c.now), c
}

// put canonicalizes a fresh value and gives up the caller's reference.
func put(c Cache[int, *value], k int) *value {
	v, _ := c.Canonicalize(k, newValue(k), ReplaceClient)
	v.Release()
	return v
}

func has(t *testing.T, c Cache[int, *value], k int) bool {
	t.Helper()
	v, ok := c.Fetch(k)
	if ok {
		v.Release()
	}
	return ok
}

// each runs a test under both lock modes and several partition counts.
func each(t *testing.T, o Options, fn func(t *testing.T, c *Tagged[int, *value], clk *clock)) {
	t.Helper()
	for _, lock := range []LockMode{LockPartition, LockSingle} {
		for _, parts := range []int{1, 3} {
			o.Lock, o.Partitions = lock, parts
			t.Run(lock.String()+string(rune('0'+parts)), func(t *testing.T) {
				c, clk := newTagged(o)
				fn(t, c, clk)
			})
		}
	}
}

func parallel(n int, fn func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}
