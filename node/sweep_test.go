package node

import "testing"

// TestSweepAnswersWithItsRecord: what a client is told of a sweep is what was
// measured around it.
func TestSweepAnswersWithItsRecord(t *testing.T) {
	c := testConfig(t, 0)
	c.Standalone = true
	r := startNode(t, Options{Config: c})
	got, err := r.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got != r.lastSweep.Load() || got.GetReason() != "request" {
		t.Errorf("answered %v, recorded %v", got, r.lastSweep.Load())
	}
	if got.GetRssBeforeBytes() <= 0 || got.GetRssAfterBytes() <= 0 || got.GetCpuNs() <= 0 {
		t.Errorf("figures were not measured: %v", got)
	}
}
