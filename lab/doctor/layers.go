package doctor

import (
	"slices"
	"strings"
)

// Cause is what a growth is.
type Cause string

// The causes, and the two answers that name none.
const (
	LiveGrowth   Cause = "live_growth"     // somebody holds it: named line
	LostMemory   Cause = "lost_memory"     // C memory in use that no tag accounts for
	Retention    Cause = "retention"       // free and kept by the allocator
	LazyReturn   Cause = "returned_lazily" // given back, resident until the kernel wants it
	PageCache    Cause = "page_cache"      // files of the container, not the process
	Unplaced     Cause = "unplaced"        // resident memory that no line explains
	CacheFilling Cause = "cache_filling"   // below its target and still taking entries
	Nothing      Cause = "nothing"
	CannotSay    Cause = "cannot_say_yet"
	Void         Cause = "void" // the watch itself failed
)

// layer is a group of lines that are judged together, because within it bytes
// move from line to line all the time.
type layer struct {
	name  string
	cause Cause
	what  string   // for the sentence
	lines []string // exact names
}

// The layers of free memory that an allocator keeps.
const (
	layerC  = "c allocator"
	layerGo = "go allocator"
)

// layerTable is every line that the sheet is known to have, except those of tags.
var layerTable = []layer{
	{"go", LiveGrowth, "the live Go heap", []string{"go_live"}},
	{"go stacks", LiveGrowth, "stacks of goroutines", []string{"go_stacks"}},
	{"go runtime", LiveGrowth, "the Go runtime's own metadata", []string{"go_metadata"}},
	{layerGo, Retention, "free memory that the Go runtime keeps", []string{"go_unused", "go_idle", "go_untouched"}},
	{"c untagged", LostMemory, "C memory in use that no tag accounts for (malloc outside our accounting)", []string{"c_live_other_c"}},
	{layerC, Retention, "free memory that the C allocator keeps", []string{"c_retained", "c_untouched"}},
	{"lazily freed", LazyReturn, "memory given back lazily, resident until the kernel wants it", []string{"go_lazy_free", "c_lazy_free"}},
	{"files", LiveGrowth, "mapped files", []string{"files"}},
	{"shared", LiveGrowth, "shared memory", []string{"shared"}},
	{"threads", LiveGrowth, "stacks of threads", []string{"thread_stacks"}},
	{"mappings", LiveGrowth, "anonymous mappings that no account knows (mmap outside every allocator)", []string{"unexplained", "mapped_anonymous"}},
}

const tagPrefix = "c_live_"

// tagWords says what lies under a tag of the payload heap, and who asks for it.
var tagWords = map[string]string{
	"inner":        "inner nodes of state and transaction trees; made where a ledger is read, built or acquired",
	"leaf":         "account-state leaves; made where a ledger is read, built or acquired",
	"item":         "transaction leaves; made where a ledger is closed or acquired",
	"blob":         "stored node objects; made by reads below the tree-node cache",
	"queue":        "transactions waiting in the fee queue",
	"other":        "payloads without a tag of their own",
	"pebble_cache": "the store's block cache",
	"memtable":     "the store's memtables",
}

// layersOf groups the lines that a watch has. Lines nobody knows are layers of
// their own: growth in them is still named.
func layersOf(w *Watch) []layer {
	var out []layer
	known := map[string]bool{}
	for _, l := range layerTable {
		var have []string
		for _, name := range l.lines {
			known[name] = true
			if w.Lines[name].Len() > 0 {
				have = append(have, name)
			}
		}
		if len(have) > 0 {
			l.lines = have
			out = append(out, l)
		}
	}
	var rest []string
	for name, s := range w.Lines {
		if !known[name] && s.Len() > 0 {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		l := layer{name: name, cause: LiveGrowth, what: "the line " + name, lines: []string{name}}
		if tag, ok := strings.CutPrefix(name, tagPrefix); ok {
			l.name, l.what = "c "+tag, "live C memory under the tag "+tag
			if words := tagWords[tag]; words != "" {
				l.what += " (" + words + ")"
			}
		}
		out = append(out, l)
	}
	if len(out) == 0 {
		out = kernelLayers(w)
	}
	return out
}

// The kernel's parts, as lines of their own for a process that has no sheet.
const (
	lineAnon  = "anon"
	lineFile  = "file"
	lineShmem = "shmem"
	lineLazy  = "lazy_free"
)

func kernelLayers(w *Watch) []layer {
	var out []layer
	for _, l := range []layer{
		{"anonymous", LiveGrowth, "anonymous memory (Go heap, C heap live, free memory kept by an allocator, or a mapping: not told apart from outside)", []string{lineAnon}},
		{"files", LiveGrowth, "mapped files", []string{lineFile}},
		{"shared", LiveGrowth, "shared memory", []string{lineShmem}},
		{"lazily freed", LazyReturn, "memory given back lazily, resident until the kernel wants it", []string{lineLazy}},
	} {
		if w.line(l.lines[0]).Len() > 0 {
			out = append(out, l)
		}
	}
	return out
}

// line is the series of a line of the sheet or of the kernel's parts.
func (w *Watch) line(name string) Series {
	if s, ok := w.Lines[name]; ok {
		return s
	}
	switch name {
	case lineAnon:
		return w.Anon
	case lineFile:
		return w.File
	case lineShmem:
		return w.Shmem
	case lineLazy:
		return w.LazyFree
	}
	return Series{}
}

// sum is the series of a layer: lines of one sheet have the same times. Where a
// line has times of its own the layer takes those of its first line only.
func (w *Watch) sum(l layer) Series {
	first := w.line(l.lines[0])
	out := Series{T: first.T, Y: slices.Clone(first.Y)}
	for _, name := range l.lines[1:] {
		s := w.line(name)
		if s.Len() != first.Len() {
			continue
		}
		for i := range out.Y {
			out.Y[i] += s.Y[i]
		}
	}
	return out
}
