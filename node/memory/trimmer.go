package memory

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Sources are what a Trimmer asks of the rest of the process. Only Now is required.
type Sources struct {
	Now func() time.Time
	// Freed counts payload bytes freed since the start, for the policy freed.
	Freed func() uint64
	// Retained gives free but resident bytes of the C heap and the live ones, for the policy retained; nil means an
	// estimate from the allocator's own figures.
	Retained func() (retained, live int64)
	// Limit is what pressure is a share of; nil means Limit().
	Limit func() int64
	// Done, if set, is told every trim that ran or was found unsupported.
	Done func(TrimInfo)
}

// TrimInfo is one trim (MallocTrimReport in rippled). Values that are not known are -1.
type TrimInfo struct {
	Reason      Trigger
	Method      Method
	Allocator   Allocator
	Pad         int64
	Start       time.Time
	Supported   bool
	Unsupported string // why not
	Skipped     string // why it was not tried; nothing else is set then
	SkippedBy   string // who said so: off, interval or policy
	Result      int    // what the allocator answered (glibc: 1 when memory was released)
	RSSBefore   int64
	RSSAfter    int64
	FreeBefore  int64 // usable bytes free in the allocator
	FreeAfter   int64
	MinorFlt    int64 // of the trimming thread
	MajorFlt    int64
	Duration    time.Duration
	ThreadCPU   time.Duration // of the trimming thread
	ProcessCPU  time.Duration // of all threads meanwhile: the Go method works on others
	StatsTime   time.Duration // spent on FreeBefore and FreeAfter, not in Duration
}

// Delta is what the resident size changed by; negative means memory came back.
func (i TrimInfo) Delta() int64 { return i.RSSAfter - i.RSSBefore }

// Trimmer is the one place from which memory is given back. It is safe for concurrent use; trims do not overlap.
type Trimmer struct {
	src  Sources
	turn sync.Mutex // held through a trim and before mu

	mu struct { // what follows; never held through a trim
		sync.Mutex
		o        Options
		triggers int
		useless  int
		lastEnd  time.Time
		rssAfter int64
		freed    uint64
		count    Counts
	}
}

// Counts says what a Trimmer did since the start.
type Counts struct {
	Triggers    uint64 // enabled triggers that fired
	Trims       uint64
	Skipped     uint64
	Unsupported uint64
	Lowered     uint64 // trims after which RSS was lower
	Raised      uint64 // trims after which RSS was higher
	Returned    int64  // sum of what came back, bytes
}

// New makes a Trimmer.
func New(o Options, src Sources) (*Trimmer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if src.Now == nil {
		return nil, errors.New("memory: no clock given")
	}
	t := &Trimmer{src: src}
	t.mu.o = o
	return t, nil
}

// Configure changes the settings from the next trigger on.
func (t *Trimmer) Configure(change func(o *Options)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := t.mu.o
	next.Triggers = slices.Clone(next.Triggers)
	change(&next)
	if err := next.Validate(); err != nil {
		return err
	}
	if next.Policy != t.mu.o.Policy {
		t.mu.triggers, t.mu.useless = 0, 0
	}
	t.mu.o = next
	return nil
}

// Options are the settings in force.
func (t *Trimmer) Options() Options {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.mu.o
	o.Triggers = slices.Clone(o.Triggers)
	return o
}

// Counts says what was done so far.
func (t *Trimmer) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.count
}

// Trigger trims if the trigger is enabled and the policy allows it. The bool says whether a trim was tried; a skipped
// one says why in the info.
func (t *Trimmer) Trigger(reason Trigger) (TrimInfo, bool) {
	t.turn.Lock()
	o, ok, why := t.decide(reason)
	if !ok {
		t.turn.Unlock()
		return TrimInfo{Reason: reason, Method: o.Method, Skipped: why.text, SkippedBy: why.by}, false
	}
	info := t.trim(o, reason)
	t.turn.Unlock()
	t.report(info)
	return info, true
}

// Trim trims now, whatever triggers and policy say.
func (t *Trimmer) Trim(reason Trigger) TrimInfo {
	t.turn.Lock()
	info := t.trim(t.Options(), reason)
	t.turn.Unlock()
	t.report(info)
	return info
}

// refusal is why a trigger does not lead to a trim.
type refusal struct{ by, text string }

// decide asks trigger set, interval and policy, and counts.
func (t *Trimmer) decide(reason Trigger) (o Options, ok bool, why refusal) {
	o = t.Options()
	if !slices.Contains(o.Triggers, reason) {
		return o, false, refusal{"off", "trigger is off"}
	}
	now := t.src.Now()
	t.mu.Lock()
	t.mu.count.Triggers++
	t.mu.triggers++
	m := moment{
		triggers: t.mu.triggers, rssAfter: t.mu.rssAfter, useless: t.mu.useless, first: t.mu.lastEnd.IsZero(),
		retained: -1, sinceLast: now.Sub(t.mu.lastEnd), freed: -t.mu.freed,
	}
	t.mu.Unlock()
	ok, why = t.allowed(o, m)
	if !ok {
		t.mu.Lock()
		t.mu.count.Skipped++
		t.mu.Unlock()
	}
	return o, ok, why
}

// allowed asks interval and policy.
func (t *Trimmer) allowed(o Options, m moment) (bool, refusal) {
	if !m.first && m.sinceLast < o.MinInterval {
		return false, refusal{"interval", fmt.Sprintf("%v of min_interval %v", m.sinceLast, o.MinInterval)}
	}
	switch o.Policy.Kind {
	case PolicyFreed:
		m.freed += t.freed() // the count at the last trim was subtracted before
	case PolicyRetained:
		m.retained, m.live = t.retained()
	case PolicyGrowth:
		m.rss = RSS()
	case PolicyPressure:
		m.rss, m.limit = RSS(), t.limit()
	case PolicyAlways, PolicyEvery, PolicyBackoff:
	}
	ok, why := o.Policy.allows(m)
	return ok, refusal{"policy", why}
}

func (t *Trimmer) freed() uint64 {
	if t.src.Freed == nil {
		return 0
	}
	return t.src.Freed()
}

// retained estimates, unless the source is given, what the C heap keeps: resident, neither file nor Go, not handed out.
// On glibc it walks the free chunks.
func (t *Trimmer) retained() (retained, live int64) {
	if t.src.Retained != nil {
		return t.src.Retained()
	}
	h, err := ReadHeapStats()
	s, serr := ReadSample(t.src.Now())
	if err != nil || serr != nil || h.InUse < 0 {
		return -1, 0
	}
	g := readGo()
	return max(0, s.Anon-g.objects-g.unused-g.free-g.stacks-g.meta-h.InUse), h.InUse
}

func (t *Trimmer) limit() int64 {
	if t.src.Limit != nil {
		return t.src.Limit()
	}
	n, err := Limit()
	if err != nil {
		return 1<<63 - 1
	}
	return n
}

// trim measures and trims on a locked thread; t.turn must be held.
func (t *Trimmer) trim(o Options, reason Trigger) TrimInfo {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	info := TrimInfo{
		Reason: reason, Method: o.Method, Allocator: Detect().Allocator, Pad: o.Pad, Start: t.src.Now(),
		FreeBefore: -1, FreeAfter: -1, Supported: true,
	}
	if why := unsupported(info.Allocator); o.Method != MethodGo && why != "" {
		info.Supported = false
		info.Unsupported = fmt.Sprintf("method %s: %s", o.Method, why)
		info.RSSBefore, info.RSSAfter = -1, -1
		t.account(info)
		return info
	}
	info.FreeBefore = t.freeBytes(o, &info)
	info.RSSBefore = RSS()
	start, cpu, before := t.src.Now(), processCPU(), threadUsage()
	t.release(o, &info)
	after := threadUsage()
	info.Duration, info.ProcessCPU = t.src.Now().Sub(start), processCPU()-cpu
	info.RSSAfter = RSS()
	info.ThreadCPU = after.cpu - before.cpu
	info.MinorFlt, info.MajorFlt = after.minor-before.minor, after.maj-before.maj
	info.FreeAfter = t.freeBytes(o, &info)
	t.account(info)
	return info
}

// unsupported says why an allocator has no purge, "" when it has one.
func unsupported(a Allocator) string {
	switch a {
	case Glibc, Jemalloc, Tcmalloc:
		return ""
	case Mimalloc:
		return "mi_collect gives back what the calling thread freed to its own heap, and nothing of the other threads"
	case Unknown, NoCgo:
	}
	return "no purge for the allocator " + string(a)
}

// release does what the method says.
func (t *Trimmer) release(o Options, info *TrimInfo) {
	if o.Method != MethodMalloc {
		debug.FreeOSMemory()
	}
	if o.Method == MethodGo {
		return
	}
	result, err := purge(info.Allocator, o.Pad)
	info.Result = result
	if err != nil {
		info.Supported, info.Unsupported = false, err.Error()
	}
}

func (t *Trimmer) freeBytes(o Options, info *TrimInfo) int64 {
	if !o.HeapStats || !cgoEnabled {
		return -1
	}
	start := t.src.Now()
	s, err := ReadHeapStats()
	info.StatsTime += t.src.Now().Sub(start)
	if err != nil {
		return -1
	}
	return s.Free
}

// account updates counters and what the policies remember.
func (t *Trimmer) account(info TrimInfo) {
	freed, end := t.freed(), t.src.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.mu.count
	if !info.Supported {
		c.Unsupported++
		return
	}
	c.Trims++
	switch d := info.Delta(); {
	case d < 0:
		c.Lowered++
		t.mu.useless = 0
	case d > 0:
		c.Raised++
		t.mu.useless++
	default:
		t.mu.useless++
	}
	c.Returned -= info.Delta()
	t.mu.triggers, t.mu.lastEnd, t.mu.rssAfter, t.mu.freed = 0, end, info.RSSAfter, freed
}

func (t *Trimmer) report(info TrimInfo) {
	if t.src.Done != nil {
		t.src.Done(info)
	}
}
