package gather

import (
	"slices"
	"strings"
	"time"

	"ledgerlab/lab/doctor"
	"ledgerlab/node/config"
	recordv1 "ledgerlab/proto/record/v1"
)

// book turns what comes from a node into series. Its methods are not safe for
// concurrent use.
type book struct {
	watch  doctor.Watch
	begin  time.Time
	flags  map[string]string
	cheap  map[string]bool // lines that samples carry each second
	cycles uint32
	run    uint64
	last   float64 // time of the last sample
	caches map[string]*doctor.Cache
	live   map[string]float64 // newest live bytes of payloads by tag
}

func newBook(who string, begin time.Time, flags map[string]string) *book {
	return &book{
		watch: doctor.Watch{Who: who, Lines: map[string]doctor.Series{}}, begin: begin, flags: flags,
		cheap: map[string]bool{}, caches: map[string]*doctor.Cache{}, live: map[string]float64{}, last: -1,
	}
}

func (b *book) add(line string, t, v float64) {
	s := b.watch.Lines[line]
	s.Add(t, v)
	b.watch.Lines[line] = s
}

// record takes one record of the node.
func (b *book) record(r *recordv1.Record) {
	t := time.Unix(0, r.GetTimeNs()).Sub(b.begin).Seconds()
	if t < 0 {
		return
	}
	if b.run != 0 && r.GetRun() != b.run {
		b.watch.Restarted = true
	}
	b.run = r.GetRun()
	switch x := r.GetBody().(type) {
	case *recordv1.Record_Sample:
		if t > b.last {
			b.sample(t, x.Sample)
			b.last = t
		}
	case *recordv1.Record_Sheet:
		b.sheet(t, x.Sheet.GetLines(), x.Sheet.GetBeside())
	case *recordv1.Record_Sweep:
		b.watch.Sweeps = append(b.watch.Sweeps, t)
		b.swept(t, x.Sweep)
	case *recordv1.Record_Rotation:
		b.watch.Rotations = append(b.watch.Rotations, t)
	}
}

// sample takes the figures of one second.
func (b *book) sample(t float64, s *recordv1.SampleRecord) {
	w := &b.watch
	w.RSS.Add(t, float64(s.GetRssBytes()))
	if n := s.GetGcCycles(); b.cycles != 0 && n > b.cycles {
		w.Collections = append(w.Collections, t)
	}
	b.cycles = s.GetGcCycles()
	for name, v := range s.GetSheet() {
		if s.GetFull() || !everySecond(name) {
			continue
		}
		b.eachSecond(name, t, float64(v))
	}
	if v, ok := s.GetGauges()["go_live_bytes"]; ok && len(s.GetSheet()) == 0 {
		b.eachSecond("go_live", t, v)
	}
	if v, ok := s.GetBeside()[pageCacheLine]; ok {
		w.PageCache.Add(t, float64(v))
	}
	inC := b.flags["heap.payload"] == "c"
	for name, v := range s.GetGauges() {
		if tag, ok := payloadTag(name); ok {
			b.live[tag] = v
			if !inC { // they lie in the Go heap: containers of it, not lines
				b.cache("payload "+tag, t, v, v)
			}
			continue
		}
		if base, ok := strings.CutSuffix(name, "_entries"); ok {
			strong, counted := s.GetGauges()[base+"_strong"]
			if !counted {
				strong = v
			}
			name := strings.TrimSuffix(base, "_cache")
			b.cache(name, t, v, strong)
			if target := s.GetGauges()[base+"_target"]; target > 0 {
				b.caches[name].Target = target
			}
		}
	}
}

// eachSecond adds to a line that samples carry; what full sheets said of it
// before the first sample is dropped.
func (b *book) eachSecond(line string, t, v float64) {
	if !b.cheap[line] {
		b.cheap[line] = true
		delete(b.watch.Lines, line)
	}
	b.add(line, t, v)
}

// everySecond says that a line is what the full sheet has under the same name and
// is worth having each second: what moves with every collection and sweep.
func everySecond(line string) bool {
	return line == "go_live" || strings.HasPrefix(line, "c_live_") && line != "c_live_other_c"
}

const pageCacheLine = "cgroup_file"

// payloadTag reads "payload_leaf_bytes".
func payloadTag(gauge string) (string, bool) {
	tag, ok := strings.CutPrefix(gauge, "payload_")
	if !ok {
		return "", false
	}
	tag, ok = strings.CutSuffix(tag, "_bytes")
	return tag, ok && tag != "limbo" && tag != "usable"
}

// cache adds a reading of a container.
func (b *book) cache(name string, t, entries, strong float64) {
	c := b.caches[name]
	if c == nil {
		c = &doctor.Cache{Name: name}
		b.caches[name] = c
	}
	if n := c.Entries.Len(); n > 0 && c.Entries.T[n-1] >= t {
		return
	}
	c.Entries.Add(t, entries)
	c.Strong.Add(t, strong)
}

// sweptNames are the names that sweeps give caches, where samples have the same
// ones under another.
var sweptNames = map[string]string{"TreeNodeCache": "tree", "FullBelowCache": "full_below", "NodeObjectCache": "object"}

// swept takes the caches of a sweep that samples do not have.
func (b *book) swept(t float64, s *recordv1.SweepRecord) {
	for _, x := range s.GetCaches() {
		name := x.GetName()
		if known := sweptNames[name]; known != "" {
			name = known
		}
		if c := b.caches[name]; c != nil && c.Entries.Len() > len(b.watch.Sweeps) {
			continue // a sample each second is more
		}
		b.cache(name, t, float64(x.GetEntriesAfter()), float64(x.GetStrongAfter()))
		b.caches[name].AgeSeconds = max(b.caches[name].AgeSeconds, time.Duration(x.GetAgeNs()).Seconds())
	}
}

// sheet takes a full balance sheet.
func (b *book) sheet(t float64, lines, beside map[string]int64) {
	if len(lines) == 0 {
		return
	}
	var c, golang float64
	for name, v := range lines {
		if !b.cheap[name] {
			b.add(name, t, float64(v))
		}
		switch {
		case name == "c_lazy_free":
		case strings.HasPrefix(name, "c_"):
			c += float64(v)
		case slices.Contains([]string{"go_live", "go_unused", "go_idle", "go_untouched"}, name):
			golang += float64(v)
		}
	}
	b.watch.CHeap.Add(t, c)
	b.watch.GoHeap.Add(t, golang)
	if v, ok := beside[pageCacheLine]; ok {
		b.watch.PageCache.Add(t, float64(v))
	}
}

// Estimates of what an entry takes beside its payload: a header and its place in
// a map in Go memory.
const (
	headerBytes = 150
	keyBytes    = 80
	recordBytes = 300
)

// collected finds collections by what they take from the live heap, for a node
// that does not count them.
func collected(live doctor.Series) []float64 {
	var at []float64
	for i := 1; i < live.Len(); i++ {
		if live.Y[i] < 0.92*live.Y[i-1] {
			at = append(at, live.T[i])
		}
	}
	return at
}

// close gives the watch.
func (b *book) close() doctor.Watch {
	if b.cycles == 0 {
		b.watch.Collections = collected(b.watch.Lines["go_live"])
	}
	for name, c := range b.caches {
		b.describe(name, c)
		b.watch.Caches = append(b.watch.Caches, *c)
	}
	if s := b.watch.Lines["c_live_pebble_cache"]; s.Len() > 0 {
		b.watch.Caches = append(b.watch.Caches, doctor.Cache{
			Name: "store block cache", Entries: s, Target: 2 * b.bytes("store.block_cache"), InBytes: true, // one a generation
			Feeds: []string{"c_live_pebble_cache"},
		})
	}
	slices.SortFunc(b.watch.Caches, func(a, z doctor.Cache) int { return strings.Compare(a.Name, z.Name) })
	return b.watch
}

// describe says what a container is meant to hold and where its entries lie.
func (b *book) describe(name string, c *doctor.Cache) {
	c.Feeds = []string{"go_live"}
	switch {
	case name == "tree":
		c.Target, c.AgeSeconds = b.number("cache.tree.size"), b.seconds("cache.tree.age")
		c.EntryBytes = headerBytes
		if n := c.Entries.Last(); n > 0 {
			c.EntryBytes += (b.live["inner"] + b.live["leaf"]) / n
		}
		c.Feeds = append(c.Feeds, "c_live_inner", "c_live_leaf")
	case name == "ledger_index":
		c.Target, c.EntryBytes = b.number("ledger.index_bound"), keyBytes
	case name == "record_ring": // its target comes with its size
		c.EntryBytes = recordBytes
	case strings.HasPrefix(name, "payload "):
		c.InBytes = true
	default:
		c.EntryBytes = keyBytes
	}
}

func (b *book) number(flag string) float64 {
	n, err := config.ParseBytes(b.flags[flag]) // plain numbers, too
	if err != nil {
		return 0
	}
	return float64(n)
}

func (b *book) bytes(flag string) float64 { return b.number(flag) }

func (b *book) seconds(flag string) float64 {
	d, err := time.ParseDuration(b.flags[flag])
	if err != nil {
		return 0
	}
	return d.Seconds()
}
