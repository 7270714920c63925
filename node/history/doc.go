// Package history is the durable index of a node's validated ledgers: a ledger by its
// sequence, a transaction by its id, and the transactions of an account. It stands for
// the tables Ledgers, Transactions and AccountTransactions of rippled.
//
// It rotates with the store: each generation has an index of its own, which is deleted
// with it. Writes go to the writable generation's, reads look in both. After a swap the
// ledgers that stay claimed beyond the next rotation are entered again into the new one;
// because an index says only what the ledgers say, anything that a crash took away is
// entered again in the same manner. One ledger is one batch: a ledger that the index
// names is in it with all its transactions.
//
// What it does not do: it keeps no ledger and no transaction, only where they are; it
// does not decide what is complete (node/chain), starts no goroutine and syncs nothing.
//
// Ownership: Index owns the databases that Options.Open gives it. It is safe for
// concurrent use; Follow and Close wait for readers of the generation they close.
//
// Errors are those of the databases, wrapped once with the generation.
//
//	ix, err := history.New(history.Options{Generations: names, Open: open})
//	err = ix.Follow()             // at the start, and after each swap
//	err = ix.Add(history.Ledger{Seq: 7, Hash: h, Txs: txs})
//	seq, ok, err := ix.Tx(id)
package history
