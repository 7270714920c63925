package lab

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	recordv1 "ledgerlab/proto/record/v1"
)

// fakeDriver starts clusters whose nodes are this very process and whose
// records come from a ticker.
type fakeDriver struct {
	started, stopped atomic.Int32
	noRoom           bool // why it dies
	dieIn            int  // cluster in which node 1 dies, from 1; 0 = none
	diverge          bool
	refuse           error
	onStart          func()
}

func (f *fakeDriver) Start(_ context.Context, spec ClusterSpec) (Cluster, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	if err := os.MkdirAll(spec.Dir, 0o755); err != nil {
		return nil, err
	}
	n := f.started.Add(1)
	if f.onStart != nil {
		f.onStart()
	}
	c := &fakeCluster{driver: f, spec: spec, died: make(chan NodeDeath, 1)}
	if int(n) == f.dieIn {
		c.died <- NodeDeath{Node: 1, Reason: "signal: killed", NoRoom: f.noRoom}
	}
	return c, nil
}

type fakeCluster struct {
	driver *fakeDriver
	spec   ClusterSpec
	died   chan NodeDeath
}

func (c *fakeCluster) PIDs() []int {
	out := make([]int, len(c.spec.Nodes))
	for i := range out {
		out[i] = os.Getpid()
	}
	return out
}

func (c *fakeCluster) Ready(ctx context.Context) error { return ctx.Err() }
func (c *fakeCluster) Died() <-chan NodeDeath          { return c.died }
func (c *fakeCluster) Stop(context.Context) error      { c.driver.stopped.Add(1); return nil }

func (c *fakeCluster) Watch(ctx context.Context, node int, _ []string, fn func(*recordv1.Record, uint64)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for seq := uint32(1); ; seq++ {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			hash := fmt.Sprintf("%064X", seq)
			if c.driver.diverge && node == 1 && seq == 3 {
				hash = "DIFFERENT"
			}
			at := now.UnixNano()
			fn(&recordv1.Record{Version: 1, TimeNs: at, Body: &recordv1.Record_Ledger{Ledger: &recordv1.LedgerRecord{Seq: seq, Hash: hash, SeenNs: at, Transactions: 10}}}, 0)
			fn(&recordv1.Record{Version: 1, TimeNs: at, Body: &recordv1.Record_Sweep{Sweep: &recordv1.SweepRecord{Number: uint64(seq), DurationNs: 1e6}}}, 0)
			fn(&recordv1.Record{Version: 1, TimeNs: at, Body: &recordv1.Record_Rotation{Rotation: &recordv1.RotationRecord{Result: "done", DurationNs: 1e7}}}, 0)
		}
	}
}

func (c *fakeCluster) Offer(context.Context, LoadSpec, uint64) (Traffic, error) {
	return &fakeTraffic{started: time.Now()}, nil
}

type fakeTraffic struct {
	started time.Time
}

func (t *fakeTraffic) Counts() LoadCounts { return LoadCounts{} }

func (t *fakeTraffic) Stop(context.Context) (LoadResult, error) {
	return LoadResult{Counts: LoadCounts{Intended: 10, Sent: 10, Accepted: 10, Validated: 10}, Started: t.started, Ended: time.Now()}, nil
}

const fastYAML = `apiVersion: ledgerlab/v1
kind: Experiment
metadata: {name: fast, question: Is it fast?}
placement: node
network: {nodes: 5, accounts: 3000, set: {cache.sweep_interval: 500ms}}
load: {rate: 10}
arms:
  - {name: control, set: {trim.trigger: none}}
  - {name: control2, copyOf: control}
  - {name: trim, set: {trim.trigger: sweep}}
design:
  blocks: 2
  seed: 7
  pause: 1ms
  warmup: {sweeps: 1, rotations: 1, min: 10ms, max: 2s}
  window: {sweeps: 2, rotations: 1, min: 400ms, max: 5s}
  repeats: 1
judge:
  primary: [{metric: rss_mean_bytes}]
  secondary: [{metric: cpu_per_ktx_seconds}, {metric: ledger_interval_median_seconds}]
guards: {foreign_cpu: 1000%, steal: 1000%, quiet_wait: 1ns}
`

func fastExperiment(t *testing.T, over Overrides) *Experiment {
	t.Helper()
	exp, err := Parse("fast.yaml", []byte(fastYAML), over)
	if err != nil {
		t.Fatal(err)
	}
	return exp
}
