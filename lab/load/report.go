package load

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxLost is how many lost payments a report names.
const maxLost = 20

// offeredTolerance is how far the offered rate may lie from the asked one.
const offeredTolerance = 0.02

// Quantiles of a latency.
type Quantiles struct {
	N                                   int64
	Mean, P50, P90, P95, P99, P999, Max time.Duration
}

// Report is the end of a load.
type Report struct {
	Counts  Counts
	Codes   map[string]int64 // refusals and claimed fees by code
	Missed  map[string]int64 // sends that were not made, by cause
	Latency Quantiles        // from the intended send to validated; what never was counts with the time until it was final
	Read    Quantiles
	Lost    []string // ids that were accepted and are not final, the first 20
	Gaps    int64    // ledgers whose transactions were not seen; with any, expired may be wrong

	Asked     float64 // payments a second: what the options say, over the time offered
	Offered   float64 // sent
	Validated float64
	Started   time.Time
	Ended     time.Time // when offering ended
	Points    []Point
	NoPoint   int64 // payments beyond the bound of Points

	hist *hdrhistogram.Histogram
}

func (g *Generator) buildReport() *Report {
	t := g.track
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &Report{
		Counts: t.mu.counts, Codes: t.mu.codes, Missed: t.mu.missed, Gaps: g.gaps.Load(),
		Latency: quantiles(t.mu.hist), Read: quantiles(t.mu.readHist), hist: t.mu.hist,
		Started: g.began, Ended: g.ended, Points: t.mu.points, NoPoint: t.mu.dropped,
	}
	for id, e := range t.mu.open {
		if e.answer == accepted && len(r.Lost) < maxLost {
			r.Lost = append(r.Lost, strings.ToUpper(hex.EncodeToString(id[:])))
		}
	}
	slices.Sort(r.Lost)
	if took := g.ended.Sub(g.began).Seconds(); took > 0 {
		r.Asked = float64(r.Counts.Intended) / took
		r.Offered = float64(r.Counts.Sent) / took
		r.Validated = float64(r.Counts.Validated) / took
	}
	return r
}

func quantiles(h *hdrhistogram.Histogram) Quantiles {
	at := func(q float64) time.Duration { return time.Duration(h.ValueAtQuantile(q)) * time.Microsecond }
	return Quantiles{
		N: h.TotalCount(), Mean: time.Duration(h.Mean() * float64(time.Microsecond)),
		P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: time.Duration(h.Max()) * time.Microsecond,
	}
}

// Comparable reports whether the offered rate was what was asked, within 2
// percent, and why not.
func (r *Report) Comparable() (bool, string) {
	switch {
	case r.Counts.Intended == 0:
		return false, "nothing was offered"
	case r.Gaps > 0:
		return false, fmt.Sprintf("the transactions of %d ledgers were not seen", r.Gaps)
	case math.Abs(r.Offered-r.Asked) > offeredTolerance*r.Asked:
		return false, fmt.Sprintf("offered %.1f/s where %.1f/s were asked", r.Offered, r.Asked)
	}
	return true, ""
}

// Lines says what became of every payment: one line an outcome, which add up to
// what was intended.
func (r *Report) Lines() []string {
	c := r.Counts
	out := []string{
		fmt.Sprintf("intended   %9d  (%.1f/s asked, %.1f/s offered, %.1f/s validated)", c.Intended, r.Asked, r.Offered, r.Validated),
		fmt.Sprintf("  missed   %9d%s", c.Missed, byCause(r.Missed)),
		fmt.Sprintf("  no answer%9d", c.Errors),
		fmt.Sprintf("  refused  %9d", c.Refused),
		fmt.Sprintf("  validated%9d", c.Validated),
		fmt.Sprintf("  claimed  %9d", c.Claimed),
		fmt.Sprintf("  expired  %9d", c.Expired),
		fmt.Sprintf("  pending  %9d", c.Pending),
	}
	if len(r.Codes) > 0 {
		out = append(out, "codes"+byCause(r.Codes))
	}
	if ok, why := r.Comparable(); !ok {
		out = append(out, "not valid for comparison: "+why)
	}
	return out
}

// Sum is what the outcomes add up to; it equals Intended.
func (c Counts) Sum() int64 {
	return c.Missed + c.Errors + c.Refused + c.Validated + c.Claimed + c.Expired + c.Pending
}

func byCause(m map[string]int64) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "  %s %d", k, m[k])
	}
	return b.String()
}
