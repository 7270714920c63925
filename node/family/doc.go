// Package family joins shamap, cache and store: it is the shamap.Source and, through Batch, the shamap.Sink of a node.
//
// A lookup goes tree-node cache, then store; what the store gives is parsed by the tree and comes back to
// Canonicalize. The full-below cache remembers hashes under which nothing is missing. A Batch collects the nodes of a
// flush and goes to the store in one commit.
//
// What it does not do: it parses and hashes nothing (the tree checks hashes), sweeps nothing by itself (node/sweep
// visits its Sweepables), and decides nothing about rotation (node/rotate).
//
// Ownership: Family owns its caches; the store is the caller's. Everything but Batch is safe for concurrent use.
// Errors come from the store, wrapped once; a node that is not there is nil without an error.
//
//	f, err := family.New(family.Default(), db, time.Now)
//	env := &shamap.Env{Heap: heap, Source: f}
//	b := f.NewBatch()
//	n, err := state.Flush(b)
//	err = b.Commit(true)
package family
