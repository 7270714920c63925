// Package node assembles one ledgerlab node: it makes the parts, joins them
// through funcs and small interfaces, runs them and ends them in order.
//
// It holds no logic of its own beyond joining: what a part decides is in the
// part. Adapters that translate one part's words into another's live here,
// because parts of one level do not know one another.
//
// Ownership: a Node owns everything it makes. New opens files and listeners but
// starts nothing; Run starts every goroutine under one errgroup and returns when
// its context ends or a part fails; Close gives back what New opened. Memory of
// the payload heap is counted to zero at the end.
//
// Errors are wrapped once with the part that failed; a data folder of another
// network, a busy port or an allocator that does not own malloc is one line.
//
// Example:
//
//	n, err := node.New(node.Options{Config: cfg, Log: log})
//	defer n.Close()
//	err = n.Run(ctx)
package node
