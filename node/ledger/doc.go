// Package ledger holds what a ledger is: the closed, immutable Ledger with its two
// trees, the views that are stacked on it, and the making of a child.
//
// A [Ledger] never changes after it was built. It counts its users: Acquire before
// keeping it, Release when done; with the last Release the two trees are released
// and their payload memory goes back at once. An [OpenView] collects changes and
// transactions above a base view; it is the open ledger (Open true, no metadata)
// or the accumulator of a build (Open false). A [Sandbox] is the small view of one
// transaction: it either commits into its OpenView, yielding metadata, or leaves no
// trace. A [Builder] turns an accumulator into the next Ledger.
//
// What it does not do: it applies no transaction (node/tx), decides no order and
// no retry (node/chain), keeps no history and touches no disk.
//
// Ownership: a Ledger is safe for concurrent reads. Entries that a view returns
// from Read are shared and must not be changed; Peek of a Sandbox returns a
// private copy. OpenView and Sandbox belong to one goroutine; an OpenView that is
// published is no longer changed but cloned.
//
// Units: amounts are drops, times are seconds of network time (since 2000-01-01).
//
// Errors: an error of a read is a tree error (a missing or corrupt node) and never
// means "no such entry"; that is a nil entry with a nil error.
//
// Example:
//
//	l, err := ledger.Genesis(env, ledger.DefaultGenesis())
//	v := ledger.NewOpenView(l)
//	var sb ledger.Sandbox
//	sb.Reset(v)
//	root, err := sb.PeekAccount(id)
package ledger
