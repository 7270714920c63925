package memory

import (
	"fmt"
	"runtime"
	"time"
)

// The lines of the balance sheet, in order. They sum to Sheet.RSS.
const (
	LineGoLive      = "go_live"      // objects, dead ones not swept yet included
	LineGoUnused    = "go_unused"    // free slots in spans in use
	LineGoIdle      = "go_idle"      // free spans not released
	LineGoStacks    = "go_stacks"    // goroutine stacks
	LineGoUntouched = "go_untouched" // negative: of the four above, what was never touched and so is not resident
	LineGoMeta      = "go_metadata"  // the runtime's own, resident
	LineGoLazy      = "go_lazy_free" // released lazily: resident until the kernel wants the pages
	LineCPrefix     = "c_live_"      // usable bytes live, one line a tag
	LineCOther      = "c_live_other_c"
	LineCUntouched  = "c_untouched" // negative: handed out but never touched, so not resident
	LineCRetained   = "c_retained"  // resident pages of the allocator minus what is handed out
	LineCLazy       = "c_lazy_free"
	LineFiles       = "files"  // programs, libraries, mapped files
	LineShared      = "shared" // shared memory
	LineStacks      = "thread_stacks"
	LineRest        = "unexplained"
)

// Line is one line of the balance sheet.
type Line struct {
	Name  string
	Bytes int64
}

// TagBytes are usable bytes live in C under one tag.
type TagBytes struct {
	Tag   string
	Bytes int64
}

// Sheet is a balance sheet of the process.
type Sheet struct {
	At        time.Time
	Allocator Allocator
	RSS       int64 // sum over the mappings, Go's heap taken a moment later
	Statm     int64 // the kernel's own figure a moment before
	Lines     []Line
	Beside    []Line // not in the resident size, or another view of it
	Mappings  int
	Heap      HeapStats
	Cost      time.Duration // wall time of making it
	CPU       time.Duration // thread CPU of making it
}

// Bytes is the line of that name, 0 when there is none.
func (s *Sheet) Bytes(name string) int64 {
	for _, l := range s.Lines {
		if l.Name == name {
			return l.Bytes
		}
	}
	return 0
}

// Unexplained is the rest as a share of the resident size.
func (s *Sheet) Unexplained() float64 {
	if s.RSS == 0 {
		return 0
	}
	return float64(s.Bytes(LineRest)) / float64(s.RSS)
}

// figures is all that is measured for a sheet; balance only does arithmetic on it.
type figures struct {
	rss, lazy [classes]int64
	golang    goFigures
	heap      HeapStats
	tags      []TagBytes
}

// balance makes the lines.
func balance(f figures) []Line {
	g := f.golang
	heapRest := f.rss[classGoHeap] - (g.objects + g.unused + g.free + g.stacks)
	// The runtime's own memory is what is anonymous and nobody else's, up to what the runtime says it has.
	meta, cPart := min(g.meta, f.rss[classOther]), int64(0)
	if f.heap.Allocator != Glibc && f.heap.Allocator != NoCgo {
		cPart = f.rss[classOther] - meta // the allocator's ranges cannot be told from other anonymous memory
		if f.heap.Resident >= 0 {
			cPart = min(cPart, max(0, f.heap.Resident-f.rss[classArena])) // but it says how much it has
		}
	}
	rest := max(0, heapRest) + f.rss[classOther] - cPart - meta
	lines := []Line{
		{LineGoLive, g.objects},
		{LineGoUnused, g.unused},
		{LineGoIdle, g.free},
		{LineGoStacks, g.stacks},
		{LineGoUntouched, min(0, heapRest)},
		{LineGoMeta, meta},
		{LineGoLazy, f.lazy[classGoHeap] + f.lazy[classOther]},
	}
	lines = append(lines, cLines(f, cPart)...)
	return append(lines,
		Line{LineFiles, f.rss[classFile] + f.lazy[classFile]},
		Line{LineShared, f.rss[classShared] + f.lazy[classShared]},
		Line{LineStacks, f.rss[classStack] + f.lazy[classStack]},
		Line{LineRest, rest + f.rss[classReserved]},
	)
}

// cLines are the lines of the C heap; their sum is the resident size of its ranges.
func cLines(f figures, more int64) []Line {
	arenas, mapped := f.rss[classArena]+more, f.rss[classMapped]
	var lines []Line
	tagged := int64(0)
	for _, t := range f.tags {
		lines = append(lines, Line{LineCPrefix + t.Tag, t.Bytes})
		tagged += t.Bytes
	}
	inUse := f.heap.InUse
	if inUse < tagged { // the allocator does not say, or says less: what we handed out is what we know
		inUse = tagged
	}
	mappedUse := max(0, f.heap.Mapped)
	untouched := min(0, mapped-mappedUse)
	retained := arenas - (inUse - mappedUse) + max(0, mapped-mappedUse)
	if retained < 0 {
		untouched, retained = untouched+retained, 0
	}
	return append(lines,
		Line{LineCOther, inUse - tagged}, Line{LineCUntouched, untouched}, Line{LineCRetained, retained},
		Line{LineCLazy, f.lazy[classArena] + f.lazy[classMapped]},
	)
}

// ReadSheet makes the balance sheet of this process. live gives usable bytes in C by tag; nil means none. It must not
// overlap a trim if the two are to be told apart.
func ReadSheet(now func() time.Time, live func() []TagBytes) (Sheet, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, before := now(), threadUsage()
	s := Sheet{At: start, Allocator: Detect().Allocator, Statm: RSS()}
	f := figures{heap: noStats(s.Allocator)}
	if h, err := ReadHeapStats(); err == nil {
		f.heap = h
	}
	if live != nil {
		f.tags = live()
	}
	vmas, err := ReadSmaps()
	if err != nil {
		return s, err
	}
	probe, err := openProbe()
	if err != nil {
		return s, err
	}
	pieces := classify(vmas, probe.layout(s.Allocator))
	f.rss, f.lazy = resident(vmas, pieces, probe.present)
	f.golang, f.rss[classGoHeap] = probe.goHeap(vmas, pieces, f.lazy[classGoHeap])
	if err := probe.close(); err != nil {
		return s, fmt.Errorf("memory: probe: %w", err)
	}
	for c := range f.rss {
		s.RSS += f.rss[c] + f.lazy[c]
	}
	s.Lines, s.Heap, s.Mappings = balance(f), f.heap, len(vmas)
	sample, err := ReadSample(start)
	if err != nil {
		return s, err
	}
	s.Beside = beside(sample, f.lazy)
	s.Cost, s.CPU = now().Sub(start), threadUsage().cpu-before.cpu
	return s, s.check()
}

// check says that the lines sum to the resident size: that is what makes it a balance sheet.
func (s *Sheet) check() error {
	sum := int64(0)
	for _, l := range s.Lines {
		sum += l.Bytes
	}
	if sum != s.RSS {
		return fmt.Errorf("memory: the sheet's lines sum to %d, rss is %d", sum, s.RSS)
	}
	return nil
}
