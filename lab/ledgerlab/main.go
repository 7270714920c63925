// Command ledgerlab is the lab and the client of the control plane: it starts
// networks, runs experiments, judges and reports them, and acts on nodes.
//
// Results go to stdout, progress and problems to stderr. Exit codes: 0 decided
// and not regressed, 1 regressed or a check failed, 2 inconclusive, 3 void, 64
// usage, 65 bad experiment or configuration, 70 internal, 75 try again, 130
// interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once; the nodes end with their parent
	nameCommit(ctx)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
