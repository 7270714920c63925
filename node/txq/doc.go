// Package txq is fee escalation and the transaction queue: what a transaction must pay to enter the open ledger now, and
// where one waits that pays less.
//
// Levels are fees relative to the transaction's own base fee, times 256. While a ledger holds no more transactions than
// expected the base level lets any in; beyond that the required level grows with the square. What pays too little for
// now but may later is queued: by account and sequence, and by level over all accounts. After each closed ledger the
// expected number is learned anew, what has expired is dropped, and the best paying are moved to the next open ledger.
//
// The rules are rippled's (TxQ.cpp, FeeEscalation.md), with a limit of bytes beside that of transactions. The package
// changes no ledger by itself and verifies no signature: it calls the engine it is given, under its own mutex, which
// guards all its state. Calls that change a view come from the one writer of the open ledger.
//
// Units: fees in drops, levels as rippled states them (256 is the base fee), sizes in bytes. A Go error is a failed
// read of the state, never a protocol outcome.
//
//	q, err := txq.New(txq.Default())
//	res, err := q.Apply(engine, view, t, 0) // tes, tec, terQUEUED, or the code that refused it
package txq
