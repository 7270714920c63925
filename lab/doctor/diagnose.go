package doctor

import (
	"math"
	"slices"
	"strings"
)

// Finding is one layer as it was seen.
type Finding struct {
	Layer string
	Cause Cause
	What  string   // in words
	Lines []string // of the sheet
	Bytes float64  // at the end
	Trend Trend
	// Holder is the container that explains the growth; "" = none does.
	Holder string
}

// Diagnosis is the answer.
type Diagnosis struct {
	Who      string
	Verdict  Cause
	Sentence string
	Watched  float64 // seconds
	// AskAgain is the time, in seconds from the end of the watch, after which the
	// question can be answered; only with CannotSay.
	AskAgain float64
	RSS      float64 // at the end
	RSSTrend Trend
	// Grown are the layers that grow, the one that the verdict names first.
	Grown []Finding
	// All are all layers in the order of the sheet.
	All    []Finding
	Caches []Fill
	Trim   *Trim
	Stacks []Stack // of the Go heap, by growth over the watch
	// PageCache is the trend of what the container is charged for files.
	PageCache *Finding
	// Unexplained is the share of the resident size that no line explains, at the end.
	Unexplained float64
	Unknown     []string // what this watch could not know
}

// Diagnose judges a watch.
func Diagnose(w Watch, o Options) Diagnosis {
	d := Diagnosis{Who: w.Who, Watched: w.RSS.Span(), RSS: w.RSS.Last(), Trim: w.Trim, Unknown: unknown(&w)}
	if w.Restarted || w.RSS.Len() < 2 {
		d.Verdict = Void
		d.Sentence = voidSentence(&w)
		return d
	}
	layers := layersOf(&w)
	per := periodsOf(&w, d.Watched)
	level := 1 - (1-o.Level)/float64(max(1, len(layers)))
	d.RSSTrend = trend(w.RSS, per.longest(), o.Level, 1, o)
	for _, l := range layers {
		s := w.sum(l)
		f := Finding{Layer: l.name, Cause: l.cause, What: l.what, Lines: l.lines, Bytes: s.Last()}
		if whole := w.whole(l); whole.Len() > 0 {
			s = whole
		}
		f.Trend = trend(s, layerPeriod(&w, l, per, d.Watched), level, 1, o.of(l.cause))
		d.All = append(d.All, f)
	}
	d.withoutLive(o)
	if w.RSS.Last() > 0 {
		d.Unexplained = w.line("unexplained").Last() / w.RSS.Last()
	}
	for i := range w.Caches {
		d.Caches = append(d.Caches, fillsOf(&w.Caches[i], per, level, o)...)
	}
	if w.PageCache.Len() > 1 {
		d.PageCache = &Finding{
			Layer: "page cache", Cause: PageCache, What: "page cache of the control group, beside the process",
			Bytes: w.PageCache.Last(), Trend: trend(w.PageCache, per.longest(), o.Level, 1, o),
		}
	}
	d.Stacks = Growth(w.Before, w.After, o.Stacks)
	d.grown(&w, o)
	d.judge(&w, o)
	return d
}

// whole is what an allocator's free memory is judged by: all that is resident of
// it.
func (w *Watch) whole(l layer) Series {
	switch l.name {
	case layerC:
		return w.CHeap
	case layerGo:
		return w.GoHeap
	}
	return Series{}
}

// withoutLive takes from the growth of an allocator's whole what live memory in
// it grows by; what is left is what it keeps.
func (d *Diagnosis) withoutLive(o Options) {
	for i := range d.All {
		f := &d.All[i]
		if f.Layer != layerC && f.Layer != layerGo {
			continue
		}
		live := 0.0
		for _, g := range d.All {
			inC := strings.HasPrefix(g.Layer, "c ") && g.Layer != layerC
			inGo := g.Layer == "go"
			if g.Trend.State == Grows && (inC && f.Layer == layerC || inGo && f.Layer == layerGo) {
				live += g.Trend.Slope
			}
		}
		if live == 0 {
			continue
		}
		if f.Layer == layerGo {
			live *= 2 // the collector lets garbage come to as much as is live
		}
		t := &f.Trend
		t.Slope, t.Low, t.High = t.Slope-live, t.Low-live, t.High-live
		if t.State == Grows && t.Low <= o.Least {
			t.State = AtRest // explained by what is live
		}
	}
}

// layerPeriod is the longest period that gives memory of a layer back. What the
// Go collector frees is judged over collections too; a watch that saw fewer than
// two of them cannot tell growth from garbage.
func layerPeriod(w *Watch, l layer, per periods, span float64) float64 {
	p := max(per.sweep, per.rotation)
	switch l.name {
	case "go", layerGo, "lazily freed":
		if len(w.Collections) < 2 {
			return span
		}
		return max(p, per.collection)
	case "anonymous":
		return max(p, per.collection, span/12)
	}
	return p
}

// grown collects the layers that grow. Somebody who holds memory goes before
// free memory that an allocator keeps, unless the latter grows ten times faster:
// growth of live memory takes free memory along.
func (d *Diagnosis) grown(w *Watch, _ Options) {
	keeps := 0.0
	for _, f := range d.All {
		if f.Trend.State != Grows {
			continue
		}
		f.Holder = holder(w, d.Caches, &f)
		d.Grown = append(d.Grown, f)
		if f.Cause == Retention {
			keeps = max(keeps, f.Trend.Slope)
		}
	}
	rank := func(f Finding) int {
		switch {
		case f.Cause == LazyReturn:
			return 3
		case f.Cause == Retention:
			return 1
		case f.Trend.Slope < keeps/10:
			return 2
		}
		return 0
	}
	slices.SortStableFunc(d.Grown, func(a, b Finding) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		switch {
		case a.Trend.Slope > b.Trend.Slope:
			return -1
		case a.Trend.Slope < b.Trend.Slope:
			return 1
		}
		return 0
	})
}

// holder names the container whose entries grow with the layer and are worth at
// least a quarter of it.
func holder(w *Watch, fills []Fill, f *Finding) string {
	name, most := "", 0.25*f.Trend.Slope
	for i := range w.Caches {
		c := &w.Caches[i]
		if !feeds(c, f) {
			continue
		}
		for _, fill := range fills {
			own := fill.Cache == c.Name || fill.Cache == c.Name+heldSuffix
			if own && fill.Rate.State == Grows && fill.Rate.Slope*c.entrySize() > most {
				name, most = fill.Cache, fill.Rate.Slope*c.entrySize()
			}
		}
	}
	return name
}

func feeds(c *Cache, f *Finding) bool {
	return slices.ContainsFunc(f.Lines, func(line string) bool { return slices.Contains(c.Feeds, line) })
}

// judge gives the verdict.
func (d *Diagnosis) judge(w *Watch, o Options) {
	if fill := d.filling(); fill != nil {
		d.Verdict = CannotSay
		d.AskAgain = roundUp(max(fill.After, 60))
		if fill.Level == 0 { // no telling where it ends: as long again
			d.AskAgain = max(d.AskAgain, roundUp(d.Watched))
		}
		d.Sentence = fillSentence(d, fill)
		return
	}
	if len(d.Grown) > 0 && d.Grown[0].Cause != LazyReturn {
		d.Verdict = d.Grown[0].Cause
		d.Sentence = growthSentence(d, w)
		return
	}
	if open := d.open(); open != nil {
		d.Verdict = CannotSay
		d.AskAgain = roundUp(max(open.Trend.Need, 30))
		d.Sentence = openSentence(d, open, o)
		return
	}
	switch {
	case len(d.Grown) > 0:
		d.Verdict = LazyReturn
	case d.PageCache != nil && d.PageCache.Trend.State == Grows:
		d.Verdict = PageCache
	default:
		d.Verdict = Nothing
	}
	d.Sentence = restSentence(d, o)
}

// filling is the filling cache with most memory in it.
func (d *Diagnosis) filling() *Fill {
	var at *Fill
	for i := range d.Caches {
		f := &d.Caches[i]
		if f.Filling && (at == nil || f.Bytes > at.Bytes) {
			at = f
		}
	}
	return at
}

// open is the layer that needs the longest watch to be settled. What is given
// back lazily is nobody's growth.
func (d *Diagnosis) open() *Finding {
	var at *Finding
	for i := range d.All {
		f := &d.All[i]
		if f.Trend.State == Open && f.Cause != LazyReturn && (at == nil || f.Trend.Need > at.Trend.Need) {
			at = f
		}
	}
	return at
}

// roundUp makes a time that is read by people: whole half minutes.
func roundUp(s float64) float64 { return math.Ceil(s/30) * 30 }

// unknown lists what the watch has no figures for.
func unknown(w *Watch) []string {
	var out []string
	if len(w.Lines) == 0 {
		out = append(out, "no balance sheet: live Go memory, live C memory, free memory kept by an allocator and plain mappings are one figure from outside")
		out = append(out, "no probing trim: a process that is no node cannot be asked for one")
		out = append(out, "no caches: whether one is still filling cannot be seen; let the process warm up first")
	}
	if len(w.Lines) > 0 && w.Trim == nil {
		out = append(out, "no probing trim was made")
	}
	if len(w.Lines) > 0 && (w.Before.Empty() || w.After.Empty()) {
		out = append(out, "no profiles of the Go heap: stacks are not named")
	}
	if len(w.Lines) > 0 && w.Allocator != "" && w.Allocator != "glibc" && w.Allocator != "jemalloc" && w.Allocator != "tcmalloc" {
		out = append(out, "the allocator "+w.Allocator+" does not say what it has handed out: C memory in use outside our accounting and free memory it keeps are one figure")
	}
	if len(w.Lines) > 0 && len(w.Rotations) == 0 {
		out = append(out, "no rotation of the store fell into the watch: what grows between two and goes with the next looks like growth")
	}
	if w.PageCache.Len() == 0 {
		out = append(out, "no control group counts this process: page cache is not known")
	}
	return out
}
