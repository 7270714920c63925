// Package archtest guards the structure of the repository: which package may
// import which, where cgo stands, and which goroutine-free packages name no
// clock. It holds the import graph between our own packages in
// testdata/graph.txt; a change of the graph is a change of that file, made on
// purpose and reviewed with its reason.
//
// It does not judge style (the linter does) and has no code that runs in a
// node. It owns no state.
//
// To accept a new graph:
//
//	go test ./node/archtest -rewrite
package archtest
