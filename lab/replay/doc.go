// Package replay runs a recorded heap trace through the allocator of this
// process: the same sizes in the same order on the same number of threads, each
// recorded thread on a locked one of its own, with trims where the trace's marks
// and a policy say so. It weighs the C heap as it goes.
//
// What is asked of it is the resident size that a node would have had under
// another allocator, other trims or other settings. The C heap is replayed; what
// the node's other parts weighed is taken from the trace. Chunks that were live
// when the trace began are made first, with the sizes that their ends tell and
// average ones for the rest, in a mixed order: what an allocator had kept before
// the trace began is not known, so a trace for a prediction begins with the node.
//
// Events run one after another in recorded order, so a replay is the same each
// time; contention for an arena's lock, which may send a thread to another arena,
// is not replayed. Untagged C memory and the store's count as what they weighed.
//
// It starts locked threads that end with Run. Units: bytes, nanoseconds of the
// trace. Errors: of the trace, wrapped once; ErrDamaged where events were lost.
//
//	r, err := replay.Run(ctx, f, replay.Default(), emit)
package replay
