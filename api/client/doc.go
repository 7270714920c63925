// Package client is the typed client of a node's control plane, for the command
// line, the lab and anyone else.
//
// It adds to the generated client: a deadline for every unary call, errors as one
// line that name node and field, and streams of records and ledgers that come
// back after a broken connection where they stood. It keeps no state beyond its
// connection; safe for concurrent use. The connection is plain text and meant for
// loopback.
//
//	c, err := client.Dial("127.0.0.1:50051", client.Options{})
//	defer c.Close()
//	info, err := c.Info(ctx)
package client
