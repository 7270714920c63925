// Package query answers what clients ask of ledgers: which ledger a selector means,
// an account in it, a page of its state, its header and transactions, and where a
// transaction ended.
//
// It only reads. Formats of replies (JSON-RPC, gRPC) are made by api and api/rpc;
// the chain and the open ledger are reached through the small interfaces declared
// here, which node.New joins.
//
// Ownership: a Querier has no state of its own and is safe for concurrent use. What
// it returns is copied out of the ledger; no ledger stays acquired.
//
// Errors: ErrNotFound for a ledger, account or transaction that is not here, a
// *BadSelector for a selector that makes no sense, anything else a failed read. A
// read that finds a node missing tells the chain, which takes the ledger out of its
// complete range.
//
//	q := query.New(chain, open, query.Default())
//	acc, err := q.Account(id, query.Ref{Name: "validated"})
package query
