package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

func key32(i int) [32]byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(i))
	return sha256.Sum256(b[:])
}

func fill(n int, o Options, held bool) *Tagged[[32]byte, *value] {
	c := NewTagged[[32]byte, *value](o, HashOf32, time.Now)
	for i := range n {
		v, _ := c.Canonicalize(key32(i), newValue(i), ReplaceClient)
		if !held {
			v.Release()
		}
	}
	return c
}

// BenchmarkTrialM05 fills a cache with two million entries and makes of it what a rotation makes: a sweep in which half
// of them go, and a listing of all keys; without readers and with eight that measure each of their own calls. It reports
// the longest lock hold, and of the readers the waits for a lock as the cache counts them and the whole calls, the time
// for which a reader had no processor included.
func BenchmarkTrialM05(b *testing.B) {
	const entries = 2_000_000
	for _, lock := range []LockMode{LockPartition, LockSingle} {
		for _, readers := range []int{0, 8} {
			b.Run(fmt.Sprintf("lock=%s/readers=%d", lock, readers), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					c := fill(entries, Options{Name: "bench", Lock: lock, TargetAge: time.Hour}, false)
					age(c, entries)
					stop := startReaders(c, readers, entries)
					b.StartTimer()
					s := c.Sweep(time.Now())
					keys := c.Keys(nil)
					b.StopTimer()
					calls := stop()
					if s.Dropped != entries/2 || len(keys) != entries/2 {
						b.Fatalf("%d keys, %+v", len(keys), s)
					}
					g := c.Stats()
					b.ReportMetric(float64(s.LockHoldMax.Microseconds()), "sweep-hold-max-us")
					b.ReportMetric(float64(g.HoldMax.Microseconds()), "hold-max-us")
					b.ReportMetric(float64(s.LockHoldTotal.Milliseconds()), "sweep-held-ms")
					if readers > 0 {
						b.ReportMetric(float64(g.WaitMax.Microseconds()), "wait-max-us")
						b.ReportMetric(float64(g.WaitTotal.Microseconds())/float64(max(g.Waits, 1)), "wait-mean-us")
						b.ReportMetric(float64(g.Waits)/float64(len(calls))*100, "waiting-%")
						for _, q := range []float64{0.5, 0.99, 0.999, 1} {
							at := min(int(q*float64(len(calls))), len(calls)-1)
							b.ReportMetric(float64(calls[at].Nanoseconds())/1e3, fmt.Sprintf("call-p%g-us", 100*q))
						}
					}
					b.StartTimer()
				}
			})
		}
	}
}

// age makes every second entry two hours old.
func age(c *Tagged[[32]byte, *value], entries int) {
	for i := 0; i < entries; i += 2 {
		k := key32(i)
		p := c.part(k)
		e := p.m[k]
		e.strengthen(-int64(2 * time.Hour))
		p.m[k] = e
	}
}

// startReaders begins readers; stop ends them and gives the times of their calls, sorted.
func startReaders(c *Tagged[[32]byte, *value], readers, entries int) (stop func() []time.Duration) {
	end := make(chan struct{})
	each := make([][]time.Duration, readers)
	var wg, begun sync.WaitGroup
	begun.Add(readers)
	for r := range readers {
		wg.Go(func() {
			each[r] = make([]time.Duration, 0, 1<<20)
			begun.Done()
			each[r] = read(c, r, entries, end, each[r])
		})
	}
	begun.Wait()
	return func() []time.Duration {
		close(end)
		wg.Wait()
		all := slices.Concat(each...)
		slices.Sort(all)
		return all
	}
}

func read(c *Tagged[[32]byte, *value], r, entries int, stop chan struct{}, times []time.Duration) []time.Duration {
	for i := 2*r + 1; ; i += 2 * 7919 { // the odd ones, which stay
		select {
		case <-stop:
			return times
		default:
		}
		k := key32(i % entries)
		t := time.Now()
		v, ok := c.Fetch(k)
		times = append(times, time.Since(t))
		if ok {
			v.Release()
		}
	}
}

func BenchmarkKeysListing(b *testing.B) {
	c := fill(2_000_000, Options{Name: "bench", TargetAge: time.Hour}, false)
	for b.Loop() {
		if n := len(c.Keys(nil)); n != 2_000_000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(c.Stats().HoldMax.Microseconds()), "max-hold-us")
}

func BenchmarkFetchHit(b *testing.B) {
	const n = 200_000
	c := fill(n, Options{Name: "bench", TargetAge: time.Hour}, false)
	keys := make([][32]byte, n)
	for i := range keys {
		keys[i] = key32(i)
	}
	i := 0
	for b.Loop() {
		v, _ := c.Fetch(keys[i])
		v.Release()
		if i++; i == n {
			i = 0
		}
	}
}

func BenchmarkCanonicalizeNew(b *testing.B) {
	c := NewTagged[[32]byte, *value](Options{Name: "bench", TargetAge: time.Hour}, HashOf32, time.Now)
	var k [32]byte
	i := uint64(0)
	for b.Loop() {
		i++
		binary.LittleEndian.PutUint64(k[:], i*0x9E3779B97F4A7C15)
		binary.LittleEndian.PutUint64(k[8:], i*0xD6E8FEB86659FD93)
		v, _ := c.Canonicalize(k, newValue(0), ReplaceClient)
		v.Release()
	}
}
