package memory

// Figures that stand beside the sheet: other accounts of the same memory, or memory that is not the process's own.
const (
	BesidePageTables = "page_tables"
	BesideSwap       = "swap"
	BesideLazyFree   = "lazy_free"   // within RSS: given back, and still counted until the kernel takes it
	BesideCgroup     = "cgroup"      // what the control group is charged, other processes in it included
	BesidePageCache  = "cgroup_file" // of it, page cache
	BesideGoPrefix   = "go_payload_" // within go_live: payloads in Go memory, one line a tag
	// Who holds the payloads of tree nodes, live and dying ones; on request only.
	BesideTreeValidated = "tree_validated"
	BesideTreeElsewhere = "tree_elsewhere"
)

// LineAnonymous is the last line of the cheap sheet: anonymous memory that only the full one tells apart. In it are the
// C heap beyond the tags and what it retains, and, negative, what Go or the tags count and never touched.
const LineAnonymous = "anonymous_rest"

// lineDocs says of each line what it is.
var lineDocs = map[string]string{
	LineGoLive:          "Go objects, dead ones not swept yet included.",
	LineGoUnused:        "Free slots between Go objects.",
	LineGoIdle:          "Free spans that Go has not given back.",
	LineGoStacks:        "Stacks of goroutines.",
	LineGoUntouched:     "Of the four above, never touched and so not resident.",
	LineGoMeta:          "The Go runtime's own.",
	LineGoLazy:          "Given back lazily by Go: counted until the kernel takes it.",
	LineCOther:          "C memory in use under no tag; chunks that threads keep for themselves included.",
	LineCUntouched:      "Handed out by the C heap, never touched and so not resident.",
	LineCRetained:       "Free in the C heap and resident: what a trim can return.",
	LineCLazy:           "Given back lazily by the C heap.",
	LineFiles:           "Programs, libraries, mapped files.",
	LineShared:          "Shared memory of no file on disk.",
	LineStacks:          "Stacks of C threads.",
	LineRest:            "Anonymous memory that none of the lines explains.",
	LineAnonymous:       "Anonymous memory that only the full sheet tells apart.",
	BesidePageTables:    "Kernel memory for this process's page tables.",
	BesideSwap:          "Pages that the kernel has moved out.",
	BesideLazyFree:      "Lazily freed pages, counted in the lines above.",
	BesideCgroup:        "Charged to the control group: page cache and other processes in it too.",
	BesideTreeValidated: "Tree payloads that the newest validated ledger holds: as long as it is the newest, no sweep frees them.",
	BesideTreeElsewhere: "Other tree payloads: caches, older and open ledgers, readers, and what is retired and not free yet.",
	BesidePageCache:     "Of the control group: page cache, which the kernel takes back.",
}

// Doc says what a line is, "" when its name says all.
func Doc(line string) string { return lineDocs[line] }

// beside are the figures beside a sheet or a sample. Those of a control group are left out where there is none.
func beside(s Sample, lazy [classes]int64) []Line {
	out := []Line{{BesidePageTables, s.PageTables}, {BesideSwap, s.Swap}}
	sum := int64(0)
	for _, n := range lazy {
		sum += n
	}
	out = append(out, Line{BesideLazyFree, sum})
	if c, err := ReadCgroup(); err == nil {
		out = append(out, Line{BesideCgroup, c.Usage}, Line{BesidePageCache, c.File})
	}
	return out
}

// Cheap is the sheet without walks: the kernel's split of RSS, the Go runtime's accounts, the tags. It sums to RSS by
// its last line. Go's accounts are of memory it uses, whether touched or not; the full sheet measures what is resident.
func Cheap(s Sample, g GoHeap, tags []TagBytes) []Line {
	lines := []Line{
		{LineGoLive, g.Live},
		{LineGoUnused, g.Unused},
		{LineGoIdle, g.Idle},
		{LineGoStacks, g.Stacks},
		{LineGoMeta, g.Metadata},
	}
	for _, t := range tags {
		lines = append(lines, Line{LineCPrefix + t.Tag, t.Bytes})
	}
	rest := s.Anon
	for _, l := range lines {
		rest -= l.Bytes
	}
	return append(lines, Line{LineFiles, s.File}, Line{LineShared, s.Shmem}, Line{LineAnonymous, rest})
}
