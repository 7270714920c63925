package consensus

// Input is one thing that happened. See the types below for the closed list.
type Input interface{ isInput() }

// StartRound begins a round. The owner gives it after a ledger was built and the
// open ledger rebuilt, and whenever it adopts another last closed ledger.
type StartRound struct {
	// LedgerID is the last closed ledger the network is believed to prefer.
	LedgerID Hash
	// Ledger is what this node has; when its ID differs from LedgerID the round
	// begins in mode wrongLedger and the preferred one is acquired.
	Ledger Ledger
	// Propose: take part with positions (validator, synced, not blocked).
	Propose bool
	// Validating: sign validations, full when proposing and partial otherwise.
	Validating bool
}

// Tick is the heartbeat (Parms.Granularity).
type Tick struct {
	// OpenTransactions in the open ledger; only zero or not matters.
	OpenTransactions int
}

// Simulate closes the open phase at once and accepts the own set (stand-alone).
type Simulate struct{}

// OpenClosed answers CloseOpen: the open ledger's transactions as a set.
type OpenClosed struct{ Set TxSet }

// GotProposal is a position of another node, its signature verified.
type GotProposal struct{ Proposal Proposal }

// GotTxSet delivers a transaction set asked for by AcquireTxSet.
type GotTxSet struct{ Set TxSet }

// GotLedger delivers a ledger asked for by AcquireLedger. Ledgers that were built
// here need not be delivered again.
type GotLedger struct{ Ledger Ledger }

// GotValidation is a validation, its signature verified; also the own ones.
type GotValidation struct{ Validation Validation }

// Built answers Accept: the ledger made of the agreed set.
type Built struct {
	Ledger Ledger
	// Compatible is false when the ledger contradicts a validated one; it is then
	// not validated.
	Compatible bool
}

// SetTrusted replaces the list of trusted validators.
type SetTrusted struct {
	Nodes []NodeID
	// Quorum of full trusted validations; zero: 80 % of the nodes, rounded up.
	Quorum int
}

// SetValidated tells the newest fully validated ledger: ledgers before it are
// never preferred, and none at or before it is validated.
type SetValidated struct{ Seq uint32 }

// SetMinValidate tells a sequence that must not be validated again: the last one
// this key signed before the process started.
type SetMinValidate struct{ Seq uint32 }

// SetParms replaces the constants; they hold from the next input.
type SetParms struct{ Parms Parms }

func (StartRound) isInput()     {}
func (Tick) isInput()           {}
func (Simulate) isInput()       {}
func (OpenClosed) isInput()     {}
func (GotProposal) isInput()    {}
func (GotTxSet) isInput()       {}
func (GotLedger) isInput()      {}
func (GotValidation) isInput()  {}
func (Built) isInput()          {}
func (SetTrusted) isInput()     {}
func (SetValidated) isInput()   {}
func (SetMinValidate) isInput() {}
func (SetParms) isInput()       {}
