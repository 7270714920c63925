package lab

import "ledgerlab/lab/stats"

// Metric describes one number that a unit of a campaign yields.
type Metric struct {
	Name      string       `json:"name"`
	Unit      string       `json:"unit"`
	Better    stats.Better `json:"better"`
	Margin    float64      `json:"margin"`    // default margin of indifference, a fraction
	Placement string       `json:"placement"` // node: also right side by side; network: only when every node has the same arm
	Doc       string       `json:"doc"`
	Growth    bool         `json:"growth,omitempty"` // the value is a logarithm already: compared by difference
	Counts    bool         `json:"counts,omitempty"` // may be zero: compared only when no unit is
}

// Fits says whether the metric may be judged under a placement. Metrics of the
// process may be judged under both, metrics of the network only under network.
func (m Metric) Fits(placement string) bool {
	return m.Placement == PlacementNode || placement == PlacementNetwork
}

// Metrics lists all of them in the order of reports.
func Metrics() []Metric {
	const node, network = PlacementNode, PlacementNetwork
	return []Metric{
		{Name: "rss_mean_bytes", Unit: "bytes", Better: stats.Lower, Margin: 0.02, Placement: node, Doc: "Time-weighted mean of resident memory over the window."},
		{Name: "rss_p5_bytes", Unit: "bytes", Better: stats.Lower, Margin: 0.02, Placement: node, Doc: "5th percentile of resident memory."},
		{Name: "rss_p95_bytes", Unit: "bytes", Better: stats.Lower, Margin: 0.02, Placement: node, Doc: "95th percentile of resident memory."},
		{Name: "rss_peak_bytes", Unit: "bytes", Better: stats.Lower, Margin: 0.03, Placement: node, Doc: "Largest sample of resident memory in the window."},
		{Name: "rss_growth_ratio", Unit: "log", Better: stats.Lower, Margin: 0.02, Placement: node, Growth: true, Doc: "Growth of resident memory over the window, as Theil-Sen slope times window over mean; compared by difference."},
		{Name: "cpu_per_ktx_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.05, Placement: node, Doc: "CPU of the process for each 1,000 transactions validated in the window."},
		{Name: "minor_faults_rate", Unit: "1/s", Better: stats.Lower, Margin: 0.25, Placement: node, Doc: "Minor page faults a second."},
		{Name: "major_faults_rate", Unit: "1/s", Better: stats.Lower, Margin: 0.25, Placement: node, Counts: true, Doc: "Major page faults a second."},
		{Name: "sweep_p50_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.25, Placement: node, Doc: "Median duration of a cache sweep, trim apart."},
		{Name: "sweep_freed_bytes_rate", Unit: "bytes/s", Better: stats.Higher, Margin: 0.1, Placement: node, Counts: true, Doc: "Payload bytes that sweeps gave back to the allocator, a second: the churn."},
		{Name: "sweep_lock_longest_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.5, Placement: node, Counts: true, Doc: "Longest hold of one cache partition's lock in a sweep."},
		{Name: "trims_rate", Unit: "1/s", Better: stats.Lower, Margin: 0.25, Placement: node, Counts: true, Doc: "Trims made a second."},
		{Name: "trim_p50_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.25, Placement: node, Counts: true, Doc: "Median duration of a trim."},
		{Name: "trim_p95_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.25, Placement: node, Counts: true, Doc: "95th percentile of the duration of a trim."},
		{Name: "trim_cpu_share", Unit: "ratio", Better: stats.Lower, Margin: 0.25, Placement: node, Counts: true, Doc: "Thread CPU spent in trims, as a share of the window."},
		{Name: "trim_returned_bytes_rate", Unit: "bytes/s", Better: stats.Higher, Margin: 0.25, Placement: node, Counts: true, Doc: "Fall of resident memory over trims, rises counted against it, a second. Never judged alone."},
		{Name: "rotation_p50_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.25, Placement: node, Counts: true, Doc: "Median duration of a store rotation."},
		{Name: "departures_from_full", Unit: "1/h", Better: stats.Lower, Margin: 0.5, Placement: node, Counts: true, Doc: "Times a node left the mode full, an hour."},
		{Name: "step_outs", Unit: "1/h", Better: stats.Lower, Margin: 0.5, Placement: node, Counts: true, Doc: "Rounds in which a validator did not propose, an hour."},
		{Name: "ledger_interval_median_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.05, Placement: network, Doc: "Median time from one ledger first seen validated to the next, same observer."},
		{Name: "ledger_interval_p80_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.1, Placement: network, Doc: "80th percentile of the ledger interval."},
		{Name: "ledger_interval_p95_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.15, Placement: network, Doc: "95th percentile of the ledger interval."},
		{Name: "voting_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.05, Placement: network, Doc: "Median duration of the establish phase."},
		{Name: "set_acquire_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.25, Placement: network, Counts: true, Doc: "Median of the longest acquisition of a peer's transaction set in a round."},
		{Name: "disputes_per_round", Unit: "1", Better: stats.Lower, Margin: 0.5, Placement: network, Counts: true, Doc: "Disputed transactions a round."},
		{Name: "validated_rate", Unit: "1/s", Better: stats.Higher, Margin: 0.02, Placement: network, Doc: "Transactions validated a second in the window."},
		{Name: "latency_p50_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.05, Placement: network, Doc: "Median time from the intended send to validated; failures count as the timeout."},
		{Name: "latency_p99_seconds", Unit: "seconds", Better: stats.Lower, Margin: 0.25, Placement: network, Doc: "99th percentile of the same."},
	}
}

// MetricByName finds a metric.
func MetricByName(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

func metricNames() []string {
	all := Metrics()
	out := make([]string, len(all))
	for i, m := range all {
		out[i] = m.Name
	}
	return out
}
