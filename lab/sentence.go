package lab

import (
	"fmt"
	"math"
	"strings"

	"ledgerlab/lab/stats"
)

var labels = map[string]string{
	"rss_mean_bytes": "mean RSS", "rss_p5_bytes": "RSS p5", "rss_p95_bytes": "RSS p95", "rss_peak_bytes": "peak RSS",
	"rss_growth_ratio": "RSS growth over the window", "cpu_per_ktx_seconds": "CPU per 1,000 validated transactions",
	"minor_faults_rate": "minor faults", "major_faults_rate": "major faults", "sweep_p50_seconds": "sweep duration",
	"sweep_freed_bytes_rate": "bytes freed by sweeps", "sweep_lock_longest_seconds": "longest cache lock in a sweep",
	"trims_rate": "trims a second", "trim_p50_seconds": "trim time, median", "trim_p95_seconds": "trim time, p95",
	"trim_cpu_share": "CPU in trims", "trim_returned_bytes_rate": "bytes returned by trims", "rotation_p50_seconds": "rotation time, median",
	"departures_from_full": "departures from full", "step_outs": "step-outs", "ledger_interval_median_seconds": "ledger interval, median",
	"ledger_interval_p80_seconds": "ledger interval, p80", "ledger_interval_p95_seconds": "ledger interval, p95",
	"voting_seconds": "voting time", "set_acquire_seconds": "set acquisition", "disputes_per_round": "disputes a round",
	"validated_rate": "validated transactions a second", "latency_p50_seconds": "submit to validated, p50", "latency_p99_seconds": "submit to validated, p99",
}

// Label is a metric's name in sentences.
func Label(metric string) string {
	if l, ok := labels[metric]; ok {
		return l
	}
	return metric
}

// sentence states the campaign in words: the verdict first, then each primary
// with its interval, then what it could have seen.
func (j *judge) sentence() string {
	v := j.v
	var parts []string
	for _, r := range primaries(v.Rows) {
		parts = append(parts, fmt.Sprintf("with %s, %s", r.Arm, Phrase(r)))
	}
	for _, r := range v.Rows {
		if r.Role == "secondary" && (r.Word == stats.Improved || r.Word == stats.Regressed) {
			parts = append(parts, Phrase(r)+armSuffix(v, r))
		}
	}
	text := strings.ToUpper(string(v.Word[:1])) + string(v.Word[1:]) + ": " + strings.Join(parts, "; ")
	if see := j.couldSee(); see != "" {
		text += "; " + see
	}
	if v.Word == stats.Void && len(v.Reasons) > 0 {
		text = "Void: " + strings.Join(v.Reasons, "; ") + "."
		if len(parts) > 0 && v.Blocks > 0 {
			text += " (Measured nevertheless: " + strings.Join(parts, "; ") + ".)"
		}
		return text
	}
	return text + "."
}

func armSuffix(v *Verdict, r MetricRow) string {
	if len(v.Arms) <= 3 {
		return ""
	}
	return " with " + r.Arm
}

func (j *judge) couldSee() string {
	var in []string
	for _, r := range primaries(j.v.Rows) {
		if r.Sees.Known() {
			in = append(in, fmt.Sprintf("%.2g%% in %s", 100*float64(r.Sees), Label(r.Metric)))
			break
		}
	}
	if len(in) == 0 {
		return ""
	}
	return "this campaign could have seen " + strings.Join(in, ", ")
}

// Phrase states one row: "mean RSS 16.6% lower (95% 16.0 to 17.2, 14 of 14 blocks)".
func Phrase(r MetricRow) string {
	if r.Note != "" && r.Word == Unjudged {
		return Label(r.Metric) + " " + r.Note
	}
	if !r.Ratio.Known() {
		return Label(r.Metric) + " not measured"
	}
	rt := float64(r.Ratio)
	n, side := r.Lower, "lower"
	if rt > 1 {
		n, side = r.Blocks-r.Lower, "higher"
	}
	if !r.Low.Known() || !r.High.Known() {
		return fmt.Sprintf("%s %.1f%% %s in %d of %d blocks, which bounds nothing: %d blocks are the fewest that can decide",
			Label(r.Metric), 100*math.Abs(rt-1), side, n, r.Blocks, r.fewest())
	}
	if rt >= 2 {
		return fmt.Sprintf("%s %.1f times as many (%.0f%% %.1f to %.1f, %d of %d blocks)", Label(r.Metric), rt, 100*0.95, float64(r.Low), float64(r.High), n, r.Blocks)
	}
	lo, hi := 100*(float64(r.Low)-1), 100*(float64(r.High)-1)
	if r.Low < 1 && r.High < 1 {
		return fmt.Sprintf("%s %.1f%% lower (95%% %.1f to %.1f, %d of %d blocks)", Label(r.Metric), 100*(1-rt), -hi, -lo, n, r.Blocks)
	}
	if r.Low > 1 && r.High > 1 {
		return fmt.Sprintf("%s %.1f%% higher (95%% %.1f to %.1f, %d of %d blocks)", Label(r.Metric), 100*(rt-1), lo, hi, n, r.Blocks)
	}
	return fmt.Sprintf("%s %+.1f%% (95%% %+.1f to %+.1f, lower in %d of %d blocks)", Label(r.Metric), 100*(rt-1), lo, hi, r.Lower, r.Blocks)
}
