// Package inspect checks a ledger in JSON, as the method ledger returns it, against itself: the id of every
// transaction, the root of the transaction tree, the root of the state tree where the state is given, and the
// ledger's hash are computed again from their parts, and everything that the file says twice must say the same.
//
// What it does not do: it replays nothing and asks no server; whether the ledger is part of a chain it cannot know.
//
// Ownership: a call owns its trees and gives them back at the end.
//
// Errors: a file that is not a ledger is an error; a ledger that does not agree with itself is no error but
// Report.Difference, which names the first thing that differs.
//
//	rep, err := inspect.File("ledger.json")
//	if err == nil && rep.Difference != nil { fmt.Println(rep.Difference) }
package inspect
