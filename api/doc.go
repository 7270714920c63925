// Package api serves the control plane of a node over gRPC: what it is, its
// flags, sweep, trim and rotation on request, the memory balance sheet, the
// waiting places, submission, reads for load, validated ledgers and the stream of
// records; with health and reflection beside.
//
// It has no logic of its own: a handler decodes, calls the Backend that the
// assembly of the node provides, and encodes. It imports nothing of the node but
// the flag registry and the records.
//
// Bounds: message size, streams in all and a connection, unary calls at work, and
// a deadline for calls that bring none; what a bound refuses is counted in Stats
// and answered with ResourceExhausted. A watcher that reads slowly loses
// messages, which are counted to it, and holds nobody up.
//
// Errors: a Backend error that is one of the errors of this package gets its
// status code; a mistake in a request is InvalidArgument with the path of the
// field; a panic is Internal and logged with its stack.
//
//	srv, err := api.New(api.Options{Backend: node, Flags: reg, Records: rec})
//	err = srv.Serve(ctx, listener)
package api
