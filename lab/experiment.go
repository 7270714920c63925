package lab

import (
	"time"

	"ledgerlab/lab/stats"
	"ledgerlab/node/config"
)

// APIVersion is the one schema version of experiment files.
const APIVersion = "ledgerlab/v1"

// Placements of arms.
const (
	PlacementNode    = "node"    // arms side by side on the nodes of one network
	PlacementNetwork = "network" // every node of a run carries the same arm
)

// Experiment is one question with everything needed to answer it. The zero
// value of a field means what its comment says.
type Experiment struct {
	APIVersion string             `yaml:"apiVersion"`          // ledgerlab/v1
	Kind       string             `yaml:"kind"`                // Experiment
	Metadata   Metadata           `yaml:"metadata"`            // name and question
	Profile    string             `yaml:"profile,omitempty"`   // set when resolved: quick, full, long, or empty
	Placement  string             `yaml:"placement"`           // node or network
	Network    NetworkSpec        `yaml:"network"`             // what is started
	Load       LoadSpec           `yaml:"load"`                // what is sent
	Arms       []ArmSpec          `yaml:"arms"`                // the first is the control
	Design     DesignSpec         `yaml:"design"`              // blocks, order, windows
	Judge      JudgeSpec          `yaml:"judge"`               // metrics and margins
	Guards     GuardSpec          `yaml:"guards"`              // when a run is contaminated
	Profiles   map[string]Profile `yaml:"profiles,omitempty"`  // overlays by name
	Overrides  map[string]string  `yaml:"overrides,omitempty"` // set when resolved: --set values
}

// Metadata names an experiment.
type Metadata struct {
	Name     string `yaml:"name"`     // lower case, digits, dashes
	Question string `yaml:"question"` // one sentence, ends with a question mark
	Seed     string `yaml:"seed"`     // what it answers for, such as "S1"
	Claim    string `yaml:"claim"`    // the published figure to set beside ours
}

// NetworkSpec says what a run starts.
type NetworkSpec struct {
	Nodes    int               `yaml:"nodes"`    // default 5
	Accounts int               `yaml:"accounts"` // in the prepared state; default 200,000
	Set      map[string]string `yaml:"set"`      // flags of every node in every arm
	Stagger  bool              `yaml:"stagger"`  // node i rotates i/nodes of an interval later than node 0
}

// LoadSpec says what is sent, in an open loop.
type LoadSpec struct {
	Rate     float64 `yaml:"rate"`     // payments a second over all nodes
	Accounts int     `yaml:"accounts"` // payers and payees; default 3,000
	Reads    float64 `yaml:"reads"`    // state reads a second and node; 0 = none
	Pages    float64 `yaml:"pages"`    // state pages a second and node; 0 = none
	Held     int     `yaml:"held"`     // ledgers back that reads may go; 0 = newest only
}

// ArmSpec is one complete configuration.
type ArmSpec struct {
	Name   string            `yaml:"name"`             // lower case, digits, dashes
	CopyOf string            `yaml:"copyOf,omitempty"` // the arm whose flags it repeats: the A/A gate
	Set    map[string]string `yaml:"set,omitempty"`    // flags over those of the network
	Note   string            `yaml:"note,omitempty"`   // one sentence for the report
}

// DesignSpec is the plan of a campaign.
type DesignSpec struct {
	Blocks  int           `yaml:"blocks"`  // default 10
	Order   string        `yaml:"order"`   // williams (default) or fixed, which the report marks
	Seed    uint64        `yaml:"seed"`    // of order, placement and traffic; 0 = drawn and recorded
	Warmup  Span          `yaml:"warmup"`  // what must have happened before the window
	Window  Span          `yaml:"window"`  // what must happen inside it
	Pause   time.Duration `yaml:"pause"`   // idle between runs; default one sweep interval
	Repeats int           `yaml:"repeats"` // contaminated or broken blocks that may be repeated; default 2, -1 = none
}

// Span is a stretch of a run bounded by events of every node and by time.
type Span struct {
	Sweeps    int           `yaml:"sweeps"`    // on every node
	Rotations int           `yaml:"rotations"` // on every node
	Min       time.Duration `yaml:"min"`       // at least this long
	Max       time.Duration `yaml:"max"`       // and at most this, whatever happened
	Test      string        `yaml:"test"`      // warm-up only: mser5 or none
}

// JudgeSpec says which metrics decide.
type JudgeSpec struct {
	Primary   []MetricSpec `yaml:"primary"`   // 1 to 3, corrected by Holm
	Secondary []MetricSpec `yaml:"secondary"` // at most 16, corrected by Benjamini-Hochberg
	Level     float64      `yaml:"level"`     // default 0.05
}

// MetricSpec chooses a metric and what counts as no difference.
type MetricSpec struct {
	Metric string  `yaml:"metric"`           // a name of `list metrics`
	Better string  `yaml:"better,omitempty"` // lower or higher; default the metric's own
	Margin Percent `yaml:"margin,omitempty"` // margin of indifference; default the metric's own
}

// Percent is a share written as "2%" or 0.02.
type Percent string

// Ratio is the share as a number; 0 when unset.
func (p Percent) Ratio() float64 {
	if p == "" {
		return 0
	}
	r, err := config.ParseRatio(string(p))
	if err != nil {
		return 0 // Validate refuses it first
	}
	return r
}

// GuardSpec is when a run does not count.
type GuardSpec struct {
	ForeignCPU    Percent       `yaml:"foreign_cpu"`    // of all CPUs, exceeded in more than foreign_share of the window; default 10%
	ForeignShare  Percent       `yaml:"foreign_share"`  // default 5%
	Steal         Percent       `yaml:"steal"`          // default 1%
	GeneratorMiss Percent       `yaml:"generator_miss"` // of intended sends; default 0.5%
	Residual      Percent       `yaml:"residual"`       // of RSS that the balance sheet may leave unexplained; default 2%
	QuietWait     time.Duration `yaml:"quiet_wait"`     // longest wait for a quiet machine; default 20s
}

// Profile overlays an experiment: what it sets replaces, the rest stays.
type Profile struct {
	Placement string      `yaml:"placement"`
	Network   NetworkSpec `yaml:"network"`
	Load      LoadSpec    `yaml:"load"`
	Design    DesignSpec  `yaml:"design"`
	Judge     JudgeSpec   `yaml:"judge"`
	Guards    GuardSpec   `yaml:"guards"`
}

// defaults are what an experiment says when it says nothing.
func defaults() Experiment {
	return Experiment{
		Placement: PlacementNetwork,
		Network:   NetworkSpec{Nodes: 5, Accounts: 200_000, Stagger: true},
		Load:      LoadSpec{Rate: 400, Accounts: 3000, Reads: 150, Held: 4},
		Design: DesignSpec{
			Blocks: 10, Order: "williams", Repeats: 2,
			Warmup: Span{Sweeps: 3, Rotations: 1, Max: 2 * time.Minute, Test: "mser5"},
			Window: Span{Sweeps: 20, Rotations: 2, Max: 5 * time.Minute},
		},
		Judge: JudgeSpec{Level: 0.05},
		Guards: GuardSpec{
			ForeignCPU: "10%", ForeignShare: "5%", Steal: "1%", GeneratorMiss: "0.5%",
			Residual: "2%", QuietWait: 20 * time.Second,
		},
	}
}

// Control is the index of the control arm, always the first.
const Control = 0

// ArmIndex finds an arm by name; -1 when there is none.
func (e *Experiment) ArmIndex(name string) int {
	for i, a := range e.Arms {
		if a.Name == name {
			return i
		}
	}
	return -1
}

// Duplicate is the index of the arm that repeats the control, or -1.
func (e *Experiment) Duplicate() int {
	for i, a := range e.Arms {
		if i > 0 && a.CopyOf == e.Arms[Control].Name && len(a.Set) == 0 {
			return i
		}
	}
	return -1
}

// FlagsOf is the whole flag set of arm i on node n.
func (e *Experiment) FlagsOf(i, n int) map[string]string {
	out := map[string]string{}
	for k, v := range e.Network.Set {
		out[k] = v
	}
	if e.Network.Stagger {
		stagger(out, n, e.Network.Nodes)
	}
	arm := e.Arms[i]
	if j := e.ArmIndex(arm.CopyOf); j >= 0 {
		for k, v := range e.Arms[j].Set {
			out[k] = v
		}
	}
	for k, v := range arm.Set {
		out[k] = v
	}
	return out
}

// Metrics lists primary and secondary metrics with their own defaults filled.
func (e *Experiment) Metrics() (all []MetricSpec, primaries int) {
	for _, m := range e.Judge.Primary {
		all = append(all, m.filled())
	}
	for _, m := range e.Judge.Secondary {
		all = append(all, m.filled())
	}
	return all, len(e.Judge.Primary)
}

func (m MetricSpec) filled() MetricSpec {
	def, ok := MetricByName(m.Metric)
	if !ok {
		return m
	}
	if m.Better == "" {
		m.Better = string(def.Better)
	}
	if m.Margin == "" {
		m.Margin = Percent(config.FormatRatio(def.Margin))
	}
	return m
}

// BetterWay is the good direction.
func (m MetricSpec) BetterWay() stats.Better { return stats.Better(m.Better) }
