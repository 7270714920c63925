package lab

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/lab/stats"
)

// Plan is what a campaign costs and what it could see, before it starts.
type Plan struct {
	Experiment string        `json:"experiment"`
	Profile    string        `json:"profile"`
	Placement  string        `json:"placement"`
	Arms       []string      `json:"arms"`
	Blocks     int           `json:"blocks"`
	Runs       int           `json:"runs"` // networks started
	WallLow    time.Duration `json:"wall_low_ns"`
	WallHigh   time.Duration `json:"wall_high_ns"` // every span at its longest and every repeat spent
	CPUShare   float64       `json:"cpu_share"`    // of all CPUs, nodes and generator
	Memory     int64         `json:"memory_bytes"`
	Available  int64         `json:"memory_available_bytes"`
	Disk       int64         `json:"disk_bytes"`
	DiskFree   int64         `json:"disk_free_bytes"`
	SmallestP  float64       `json:"smallest_p"`
	Balanced   bool          `json:"balanced"`
	Metrics    []PlanMetric  `json:"metrics"`
	Problems   []string      `json:"problems,omitempty"` // refused without --force
	Warnings   []string      `json:"warnings,omitempty"`
	Design     *Design       `json:"design"`

	fewest int // blocks that can reach the level after correction
}

// PlanMetric is what the campaign could see in one metric.
type PlanMetric struct {
	Metric    string  `json:"metric"`
	Role      string  `json:"role"`
	Margin    float64 `json:"margin"`
	SD        float64 `json:"sd"`        // of one block's difference, log scale
	Source    string  `json:"sd_source"` // history of this machine, or the probe's table
	MDE       Num     `json:"mde"`       // a fraction, 80 % power
	ForMargin int     `json:"blocks_for_margin"`
	Reaches   bool    `json:"reaches"` // smallest p survives the correction
	Judged    bool    `json:"judged"`  // placement is right for it
}

// Costs of the planner's model, per node, measured on a two-core machine; they
// only have to tell a plan that fits from one that does not.
const (
	cpuPerTx      = 200e-6 // seconds, on every node: verify, apply twice, relay, hash, store
	cpuPerRead    = 80e-6  // seconds
	cpuPerNode    = 15e-6  // seconds for each tree node that a rotation visits
	nodesAccount  = 1.42   // tree nodes an account
	ledgerTime    = 3.8    // seconds
	cpuPerPage    = 1e-3   // seconds
	cpuIdle       = 0.03   // of one CPU, a node: heartbeat, sweeps, rotation
	cpuGenPerTx   = 60e-6  // seconds, in the generator
	baseMemory    = 250 << 20
	perAccount    = 2200 // bytes of a node's memory
	perAccountDsk = 1200 // bytes on disk, two generations, linked where possible
	startTime     = 12 * time.Second
	stopTime      = 4 * time.Second
	maxCPUShare   = 0.85
	maxMemShare   = 0.85
)

// probeSD are the standard deviations of A/A block differences that protocol
// 5.9 measured with six-second runs; history replaces them.
var probeSD = map[string]float64{
	"rss_mean_bytes": 0.007, "rss_p95_bytes": 0.011, "rss_peak_bytes": 0.015, "cpu_per_ktx_seconds": 0.066,
	"latency_p50_seconds": 0.29, "latency_p99_seconds": 0.76,
}

const unknownSD = 0.1

// NewPlan computes the plan of a resolved experiment. root is where campaigns
// (and their A/A history) are kept.
func NewPlan(exp *Experiment, root string) (*Plan, error) {
	design, err := NewDesign(exp)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Experiment: exp.Metadata.Name, Profile: exp.Profile, Placement: exp.Placement, Arms: exp.armNames(),
		Blocks: exp.Design.Blocks, Design: design,
	}
	for _, row := range design.Rows {
		p.Runs += len(row.Runs)
	}
	p.Balanced = stats.Balanced(len(exp.Arms), exp.Design.Blocks)
	if exp.Placement == PlacementNode {
		p.Balanced = exp.Design.Blocks%len(exp.Arms) == 0
	}
	p.wall(exp)
	p.resources(exp, root)
	p.metrics(exp, ReadHistory(root, NewEnv().Host))
	p.refuse(exp)
	return p, nil
}

func (p *Plan) wall(exp *Experiment) {
	d := exp.Design
	least := func(s Span) time.Duration {
		return min(s.Max, max(s.Min, time.Duration(s.Sweeps)*exp.SweepInterval()))
	}
	low := startTime + stopTime + least(d.Warmup) + least(d.Window)
	high := startTime + stopTime + d.Warmup.Max + d.Window.Max + exp.Guards.QuietWait
	p.WallLow = time.Duration(p.Runs) * low
	perBlock := p.Runs / max(1, len(p.Design.Rows))
	p.WallHigh = time.Duration(p.Runs+max(0, d.Repeats)*perBlock) * high
}

func (p *Plan) resources(exp *Experiment, root string) {
	n, l := float64(exp.Network.Nodes), exp.Load
	cores := n*(l.Rate*cpuPerTx+l.Reads*cpuPerRead+l.Pages*cpuPerPage+cpuIdle) + l.Rate*cpuGenPerTx + n*l.Reads*cpuPerRead/2
	if every, err := strconv.Atoi(exp.Network.Set["store.online_delete"]); err == nil && every > 0 {
		cores += n * float64(exp.Network.Accounts) * nodesAccount * cpuPerNode / (float64(every) * ledgerTime)
	}
	env := NewEnv()
	p.CPUShare = cores / float64(env.CPUs)
	p.Memory = int64(n) * (baseMemory + int64(exp.Network.Accounts)*perAccount)
	p.Available = memAvailable()
	p.Disk = int64(n) * int64(exp.Network.Accounts) * perAccountDsk
	p.DiskFree = diskFree(root)
}

func (p *Plan) metrics(exp *Experiment, h History) {
	specs, primaries := exp.Metrics()
	size, blocks := designSize(exp, p.Design)
	p.SmallestP = size.Smallest(blocks)
	judgedArms := len(exp.Arms) - 1
	if exp.Duplicate() >= 0 {
		judgedArms--
	}
	level := exp.Judge.Level / float64(max(1, primaries*judgedArms))
	p.fewest = fewestBlocks(exp, p.Design.Seed, level)
	for i, s := range specs {
		def, _ := MetricByName(s.Metric)
		m := PlanMetric{Metric: s.Metric, Role: role(i, primaries), Margin: s.Margin.Ratio(), Judged: def.Fits(exp.Placement)}
		m.SD, m.Source = h.SD(s.Metric, exp.Placement)
		if m.Source == "" {
			m.SD, m.Source = unknownSD, "guess"
			if sd, ok := probeSD[s.Metric]; ok {
				m.SD, m.Source = sd, "probe"
			}
		}
		m.MDE = Num(math.Expm1(size.MDE(blocks, m.SD, exp.Judge.Level, 0.8)))
		m.ForMargin = size.BlocksForMargin(math.Log1p(m.Margin), m.SD, 0.8, 1000)
		// the best case of both corrections: everything else is significant too
		// for Benjamini-Hochberg, nothing else for Holm's first step
		need := exp.Judge.Level
		if m.Role == "primary" {
			need = level
		}
		m.Reaches = p.SmallestP <= need
		p.Metrics = append(p.Metrics, m)
	}
}

// designSize says what a design's blocks are worth to the test of its worst
// placed arm, and how many of them hold that arm beside the control.
func designSize(exp *Experiment, d *Design) (stats.Size, int) {
	if exp.Placement != PlacementNode {
		return stats.SignFlips(), len(d.Rows)
	}
	rows := make([][]int, len(d.Rows))
	for b, r := range d.Rows {
		rows[b] = r.Runs[0]
	}
	var worst stats.Size
	least := -1
	for arm := range exp.Arms {
		if arm == Control {
			continue
		}
		s, n := stats.PlacementSize(rows, arm, Control)
		if least < 0 || s.Smallest(n) > worst.Smallest(least) {
			worst, least = s, n
		}
	}
	return worst, least
}

// fewestBlocks is the smallest design of this seed whose test reaches level.
func fewestBlocks(exp *Experiment, seed uint64, level float64) int {
	e := *exp
	e.Design.Seed = seed
	for e.Design.Blocks = 1; e.Design.Blocks < 63; e.Design.Blocks++ {
		d, err := NewDesign(&e)
		if err != nil {
			break
		}
		if size, n := designSize(&e, d); size.Smallest(n) <= level {
			break
		}
	}
	return e.Design.Blocks
}

func (p *Plan) refuse(exp *Experiment) {
	bad := func(format string, args ...any) { p.Problems = append(p.Problems, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) { p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...)) }
	if p.CPUShare > maxCPUShare {
		bad("it takes %.0f%% of this machine's CPUs; at most %.0f%% leaves the figures alone: lower load.rate or load.reads", 100*p.CPUShare, 100*maxCPUShare)
	}
	if p.Available > 0 && float64(p.Memory) > maxMemShare*float64(p.Available) {
		bad("it takes about %s of memory and %s is available: lower network.accounts or network.nodes", mib(p.Memory), mib(p.Available))
	}
	if p.DiskFree > 0 && p.Disk > p.DiskFree*8/10 {
		bad("it takes about %s of disk and %s is free", mib(p.Disk), mib(p.DiskFree))
	}
	for _, m := range p.Metrics {
		if m.Role == "primary" && !m.Reaches {
			bad("%d blocks cannot decide %s: the smallest p is %.3g, and the correction needs less; %d blocks are the fewest",
				p.Blocks, Label(m.Metric), p.SmallestP, p.fewest)
		}
	}
	if exp.Duplicate() < 0 {
		warn("no arm repeats the control (copyOf: %s): the lab's own noise will not be shown", exp.Arms[Control].Name)
	}
	if !p.Balanced {
		warn("%d blocks are not whole rounds of the design: arms are not met equally often", p.Blocks)
	}
	if exp.Placement == PlacementNode && len(exp.Arms) > exp.Network.Nodes {
		warn("%d arms on %d nodes: each block holds the control and some of the others, so an arm is met in fewer blocks", len(exp.Arms), exp.Network.Nodes)
	}
	if exp.Load.Rate == 0 || exp.Load.Reads == 0 {
		warn("a quiet network shows no effect: without payments and reads memory does not churn")
	}
	if exp.Design.Order == "fixed" && exp.Placement == PlacementNetwork {
		warn("the order of arms is fixed: a drift of the machine would look like an effect")
	}
}

func mib(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }

func memAvailable() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return meminfo(string(b), "MemAvailable")
}

func diskFree(dir string) int64 {
	for dir != "" && dir != "/" {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * s.Bsize
}
