package lab

import (
	"ledgerlab/lab/stats"
	recordv1 "ledgerlab/proto/record/v1"
)

// Story is what a report is drawn from: a stored verdict and the series of the
// runs that count.
type Story struct {
	Dir     string
	Exp     *Experiment
	Env     Env
	Verdict *Verdict
	Design  *Design
	Runs    []*RunRecord // every one, in the order in which they ran
	Lanes   []Lane       // one a process of the runs that count
	Units   []Unit
	Starts  []*recordv1.StartRecord // of those processes, where known
}

// Lane is one process over one run. Times are seconds since the load began.
type Lane struct {
	Block, Position, Node int
	Arm                   string
	From, To              float64 // the window
	Time, RSS             []float64
	Faults, CPU           []float64 // counters: minor faults, seconds
	Sweeps, Rotations     []float64
	Trims                 []TrimMark
	Intervals             []float64 // between validated ledgers in the window, seconds
	Voting                []float64 // establish phases in the window, seconds
	Retained              []Level   // free bytes the allocator kept resident, where measured
}

// TrimMark is one trim that was made.
type TrimMark struct {
	At            float64
	Before, After float64 // RSS, bytes
	Seconds, CPU  float64
	Trigger       string
	InWindow      bool
}

// Level is a measured amount at a time.
type Level struct{ At, Bytes float64 }

// ReadStory reads a judged folder.
func ReadStory(dir string) (*Story, error) {
	folder, exp, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	v := &Verdict{}
	if err := folder.readJSON(FileVerdict, v); err != nil {
		return nil, err
	}
	ev, err := readEvidence(folder, exp)
	if err != nil {
		return nil, err
	}
	s := &Story{Dir: dir, Exp: exp, Env: ev.env, Verdict: v, Design: ev.design, Runs: ev.all}
	chosen := ev.choose(false)
	s.Units = ev.units(chosen)
	for _, b := range sortedInts(chosen) {
		for _, d := range chosen[b] {
			for i := range d.rec.Arms {
				s.Lanes = append(s.Lanes, d.lane(i))
				s.Starts = append(s.Starts, startOf(d.events[i]))
			}
		}
	}
	return s, nil
}

func startOf(records []*recordv1.Record) *recordv1.StartRecord {
	for _, r := range records {
		if st := r.GetStart(); st != nil {
			return st
		}
	}
	return nil
}

func (d *runData) lane(i int) Lane {
	at := func(ns int64) float64 { return float64(ns-d.rec.LoadNS) / 1e9 }
	l := Lane{Block: d.rec.Block, Position: d.rec.Position, Node: i, Arm: d.rec.Arms[i], From: at(d.from), To: at(d.to)}
	for _, r := range d.proc[i] {
		if r.TimeNS > d.to {
			break
		}
		l.Time, l.RSS = append(l.Time, at(r.TimeNS)), append(l.RSS, float64(r.RSSBytes))
		l.Faults = append(l.Faults, float64(r.MinFaults))
		l.CPU = append(l.CPU, float64(r.UserNS+r.SystemNS)/1e9)
	}
	var before *recordv1.LedgerRecord
	for _, r := range d.events[i] {
		t := r.GetTimeNs()
		if t > d.to {
			continue
		}
		in := t >= d.from
		switch b := r.GetBody().(type) {
		case *recordv1.Record_Sweep:
			l.Sweeps = append(l.Sweeps, at(t))
		case *recordv1.Record_Rotation:
			if rotated(b.Rotation) {
				l.Rotations = append(l.Rotations, at(t))
			}
		case *recordv1.Record_Trim:
			l.addTrim(b.Trim, at(t), in)
		case *recordv1.Record_Round:
			if in {
				l.Voting = append(l.Voting, float64(b.Round.GetEstablishNs())/1e9)
			}
		case *recordv1.Record_Ledger:
			if in && before != nil && b.Ledger.GetSeq() == before.GetSeq()+1 {
				l.Intervals = append(l.Intervals, float64(b.Ledger.GetSeenNs()-before.GetSeenNs())/1e9)
			}
			before = b.Ledger
		}
	}
	return l
}

func (l *Lane) addTrim(t *recordv1.TrimRecord, at float64, in bool) {
	if t.GetSkipped() != "" || !t.GetSupported() {
		return
	}
	l.Trims = append(l.Trims, TrimMark{
		At: at, Before: float64(t.GetRssBeforeBytes()), After: float64(t.GetRssAfterBytes()),
		Seconds: float64(t.GetDurationNs()) / 1e9, CPU: float64(t.GetCpuNs()) / 1e9, Trigger: t.GetTrigger(), InWindow: in,
	})
	if t.RetainedBeforeBytes != nil {
		l.Retained = append(l.Retained, Level{at, float64(t.GetRetainedBeforeBytes())})
	}
}

// Row finds the judged row of a metric and arm.
func (v *Verdict) Row(metric, arm string) (MetricRow, bool) {
	for _, r := range v.Rows {
		if r.Metric == metric && r.Arm == arm {
			return r, true
		}
	}
	return MetricRow{}, false
}

// MeanOf is the mean of a metric over the units of an arm.
func (s *Story) MeanOf(metric, arm string) float64 { return stats.Mean(valuesOf(s.Units, metric, arm)) }
