package lab

import (
	"encoding/json"
	"math"
	"strconv"

	"ledgerlab/lab/stats"
)

// VerdictSchema is the version of verdict.json; docs/FORMATS.md describes it.
const VerdictSchema = "ledgerlab/verdict/v1"

// Unjudged stands in a row that carries no verdict; its note says why.
const Unjudged stats.Word = "unjudged"

// Num is a number that may be unknown: NaN and infinities are null in JSON.
type Num float64

// MarshalJSON writes null for what is not a finite number.
func (n Num) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// UnmarshalJSON reads null as NaN.
func (n *Num) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Num(math.NaN())
		return nil
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*n = Num(f)
	return nil
}

// Known says whether n is a finite number.
func (n Num) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// Verdict is a judged campaign, stored as verdict.json.
type Verdict struct {
	Schema        string       `json:"schema"`
	Experiment    string       `json:"experiment"`
	Question      string       `json:"question"`
	Seed          string       `json:"seed"`  // row of the published figures it answers for
	Claim         string       `json:"claim"` // the published figure
	Profile       string       `json:"profile"`
	Placement     string       `json:"placement"`
	Blocks        int          `json:"blocks"`         // that count
	BlocksPlanned int          `json:"blocks_planned"` // by the experiment
	Arms          []string     `json:"arms"`
	Control       string       `json:"control"`
	Duplicate     string       `json:"duplicate,omitempty"`
	DesignSeed    uint64       `json:"design_seed"`
	Word          stats.Word   `json:"verdict"`
	Exit          int          `json:"exit_code"`
	Sentence      string       `json:"sentence"`
	Reasons       []string     `json:"reasons,omitempty"` // why void or inconclusive
	Notes         []string     `json:"notes,omitempty"`   // what a reader must know
	Rows          []MetricRow  `json:"metrics"`
	Gates         []GateRow    `json:"gates"`
	Savings       []Saving     `json:"savings,omitempty"`
	Kept          []MetricRow  `json:"with_contaminated_kept,omitempty"` // primaries, disturbed blocks kept in
	Guards        Guards       `json:"guards"`
	Drift         []DriftCheck `json:"drift,omitempty"`
	Trims         []TrimTally  `json:"trims,omitempty"`
}

// MetricRow is one metric of one arm against the control.
type MetricRow struct {
	Metric     string       `json:"metric"`
	Unit       string       `json:"unit"`
	Role       string       `json:"role"` // primary or secondary
	Arm        string       `json:"arm"`
	Better     stats.Better `json:"better"`
	Margin     float64      `json:"margin"`
	Control    Num          `json:"control_value"` // geometric mean over units
	Value      Num          `json:"value"`
	Method     string       `json:"method"` // sign-flip (unit: a block) or permutation (unit: one process in one block)
	Ratio      Num          `json:"ratio"`  // Hodges-Lehmann, or the least-squares contrast of the permutation test
	Low        Num          `json:"low"`    // 95 %
	High       Num          `json:"high"`
	Low90      Num          `json:"low90"`
	High90     Num          `json:"high90"`
	Level      float64      `json:"level"`           // confidence really reached by low..high
	P          Num          `json:"p"`               // by method
	Q          Num          `json:"q"`               // Holm or Benjamini-Hochberg
	Wilcoxon   Num          `json:"wilcoxon_p"`      // cross-check of the sign-flip test
	Model      *ModelCheck  `json:"model,omitempty"` // of the permutation test, with its cross-check
	Word       stats.Word   `json:"verdict"`
	Blocks     int          `json:"blocks"`
	Lower      int          `json:"blocks_lower"` // in which the arm was lower
	Cliff      Num          `json:"cliffs_delta"`
	Band       stats.Band   `json:"cliffs_band"`
	Units      int          `json:"units"`     // run values behind Cliff's delta, both sides
	Sees       Num          `json:"sees"`      // smallest change found with 80 % power, a fraction
	RulesOut   Num          `json:"rules_out"` // changes beyond it are excluded, a fraction
	Decide     int          `json:"blocks_to_decide,omitempty"`
	Fewest     int          `json:"fewest_blocks,omitempty"` // that could reach p 0.05
	Note       string       `json:"note,omitempty"`          // why it is not judged
	D          []float64    `json:"d"`                       // log ratios by block, node effects taken out
	BlockIndex []int        `json:"d_blocks"`
	SpreadP    Num          `json:"spread_p"` // sign-flip on |deviation| of runs: does the spread differ?
}

// Methods of a row.
const (
	MethodSignFlip    = "sign-flip"
	MethodPermutation = "permutation"
)

// fewest falls back on blocks as the unit for verdicts stored before it was.
func (r MetricRow) fewest() int {
	if r.Fewest > 0 {
		return r.Fewest
	}
	return stats.MinBlocks(0.05)
}

// ModelCheck is the linear model log y = block + node + arm of a row by
// permutation: its t interval and p are printed as a cross-check.
type ModelCheck struct {
	DF         int  `json:"df"`
	SE         Num  `json:"se"`    // of the log ratio
	Low        Num  `json:"t_low"` // 95 %
	High       Num  `json:"t_high"`
	P          Num  `json:"t_p"`
	Labellings int  `json:"labellings"` // in the reference set
	Exact      bool `json:"exact"`      // all of them, not a draw
	Smallest   Num  `json:"smallest_p"` // that the design could reach
}

// GateRow is the A/A evidence of a metric.
type GateRow struct {
	Metric string     `json:"metric"`
	Role   string     `json:"role"`
	Ratio  Num        `json:"ratio"`
	Low    Num        `json:"low"` // 90 %, the interval that must lie inside the margin
	High   Num        `json:"high"`
	Margin float64    `json:"margin"`
	P      Num        `json:"p"`
	Holm   Num        `json:"holm"`
	OK     bool       `json:"ok"`
	Word   stats.Word `json:"verdict"` // of the duplicate against the control
	Reason string     `json:"reason,omitempty"`
	SD     Num        `json:"sd"` // of one block's difference, for planning

	Smallest Num `json:"smallest_p"` // that the design could reach
}

// Saving weighs memory saved against its price.
type Saving struct {
	Arm         string `json:"arm"`
	SavedBytes  Num    `json:"saved_bytes"` // mean RSS a process, control minus arm
	Low         Num    `json:"low"`         // 95 % over blocks
	High        Num    `json:"high"`
	ExtraCPU    Num    `json:"extra_cpu_seconds_per_hour"` // a process, whole CPU difference, refaults included
	ExtraFaults Num    `json:"extra_minor_faults_per_second"`
	FaultCost   Num    `json:"fault_cost_seconds"`              // CPU of one minor fault, measured
	FaultCPU    Num    `json:"fault_cpu_seconds_per_hour"`      // extra faults times their cost
	Cost        Num    `json:"cost_cpu_seconds_per_hour"`       // both, as the protocol defines it
	Yield       Num    `json:"yield_bytes_per_cpu_second_hour"` // saved bytes for each CPU second an hour; null when the cost is not positive
}

// Guards are protected, never optimised.
type Guards struct {
	Agreement      bool           `json:"agreement"`
	LedgersAgreed  int            `json:"ledgers"`
	HashesCompared int            `json:"hashes_compared"`
	Diverged       []string       `json:"diverged,omitempty"`
	Missing        int            `json:"ledgers_missing_somewhere"`
	Finality       bool           `json:"finality"` // everything accepted was validated or ended with a final code
	Load           LoadCounts     `json:"load"`
	Lost           []string       `json:"lost,omitempty"`
	Runs           map[string]int `json:"runs"` // by status
	Residual       Num            `json:"unexplained_rss_share"`
	RecordsLost    uint64         `json:"records_lost"`
	ForeignCPU     Num            `json:"foreign_cpu_mean"`
	GeneratorCPU   Num            `json:"generator_cpu_mean"`
	TargetsCPU     Num            `json:"targets_cpu_mean"`
	Steal          Num            `json:"steal_max"`
}

// DriftCheck is one of the checks of protocol 5.11.
type DriftCheck struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Effect Num    `json:"effect"` // log change over the campaign, or between positions
	P      Num    `json:"p"`      // by permutation
}

// TrimTally counts the trims of an arm by trigger.
type TrimTally struct {
	Arm      string  `json:"arm"`
	Trigger  string  `json:"trigger"`
	Made     int     `json:"made"`
	Skipped  int     `json:"skipped"`
	Lowered  int     `json:"lowered_rss"`
	Raised   int     `json:"raised_rss"`
	Median   int64   `json:"median_returned_bytes"`
	Largest  int64   `json:"largest_returned_bytes"`
	Sum      int64   `json:"sum_returned_bytes"`
	P50      float64 `json:"p50_seconds"`
	P95      float64 `json:"p95_seconds"`
	CPU      float64 `json:"cpu_seconds"`
	Sweeps   int     `json:"sweeps"`
	PerSweep float64 `json:"trims_per_sweep"`
}
