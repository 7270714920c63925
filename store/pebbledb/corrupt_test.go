package pebbledb

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ledgerlab/store"
	"ledgerlab/store/storetest"
)

// TestCorruptTableIsAnError: a read that meets a damaged block ends with an error,
// also while writing goes on, and never waits for ever.
func TestCorruptTableIsAnError(t *testing.T) {
	const keys = 3000
	dir := t.TempDir()
	o := Options{Dir: dir, MemTableBytes: 1 << 20}
	for _, n := range []int{keys, 0} { // the second start puts the log into a table
		db, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			put(t, db, i)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, name := range tables {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/3] ^= 1
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.ReadOnly = true // the log would put the lost values right again
	db, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	failed, lost := 0, 0
	for n := range keys {
		switch _, err := db.Get(storetest.Key(n), nil); {
		case errors.Is(err, store.ErrNotFound):
			lost++
		case err != nil:
			failed++
		}
	}
	if failed == 0 || lost > 0 {
		t.Errorf("%d reads failed, %d found nothing", failed, lost)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func put(t *testing.T, db *DB, n int) {
	t.Helper()
	b := store.NewBatch(0)
	b.Put(storetest.Key(n), storetest.Value(n))
	if err := db.Commit(b); err != nil {
		t.Fatal(err)
	}
}
