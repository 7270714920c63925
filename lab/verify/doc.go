// Package verify replays a recorded chain: the submissions and the ledgers that a
// stand-alone reference server made of them, and compares everything that the
// server stated with what this code makes of the same input.
//
// A chain is a file of JSON lines, plain or gzipped: what it is about, each submitted
// blob with its immediate result, and each closed ledger with its header, its
// transactions with metadata and, in some, its whole state. Replay starts from the
// first full state. It runs an open ledger, the queue, held and local transactions as
// the server did, closes with the recorded close times, and stops at the first thing
// that differs, which it names down to the field.
//
// What it does not do: it talks to no node; engine, builder, queue and tree are
// called in this process.
//
// Ownership: a replay owns its heap and trees and gives them back at the end.
//
// Errors: a malformed file is an error with the line; a difference is no error but
// Report.Difference.
//
//	rep, err := verify.File("chain.jsonl.gz", verify.Options{})
//	if err == nil && rep.Difference != nil { fmt.Println(rep.Difference) }
package verify
