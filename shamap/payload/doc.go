// Package payload keeps the bytes of tree nodes, stored objects and queued
// transactions in memory that the experimenter chooses: C memory of whichever
// malloc owns the process, or the Go heap.
//
// Small counted headers stay in Go memory; they never dangle. A header's bytes
// are given back deterministically, when its last reference goes, not when a
// collector runs: a collector does not see C memory and would free it late.
// Readers that hold no reference are protected by epochs: they read inside a
// Guard, and bytes retired meanwhile wait in limbo until older guards are gone.
//
// No exported method returns a slice of heap memory; readers copy. Misuse is
// answered by ErrReleased or a panic, never by a use after free.
//
// The package keeps one table, from heap number to heap, because a header of
// 24 bytes without pointers is what keeps the collector away from leaves.
package payload
