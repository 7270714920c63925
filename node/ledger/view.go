package ledger

import (
	"ledgerlab/node/protocol"
)

// ReadView is what may be asked of any ledger, open or closed.
type ReadView interface {
	// Read returns the entry at key, or nil when there is none. The entry is
	// shared: it must not be changed.
	Read(key protocol.Hash) (protocol.Entry, error)
	// Header returns the header as far as it is known; the hashes of an open view
	// are zero but for the parent's.
	Header() *protocol.Header
	// Fees returns the fee and reserve settings in force.
	Fees() Fees
	// Rules returns the amendments in force.
	Rules() *Rules
	// Open says whether this is an open ledger.
	Open() bool
	// HasTx says whether the transaction is part of this ledger.
	HasTx(id protocol.Hash) (bool, error)
}

// Fees are the settings of the FeeSettings entry, in drops.
type Fees struct {
	// Base is the cost of a reference transaction.
	Base protocol.Drops
	// Reserve is what every account must hold.
	Reserve protocol.Drops
	// Increment is what it must hold for each object it owns.
	Increment protocol.Drops
}

// DefaultFees are in force while the state has no FeeSettings entry.
// rippled: Config.h FeeSetup: 10 drops, 10 XRP, 2 XRP.
func DefaultFees() Fees {
	return Fees{Base: 10, Reserve: 10_000_000, Increment: 2_000_000}
}

// AccountReserve is the reserve of an account that owns ownerCount objects.
func (f Fees) AccountReserve(ownerCount uint32) protocol.Drops {
	return f.Reserve + f.Increment*protocol.Drops(ownerCount)
}

// ReadAccount reads an account root; nil when there is none.
func ReadAccount(v ReadView, id protocol.AccountID) (*protocol.AccountRoot, error) {
	e, err := v.Read(protocol.AccountKey(id))
	if err != nil || e == nil {
		return nil, err
	}
	root, ok := e.(*protocol.AccountRoot)
	if !ok {
		return nil, &TypeError{Key: protocol.AccountKey(id), Got: e.Type()}
	}
	return root, nil
}

// TypeError reports an entry of another type than its index promises.
type TypeError struct {
	Key protocol.Hash
	Got protocol.EntryType
}

// Error names the index and the type found there.
func (e *TypeError) Error() string {
	return "ledger: entry " + e.Key.String() + " has the unexpected type " + e.Got.String()
}
