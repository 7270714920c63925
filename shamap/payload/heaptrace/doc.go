// Package heaptrace is the file format of a heap trace: every chunk that one
// payload heap gave and took back, with size, tag, thread, call site and time,
// and beside them what the process weighed and when it swept.
//
// A trace is a stream of blocks, each with its length and checksum, so that it is
// written with bounded memory and read to the last whole block when it was cut
// off. Event blocks stand for themselves: a lost one loses its events, no more.
// docs/FORMATS.md has the bytes.
//
// What it does not do: it records nothing and replays nothing (package payload,
// package lab/replay). It has no clock.
//
// Owner of state: a Writer and a Reader belong to one goroutine, a Block to who
// fills it. Units: nanoseconds since the trace began, bytes. Errors: ErrFormat for
// bytes that are no trace, ErrCut where it ends before its footer.
//
//	r, err := heaptrace.NewReader(f)
//	for item, err := r.Next(); err == nil; item, err = r.Next() {
//	}
package heaptrace
