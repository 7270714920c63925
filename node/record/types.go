package record

import (
	recordv1 "ledgerlab/proto/record/v1"
)

// Version is the format version written into every record.
const Version = 1

// The record types, and their parts.
type (
	Record     = recordv1.Record
	Start      = recordv1.StartRecord
	Stop       = recordv1.StopRecord
	Round      = recordv1.RoundRecord
	Stage      = recordv1.Stage
	Batch      = recordv1.BatchRecord
	Sweep      = recordv1.SweepRecord
	CacheSweep = recordv1.CacheSweep
	Trim       = recordv1.TrimRecord
	Rotation   = recordv1.RotationRecord
	Mode       = recordv1.ModeRecord
	Flag       = recordv1.FlagRecord
	Fault      = recordv1.FaultRecord
	Sample     = recordv1.SampleRecord
	Place      = recordv1.Place
	Ledger     = recordv1.LedgerRecord
	Sheet      = recordv1.SheetRecord
)

// Kinds are the names of the record types as they stand in the JSON form and in
// the filter of a stream.
func Kinds() []string {
	return []string{"start", "round", "batch", "sweep", "trim", "rotation", "mode", "flag", "fault", "sample", "ledger", "stop", "sheet"}
}

// KindOf names the body of r, or "" when there is none.
func KindOf(r *Record) string {
	switch r.GetBody().(type) {
	case *recordv1.Record_Start:
		return "start"
	case *recordv1.Record_Round:
		return "round"
	case *recordv1.Record_Batch:
		return "batch"
	case *recordv1.Record_Sweep:
		return "sweep"
	case *recordv1.Record_Trim:
		return "trim"
	case *recordv1.Record_Rotation:
		return "rotation"
	case *recordv1.Record_Mode:
		return "mode"
	case *recordv1.Record_Flag:
		return "flag"
	case *recordv1.Record_Fault:
		return "fault"
	case *recordv1.Record_Sample:
		return "sample"
	case *recordv1.Record_Ledger:
		return "ledger"
	case *recordv1.Record_Sheet:
		return "sheet"
	case *recordv1.Record_Stop:
		return "stop"
	default:
		return ""
	}
}

// Start records the beginning of a run.
func (r *Recorder) Start(x *Start) { r.add(&Record{Body: &recordv1.Record_Start{Start: x}}) }

// Round records a consensus round.
func (r *Recorder) Round(x *Round) { r.add(&Record{Body: &recordv1.Record_Round{Round: x}}) }

// Batch records a batch applied to the open ledger.
func (r *Recorder) Batch(x *Batch) { r.add(&Record{Body: &recordv1.Record_Batch{Batch: x}}) }

// Sweep records a cache sweep.
func (r *Recorder) Sweep(x *Sweep) { r.add(&Record{Body: &recordv1.Record_Sweep{Sweep: x}}) }

// Trim records a trim, made or skipped.
func (r *Recorder) Trim(x *Trim) { r.add(&Record{Body: &recordv1.Record_Trim{Trim: x}}) }

// Rotation records the end of a rotation.
func (r *Recorder) Rotation(x *Rotation) {
	r.add(&Record{Body: &recordv1.Record_Rotation{Rotation: x}})
}

// Mode records a change of the operating mode.
func (r *Recorder) Mode(x *Mode) { r.add(&Record{Body: &recordv1.Record_Mode{Mode: x}}) }

// Flag records a change of a flag.
func (r *Recorder) Flag(x *Flag) { r.add(&Record{Body: &recordv1.Record_Flag{Flag: x}}) }

// Fault records a fault put in, taken out or met.
func (r *Recorder) Fault(x *Fault) { r.add(&Record{Body: &recordv1.Record_Fault{Fault: x}}) }

// Sheet records a full balance sheet.
func (r *Recorder) Sheet(x *Sheet) { r.add(&Record{Body: &recordv1.Record_Sheet{Sheet: x}}) }

// Sample records the process once a second.
func (r *Recorder) Sample(x *Sample) { r.add(&Record{Body: &recordv1.Record_Sample{Sample: x}}) }

// Ledger records a ledger first seen validated.
func (r *Recorder) Ledger(x *Ledger) { r.add(&Record{Body: &recordv1.Record_Ledger{Ledger: x}}) }
