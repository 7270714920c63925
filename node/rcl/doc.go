// Package rcl drives the consensus core of one node.
//
// One goroutine (Driver.Run) owns the core, the operating mode and the round's
// bookkeeping. Everything that happens (heartbeats, proposals, validations,
// transaction sets, ledgers, built ledgers) reaches it through one bounded queue;
// the effects the core answers with are carried out through the interfaces below,
// which node.New joins to the chain, the open ledger, the overlay and the keys.
//
// It does not apply transactions, build or store ledgers, verify transactions,
// choose relay policies or hold sessions. It does not block: building runs where
// the chain puts it and its result comes back as an input.
//
// Units: durations are time.Duration, close times seconds since 2000-01-01.
// Clocks: time.Now and timers of package time, so that tests run it in a
// testing/synctest bubble; Options.Skew moves the wall clock it believes in.
//
// Errors: New returns every fault of the options; Run ends with nil when its
// context ends. Bad messages are counted (Counters) and dropped.
//
// Example:
//
//	d, err := rcl.New(rcl.Default(), rcl.Deps{Chain: chain, Open: open, Net: overlay, ...})
//	go d.Run(ctx)
//	d.Proposal(from, raw) // from the overlay's handler
package rcl
