package crashdisk

import (
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
)

// Disk is a file system in memory. It is safe for concurrent use.
type Disk struct {
	mem *vfs.MemFS
	fs  *pebbledb.Disk
}

func on(mem *vfs.MemFS) *Disk { return &Disk{mem, pebbledb.NewDisk(mem)} }

// New returns an empty disk.
func New() *Disk { return on(vfs.NewCrashableMem()) }

// Before has a function called before every operation on the disk; an error of it is one of the operation. Nil ends
// it.
func (d *Disk) Before(f pebbledb.Injector) { d.fs.SetInjector(f) }

// Files is the disk for the store's own files.
func (d *Disk) Files() store.FS { return d.fs.Files() }

// Open opens a small database on the disk.
func (d *Disk) Open(dir string) (store.Backend, error) {
	return pebbledb.Open(pebbledb.Options{Dir: dir, FS: d.fs, MemTableBytes: 128 << 10, BlockCacheBytes: 1 << 20})
}

// Clone returns what is left after a power loss now, when that many per cent of the
// writes that were not synced reached the disk.
func (d *Disk) Clone(unsyncedPercent int, rng *rand.Rand) *Disk {
	return on(d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsyncedPercent, RNG: rng}))
}
