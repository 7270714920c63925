// Package web serves what a browser or a scraper asks of a node, on loopback:
// /metrics (OpenMetrics on negotiation), /healthz, /readyz and /debug/pprof.
//
// It has no figures of its own: metrics come through the injected gatherer,
// health through the injected func. It owns only its HTTP server. Requests are
// bounded in size and time; profiles may take as long as they ask for, up to five
// minutes.
//
//	err := web.New(web.Options{Gatherer: m.Gatherer(), Ready: node.Ready}).Serve(ctx, listener)
package web
