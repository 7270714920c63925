// Package store keeps NodeObjects: hash-addressed blobs of tree nodes and ledger headers, in two generations.
//
// Backend is one generation on disk or in memory. Rotating joins two of them as rippled's DatabaseRotatingImp does: a
// writable one that takes every write, and an archive that is only read. During a rotation a hit in the archive is
// copied forward into the writable one; Rotate then swaps in a new writable generation and deletes the old archive.
// A small state file, replaced atomically and synced, names the two generations, the last rotation, the last
// validated ledger, the network and the format; it is always written before anything it replaces is deleted, so that a
// crash at any point leaves one complete pair.
//
// What it does not do: it does not parse nodes (the hash check is injected), does not decide when to rotate, starts no
// goroutine and reads no clock.
//
// Ownership: Rotating owns its backends, its directory and the state file. Values passed in are copied, values handed
// out are appended to the caller's slice. Everything is safe for concurrent use, Rotate and Close excepted, which must
// not overlap themselves.
//
// Errors: ErrNotFound for an unknown hash, ErrCorrupt (wrapped, naming the hash) for a value that fails its check,
// ErrForeign for a directory of another network or format, ErrFull when the disk is, ErrClosed after Close.
//
//	r, err := store.Open(store.Options{Dir: dir, FS: store.OS, NetworkID: 1024, Backend: open, Check: check})
//	b := store.NewBatch(0)
//	b.PutObject(store.AccountNode, h, prefixed)
//	err = r.Commit(b)
package store
