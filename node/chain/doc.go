// Package chain keeps the ledgers of a node: it builds the next one from an agreed
// set, knows which is closed, which validated and which published, keeps what is
// validated on disk, gets what is missing from peers and serves what peers miss.
//
// [Builder] applies a set in canonical order with retry passes and makes the child.
// [Master] holds the pointers and the history. A ledger becomes validated in three
// steps that are never reordered: its nodes and header are in one committed batch,
// the store is synced, the durable marker names it; only then does the pointer move
// and are the hooks called. After a crash the node goes on from the marker.
//
// The complete range is a fact, not a belief: a ledger enters it when all its nodes
// were written or acquired, and leaves it when rotation deletes it or a read finds a
// node missing.
//
// What it does not do: it votes on nothing (consensus, node/rcl), keeps no open
// ledger (node/ingest) and opens no connection (node/peer).
//
// Ownership: Master is safe for concurrent use; one mutex guards pointers and
// index, and nothing slow happens under it. A *ledger.Ledger that a method returns
// is acquired for the caller, who releases it. Hooks are called on the goroutine of
// Run, one at a time and in order, and must not call back into Sync or Run.
//
// Errors: a full or failed store is an error of Run and ends the node; a ledger that
// cannot be had is reported through the hook Failed and may be asked for again.
//
// Units: ledger sequences, network seconds, drops.
//
//	m, err := chain.New(chain.Default(), chain.Deps{Family: fam, Env: env, Engine: eng, Log: log})
//	err = m.Load(genesis)     // from disk, or the genesis when the store is empty
//	go m.Run(ctx)
//	m.Build(chain.Request{...}, func(b chain.Built) { ... })
package chain
