package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
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

// BenchmarkSweep sweeps two million entries, half of which go, while readers measure their own waits.
func BenchmarkSweep(b *testing.B) {
	const entries = 2_000_000
	for _, lock := range []LockMode{LockPartition, LockSingle} {
		for _, readers := range []int{0, 8} {
			b.Run(fmt.Sprintf("lock=%s/readers=%d", lock, readers), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					c := fill(entries, Options{Name: "bench", Lock: lock, TargetAge: time.Hour}, false)
					for i := 0; i < entries; i += 2 {
						p := c.part(key32(i))
						e := p.m[key32(i)]
						e.strengthen(-int64(2 * time.Hour))
						p.m[key32(i)] = e
					}
					stop := make(chan struct{})
					var wg sync.WaitGroup
					var worst atomic.Int64
					for r := range readers {
						wg.Go(func() { read(c, r, entries, stop, &worst) })
					}
					b.StartTimer()
					s := c.Sweep(time.Now())
					b.StopTimer()
					close(stop)
					wg.Wait()
					if s.Dropped != entries/2 {
						b.Fatalf("%+v", s)
					}
					b.ReportMetric(float64(s.LockHoldMax.Microseconds()), "max-hold-us")
					b.ReportMetric(float64(worst.Load())/1e3, "max-reader-us")
					b.ReportMetric(float64(s.LockHoldTotal.Milliseconds()), "held-ms")
					b.StartTimer()
				}
			})
		}
	}
}

func read(c *Tagged[[32]byte, *value], r, entries int, stop chan struct{}, worst *atomic.Int64) {
	for i := 2*r + 1; ; i += 2 * 7919 { // the odd ones, which stay
		select {
		case <-stop:
			return
		default:
		}
		k := key32(i % entries)
		t := time.Now()
		v, ok := c.Fetch(k)
		storeMax(worst, int64(time.Since(t)))
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
