package shamap

import (
	"crypto/sha512"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"ledgerlab/shamap/payload"
)

// cpu is the CPU time of the process, all threads, collector included.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchLeaves is the size of the state; LEDGERLAB_BENCH_LEAVES changes it.
func benchLeaves() int {
	if n, err := strconv.Atoi(os.Getenv("LEDGERLAB_BENCH_LEAVES")); err == nil {
		return n
	}
	return 1_000_000
}

const (
	benchBatch = 10_000
	benchData  = 130 // an account entry; its leaf has 166 bytes
)

// fill makes the data of leaf i in version v.
func fill(buf []byte, i int, v uint64) []byte {
	binary.BigEndian.PutUint64(buf, uint64(i))
	binary.BigEndian.PutUint64(buf[8:], v)
	return buf
}

func buildState(b *testing.B, env *Env, leaves int) *Map {
	b.Helper()
	m := New(env, KindState)
	data := make([]byte, benchData*benchBatch)
	ch := make([]Change, 0, benchBatch)
	for i := range leaves {
		d := data[len(ch)*benchData:][:benchData]
		ch = append(ch, Change{Key: numKey(i), Data: fill(d, i, 0)})
		if len(ch) == benchBatch || i == leaves-1 {
			if err := m.Apply(ch); err != nil {
				b.Fatal(err)
			}
			ch = ch[:0]
		}
	}
	return m
}

// randomBatch draws distinct existing keys, sorted.
func randomBatch(rng *rand.Rand, leaves, n int, v uint64) []Change {
	seen := map[int]bool{}
	ch := make([]Change, 0, n)
	data := make([]byte, n*benchData)
	for len(ch) < n {
		i := rng.IntN(leaves)
		if !seen[i] {
			seen[i] = true
			ch = append(ch, Change{Key: numKey(i), Data: fill(data[len(ch)*benchData:][:benchData], i, v)})
		}
	}
	return sorted(ch)
}

// floor is the CPU of Go's own SHA-512 calls for so many nodes, on hot memory.
func floor(inners, leaves int) time.Duration {
	var inner [denseBytes]byte
	var leaf [4 + benchData + 32]byte
	var sink byte
	t := cpu()
	for i := range inners {
		inner[5] = byte(i)
		s := sha512.Sum512(inner[:])
		sink ^= s[0]
	}
	for i := range leaves {
		leaf[5] = byte(i)
		s := sha512.Sum512(leaf[:])
		sink ^= s[0]
	}
	d := cpu() - t
	if sink == 1 {
		d++
	}
	return d
}

// quiet runs fn with a clean heap and the collector off.
func quiet(fn func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	t := cpu()
	fn()
	return cpu() - t
}

func innersLive(env *Env) int64 { return env.Heap.Stats().ByTag[payload.TagInner].Live }

// BenchmarkUpdate replaces 10,000 of 1,000,000 leaves and computes the new
// root, then releases the old version. x-floor is the CPU of the update as a
// multiple of the CPU of Go's SHA-512 calls for the same nodes, measured in the
// same round, x-release that of the release: medians over the rounds, and the
// best ones.
func BenchmarkUpdate(b *testing.B) {
	for _, v := range []struct {
		name string
		l    layout
	}{
		{"c-lanes", layout{"c", false, "auto"}},
		{"c-sparse-lanes", layout{"c", true, "auto"}},
		{"c-avx2", layout{"c", false, "avx2"}},
		{"c-sparse-avx2", layout{"c", true, "avx2"}},
		{"c-fallback", layout{"c", false, "go"}},
		{"c-sparse-fallback", layout{"c", true, "go"}},
		{"go-lanes", layout{"go", false, "auto"}},
	} {
		b.Run(v.name, func(b *testing.B) {
			if v.l.heap == "c" && payload.Default().Kind != "c" {
				b.Skip("no C memory in this build")
			}
			if !slices.Contains(payload.Kernels(), v.l.kernel) {
				b.Skip("no such kernel on this processor")
			}
			benchUpdate(b, newEnv(b, v.l))
		})
	}
}

func benchUpdate(b *testing.B, env *Env) {
	leaves := benchLeaves()
	m := buildState(b, env, leaves)
	rng := rand.New(rand.NewPCG(1, 1))
	var update, release, base []time.Duration
	var inners int64
	rounds := 0
	step := func(count bool) {
		ch := randomBatch(rng, leaves, benchBatch, uint64(rounds)+1)
		old := m
		before := innersLive(env)
		u := quiet(func() {
			m = old.Snapshot(true)
			if err := m.Apply(ch); err != nil {
				b.Fatal(err)
			}
		})
		n := innersLive(env) - before
		r := quiet(old.Release)
		if !count {
			return
		}
		rounds++
		inners += n
		f := quiet(func() { floor(int(n), benchBatch) })
		update, release, base = append(update, u), append(release, r), append(base, f)
	}
	for range 3 {
		step(false) // not all rounds of a fresh tree are like the later ones
	}
	for b.Loop() {
		step(true)
	}
	slices.Sort(update)
	slices.Sort(release)
	slices.Sort(base)
	for name, at := range map[string]int{"": rounds / 2, "-best": 0} {
		u, r, f := float64(update[at]), float64(release[at]), float64(base[at])
		b.ReportMetric(u/f, "x-floor"+name)
		b.ReportMetric(r/f, "x-release"+name)
		if name == "" {
			b.ReportMetric(u/1e6, "update-cpu-ms/op")
			b.ReportMetric(r/1e6, "release-cpu-ms/op")
			b.ReportMetric(f/1e6, "floor-cpu-ms/op")
		}
	}
	b.ReportMetric(float64(inners)/float64(rounds), "inners/op")
	b.ReportMetric(0, "ns/op")
	m.Release()
}
