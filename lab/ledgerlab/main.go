// Command ledgerlab is the lab and the client of the control plane: it starts
// networks, runs experiments, judges and reports them, and acts on nodes.
package main

import "os"

func main() { os.Exit(run(os.Args[1:])) }
