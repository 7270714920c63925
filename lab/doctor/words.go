package doctor

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// rate is a slope in words.
func rate(perSecond float64) string {
	m := perSecond * minute / mib
	if math.Abs(m) < 0.1 {
		return fmt.Sprintf("%.0f KiB a minute", m*1024)
	}
	return fmt.Sprintf("%.2f MiB a minute", m)
}

func (t Trend) words(level float64) string {
	return fmt.Sprintf("%s (%.0f %% %s to %s)", rate(t.Slope), level*100, number(t.Low), number(t.High))
}

func number(perSecond float64) string {
	switch {
	case math.IsInf(perSecond, 1):
		return "any"
	case math.IsInf(perSecond, -1):
		return "any"
	}
	return fmt.Sprintf("%.2f", perSecond*minute/mib)
}

func span(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func voidSentence(w *Watch) string {
	if w.Restarted {
		return w.Who + ": the process was another one at the end of the watch; watch again"
	}
	return w.Who + ": fewer than two readings; watch for longer"
}

func growthSentence(d *Diagnosis, w *Watch) string {
	f := d.Grown[0]
	var b strings.Builder
	kind := map[Cause]string{LiveGrowth: "live growth", LostMemory: "lost memory", Retention: "allocator retention"}[f.Cause]
	fmt.Fprintf(&b, "%s: %s, %s, in %s", d.Who, kind, f.Trend.words(0.95), f.What)
	if f.Holder != "" {
		fmt.Fprintf(&b, "; %s holds it", f.Holder)
	}
	if f.Cause == Retention {
		b.WriteString("; " + trimWords(w.Trim, f.Bytes))
	}
	if f.Layer == "go" && len(d.Stacks) > 0 {
		fmt.Fprintf(&b, "; most of it from %s", d.Stacks[0].Top())
	}
	for _, g := range d.Grown[1:] {
		fmt.Fprintf(&b, "; beside it %s in %s", rate(g.Trend.Slope), g.What)
	}
	return b.String()
}

func trimWords(t *Trim, kept float64) string {
	switch {
	case t == nil:
		return "no probing trim was made"
	case !t.Supported:
		return "a probing trim was not possible: " + t.Why
	case t.Returned() < 1<<20:
		return "a probing trim gave nothing back: what is free lies between live bytes"
	case kept > 0:
		return fmt.Sprintf("a probing trim gave %.1f MiB back, %.0f %% of it", t.Returned()/mib, 100*min(1, t.Returned()/kept))
	}
	return fmt.Sprintf("a probing trim gave %.1f MiB back", t.Returned()/mib)
}

func fillSentence(d *Diagnosis, f *Fill) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: cannot say yet: the cache %s is still filling, %.0f entries", d.Who, f.Cache, f.Entries)
	if f.Target > 0 {
		fmt.Fprintf(&b, " of %.0f", f.Target)
	}
	switch {
	case f.ByFit:
		fmt.Fprintf(&b, "; by its curve it levels off at %.0f in about %s", f.Level, span(f.After))
	case f.Level > 0:
		fmt.Fprintf(&b, "; at the present rate it levels off at %.0f in about %s at the latest", f.Level, span(f.After))
	}
	if len(d.Grown) > 0 {
		fmt.Fprintf(&b, "; seen so far: %s in %s", rate(d.Grown[0].Trend.Slope), d.Grown[0].What)
	}
	fmt.Fprintf(&b, "; ask again in %s", span(d.AskAgain))
	return b.String()
}

func openSentence(d *Diagnosis, f *Finding, o Options) string {
	if f.Trend.Windows < o.Windows {
		return fmt.Sprintf("%s: cannot say yet: %s gives back every %s, and the watch held %d of the %d such turns that are needed; ask again with a watch of %s",
			d.Who, f.What, span(f.Trend.Window/1.25), f.Trend.Windows, o.Windows, span(d.AskAgain))
	}
	return fmt.Sprintf("%s: cannot say yet: growth of %s in %s is not told from its own ups and downs (%s); ask again with a watch of %s",
		d.Who, rate(o.of(f.Cause).Resolve), f.What, f.Trend.words(0.95), span(d.AskAgain))
}

func restSentence(d *Diagnosis, o Options) string {
	switch d.Verdict {
	case LazyReturn:
		return fmt.Sprintf("%s: nothing grows; %s more is %s", d.Who, rate(d.Grown[0].Trend.Slope), d.Grown[0].What)
	case PageCache:
		return fmt.Sprintf("%s: the process does not grow; the control group is charged %s more page cache, which the kernel takes back when it wants it",
			d.Who, rate(d.PageCache.Trend.Slope))
	}
	return fmt.Sprintf("%s: nothing grows; %s of live memory, or %s of free memory that is kept, would have been seen", d.Who, rate(o.Resolve), rate(o.Kept))
}

// Exit is the exit code of the verdict, as for experiments: 0 nothing grows, 1
// something does, 2 it cannot be said, 3 the watch failed.
func (d *Diagnosis) Exit() int {
	switch d.Verdict {
	case LiveGrowth, LostMemory, Retention:
		return 1
	case CannotSay:
		return 2
	case Void:
		return 3
	}
	return 0
}

// framesShown bounds a stack in the text; --json has all of it.
const framesShown = 8

// WriteText prints the sentence and what it rests on.
func (d *Diagnosis) WriteText(out io.Writer) error {
	fmt.Fprintln(out, d.Sentence)
	if d.Verdict == Void {
		return nil
	}
	fmt.Fprintf(out, "\nwatched %s; rss %.1f MiB, %s\n", span(d.Watched), d.RSS/mib, d.RSSTrend.words(0.95))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "layer\tMiB\tMiB a minute\tinterval\tstate\tfloors")
	rows := d.All
	if d.PageCache != nil {
		rows = append(rows[:len(rows):len(rows)], *d.PageCache)
	}
	for _, f := range rows {
		fmt.Fprintf(t, "%s\t%.1f\t%s\t%s to %s\t%s\t%d\n", f.Layer, f.Bytes/mib, number(f.Trend.Slope), number(f.Trend.Low), number(f.Trend.High), f.Trend.State, f.Trend.Windows)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range d.Caches {
		fmt.Fprintf(out, "cache %s: %.0f entries", c.Cache, c.Entries)
		if c.Target > 0 {
			fmt.Fprintf(out, " of %.0f", c.Target)
		}
		state := "at rest"
		if c.Filling {
			state = fmt.Sprintf("filling, level %.0f in %s", c.Level, span(c.After))
		} else if c.Rate.State != AtRest {
			state = string(c.Rate.State)
		}
		fmt.Fprintf(out, ", %.1f MiB, %s\n", c.Bytes/mib, state)
	}
	if d.Trim != nil {
		fmt.Fprintln(out, trimWords(d.Trim, 0))
	}
	for i, s := range d.Stacks {
		fmt.Fprintf(out, "stack %d: %+.1f KiB, %+d objects\n", i+1, s.Bytes/1024, s.Objects)
		for _, frame := range s.Frames[:min(len(s.Frames), framesShown)] {
			fmt.Fprintf(out, "    %s\n", frame)
		}
	}
	for _, u := range d.Unknown {
		fmt.Fprintln(out, "not known: "+u)
	}
	return nil
}
