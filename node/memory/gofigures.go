package memory

import "runtime/metrics"

// goFigures are the Go runtime's own accounts, bytes.
type goFigures struct {
	objects, unused, free, released, stacks, meta int64
}

// goMetrics are read at once; the index is the order in readGo.
var goMetrics = [...]string{
	"/memory/classes/heap/objects:bytes",
	"/memory/classes/heap/unused:bytes",
	"/memory/classes/heap/free:bytes",
	"/memory/classes/heap/released:bytes",
	"/memory/classes/heap/stacks:bytes",
	"/memory/classes/metadata/mcache/inuse:bytes",
	"/memory/classes/metadata/mcache/free:bytes",
	"/memory/classes/metadata/mspan/inuse:bytes",
	"/memory/classes/metadata/mspan/free:bytes",
	"/memory/classes/metadata/other:bytes",
	"/memory/classes/os-stacks:bytes",
	"/memory/classes/other:bytes",
	"/memory/classes/profiling/buckets:bytes",
}

func readGo() goFigures {
	samples := make([]metrics.Sample, len(goMetrics))
	for i, name := range goMetrics {
		samples[i].Name = name
	}
	metrics.Read(samples)
	v := make([]int64, len(samples))
	for i := range samples {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			v[i] = int64(samples[i].Value.Uint64())
		}
	}
	g := goFigures{objects: v[0], unused: v[1], free: v[2], released: v[3], stacks: v[4]}
	for _, n := range v[5:] {
		g.meta += n
	}
	return g
}

// mean of two readings around a slow measurement.
func (g goFigures) mean(o goFigures) goFigures {
	return goFigures{
		objects: (g.objects + o.objects) / 2, unused: (g.unused + o.unused) / 2, free: (g.free + o.free) / 2,
		released: (g.released + o.released) / 2, stacks: (g.stacks + o.stacks) / 2, meta: (g.meta + o.meta) / 2,
	}
}

// moved is how much the accounts changed from one reading to the next.
func (g goFigures) moved(o goFigures) int64 {
	abs := func(n int64) int64 { return max(n, -n) }
	return abs(g.objects+g.unused+g.free+g.stacks-o.objects-o.unused-o.free-o.stacks) + abs(g.released-o.released)
}

// GoCycles is what the collector did since the start.
type GoCycles struct {
	Cycles uint64
	CPU    float64 // seconds of all threads, an estimate of the runtime as of its last cycle
}

// ReadGoCycles reads the collector's counters; cheap.
func ReadGoCycles() GoCycles {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(s)
	var c GoCycles
	if s[0].Value.Kind() == metrics.KindUint64 {
		c.Cycles = s[0].Value.Uint64()
	}
	if s[1].Value.Kind() == metrics.KindFloat64 {
		c.CPU = s[1].Value.Float64()
	}
	return c
}

// GoHeap is what the Go runtime says of its heap; cheap.
type GoHeap struct {
	Live     int64 // objects
	Unused   int64 // free slots in spans in use
	Idle     int64 // free spans, not released
	Released int64
	Stacks   int64
	Metadata int64
}

// ReadGoHeap reads the runtime's accounts.
func ReadGoHeap() GoHeap {
	g := readGo()
	return GoHeap{Live: g.objects, Unused: g.unused, Idle: g.free, Released: g.released, Stacks: g.stacks, Metadata: g.meta}
}
