// Package memdb is a store.Backend in Go memory, for tests and for store.backend=memory. Close forgets everything
// unless the DB was opened through a Folder, which keeps generations by name as a disk would.
package memdb
