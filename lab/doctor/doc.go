// Package doctor says from series of figures what of a process's memory grows:
// in which layer, how fast, and whether that is live growth, memory that nobody
// accounts for, memory the allocator keeps, a cache still filling, page cache
// only, or nothing. Where the figures do not suffice it says so and when to ask
// again.
//
// It is pure: series in, a Diagnosis out. It asks no node, reads no file and
// knows no clock; package gather below it does that.
//
// How it judges. Memory of a node is a saw-tooth: sweeps, collections and
// rotations give back what was taken before. The watch is therefore cut into
// windows longer than the longest such period, and only the lowest value of
// each window, its floor, counts. The trend is the Theil-Sen slope of the floors
// with Sen's rank interval, widened for neighbours that resemble one another and
// for the number of layers looked at. A layer grows when the whole interval lies
// above Options.Least, is at rest when it lies below Options.Resolve, and is open
// otherwise. Fewer than Options.Windows floors are never judged.
//
// While a cache that is below its target still takes entries, nothing is called
// anything: the answer is that it cannot be said yet, with the level the cache
// will reach and when, by a fit of its entries.
//
// Owner of state: none, every value belongs to its caller. Units: bytes, seconds,
// bytes a second. Errors: none; what is missing in a Watch is named in
// Diagnosis.Unknown.
//
//	d := doctor.Diagnose(watch, doctor.Default())
//	fmt.Println(d.Sentence)
package doctor
