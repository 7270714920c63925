package verify

import (
	"fmt"
	"maps"
	"slices"
)

// feeReply is the server's answer to "fee".
type feeReply struct {
	CurrentSize  string            `json:"current_ledger_size"`
	QueueSize    string            `json:"current_queue_size"`
	ExpectedSize string            `json:"expected_ledger_size"`
	QueueMax     string            `json:"max_queue_size"`
	Drops        map[string]string `json:"drops"`
	Levels       map[string]string `json:"levels"`
	Current      uint32            `json:"ledger_current_index"`
}

// fee compares a recorded fee reply with the queue's figures.
func (r *replay) fee(rec *record) {
	m := r.s.queue.Metrics(r.s.open)
	r.rep.FeeReplies++
	got := map[string]string{
		"ledger_current_index": fmt.Sprint(m.Seq),
		"current_ledger_size":  fmt.Sprint(m.InLedger),
		"current_queue_size":   fmt.Sprint(m.InQueue),
		"expected_ledger_size": fmt.Sprint(m.Expected),
		"max_queue_size":       fmt.Sprint(m.QueueMax),
		"base_fee":             fmt.Sprint(m.BaseFee),
		"median_fee":           fmt.Sprint(m.MedianFee),
		"minimum_fee":          fmt.Sprint(m.MinimumFee),
		"open_ledger_fee":      fmt.Sprint(m.OpenLedgerFee),
		"median_level":         fmt.Sprint(m.MedianLevel),
		"minimum_level":        fmt.Sprint(m.MinimumLevel),
		"open_ledger_level":    fmt.Sprint(m.OpenLedgerLevel),
		"reference_level":      fmt.Sprint(m.ReferenceLevel),
	}
	want := map[string]string{
		"ledger_current_index": fmt.Sprint(rec.Current),
		"current_ledger_size":  rec.CurrentSize,
		"current_queue_size":   rec.QueueSize,
		"expected_ledger_size": rec.ExpectedSize,
		"max_queue_size":       rec.QueueMax,
	}
	maps.Copy(want, rec.Drops)
	maps.Copy(want, rec.Levels)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != "" && want[name] != got[name] {
			r.rep.Difference = &Difference{
				Line: r.in.line, Ledger: m.Seq, What: "fee reply", Field: name, Want: want[name], Got: got[name],
			}
			return
		}
	}
}
