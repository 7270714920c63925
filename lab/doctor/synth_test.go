package doctor

import (
	"math"
	"math/rand/v2"
)

// patient is a node whose memory is made up: saw-teeth of sweeps, collections and
// rotations with jitter, noise that remembers, and one planted cause.
type patient struct {
	rng      *rand.Rand
	seconds  int
	from     int // the watch begins so many seconds after the node started
	rotation float64
	sweep    float64
	// bytes a second into a line, from the start of the node
	leak map[string]float64
	// fill gives the entries of the tree cache at an age; nil means full and at rest
	fill      func(age float64) float64
	target    float64
	index     float64 // entries a second into the ledger index, 128 bytes each
	pageCache float64 // bytes a second
	staircase float64 // bytes a second on average that the allocator keeps, in steps
	trims     bool    // after each sweep
	trimGives float64 // share of what is kept that the probing trim gives back
}

const entryBytes = 400.0

func newPatient(seed uint64) *patient {
	rng := rand.New(rand.NewPCG(seed, 0xd0c))
	return &patient{
		rng: rng, seconds: 600, from: 1800, rotation: 28 + 8*rng.Float64(), sweep: 3 + rng.Float64(), leak: map[string]float64{},
		target: 524288, trimGives: 0.9, trims: seed%2 == 1,
	}
}

// wander is noise in which neighbours resemble one another.
type wander struct{ v, keep, size float64 }

func (w *wander) step(rng *rand.Rand) float64 {
	w.v = w.keep*w.v + math.Sqrt(1-w.keep*w.keep)*rng.NormFloat64()*w.size
	return w.v
}

// watch runs the node second by second. Sheets are made every fifth second, the
// lines of Go and of tags each second.
func (p *patient) watch() Watch {
	w := Watch{Who: "n0", Lines: map[string]Series{}, Allocator: "glibc"}
	tree := Cache{Name: "tree", Target: p.target, AgeSeconds: 60, EntryBytes: entryBytes, Feeds: []string{"c_live_leaf", "c_live_inner", "go_live"}}
	index := Cache{Name: "ledger_index", EntryBytes: 128, Feeds: []string{"go_live"}}
	capacity, idle, misc, block := wander{keep: 0.98, size: 2 * mib}, wander{keep: 0.8, size: 4 * mib}, wander{keep: 0.5, size: 0.15 * mib}, wander{keep: 0.9, size: 0.4 * mib}
	entries := wander{keep: 0.7, size: 1500}
	sinceGC, gcEvery, garbage, step := 0.0, 3.0, 0.0, 0.0
	nextRotation, nextSweep := p.rotation*p.rng.Float64(), p.sweep
	bump, kept, pinned := 0.0, 0.0, 0.0
	for sec := range p.seconds {
		t, age := float64(sec), float64(sec+p.from)
		if t >= nextRotation {
			w.Rotations = append(w.Rotations, t)
			nextRotation += p.rotation * (0.9 + 0.2*p.rng.Float64())
			bump = 50 * mib * (0.8 + 0.4*p.rng.Float64())
			if p.staircase > 0 {
				step += p.staircase * p.rotation * (0.5 + p.rng.Float64())
			}
		}
		if t >= nextSweep {
			w.Sweeps = append(w.Sweeps, t)
			nextSweep += p.sweep
			bump *= 0.3
			pinned = 12 * mib * (0.8 + 0.4*p.rng.Float64())
		}
		sinceGC++
		garbage += 8 * mib * (0.8 + 0.4*p.rng.Float64())
		if sinceGC >= gcEvery {
			w.Collections = append(w.Collections, t)
			sinceGC, gcEvery, garbage = 0, 3+math.Round(2*p.rng.Float64()), 3*mib*p.rng.Float64()
		}
		count := 200000.0
		if p.fill != nil {
			count = p.fill(age)
		}
		count += entries.step(p.rng) + bump/entryBytes
		live := count * entryBytes
		// The arenas hold what the largest bump needed; a trim after the sweep leaves
		// what lies between live bytes.
		room := 190*mib + capacity.step(p.rng)
		kept = max(8*mib, room-bump*0.9)
		if p.trims {
			kept = max(kept*0.1, min(kept, pinned))
			pinned = min(pinned+4*mib*p.rng.Float64(), 60*mib)
		}
		lines := map[string]float64{
			"go_live":      45*mib + count*100 + garbage + p.leak["go_live"]*age + p.index*128*age,
			"c_live_leaf":  live*0.7 + p.leak["c_live_leaf"]*age,
			"c_live_inner": live * 0.3,
			"c_live_queue": 0.2 * mib * p.rng.Float64(),
		}
		total := 0.0
		for _, v := range lines {
			total += v
		}
		full := map[string]float64{
			"go_idle": 25*mib + idle.step(p.rng) - garbage/2, "go_unused": 6*mib + 0.5*mib*p.rng.Float64(), "go_stacks": 3 * mib,
			"go_metadata": 8 * mib, "c_live_other_c": 6*mib + misc.step(p.rng) + p.leak["c_live_other_c"]*age,
			"c_live_pebble_cache": 60*mib + block.step(p.rng), "c_retained": max(0, kept+step), "files": 28*mib + p.leak["files"]*age,
			"thread_stacks": mib, "unexplained": 1.5*mib + 0.3*misc.step(p.rng) + p.leak["unexplained"]*age,
			"c_lazy_free": p.leak["c_lazy_free"] * age,
		}
		for _, v := range full {
			total += v
		}
		w.RSS.Add(t, total)
		for k, v := range lines {
			s := w.Lines[k]
			s.Add(t, v)
			w.Lines[k] = s
		}
		if sec%5 == 0 {
			for k, v := range full {
				s := w.Lines[k]
				s.Add(t, v)
				w.Lines[k] = s
			}
			c := lines["c_live_leaf"] + lines["c_live_inner"] + lines["c_live_queue"]
			w.CHeap.Add(t, c+full["c_live_other_c"]+full["c_live_pebble_cache"]+full["c_retained"])
			w.GoHeap.Add(t, lines["go_live"]+full["go_idle"]+full["go_unused"])
		}
		tree.Entries.Add(t, count*1.1)
		tree.Strong.Add(t, count)
		index.Entries.Add(t, 256+p.index*age)
		w.PageCache.Add(t, 900*mib+30*mib*p.rng.Float64()+p.pageCache*age)
	}
	w.Caches = []Cache{tree, index}
	keptNow := w.Lines["c_retained"].Last()
	w.Trim = &Trim{Before: w.RSS.Last(), After: w.RSS.Last() - keptNow*p.trimGives, Supported: true}
	return w
}

// kernelOnly leaves what /proc tells of any process.
func kernelOnly(w Watch) Watch {
	out := Watch{Who: "pid 7", RSS: w.RSS, PageCache: w.PageCache}
	files := w.Lines["files"]
	at := 0
	for i, t := range w.RSS.T {
		for at+1 < files.Len() && files.T[at+1] <= t {
			at++
		}
		out.File.Add(t, files.Y[at])
		out.Anon.Add(t, w.RSS.Y[i]-files.Y[at])
		out.Shmem.Add(t, 0)
	}
	return out
}
