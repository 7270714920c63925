// Package gather watches a node, or any process, for package doctor: it reads
// the records that a node streams, asks it for full balance sheets now and then,
// reads the Go heap's profile at both ends and makes one probing trim; of a
// process that is no node it reads /proc alone.
//
// What it does not do: it judges nothing. A watch of a node costs the node one
// full sheet every Options.SheetEvery and two garbage collections, for the
// profiles; --no-stacks leaves those out.
//
// Owner of state: each call owns what it gathers. Series are bounded by the length
// of the watch, at most Options.ForMax. Units: as package doctor. Errors: a node
// that does not answer at the begin; what fails later leaves its series short and
// is told through Options.Say.
//
//	w, err := gather.Node(ctx, c, gather.Default())
package gather
