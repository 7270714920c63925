// Package consensus is the XRP Ledger consensus algorithm as a pure state machine.
//
// A [Core] is fed inputs (heartbeats, proposals, transaction sets, validations,
// ledgers) together with both clocks and answers with effects (propose, share a
// set, acquire, accept, validate) that its owner carries out. It covers rounds
// (open, establish, accepted), disputes with their avalanche, close-time voting,
// the validation store, the preferred branch and the quorum.
//
// It does not read a clock, start a timer or goroutine, hold a lock, draw a
// random number, talk to a network, sign or verify anything, or know what a
// transaction or a ledger contains. Signatures are checked before a proposal or
// validation is fed in.
//
// State is owned by whoever owns the Core; nothing here is safe for concurrent
// use. Two Cores fed the same inputs at the same times return the same effects.
//
// Units: [NetTime] is whole seconds since 2000-01-01T00:00:00Z (network time);
// [Times].Steady is a duration since an arbitrary origin that never goes back;
// percentages are integers 0..100 as in xrpld.
//
// Errors: a Core has none. An input that does not fit the present state is
// ignored and counted in [Stats].
//
// Example, one validator alone closing a ledger on demand:
//
//	core := consensus.New(consensus.Config{Parms: consensus.DefaultParms(), Self: id})
//	core.Step(now, consensus.StartRound{LedgerID: l.ID(), Ledger: l, Propose: true})
//	effects := core.Step(now, consensus.Simulate{})   // CloseOpen
//	effects = core.Step(now, consensus.OpenClosed{Set: set}) // Accept
package consensus
