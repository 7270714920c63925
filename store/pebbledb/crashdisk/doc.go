// Package crashdisk is a disk in memory that can lose power, for tests of those who
// keep a store on it. It opens Pebble databases and the store's own files on the
// disk, and clones what a power loss would leave of it.
//
// It is not for production: everything is in memory.
//
//	d := crashdisk.New()
//	db, err := store.Open(store.Options{Dir: "db", FS: d.Files(), Backend: d.Open})
//	after := d.Clone(50, rng) // half of the unsynced writes survive
package crashdisk
