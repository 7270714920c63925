// Package cache holds the node's aged caches: Tagged, whose values count their references, and Keys, which
// remembers keys alone. Both follow the sweep of rippled's TaggedCache exactly (TaggedCache.ipp): entries are strong
// or weak, age shrinks in proportion when the map outgrows its target, and nothing is ever capped hard.
//
// What it does not do: it knows no tree, no store and no clock of its own; it starts no goroutine that outlives a
// call; it never frees payload memory, it only gives up references.
//
// Ownership. A value passed in carries one reference of the caller, a value handed out carries one reference for the
// caller. A strong entry owns one reference, a weak entry owns none: it is a pointer whose Acquire fails once the
// value has died. Each partition is guarded by its own mutex (or by one for all, see LockSingle); no reference is
// dropped and no memory of unbounded size is allocated while one is held.
//
// Units: ages are time.Duration, sizes are entries. Errors: there are none; what the cache refuses is counted.
//
//	c := cache.NewTagged[[32]byte, *shamap.Node](cache.Options{Name: "TreeNodeCache", TargetSize: 262144,
//		TargetAge: 30 * time.Second}, cache.HashOf32, time.Now)
//	if n, ok := c.Fetch(h); ok {
//		defer n.Release()
//	}
//	stats := c.Sweep(time.Now())
package cache
