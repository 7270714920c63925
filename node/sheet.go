package node

import (
	"time"

	"ledgerlab/node/memory"
	"ledgerlab/node/metrics"
	"ledgerlab/node/record"
	"ledgerlab/shamap/payload"
)

// The moments of a full sheet.
const (
	beforeTrim = "before_trim" // after the last cache of a sweep and its reclaim
	afterTrim  = "after_trim"  // where the trim has been, if there was one
	onRequest  = "request"
)

// sheetTurn decides which sweeps have sheets; only the sweep's goroutine uses it.
type sheetTurn struct{ last time.Time }

// due says whether a sweep has its two sheets. It looks at the clock and the flags alone, never at what a trim did, so
// that all arms of a comparison bear the same sheets.
func (s *sheetTurn) due(on bool, interval time.Duration, now time.Time) bool {
	if !on || (!s.last.IsZero() && now.Sub(s.last) < interval) {
		return false
	}
	s.last = now
	return true
}

// afterSweep is the end of a sweep: the trim, between two sheets.
func (n *Node) afterSweep(turn *sheetTurn) {
	number := n.sweeps.Add(1)
	due := turn.due(n.flags.Enum("memory.sheet") == "sweep", n.flags.Duration("memory.sheet_interval"), n.now())
	if due {
		n.takeSheet(beforeTrim, number)
	}
	n.trigger(memory.AfterSweep)
	if due {
		n.takeSheet(afterTrim, number)
	}
}

// takeSheet measures a full sheet and records it; one that cannot be measured is logged and counts as none.
func (n *Node) takeSheet(moment string, sweep uint64) {
	s, err := n.readSheet()
	if err != nil {
		n.log.Warn("balance sheet", "moment", moment, "err", err)
		return
	}
	n.records.Sheet(sheetRecord(moment, sweep, &s))
	n.metrics.ObserveSheet(metrics.SheetInfo{Duration: s.Cost, CPU: s.CPU, ArenaLongest: s.Heap.StayMax})
}

// readSheet measures the whole balance sheet: it walks the mappings and, on glibc, the free chunks.
func (n *Node) readSheet() (memory.Sheet, error) {
	n.sheetLock.Lock() // one at a time: two would measure each other
	defer n.sheetLock.Unlock()
	s, err := memory.ReadSheet(n.now, n.cTags)
	if err != nil {
		return s, err
	}
	s.Beside = append(s.Beside, n.goPayloads()...)
	n.sheet.Store(&s)
	return s, nil
}

func sheetRecord(moment string, sweep uint64, s *memory.Sheet) *record.Sheet {
	return &record.Sheet{
		Moment: moment, Sweep: sweep, Allocator: string(s.Allocator), RssBytes: s.RSS, StatmBytes: s.Statm,
		Lines: lineMap(s.Lines), Beside: lineMap(s.Beside), DurationNs: s.Cost.Nanoseconds(), CpuNs: s.CPU.Nanoseconds(),
		ArenaLongestNs: s.Heap.StayMax.Nanoseconds(), ArenaNs: s.Heap.StaySum.Nanoseconds(), Arenas: int32(s.Heap.Arenas),
		Mappings: int32(s.Mappings),
	}
}

func lineMap(lines []memory.Line) map[string]int64 {
	out := make(map[string]int64, len(lines))
	for _, l := range lines {
		out[l.Name] = l.Bytes
	}
	return out
}

// cTags are the usable bytes live in C by what they are for. The store's memory is C memory whatever holds the
// payloads, if there is C memory at all.
func (n *Node) cTags() []memory.TagBytes {
	if memory.Detect().Allocator == memory.NoCgo {
		return nil
	}
	var out []memory.TagBytes
	if st := n.store.heap.Stats(); st.Kind == "c" {
		for t := range payload.Tags {
			out = append(out, memory.TagBytes{Tag: payload.Tag(t).String(), Bytes: st.ByTag[t].UsableBytes})
		}
	}
	ds, ix := n.store.db.Stats(), n.indexStats()
	return append(out,
		memory.TagBytes{Tag: "pebble_cache", Bytes: ds.Writable.CacheBytes + ds.Archive.CacheBytes + ix.CacheBytes},
		memory.TagBytes{Tag: "memtable", Bytes: int64(ds.Writable.MemTableBytes + ds.Archive.MemTableBytes + ix.MemTableBytes)})
}

// goPayloads are the payloads that lie in Go memory, by tag: they are within go_live, with the dead ones that the
// collector has not met yet apart.
func (n *Node) goPayloads() []memory.Line {
	st := n.store.heap.Stats()
	if st.Kind == "c" {
		return nil
	}
	var out []memory.Line
	for t := range payload.Tags {
		out = append(out, memory.Line{Name: memory.BesideGoPrefix + payload.Tag(t).String(), Bytes: st.ByTag[t].UsableBytes})
	}
	return out
}
