// Package pebbledb is a store.Backend on Pebble v2, one database a generation.
//
// Settings are fixed where they would blur an experiment: no compression (the values are hashes and signatures), bloom
// filters on every level, one size for block cache and
// memtables that every arm shares, concurrent compactions bounded. Commits go to the write-ahead log; Batch.Sync or Sync put them on disk.
//
// Pebble ends the process when its log cannot be written. Here its fatal errors become an error of the commit that met
// them, wrapped around store.ErrFull when the disk is full; after one the database takes no more commits, and Close
// leaves its files as they are, to be recovered by the next start.
//
// Files adapts a Pebble file system to store.FS, so that a whole store.Rotating can run on one that crashes or fails.
//
//	db, err := pebbledb.Open(pebbledb.Options{Dir: dir, BlockCacheBytes: 32 << 20})
package pebbledb
