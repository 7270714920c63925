// Package storetest is the conformance suite of store.Backend: every implementation runs it from its own tests.
//
//	func TestBackend(t *testing.T) { storetest.Run(t, func(t *testing.T) store.Backend { return memdb.New() }) }
package storetest
