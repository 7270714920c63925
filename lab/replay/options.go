package replay

import (
	"errors"
	"fmt"
	"time"

	"ledgerlab/node/memory"
)

// Options of a replay.
type Options struct {
	Triggers    []memory.Trigger // marks that may lead to a trim; none = no trims
	Policy      memory.Policy
	Pad         int64
	MinInterval time.Duration
	Speed       float64       // seconds of the trace a second; 0 = as fast as it goes
	Every       time.Duration // of the trace, between two weighings; default 1s
	Seed        uint64        // of the order in which older chunks are made
	Lossy       bool          // replay a trace that lost events or was cut off
	Tuning      memory.Tuning
}

// Default is a replay without trims.
func Default() Options {
	return Options{Policy: memory.Policy{Kind: memory.PolicyAlways}, Every: time.Second, Seed: 1}
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	t := memory.Options{Triggers: o.Triggers, Method: memory.MethodMalloc, Policy: o.Policy, Pad: o.Pad, MinInterval: o.MinInterval}
	faults = append(faults, t.Validate(), o.Tuning.Validate())
	if !(o.Speed >= 0 && o.Speed <= 1e6) {
		faults = append(faults, fmt.Errorf("speed %v: from 0 to 1000000", o.Speed))
	}
	if o.Every < 10*time.Millisecond || o.Every > time.Hour {
		faults = append(faults, fmt.Errorf("a weighing every %v: from 10ms to 1h", o.Every))
	}
	return errors.Join(faults...)
}

// Point is one weighing.
type Point struct {
	Seconds float64 `json:"seconds"`         // of the trace
	CHeap   int64   `json:"c_heap_bytes"`    // resident of the C allocator here
	Live    int64   `json:"live_bytes"`      // asked for and not given back
	RSS     int64   `json:"rss_bytes"`       // predicted for the node; 0 = the trace does not say enough
	Then    int64   `json:"recorded_bytes"`  // the node's, as recorded
	ThenC   int64   `json:"recorded_c_heap"` // its C heap; 0 = not measured then
}

// Result sums a replay up.
type Result struct {
	Allocator string  `json:"allocator"`
	Trace     string  `json:"trace_allocator"`
	Seconds   float64 `json:"seconds"`      // of the trace
	Took      float64 `json:"took_seconds"` // of this machine
	Allocs    uint64  `json:"allocs"`
	Frees     uint64  `json:"frees"`
	Older     uint64  `json:"older_chunks"` // live when the trace began
	Lost      uint64  `json:"lost_events"`
	Threads   int     `json:"threads"`
	Shared    int     `json:"shared_threads"` // recorded threads that had to share one
	Trims     uint64  `json:"trims"`
	Skipped   uint64  `json:"trims_skipped"`
	Returned  int64   `json:"trim_returned_bytes"`
	TrimCPU   float64 `json:"trim_cpu_seconds"`
	Behind    float64 `json:"behind_seconds"` // at most, where a speed was asked for
	MeanCHeap float64 `json:"mean_c_heap_bytes"`
	MeanRSS   float64 `json:"mean_rss_bytes"` // time-weighted, predicted; 0 = not known
	MeanThen  float64 `json:"mean_recorded_bytes"`
	PeakRSS   int64   `json:"peak_rss_bytes"`
	StartedNS int64   `json:"node_started_ns"`
	BegunNS   int64   `json:"trace_begun_ns"`
	Points    []Point `json:"points"`
}

// ErrDamaged is a trace that lost events or was cut off.
var ErrDamaged = errors.New("replay: the trace is not whole")
