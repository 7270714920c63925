// Package check walks the store of a node that does not run: from the newest
// validated ledger down to the oldest one that is claimed, header by header, through
// every node of both trees, and names what is missing or wrong with its key, its kind,
// its place and the ledgers that need it.
//
// A subtree that a ledger shares with the next one is walked once: the older tree is
// walked beside the newer one and left where the two are equal, so that memory does not
// grow with state or history. Where a header is gone the hashes of the ledgers before
// it come from the skip list of the one above.
//
// What it does not do: it changes nothing and repairs nothing, and it does not judge
// what entries mean; a hash that fits is right.
//
// Ownership: Run opens the folder for reading, for itself, and closes it at the end.
// Named findings are bounded by Options; beyond the bound they are counted.
//
// Errors: damage is no error but Report.Findings. A folder that cannot be walked at
// all is an error of one line: ErrNoStore, ErrEmpty, store.ErrForeign, folder.ErrInUse.
//
//	rep, err := check.Run(ctx, check.Options{Dir: "runs/net/n0/data"})
//	if err == nil && !rep.Sound() { fmt.Println(rep.Findings[0]) }
package check
