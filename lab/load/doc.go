// Package load offers traffic to a running network in an open loop: signed
// payments at intended times whatever the answers, and reads of accounts and
// state pages.
//
// A send that cannot be made in time is missed and counted; it is never made up
// for by a burst. Latency runs from the intended send to the moment the ledger
// that holds the transaction is seen validated. Every transaction ends in exactly
// one outcome and the outcomes add up to what was intended.
//
// It starts no nodes and judges nothing. A Generator owns its accounts, their
// sequences and its streams; its methods are safe for concurrent use.
//
//	g, err := load.New(load.Options{Targets: targets, Rate: 400, Seed: 1})
//	go g.Run(ctx)
//	...
//	report, err := g.Stop(ctx)
package load
