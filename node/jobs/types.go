package jobs

import "fmt"

// Type is a kind of job. Its value is its priority: a higher one runs first (rippled JobTypes.h order).
type Type uint8

// The job types of rippled that exist here, lowest priority first.
const (
	PubOldLedger Type = iota // publish an acquired old ledger
	Client                   // a client's read
	Sweep                    // the cache sweep, when it runs in the pool
	Manifest
	TransactionLocal // a client's transaction
	LedgerRequest    // serve a peer's request for ledger nodes
	TransactionPeer  // a peer's transaction
	MissingTxn       // handle announced transaction hashes
	RequestedTxn     // serve transactions that were asked for
	Batch            // apply a batch to the open ledger
	LedgerData       // ledger nodes that a peer sent
	Advance          // acquire and publish ledgers
	PubLedger        // publish a validated ledger
	TxnData          // fetch nodes of a transaction set
	Validation
	Write // flush to the store
	Accept
	Proposal
	Timer // heartbeat
	Admin
	BulkJob // whole or part of a bulk job (flag jobs.bulk pool and spread)
	numTypes
)

// unlimited marks a type without limit of running jobs.
const unlimited = 1 << 30

type typeSpec struct {
	name  string
	limit int // running at once
}

// specs holds names and limits of rippled's JobTypes.h.
var specs = [numTypes]typeSpec{
	PubOldLedger:     {"publishAcqLedger", 2},
	Client:           {"clientCommand", unlimited},
	Sweep:            {"sweep", 1},
	Manifest:         {"manifest", unlimited},
	TransactionLocal: {"localTransaction", unlimited},
	LedgerRequest:    {"ledgerRequest", 3},
	TransactionPeer:  {"transaction", unlimited},
	MissingTxn:       {"handleHaveTransactions", 1200},
	RequestedTxn:     {"doTransactions", 1200},
	Batch:            {"batch", unlimited},
	LedgerData:       {"ledgerData", 3},
	Advance:          {"advanceLedger", unlimited},
	PubLedger:        {"publishNewLedger", unlimited},
	TxnData:          {"fetchTxnData", 5},
	Validation:       {"trustedValidation", unlimited},
	Write:            {"writeObjects", unlimited},
	Accept:           {"acceptLedger", unlimited},
	Proposal:         {"trustedProposal", unlimited},
	Timer:            {"heartbeat", 1},
	Admin:            {"administration", unlimited},
	BulkJob:          {"bulk", unlimited},
}

// Types lists all job types, lowest priority first.
func Types() []Type {
	out := make([]Type, numTypes)
	for i := range out {
		out[i] = Type(i)
	}
	return out
}

func (t Type) String() string {
	if t < numTypes {
		return specs[t].name
	}
	return fmt.Sprintf("jobType(%d)", uint8(t))
}

// Limit is the largest number of jobs of this type that run at once, 0 for none.
func (t Type) Limit() int {
	if t >= numTypes || specs[t].limit == unlimited {
		return 0
	}
	return specs[t].limit
}
