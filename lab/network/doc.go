// Package network starts, stops, kills, restarts and pauses the processes of a
// network of nodes on this machine, and speaks to networks that another process
// started.
//
// Start writes a configuration for each node (keys drawn from a seed, every other
// node pinned, free loopback ports, flags, the allocator's library preloaded),
// clones a prepared state into each data folder and starts the processes. They
// die with the process that started them, whatever ends it: each has the kernel's
// parent-death signal and a process group of its own. A process that ends without
// having been asked to is told on Died with the last lines of its log.
//
// The folder holds network.json, from which Attach finds the network again; acts
// on it from there go through a socket to the process that owns the nodes, so that
// a kill that was asked for is not taken for a death.
//
// It knows no ledgers, sends no load and judges nothing. A Network is safe for
// concurrent use; it owns its folder until Close.
//
//	n, err := network.Start(ctx, network.Options{Dir: dir, Nodes: network.Nodes(5)})
//	defer n.Close(ctx)
//	err = n.WaitReady(ctx)
package network
