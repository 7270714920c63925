package lab

import (
	"math"
	"math/rand/v2"
	"time"

	recordv1 "ledgerlab/proto/record/v1"
)

// Synth says what a made-up campaign shows. The zero value is pure noise.
type Synth struct {
	Seed    uint64
	Effect  map[string]float64 // by arm: log change of RSS
	NodeSD  float64            // log spread between nodes; default 0.02
	RunSD   float64            // log spread between runs of one node; default 0.005
	Drift   float64            // log drift of the machine over the whole campaign
	Missing []int              // blocks to leave out
}

// Synthesize writes a campaign folder without running anything: the raw series
// and records that such a campaign would have left. It lets the whole way from
// stored data to the verdict and the report be tested and calibrated.
func Synthesize(dir string, exp *Experiment, o Synth) error {
	if o.NodeSD == 0 {
		o.NodeSD = 0.02
	}
	if o.RunSD == 0 {
		o.RunSD = 0.005
	}
	design, err := NewDesign(exp)
	if err != nil {
		return err
	}
	folder, err := CreateFolder(dir, exp)
	if err != nil {
		return err
	}
	if err := folder.writeJSON(FileDesign, design); err != nil {
		return err
	}
	if err := folder.writeJSON(FileEnv, NewEnv()); err != nil {
		return err
	}
	log, err := folder.openEvents()
	if err != nil {
		return err
	}
	s := &synth{exp: exp, folder: folder, log: log, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5e17))}
	s.node = make([]float64, exp.Network.Nodes)
	for i := range s.node {
		s.node[i] = o.NodeSD * s.rng.NormFloat64()
	}
	skip := map[int]bool{}
	for _, b := range o.Missing {
		skip[b] = true
	}
	for b, row := range design.Rows {
		level := 0.02*s.rng.NormFloat64() + o.Drift*float64(b)/float64(len(design.Rows))
		for pos, arms := range row.Runs {
			if skip[b] {
				continue
			}
			if err := s.run(b, pos, row.Seed, arms, level); err != nil {
				return err
			}
		}
	}
	return log.close()
}

type synth struct {
	exp    *Experiment
	folder *Folder
	log    *eventLog
	o      Synth
	rng    *rand.Rand
	node   []float64
}

// Shape of a synthetic run: warm-up, window and rates are those of a quick one.
const (
	synthWarm   = 20 * time.Second
	synthWindow = 50 * time.Second
	synthPeriod = 740 * time.Millisecond
	synthBase   = 420 << 20
)

func (s *synth) run(block, pos int, seed uint64, arms []int, level float64) error {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(block*10+pos) * 2 * time.Minute).UnixNano()
	end := begin + int64(synthWarm+synthWindow)
	r := &RunRecord{
		Block: block, Position: pos, Seed: seed, Status: StatusOK, StartNS: begin - 1e10, ReadyNS: begin - 1e9, LoadNS: begin,
		WindowNS: begin + int64(synthWarm), WindowEnd: end, EndNS: end + 1e9, PeriodNS: int64(synthPeriod), FaultNS: 250,
		Agreement: Agreement{OK: true, First: 2, Last: 20, Ledgers: 19, Compared: 76},
		Load:      LoadResult{Counts: LoadCounts{Intended: 28000, Sent: 28000, Accepted: 28000, Validated: 28000, Reads: 52000}},
	}
	var rows []ProcRow
	for i, a := range arms {
		arm := s.exp.Arms[a]
		r.Arms = append(r.Arms, arm.Name)
		trims := s.exp.FlagsOf(a, i)["trim.trigger"] == "sweep"
		scale := math.Exp(level + s.node[i] + s.o.Effect[arm.Name] + s.o.RunSD*s.rng.NormFloat64())
		rows = append(rows, s.process(i, begin, end, scale, trims)...)
		s.records(Event{Block: block, Position: pos, Node: i, Arm: arm.Name}, begin, end, scale, trims)
	}
	if err := writeSeries(s.folder, seriesName(block, 0, pos, "proc"), rows); err != nil {
		return err
	}
	return s.folder.AppendRun(r)
}

// process is a saw-tooth: memory climbs between sweeps and falls at trims.
func (s *synth) process(node int, begin, end int64, scale float64, trims bool) []ProcRow {
	var rows []ProcRow
	faults, cpu := 0.0, 0.0
	for t := begin; t <= end; t += int64(synthPeriod) {
		age := float64(t-begin) / 1e9
		rss := synthBase * scale * (1 - 0.4*math.Exp(-age/12))
		phase := math.Mod(age, 3) / 3
		rate := 900.0
		if trims {
			rss += 18 * (1 << 20) * (phase - 0.5)
			rate = 4200
		} else {
			rss += 4 * (1 << 20) * (phase - 0.5)
		}
		rss *= 1 + 0.002*s.rng.NormFloat64()
		faults += rate * synthPeriod.Seconds() * (1 + 0.05*s.rng.NormFloat64())
		cpu += 0.18 * synthPeriod.Seconds() * (1 + 0.03*s.rng.NormFloat64())
		rows = append(rows, ProcRow{
			Node: int32(node), TimeNS: t, AgeNS: t - begin + 1e10, RSSBytes: int64(rss), AnonBytes: int64(rss * 0.95),
			MinFaults: int64(faults), UserNS: int64(cpu * 0.8e9), SystemNS: int64(cpu * 0.2e9), Threads: 20,
		})
	}
	return rows
}

func (s *synth) records(e Event, begin, end int64, scale float64, trims bool) {
	n := uint64(0)
	for t := begin + 3e9; t < end; t += 3e9 {
		n++
		rss := int64(synthBase * scale)
		s.log.add(e, &recordv1.Record{Version: 1, TimeNs: t, Body: &recordv1.Record_Sweep{Sweep: &recordv1.SweepRecord{
			Number: n, Reason: "timer", DurationNs: 20e6 + int64(2e6*s.rng.NormFloat64()), FreedBytes: 30 << 20, RssBeforeBytes: rss, RssAfterBytes: rss,
		}}})
		if trims {
			back := int64((14 + 6*s.rng.NormFloat64()) * (1 << 20))
			s.log.add(e, &recordv1.Record{Version: 1, TimeNs: t + 1e6, Body: &recordv1.Record_Trim{Trim: &recordv1.TrimRecord{
				Number: n, Trigger: "sweep", Method: "malloc", Supported: true, Result: 1, RssBeforeBytes: rss + back, RssAfterBytes: rss,
				DurationNs: 60e6, CpuNs: 25e6, Sweep: n,
			}}})
		}
	}
	seq := uint32(2)
	for t := begin; t < end; seq++ {
		gap := int64((3.6 + 0.4*s.rng.NormFloat64()) * 1e9)
		t += gap
		s.log.add(e, &recordv1.Record{Version: 1, TimeNs: t, Body: &recordv1.Record_Ledger{Ledger: &recordv1.LedgerRecord{Seq: seq, SeenNs: t, IntervalNs: gap, Transactions: 1440}}})
		s.log.add(e, &recordv1.Record{Version: 1, TimeNs: t, Body: &recordv1.Record_Round{Round: &recordv1.RoundRecord{Seq: seq, Mode: "proposing", EstablishNs: 2e9 + int64(5e7*s.rng.NormFloat64())}}})
		if seq%8 == 0 {
			s.log.add(e, &recordv1.Record{Version: 1, TimeNs: t, Body: &recordv1.Record_Rotation{Rotation: &recordv1.RotationRecord{Result: "done", DurationNs: 8e8}}})
		}
	}
}
