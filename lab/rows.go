package lab

import (
	"time"

	"ledgerlab/lab/probe"
)

// ProcRow is one sample of one process, as stored in series/*-proc.parquet.
type ProcRow struct {
	Node      int32 `parquet:"node"`
	TimeNS    int64 `parquet:"time_ns"`
	AgeNS     int64 `parquet:"age_ns"`
	RSSBytes  int64 `parquet:"rss_bytes"`
	AnonBytes int64 `parquet:"anon_bytes"`
	MinFaults int64 `parquet:"minor_faults"`
	MajFaults int64 `parquet:"major_faults"`
	UserNS    int64 `parquet:"user_ns"`
	SystemNS  int64 `parquet:"system_ns"`
	Threads   int32 `parquet:"threads"`
}

// HostRow is one sample of the machine, as stored in series/*-host.parquet.
type HostRow struct {
	TimeNS       int64   `parquet:"time_ns"`
	CPUs         int32   `parquet:"cpus"`
	BusyNS       int64   `parquet:"busy_ns"`
	StealNS      int64   `parquet:"steal_ns"`
	TargetsNS    int64   `parquet:"targets_ns"`
	GeneratorNS  int64   `parquet:"generator_ns"`
	Switches     int64   `parquet:"context_switches"`
	PSICPUMicros int64   `parquet:"psi_cpu_us"`
	PSIMemMicros int64   `parquet:"psi_memory_us"`
	PSIIOMicros  int64   `parquet:"psi_io_us"`
	PSICPUAvg10  float64 `parquet:"psi_cpu_avg10"`
	LateNS       int64   `parquet:"late_ns"`
}

// TxRow is one transaction of the load, as stored in series/*-tx.parquet.
type TxRow struct {
	IntendedNS int64 `parquet:"intended_ns"`
	LatencyNS  int64 `parquet:"latency_ns"`
	Validated  bool  `parquet:"validated"`
}

// Statuses of a run.
const (
	StatusOK           = "ok"
	StatusContaminated = "contaminated" // the machine or the generator disturbed it
	StatusDied         = "died"         // a node ended during it
	StatusFailed       = "failed"       // could not be run
	StatusInterrupted  = "interrupted"  // by the user
)

// RunRecord is one network's life, one line of runs.ndjson.
type RunRecord struct {
	Block     int           `json:"block"`
	Attempt   int           `json:"attempt"`
	Position  int           `json:"position"` // in the block, from 0
	Arms      []string      `json:"arms"`     // one a node
	Seed      uint64        `json:"seed"`
	PIDs      []int         `json:"pids"`
	Status    string        `json:"status"`
	Reason    string        `json:"reason,omitempty"`
	StartNS   int64         `json:"start_ns"`
	ReadyNS   int64         `json:"ready_ns"`
	LoadNS    int64         `json:"load_ns"`
	WindowNS  int64         `json:"window_ns"`     // its begin
	WindowEnd int64         `json:"window_end_ns"` // 0 = it never ended
	EndNS     int64         `json:"end_ns"`
	Short     string        `json:"short,omitempty"` // what the window or warm-up did not reach in its time
	Sweeps    []int         `json:"sweeps"`          // in the window, one a node
	Rotations []int         `json:"rotations"`
	QuietWait time.Duration `json:"quiet_wait_ns"`
	Quiet     probe.Machine `json:"quiet"`
	Dirt      Dirt          `json:"contamination"`
	Load      LoadResult    `json:"load"`
	Agreement Agreement     `json:"agreement"`
	Lost      uint64        `json:"records_lost"`
	PeriodNS  int64         `json:"sample_period_ns"`
	FaultNS   float64       `json:"fault_cost_ns"` // CPU of one minor fault on this machine, measured before the run
	Restarts  int           `json:"restarts"`
}

// Dirt is what the contamination guard found in a window.
type Dirt struct {
	ForeignMean  float64 `json:"foreign_mean"` // share of all CPUs
	ForeignOver  float64 `json:"foreign_over"` // share of seconds above the limit
	Steal        float64 `json:"steal"`        // share of all CPUs
	Miss         float64 `json:"generator_miss"`
	GeneratorCPU float64 `json:"generator_cpu"` // share of all CPUs
	TargetsCPU   float64 `json:"targets_cpu"`
	PSICPU       float64 `json:"psi_cpu"` // share of the window in which some task waited for a CPU
	PSIMem       float64 `json:"psi_memory"`
	PSIIO        float64 `json:"psi_io"`
	SwitchesRate float64 `json:"context_switches_rate"`
}

// Agreement is the proof that all nodes validated the same chain.
type Agreement struct {
	OK       bool     `json:"ok"`
	First    uint32   `json:"first_seq"`
	Last     uint32   `json:"last_seq"`
	Ledgers  int      `json:"ledgers"`  // validated by at least one node
	Compared int      `json:"compared"` // hashes compared between nodes
	Missing  int      `json:"missing"`  // ledgers that some node did not report
	Diverged []string `json:"diverged,omitempty"`
}

func procRows(in []probe.Sample) []ProcRow {
	out := make([]ProcRow, len(in))
	for i, s := range in {
		out[i] = ProcRow{
			int32(s.Target), s.TimeNS, s.AgeNS, s.RSSBytes, s.AnonBytes, s.MinFaults, s.MajFaults,
			s.UserNS, s.SystemNS, int32(s.Threads),
		}
	}
	return out
}

func hostRows(in []probe.Host) []HostRow {
	out := make([]HostRow, len(in))
	for i, h := range in {
		out[i] = HostRow{
			h.TimeNS, int32(h.CPUs), h.BusyNS, h.StealNS, h.TargetsNS, h.GeneratorNS, h.Switches,
			h.PSICPUMicros, h.PSIMemMicros, h.PSIIOMicros, h.PSICPUAvg10, h.LateNS,
		}
	}
	return out
}

func txRows(in []LoadPoint) []TxRow {
	out := make([]TxRow, len(in))
	for i, p := range in {
		out[i] = TxRow(p)
	}
	return out
}
