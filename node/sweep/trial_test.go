package sweep

import (
	"sync/atomic"
	"testing"
	"time"

	"ledgerlab/cache"
)

// counted is a value that nobody but a cache holds.
type counted struct{ refs atomic.Int64 }

func (c *counted) Acquire() bool    { return c.refs.Add(1) > 1 }
func (c *counted) Release()         { c.refs.Add(-1) }
func (c *counted) DropIfSole() bool { return c.refs.CompareAndSwap(1, 0) }
func (c *counted) Alive() bool      { return c.refs.Load() > 0 }

// TestTrialM01: where the trim is called, after the last cache, no cache is locked: the hook uses every one of them,
// under one lock for all and under one a partition, and would wait for ever otherwise.
func TestTrialM01(t *testing.T) {
	for _, lock := range []cache.LockMode{cache.LockPartition, cache.LockSingle} {
		values := cache.NewTagged[int, *counted](cache.Options{Name: "values", Lock: lock, ExpireAll: true},
			func(k int) uint64 { return uint64(k) }, time.Now)
		keys := cache.NewKeys[int](cache.Options{Name: "keys", Lock: lock, ExpireAll: true},
			func(k int) uint64 { return uint64(k) }, time.Now)
		fill := func() {
			for k := range 100 {
				v := new(counted)
				v.refs.Store(1)
				v, _ = values.Canonicalize(k, v, cache.ReplaceClient)
				v.Release()
				keys.Insert(k)
			}
		}
		fill()
		running, hooks := 0, 0
		s, _, stop := start(t, func(o *Options, log *journal) {
			o.Interval = 0
			o.Sweepables = []cache.Sweepable{keys, values}
			o.AfterSweep = func(string) {
				if running++; running > 1 {
					t.Error("a trim overlaps another")
				}
				if n := values.Stats().Size + keys.Stats().Size; n != 0 {
					t.Errorf("%d entries left before the trim: not after the last cache", n)
				}
				fill()
				hooks++
				running--
			}
		})
		const sweeps = 10
		for range sweeps {
			i, err := s.Sweep(t.Context(), "trial")
			if err != nil {
				t.Fatal(err)
			}
			if i.Own() < 0 || i.Own() > i.Duration {
				t.Errorf("%+v", i)
			}
		}
		stop()
		if hooks != sweeps {
			t.Errorf("%d trims of %d sweeps", hooks, sweeps)
		}
	}
}
