package jobs

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Place measures one waiting place of the node. All methods are safe for concurrent use and cost a few atomic adds.
// Fields that a place does not have stay zero.
type Place struct {
	Arrivals atomic.Uint64 // items that came
	Refused  atomic.Uint64 // items that the bound refused
	Queue    Dist          // from arrival to start
	LockWait Dist          // from asking for the locks to having them
	LockHold Dist          // from having the locks to giving them back
	Work     Dist          // the work itself
}

// PlaceStats is a snapshot of a Place.
type PlaceStats struct {
	Arrivals, Refused               uint64
	Queue, LockWait, LockHold, Work DistStats
}

// Snapshot reads all counters; they may differ from one another by what arrives meanwhile.
func (p *Place) Snapshot() PlaceStats {
	return PlaceStats{
		Arrivals: p.Arrivals.Load(), Refused: p.Refused.Load(),
		Queue: p.Queue.Snapshot(), LockWait: p.LockWait.Snapshot(), LockHold: p.LockHold.Snapshot(), Work: p.Work.Snapshot(),
	}
}

// distBuckets powers of two of microseconds: bucket 0 is under 1 us, the last is 2^30 us (18 minutes) and more.
const distBuckets = 32

// Dist is a distribution of durations in buckets of powers of two.
type Dist struct {
	count, sum, max atomic.Uint64 // sum and max in ns
	buckets         [distBuckets]atomic.Uint64
}

// DistStats is a snapshot of a Dist. Buckets[i] counts durations under 2^i microseconds and not under 2^(i-1).
type DistStats struct {
	Count   uint64
	Sum     time.Duration
	Max     time.Duration
	Buckets [distBuckets]uint64
}

// Add records one duration; a negative one counts as zero.
func (d *Dist) Add(v time.Duration) {
	ns := uint64(max(v, 0))
	d.count.Add(1)
	d.sum.Add(ns)
	d.buckets[min(bits.Len64(ns/1000), distBuckets-1)].Add(1)
	for {
		m := d.max.Load()
		if ns <= m || d.max.CompareAndSwap(m, ns) {
			return
		}
	}
}

// Snapshot reads the distribution.
func (d *Dist) Snapshot() DistStats {
	s := DistStats{Count: d.count.Load(), Sum: time.Duration(d.sum.Load()), Max: time.Duration(d.max.Load())}
	for i := range s.Buckets {
		s.Buckets[i] = d.buckets[i].Load()
	}
	return s
}

// Mean is zero when nothing was recorded.
func (s DistStats) Mean() time.Duration {
	if s.Count == 0 {
		return 0
	}
	return s.Sum / time.Duration(s.Count)
}

// Quantile is the upper bound of the bucket that holds quantile q, at most Max.
func (s DistStats) Quantile(q float64) time.Duration {
	rank, seen := q*float64(s.Count), uint64(0)
	for i, n := range s.Buckets {
		seen += n
		if n > 0 && float64(seen) >= rank {
			return min(time.Duration(1<<i)*time.Microsecond, s.Max)
		}
	}
	return s.Max
}

// Sub is what was recorded since the earlier snapshot; Max stays that of s.
func (s DistStats) Sub(earlier DistStats) DistStats {
	s.Count -= earlier.Count
	s.Sum -= earlier.Sum
	for i := range s.Buckets {
		s.Buckets[i] -= earlier.Buckets[i]
	}
	return s
}
