package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Counted is what a cached value must be: a pointer that counts its references.
type Counted interface {
	comparable
	// Acquire takes a reference; false when the value has already died.
	Acquire() bool
	// Release gives a reference back.
	Release()
	// DropIfSole gives the caller's reference back only if it is the last one, in one compare-and-swap, and reports
	// whether it did. When it did the value is dead.
	DropIfSole() bool
	// Alive reports whether Acquire could still succeed.
	Alive() bool
}

// Mode says who wins when Canonicalize meets a value that is already there.
type Mode uint8

const (
	// ReplaceClient hands the cached value to the caller (canonicalize_replace_client).
	ReplaceClient Mode = iota
	// ReplaceCache stores the caller's value in place of the cached one (canonicalize_replace_cache).
	ReplaceCache
)

// LockMode says how many locks a cache has.
type LockMode uint8

const (
	// LockPartition gives each partition its own lock, held for at most Options.SweepChunk entries at a time.
	LockPartition LockMode = iota
	// LockSingle has one lock for all partitions, held through a whole sweep and a whole key listing, as in rippled.
	LockSingle
)

// String is the value of the flag cache.lock.
func (m LockMode) String() string {
	if m == LockSingle {
		return "single"
	}
	return "partition"
}

// ParseLockMode reads a value of the flag cache.lock.
func ParseLockMode(s string) (LockMode, error) {
	switch s {
	case "partition":
		return LockPartition, nil
	case "single":
		return LockSingle, nil
	}
	return 0, fmt.Errorf("cache lock %q: want partition or single", s)
}

// Policy says which entries a cache gives up.
type Policy uint8

const (
	// PolicyAged is rippled's: by age at each sweep.
	PolicyAged Policy = iota
	// PolicyLRU keeps the TargetSize most recently used entries and never waits for a sweep.
	PolicyLRU
)

// String is the value of the flag cache.policy.
func (p Policy) String() string {
	if p == PolicyLRU {
		return "lru"
	}
	return "aged"
}

// ParsePolicy reads a value of the flag cache.policy.
func ParsePolicy(s string) (Policy, error) {
	switch s {
	case "aged":
		return PolicyAged, nil
	case "lru":
		return PolicyLRU, nil
	}
	return 0, fmt.Errorf("cache policy %q: want aged or lru", s)
}

// Options are the settings of one cache.
type Options struct {
	// Name appears in statistics and records.
	Name string
	// Partitions is how many maps the entries are spread over; 0 means one a hardware thread, as in rippled.
	Partitions int
	// Lock is per partition or one for all.
	Lock LockMode
	// TargetSize is the number of entries above which ages shrink; 0 means no target. Under PolicyLRU it is the
	// capacity and must not be 0.
	TargetSize int
	// TargetAge is how long an unused entry stays strong.
	TargetAge time.Duration
	// ExpireAll makes every sweep treat every strong entry as old.
	ExpireAll bool
	// SweepChunk is how many entries a sweep or a key listing visits before it lets others in; 0 means 2048. It
	// has no effect under LockSingle.
	SweepChunk int
}

const (
	sweepChunkDefault = 2048
	partitionsMax     = 4096
	ageMin            = time.Second // an oversize cache never shortens ages below this (TaggedCache.ipp)
)

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.Partitions < 0 || o.Partitions > partitionsMax {
		errs = append(errs, fmt.Errorf("cache %s: partitions %d: want 0 to %d", o.Name, o.Partitions, partitionsMax))
	}
	if o.TargetSize < 0 {
		errs = append(errs, fmt.Errorf("cache %s: target size %d is negative", o.Name, o.TargetSize))
	}
	if o.TargetAge < 0 {
		errs = append(errs, fmt.Errorf("cache %s: target age %v is negative", o.Name, o.TargetAge))
	}
	if o.SweepChunk < 0 {
		errs = append(errs, fmt.Errorf("cache %s: sweep chunk %d is negative", o.Name, o.SweepChunk))
	}
	return errors.Join(errs...)
}

func (o Options) withDefaults() Options {
	if o.Partitions <= 0 {
		o.Partitions = runtime.NumCPU()
	}
	o.Partitions = min(o.Partitions, partitionsMax)
	if o.SweepChunk <= 0 {
		o.SweepChunk = sweepChunkDefault
	}
	return o
}

// HashOf32 spreads keys that are themselves uniform hashes: it takes eight of their bytes.
func HashOf32(k [32]byte) uint64 { return binary.LittleEndian.Uint64(k[8:16]) }

// Stats is a snapshot of one cache.
type Stats struct {
	Name       string
	Size       int // entries, strong and weak
	Strong     int // entries that own a reference (rippled's cacheCount)
	Partitions int
	TargetSize int
	TargetAge  time.Duration
	Hits       uint64
	Misses     uint64
	Evicted    uint64 // PolicyLRU: entries pushed out by the capacity
	Waits      uint64 // callers that found a lock taken
	WaitTotal  time.Duration
	WaitMax    time.Duration
	HoldMax    time.Duration // longest lock hold of a sweep, a key listing or a clear
}

// HitRate is 100 * hits / (hits + misses), 0 before the first lookup.
func (s Stats) HitRate() float64 {
	n := s.Hits + s.Misses
	if n == 0 {
		return 0
	}
	return 100 * float64(s.Hits) / float64(n)
}

// SweepStats says what one sweep of one cache did.
type SweepStats struct {
	Name          string
	SizeBefore    int // entries, strong and weak
	SizeAfter     int
	StrongBefore  int
	StrongAfter   int
	TargetSize    int
	TargetAge     time.Duration
	EffectiveAge  time.Duration // TargetAge after shrinking
	CacheRemovals int           // strong entries that were old enough
	MapRemovals   int           // entries erased: sole owners and dead weak ones
	Demoted       int           // strong entries that became weak because others hold the value
	Dropped       int           // values whose last reference was the cache's
	WeakDead      int           // weak entries whose value had died
	Partitions    int
	LockHolds     int
	LockHoldMax   time.Duration // longest single lock hold
	LockHoldTotal time.Duration
	Duration      time.Duration // whole sweep, drops included
}

// Sweepable is anything the sweep timer visits.
type Sweepable interface {
	Name() string
	Sweep(now time.Time) SweepStats
}

// Cache is what users of a value cache need; Tagged and LRU satisfy it.
type Cache[K comparable, V Counted] interface {
	Sweepable
	// Fetch returns the value under k with one reference for the caller.
	Fetch(k K) (V, bool)
	// Canonicalize stores v under k, or meets the value that is there, as m says. It consumes the caller's
	// reference on v and returns the value that won with one reference for the caller, and whether one was there.
	Canonicalize(k K, v V, m Mode) (V, bool)
	// Delete forgets k and reports whether it was there.
	Delete(k K) bool
	// Keys appends every key to dst.
	Keys(dst []K) []K
	// Clear drops every entry.
	Clear()
	// Stats is a snapshot.
	Stats() Stats
	// TakeHoldMax is the longest hold of a lock by a sweep, a key listing or a clear since it was last asked.
	TakeHoldMax() time.Duration
	// SetTarget changes size and age from the next sweep on; zero size means no target.
	SetTarget(size int, age time.Duration)
	// SetExpireAll switches Options.ExpireAll from the next sweep on.
	SetExpireAll(on bool)
}
