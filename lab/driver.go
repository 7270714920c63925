package lab

import (
	"context"
	"time"

	recordv1 "ledgerlab/proto/record/v1"
)

// Driver starts networks of nodes. The lab's own is made of lab/network and
// lab/load; tests have a fake one.
type Driver interface {
	Start(ctx context.Context, spec ClusterSpec) (Cluster, error)
}

// ClusterSpec says what to start.
type ClusterSpec struct {
	Dir      string // empty or not there yet; the cluster owns it until Stop
	Seed     uint64 // of keys, ports and the prepared state
	Accounts int    // in the prepared state
	Nodes    []NodeSpec
}

// NodeSpec is one node of a cluster.
type NodeSpec struct {
	Name  string
	Flags map[string]string
}

// Cluster is a running network as a campaign sees it.
type Cluster interface {
	// PIDs are the processes, one a node.
	PIDs() []int
	// Ready returns once every node follows one validated chain.
	Ready(ctx context.Context) error
	// Watch calls fn for each record of a node until ctx ends, from the oldest
	// held on, without gaps unless lost says so.
	Watch(ctx context.Context, node int, kinds []string, fn func(r *recordv1.Record, lost uint64)) error
	// Died delivers the nodes whose process ended without being asked to.
	Died() <-chan NodeDeath
	// Offer starts to send traffic.
	Offer(ctx context.Context, spec LoadSpec, seed uint64) (Traffic, error)
	// Stop ends every process and returns when they are gone.
	Stop(ctx context.Context) error
}

// NodeDeath is a process that ended by itself.
type NodeDeath struct {
	Node   int
	Reason string
	NoRoom bool // the machine had no room for it; another attempt will have none either
}

// Traffic is load being offered.
type Traffic interface {
	Counts() LoadCounts
	// Stop ends offering, waits until everything accepted is final or the
	// bound of the load's own expiry has passed, and reports.
	Stop(ctx context.Context) (LoadResult, error)
}

// LoadCounts adds up: Intended = Sent + Missed, Sent = Accepted + Refused +
// Errors, Accepted = Validated + Failed + Expired + Pending.
type LoadCounts struct {
	Intended   int64 `json:"intended"`
	Sent       int64 `json:"sent"`
	Missed     int64 `json:"missed"` // due but not sent in time by the generator
	Accepted   int64 `json:"accepted"`
	Refused    int64 `json:"refused"`
	Errors     int64 `json:"errors"`    // no answer
	Validated  int64 `json:"validated"` // in a validated ledger with tesSUCCESS
	Failed     int64 `json:"failed"`    // in a validated ledger with a fee-claiming code
	Expired    int64 `json:"expired"`   // its last ledger passed: a final code
	Pending    int64 `json:"pending"`   // accepted, no final word yet
	Reads      int64 `json:"reads"`
	ReadErrors int64 `json:"read_errors"`
}

// LoadResult is the end of a load.
type LoadResult struct {
	Counts  LoadCounts       `json:"counts"`
	Codes   map[string]int64 `json:"codes,omitempty"` // answers and final codes by name
	Missed  map[string]int64 `json:"missed_by,omitempty"`
	Lost    []string         `json:"lost,omitempty"` // ids accepted and never final, the first 20
	Gaps    int64            `json:"gaps,omitempty"` // ledgers whose transactions the generator did not see
	Started time.Time        `json:"started"`
	Ended   time.Time        `json:"ended"`
	Points  []LoadPoint      `json:"-"` // one a transaction, stored as a series
}

// LoadPoint is one transaction. LatencyNS runs from the intended send; for
// what never validated it is the time after which it was given up.
type LoadPoint struct {
	IntendedNS int64
	LatencyNS  int64
	Validated  bool
}

// watchedKinds are the records a campaign keeps; batches are too many.
var watchedKinds = []string{"start", "round", "sweep", "trim", "rotation", "mode", "flag", "fault", "sample", "ledger", "stop", "sheet"}
