// Package metrics publishes the node's figures for scraping. It is the only
// package of the node that knows the Prometheus client.
//
// A Metrics has a registry of its own. Figures that exist anyway are pulled: one
// call of the injected source a scrape gives a consistent Snapshot. Events that
// have a distribution (ledgers, rounds, sweeps, trims, rotations, batches) are
// pushed through the Observe methods.
//
// A figure that is not known yet is absent, never a made-up number. Label values
// come from closed sets (places, caches, modes, triggers, lines of the balance
// sheet); anything else is folded into "other". No account, hash or ledger number
// is a label.
//
// It does not serve HTTP (api/web does) and keeps no history. Safe for concurrent
// use. Units are in the names: seconds, bytes, ratios; counters end in _total and
// begin at zero with the process.
//
//	m := metrics.New(metrics.Build{Version: v}, node.snapshot)
//	m.ObserveSweep(metrics.SweepInfo{Duration: d, FreedBytes: n})
//	handler := web.New(web.Options{Gatherer: m.Gatherer()})
package metrics
