package pebbledb

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ledgerlab/store"
	"ledgerlab/store/storetest"
)

func TestBackend(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Backend {
			db, err := Open(Options{Dir: "db", FS: vfs.NewMem(), MemTableBytes: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			return db
		})
	})
	t.Run("disk", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Backend {
			db, err := Open(Options{Dir: t.TempDir(), MemTableBytes: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			return db
		})
	})
}
