package shamap

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"ledgerlab/shamap/payload"
)

// benchLayouts are the layouts that benchmarks compare.
func benchLayouts(b *testing.B, fn func(b *testing.B, env *Env)) {
	for _, name := range []string{"c", "c-sparse", "go"} {
		l, ok := layouts()[name]
		if !ok {
			continue
		}
		l.kernel = "auto"
		b.Run(name, func(b *testing.B) { fn(b, newEnv(b, l)) })
	}
}

const smallState = 100_000

// BenchmarkInsert adds one leaf after another to a state of 100,000 and
// computes the root once for each 10,000.
func BenchmarkInsert(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		m := buildState(b, env, smallState)
		data := make([]byte, benchData)
		i := smallState
		b.ReportAllocs()
		for b.Loop() {
			if err := m.Put(numKey(i), fill(data, i, 0)); err != nil {
				b.Fatal(err)
			}
			if i++; i%benchBatch == 0 {
				mustHash(b, m)
			}
		}
		m.Release()
	})
}

// BenchmarkInsertBatch adds 10,000 leaves to a state of 100,000 in one batch,
// hashes included; the figures are for one leaf.
func BenchmarkInsertBatch(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		base := buildState(b, env, smallState)
		ch := make([]Change, benchBatch)
		for i := range ch {
			ch[i] = Change{Key: numKey(smallState + i), Data: fill(make([]byte, benchData), i, 0)}
		}
		ch = sorted(ch)
		perLeaf(b, func() func() {
			m := base.Snapshot(true)
			if err := m.Apply(ch); err != nil {
				b.Fatal(err)
			}
			return m.Release
		})
		base.Release()
	})
}

// perLeaf runs batches of benchBatch and reports the CPU and the allocations
// of one leaf, without what the returned func does afterwards.
func perLeaf(b *testing.B, batch func() (after func())) {
	var used time.Duration
	var allocs uint64
	var before, after runtime.MemStats
	n := 0
	for b.Loop() {
		runtime.ReadMemStats(&before)
		t := cpu()
		done := batch()
		used += cpu() - t
		runtime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		n += benchBatch
		done()
	}
	b.ReportMetric(float64(used)/float64(n), "cpu-ns/leaf")
	b.ReportMetric(float64(allocs)/float64(n), "allocs/leaf")
}

func BenchmarkUpdateLeaf(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		m := buildState(b, env, smallState)
		rng := rand.New(rand.NewPCG(2, 2))
		ch := randomBatch(rng, smallState, benchBatch, 1)
		perLeaf(b, func() func() {
			for i := range ch {
				ch[i].Data[20]++
			}
			old := m
			m = old.Snapshot(true)
			if err := m.Apply(ch); err != nil {
				b.Fatal(err)
			}
			return old.Release
		})
		m.Release()
	})
}

func BenchmarkGet(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		m := buildState(b, env, smallState)
		keys := make([][32]byte, 1024)
		for i := range keys {
			keys[i] = numKey(i * 97 % smallState)
		}
		buf := make([]byte, 0, 256)
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			if _, found, err := m.Get(keys[i%len(keys)], buf); !found || err != nil {
				b.Fatal("not found", err)
			}
			i++
		}
		m.Release()
	})
}

// BenchmarkSnapshotRelease takes a mutable snapshot, changes one leaf, and
// releases it.
func BenchmarkSnapshotRelease(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		m := buildState(b, env, smallState)
		data := make([]byte, benchData)
		b.Run("untouched", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Snapshot(true).Release()
			}
		})
		b.Run("one-leaf", func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s := m.Snapshot(true)
				if err := s.Put(numKey(i%smallState), fill(data, i, 9)); err != nil {
					b.Fatal(err)
				}
				mustHash(b, s)
				s.Release()
				i++
			}
		})
		m.Release()
	})
}

// BenchmarkDiff compares a state of 100,000 with its successor in which 1,000
// leaves differ.
func BenchmarkDiff(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		m := buildState(b, env, smallState)
		next := m.Snapshot(true)
		if err := next.Apply(randomBatch(rand.New(rand.NewPCG(3, 3)), smallState, 1000, 1)); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			if _, err := Diff(m, next, 0, func([32]byte, []byte, []byte) bool { n++; return true }); n != 1000 || err != nil {
				b.Fatal(n, err)
			}
		}
		next.Release()
		m.Release()
	})
}

// BenchmarkBytes reports what a leaf and an inner node take: Go header, bytes
// asked for, bytes the allocator gave.
func BenchmarkBytes(b *testing.B) {
	benchLayouts(b, func(b *testing.B, env *Env) {
		m := buildState(b, env, smallState)
		var header [2]int64
		if _, err := m.eachNode(m.root, 0, func(n *Node) bool {
			if n.isLeaf() {
				header[payload.TagLeaf] += int64(n.HeaderLen())
			} else {
				header[payload.TagInner] += int64(n.HeaderLen())
			}
			return true
		}); err != nil {
			b.Fatal(err)
		}
		s := env.Heap.Stats()
		for b.Loop() {
			continue
		}
		for t, name := range map[payload.Tag]string{payload.TagLeaf: "leaf", payload.TagInner: "inner"} {
			n := float64(s.ByTag[t].Live)
			b.ReportMetric(float64(header[t])/n, name+"-header-B")
			b.ReportMetric(float64(s.ByTag[t].LiveBytes)/n, name+"-asked-B")
			b.ReportMetric(float64(s.ByTag[t].UsableBytes)/n, name+"-usable-B")
		}
		b.ReportMetric(0, "ns/op")
		m.Release()
	})
}

// BenchmarkBuild builds a state of 100,000 in batches of 10,000 with hashing,
// updates it ten times, releases it, and lets the collector run, once with
// payload in C and once in Go, in turns. x-go is the CPU of C as a multiple of
// the CPU of Go, the collector's included.
func BenchmarkBuild(b *testing.B) {
	if payload.Default().Kind != "c" {
		b.Skip("no C memory in this build")
	}
	for _, sparse := range []bool{false, true} {
		name := map[bool]string{false: "dense", true: "sparse"}[sparse]
		b.Run(name, func(b *testing.B) { benchBuild(b, sparse) })
	}
}

func benchBuild(b *testing.B, sparse bool) {
	c, g := newEnv(b, layout{"c", sparse, "auto"}), newEnv(b, layout{"go", sparse, "auto"})
	var batches [][]Change
	rng := rand.New(rand.NewPCG(4, 4))
	for v := range 10 {
		batches = append(batches, randomBatch(rng, smallState, benchBatch, uint64(v)+1))
	}
	run := func(env *Env) time.Duration {
		runtime.GC()
		t := cpu()
		m := buildState(b, env, smallState)
		for _, ch := range batches {
			old := m
			m = old.Snapshot(true)
			if err := m.Apply(ch); err != nil {
				b.Fatal(err)
			}
			old.Release()
		}
		m.Release()
		runtime.GC()
		return cpu() - t
	}
	var inC, inGo time.Duration
	for b.Loop() {
		inGo += run(g)
		inC += run(c)
	}
	b.ReportMetric(float64(inC)/float64(inGo), "x-go")
	b.ReportMetric(float64(inC.Milliseconds())/float64(b.N), "c-cpu-ms/op")
	b.ReportMetric(float64(inGo.Milliseconds())/float64(b.N), "go-cpu-ms/op")
	b.ReportMetric(0, "ns/op")
}
