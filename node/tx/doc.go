// Package tx is the transaction engine: it decides whether a transaction applies
// to a view and what it changes there.
//
// Three stages, as in rippled: Preflight looks at the transaction alone, Preclaim
// at the transaction and a read-only view, and Apply runs both and then makes the
// change in a sandbox that commits whole or not at all. Results are TER values and
// agree with rippled 1.10.1 where a recorded chain can tell, in code and in order of
// the checks. One file a transaction type; a type that has no file is refused with
// temUNKNOWN.
//
// What it does not do: it keeps no queue and no fee escalation (node/txq), chooses no
// order and no retry (node/chain), and verifies signatures only through the function
// it is given, since every node verifies each signature once, elsewhere.
//
// Ownership: an [Engine] has scratch space and belongs to one goroutine; give the
// batcher and the builder one each. Transactions are shared and never changed.
//
// Errors: protocol outcomes are TERs. A Go error means that the state could not be
// read (a missing or corrupt tree node); then nothing was changed and the caller
// must stop, since going on would make another ledger than the others do.
//
// Units: amounts and fees in drops.
//
//	e, err := tx.New(tx.Options{NetworkID: 0})
//	res, err := e.Apply(view, t, tx.Retry)
//	if res.Applied { ... res.TER is tes or tec; res.Meta when the view is closed }
package tx
