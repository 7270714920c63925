// Package rotate is online delete, SHAMapStoreImp in rippled: every store.online_delete validated ledgers the state is
// copied into the writable generation of the store, cached keys are freshened, a new generation is made and swapped in,
// and the old archive is deleted.
//
// Between the steps it asks after the node's health and pauses while the node is out of step, saying why and since when
// (Rotator.Status); it gives a rotation up when the chain has moved on too far, and stops at once when its context ends.
//
// One thing is added to rippled's steps: after the copy of the newest state it also copies those nodes of the oldest
// retained ledger that the newest no longer has. Without that, deleting the archive would leave every ledger between the
// two incomplete, and the claimed range would be a belief instead of a fact.
//
// What it does not do: it does not own ledgers, caches or store; what it needs of them is given as funcs in Deps. The
// steps that touch the whole state run through Deps.Bulk, so that a flag decides on which thread the burst of
// allocations happens.
//
// Ownership: everything mutable belongs to the goroutine in Run; Status is a published snapshot. Units: sequences count
// ledgers; durations are durations. A rotation that fails ends with its error in Info and the store's pair as it was.
package rotate
