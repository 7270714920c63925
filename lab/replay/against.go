package replay

import (
	"errors"
	"fmt"

	"ledgerlab/lab/stats"
	"ledgerlab/node/record"
)

// Live is what a running node weighed over the same part of its life as a trace.
type Live struct {
	Samples int     `json:"samples"`
	Mean    float64 `json:"mean_rss_bytes"` // time-weighted
	Ratio   float64 `json:"predicted_over_live"`
	From    float64 `json:"from_seconds"` // of the process's age
	To      float64 `json:"to_seconds"`
}

// Within is the share by which a prediction may be off.
const Within = 0.10

// Good says that the prediction is near.
func (l Live) Good() bool { return l.Ratio >= 1-Within && l.Ratio <= 1+Within }

// ErrNoLive is a record file without samples of the span that is compared.
var ErrNoLive = errors.New("replay: no samples of the same age")

// Against compares a prediction with the records of a node that ran under what
// was predicted: its samples at the same age of the process. A file with several
// runs is read to the last.
func (r *Result) Against(path string) (Live, error) {
	from := float64(r.BegunNS-r.StartedNS) / 1e9
	l := Live{From: from, To: from + r.Seconds}
	var run uint64
	var t, rss []float64
	_, err := record.ReadFile(path, func(rec *record.Record) error {
		if rec.GetRun() != run {
			run, t, rss = rec.GetRun(), nil, nil
		}
		s := rec.GetSample()
		age := float64(rec.GetMonoNs()) / 1e9
		if s != nil && age >= l.From && age <= l.To {
			t, rss = append(t, age), append(rss, float64(s.GetRssBytes()))
		}
		return nil
	})
	if err != nil {
		return l, err
	}
	l.Samples = len(t)
	if len(t) < 2 || t[len(t)-1]-t[0] < 0.9*(l.To-l.From) {
		return l, fmt.Errorf("%w: %s has %d between %.0f s and %.0f s of the last run", ErrNoLive, path, len(t), l.From, l.To)
	}
	l.Mean = stats.TimeWeighted(t, rss)
	l.Ratio = r.MeanRSS / l.Mean
	return l, nil
}
