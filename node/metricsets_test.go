package node

import (
	"testing"
	"time"

	"ledgerlab/node/rotate"
)

// counterOf reads one series of a node's metrics.
func counterOf(t *testing.T, n *Node, name, value string) float64 {
	t.Helper()
	families, err := n.metrics.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == value {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no series %s of %s", value, name)
	return 0
}

// TestClosedSetsHoldWhatIsSaid: the words that trims and rotations end with are series of their own, not the one of
// unknown words.
func TestClosedSetsHoldWhatIsSaid(t *testing.T) {
	c := testConfig(t, 0)
	c.Standalone = true
	c.Flags["trim.trigger"], c.Flags["trim.method"], c.Flags["trim.policy"] = "sweep", "go", "every(2)"
	c.Flags["cache.sweep_interval"] = "1h"
	r := startNode(t, Options{Config: c})
	sweep := func() {
		if _, err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	if n := counterOf(t, r.Node, "ledgerd_trim_skipped_total", "policy"); n != 1 {
		t.Errorf("%v trims skipped by the policy, want 1", n)
	}
	sweep()
	if n := counterOf(t, r.Node, "ledgerd_trims_total", "sweep"); n != 1 {
		t.Errorf("%v trims made, want 1", n)
	}
	if _, err := r.flags.SetAll(map[string]string{"trim.policy": "every(1)", "trim.min_interval": "1h"}); err != nil {
		t.Fatal(err)
	}
	sweep()
	if n := counterOf(t, r.Node, "ledgerd_trim_skipped_total", "interval"); n != 1 {
		t.Errorf("%v trims skipped for the interval, want 1", n)
	}
	for _, result := range []rotate.Result{rotate.Rotated, rotate.Expired, rotate.Stopping, rotate.Failed} {
		r.metrics.ObserveRotation(string(result), time.Second)
		if n := counterOf(t, r.Node, "ledgerd_rotations_total", string(result)); n != 1 {
			t.Errorf("%v rotations %s, want 1", n, result)
		}
	}
}
