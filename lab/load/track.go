package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// entry is one payment that was sent and is not final.
type entry struct {
	p        *payment
	lane     *lane
	intended int64 // wall clock, ns
	answer   answerState
}

type answerState uint8

const (
	unanswered answerState = iota
	accepted
)

// Counts add up: Intended = Sent + Missed; Sent = Accepted + Refused + Errors;
// Accepted = Validated + Claimed + Expired + Pending. A payment that got no answer
// counts under Errors until it is found in a ledger, then under Accepted.
type Counts struct {
	Intended, Sent, Missed       int64
	Accepted, Refused, Errors    int64
	Validated, Claimed           int64 // in a validated ledger with tesSUCCESS, or with a code that claims the fee
	Expired                      int64 // its last ledger passed without it
	Pending                      int64
	Reads, ReadErrors, ReadsLost int64 // answered, failed, and not made in time
}

// Point is one payment's latency; for one that never validated, the time after
// which it was final.
type Point struct {
	IntendedNS, LatencyNS int64
	Validated             bool
}

// tracker follows payments from the send to their end. Safe for concurrent use.
type tracker struct {
	points int

	mu struct {
		sync.Mutex
		open     map[[32]byte]*entry
		byExpiry map[uint32][]*entry
		counts   Counts
		codes    map[string]int64 // of refusals and of claimed fees
		missed   map[string]int64 // by cause
		hist     *hdrhistogram.Histogram
		readHist *hdrhistogram.Histogram
		points   []Point
		dropped  int64 // points beyond the bound
		seq      uint32
		seen     int64         // when ledger seq was seen
		idle     chan struct{} // closed when nothing is open; nil when nobody waits
	}
}

// Latencies are kept in microseconds up to ten minutes, three digits.
func newHist() *hdrhistogram.Histogram { return hdrhistogram.New(1, 600_000_000, 3) }

func newTracker(points int) *tracker {
	t := &tracker{points: points}
	t.mu.open, t.mu.byExpiry = map[[32]byte]*entry{}, map[uint32][]*entry{}
	t.mu.codes, t.mu.missed = map[string]int64{}, map[string]int64{}
	t.mu.hist, t.mu.readHist = newHist(), newHist()
	return t
}

// intend counts a send that fell due.
func (t *tracker) intend(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.counts.Intended += n
}

// miss counts a send that was not made.
func (t *tracker) miss(cause string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.counts.Missed++
	t.mu.missed[cause]++
}

// send notes payments before they leave, so that no ledger can come first. They
// count as errors until they are answered.
func (t *tracker) send(entries []*entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range entries {
		t.mu.open[e.p.id] = e
		t.mu.byExpiry[e.p.expire] = append(t.mu.byExpiry[e.p.expire], e)
	}
	t.mu.counts.Sent += int64(len(entries))
	t.mu.counts.Errors += int64(len(entries))
}

// answer notes the node's word on a payment and reports whether it is still open.
func (t *tracker) answer(e *entry, ok bool, code string) (open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.open[e.p.id] != e {
		return false // it is final already: a ledger was quicker than the answer
	}
	t.mu.counts.Errors--
	if ok {
		e.answer = accepted
		t.mu.counts.Accepted++
		t.mu.counts.Pending++
		return true
	}
	t.mu.counts.Refused++
	t.mu.codes[code]++
	delete(t.mu.open, e.p.id)
	t.wake()
	return false
}

// outcome is a payment that became final with a ledger.
type outcome struct {
	e     *entry
	found bool
}

// ledger ends every payment that the ledger holds or that expired with it, and
// returns them. codes gives the result of each id.
func (t *tracker) ledger(seq uint32, seen int64, ids func(yield func(id [32]byte, code int32))) []outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []outcome
	ids(func(id [32]byte, code int32) {
		e := t.mu.open[id]
		if e == nil {
			return
		}
		t.final(e, seen, func(c *Counts) {
			if code == 0 {
				c.Validated++
			} else {
				c.Claimed++
				t.mu.codes[tokenOf(code)]++
			}
		}, code == 0)
		out = append(out, outcome{e, true})
	})
	for exp, entries := range t.mu.byExpiry {
		if exp > seq {
			continue
		}
		for _, e := range entries {
			if t.mu.open[e.p.id] != e {
				continue
			}
			if e.answer == accepted {
				t.final(e, seen, func(c *Counts) { c.Expired++ }, false)
			} else {
				delete(t.mu.open, e.p.id) // never answered and never seen: it stays an error
			}
			out = append(out, outcome{e, false})
		}
		delete(t.mu.byExpiry, exp)
	}
	t.mu.seq, t.mu.seen = max(t.mu.seq, seq), seen
	t.wake()
	return out
}

// final ends an entry. t.mu must be held.
func (t *tracker) final(e *entry, seen int64, count func(*Counts), validated bool) {
	delete(t.mu.open, e.p.id)
	if e.answer == accepted {
		t.mu.counts.Pending--
	} else { // found in a ledger before, or without, an answer
		t.mu.counts.Errors--
		t.mu.counts.Accepted++
		e.answer = accepted
	}
	count(&t.mu.counts)
	latency := max(seen-e.intended, 0)
	_ = t.mu.hist.RecordValue(max(latency/1000, 1)) // beyond ten minutes it is not kept; nothing lives that long
	if len(t.mu.points) < t.points {
		t.mu.points = append(t.mu.points, Point{e.intended, latency, validated})
	} else {
		t.mu.dropped++
	}
}

func (t *tracker) wake() {
	if len(t.mu.open) == 0 && t.mu.idle != nil {
		close(t.mu.idle)
		t.mu.idle = nil
	}
}

// drained is closed once nothing is open.
func (t *tracker) drained() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	ch := make(chan struct{})
	if len(t.mu.open) == 0 {
		close(ch)
		return ch
	}
	if t.mu.idle == nil {
		t.mu.idle = ch
	}
	return t.mu.idle
}

// validated returns the newest ledger that was seen.
func (t *tracker) validated() uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.seq
}

func (t *tracker) counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.counts
}

// read counts a read.
func (t *tracker) read(took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.mu.counts.ReadErrors++
		return
	}
	t.mu.counts.Reads++
	_ = t.mu.readHist.RecordValue(max(took.Microseconds(), 1)) // a read has a deadline far below the bound
}

func (t *tracker) readLost() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.counts.ReadsLost++
}

func (t *tracker) setValidated(seq uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.seq = max(t.mu.seq, seq)
}
