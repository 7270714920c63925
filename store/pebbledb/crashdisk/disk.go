package crashdisk

import (
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
)

// Disk is a file system in memory. It is safe for concurrent use.
type Disk struct{ fs *vfs.MemFS }

// New returns an empty disk.
func New() *Disk { return &Disk{vfs.NewCrashableMem()} }

// Files is the disk for the store's own files.
func (d *Disk) Files() store.FS { return pebbledb.Files(d.fs) }

// Open opens a small database on the disk.
func (d *Disk) Open(dir string) (store.Backend, error) {
	return pebbledb.Open(pebbledb.Options{Dir: dir, FS: d.fs, MemTableBytes: 128 << 10, BlockCacheBytes: 1 << 20})
}

// Clone returns what is left after a power loss now, when that many per cent of the
// writes that were not synced reached the disk.
func (d *Disk) Clone(unsyncedPercent int, rng *rand.Rand) *Disk {
	return &Disk{d.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsyncedPercent, RNG: rng})}
}
