// Package record keeps what a node tells about itself: one typed record for each
// round, batch, sweep, trim, rotation, change of mode or flag, fault, validated
// ledger and second.
//
// A Recorder stamps each record with the node, the run, a number and both clocks,
// puts it into a ring for streams that can resume, and hands it to a writer of a
// JSONL file through a bounded buffer. What the buffer refuses is counted and
// told in the file; the ring always has it. Recording never blocks the caller.
//
// It does not measure, judge or sample: whoever did the work fills the record.
// The record types are those of proto/record/v1 under short names, so that no
// other package of the node needs to know protobuf.
//
// State: the Recorder owns ring, buffer and file; safe for concurrent use. A
// record handed over must not be changed afterwards.
//
// Units: nanoseconds and bytes, as in the .proto file.
//
//	r, err := record.New(record.Options{Node: "n0", File: "records.jsonl", ...})
//	go r.Run(ctx)
//	r.Sweep(&record.Sweep{Number: 1, DurationNs: d.Nanoseconds()})
package record
