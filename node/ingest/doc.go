// Package ingest is the one door through which transactions enter a node, and the only writer of its open ledger.
//
// A transaction comes from a client (Submit) or from a peer (RelayIn). The Router remembers every id: who sent it, when
// it was processed and relayed, and the verdict on its signature. What is new waits for the one verify worker, which
// checks signatures of clients and peers together in batches; a peer's transaction that finds QueueLimit others waiting
// is dropped and counted (the seed's 250). What verifies goes to the batcher, which copies the open ledger once a batch,
// applies through the fee queue, publishes the copy, and decides what is relayed, held, or kept for retry.
//
// Accept rebuilds the open ledger on a new closed one. It and the batcher exclude one another, and both hold the two
// main locks as rippled does; the wait for them and their hold are measured.
//
// State: the Router, the waiting list, the pending batch, held and local transactions and the tracked outcomes each have
// one mutex of their own, a leaf. The open view is written under the modify mutex and read through an atomic pointer.
// Lock order: main, ledger, modify, fee queue; leaves last. Nothing is relayed, replied or reported under a lock.
// Everything ends with the context of Run. A Go error of a batch is a failed read of the state: the batch is undone.
//
//	d, err := ingest.New(opts, deps, closed)
//	go d.Run(ctx)
//	reply, err := d.Submit(ctx, blob, ingest.SubmitOptions{Mode: ingest.Sync})
package ingest
