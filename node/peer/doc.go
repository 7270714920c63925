// Package peer is the overlay: one mutually authenticated gRPC stream a pair of nodes, frames of many messages, bounded
// send queues, relay policies, requests with time-outs, and a seam for link faults.
//
// It knows message kinds and their limits, not their meaning: what arrives is handed to the funcs of a Handler, and what
// a node says goes out through Relay, Broadcast and Request. It verifies no signature of a proposal, validation or
// transaction; TLS only proves which configured node sent the frame.
//
// A session is owned by its reader and its writer goroutine; the overlay's table of sessions has one mutex. Everything
// ends with the context of Run. Sizes are bytes, times time.Duration. A frame that breaks a rule closes the session of
// the peer that sent it, with the reason counted; nobody else notices.
//
//	o, err := peer.New(opts, peer.NewGRPC(identity), peer.Handler{Transactions: door.RelayIn})
//	go o.Run(ctx)
//	o.Relay(peer.Outgoing{ID: id, Blob: blob, Entry: true})
package peer
