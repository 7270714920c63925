package node

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"ledgerlab/cache"
	"ledgerlab/node/config"
	"ledgerlab/node/family"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
	"ledgerlab/store/pebbledb"
)

// storage is what ledgers live in: payload memory, store, caches.
type storage struct {
	heap *payload.Heap
	db   *store.Rotating
	medium
	files  store.FS
	family *family.Family
	env    *shamap.Env
}

// storeFolder is the store's place in a data folder.
func storeFolder(dataDir string) string { return filepath.Join(dataDir, "store") }

// openStorage opens the store of a data folder. failed is told of a write error
// after which the store takes nothing more.
func openStorage(cfg config.Config, reg *config.Registry, log *slog.Logger, now func() time.Time, failed func(error)) (*storage, error) {
	heap, err := payload.NewHeap(reg.Enum("heap.payload"))
	if err != nil {
		return nil, fmt.Errorf("heap.payload=%s: %w", reg.Enum("heap.payload"), err)
	}
	so, on, err := storeOptions(cfg, reg, log, now, failed)
	if err != nil {
		return nil, errors.Join(err, heap.Close())
	}
	db, err := store.Open(so)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store in %s: %w", cfg.DataDir, err), heap.Close())
	}
	fo, err := familyOptions(reg, heap)
	if err != nil {
		return nil, errors.Join(err, db.Close(), heap.Close())
	}
	fam, err := family.New(fo, db, now)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("caches: %w", err), db.Close(), heap.Close())
	}
	link, err := shamap.ParseLinkMode(reg.Enum("tree.link"))
	if err != nil {
		return nil, errors.Join(err, db.Close(), heap.Close())
	}
	return &storage{heap: heap, db: db, medium: on, files: so.FS, family: fam, env: &shamap.Env{
		Heap: heap, Source: fam, Link: link, Sparse: reg.Enum("tree.inner") == "sparse", Lanes: hashLanes(reg.Int("tree.hash_lanes")),
	}}, nil
}

// hashLanes is the number of goroutines that hash a large batch; 0 takes one a hardware thread.
func hashLanes(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// medium is what a store lies on: memory or a disk; the other is nil.
type medium struct {
	folder *memdb.Folder
	disk   *pebbledb.Disk
}

// storeOptions says how to open the store, and on what.
func storeOptions(cfg config.Config, reg *config.Registry, log *slog.Logger, now func() time.Time, failed func(error)) (o store.Options, on medium, err error) {
	o = store.Options{
		Dir: storeFolder(cfg.DataDir), NetworkID: cfg.NetworkID, Now: now,
		Warn: func(line string) { log.Warn("store", "what", line) }, CheckCopied: checkHash,
	}
	if reg.Enum("store.backend") == "memory" {
		on.folder = memdb.NewFolder()
		o.Dir, o.FS, o.Backend = "store", on.folder, on.folder.Open
		return o, on, setFault(nil, reg)
	}
	on.disk = pebbledb.NewDisk(nil)
	o.FS = on.disk.Files()
	o.Backend = func(dir string) (store.Backend, error) {
		po := pebbledb.Default()
		po.Dir, po.BlockCacheBytes, po.Fatal, po.FS = dir, reg.Bytes("store.block_cache"), failed, on.disk
		return pebbledb.Open(po)
	}
	return o, on, setFault(on.disk, reg)
}

// checkHash judges an object that no tree has parsed.
func checkHash(h store.Hash, _ store.ObjectType, payload []byte) error {
	if got := protocol.SHA512Half(payload); got != h {
		return fmt.Errorf("its bytes hash to %s", got)
	}
	return nil
}

func setFault(disk *pebbledb.Disk, reg *config.Registry) error {
	if disk == nil {
		if f := reg.Enum("store.fault"); f != pebbledb.FaultNone {
			return fmt.Errorf("store.fault=%s: store.backend=memory has no disk", f)
		}
		return nil
	}
	return disk.SetFault(reg.Enum("store.fault"), reg.Duration("store.fault_delay"))
}

func familyOptions(reg *config.Registry, heap *payload.Heap) (family.Options, error) {
	o := family.Default()
	lock, err := cache.ParseLockMode(reg.Enum("cache.lock"))
	if err != nil {
		return o, err
	}
	if o.Policy, err = cache.ParsePolicy(reg.Enum("cache.policy")); err != nil {
		return o, err
	}
	for _, c := range []*cache.Options{&o.Tree, &o.FullBelow, &o.Objects} {
		c.Partitions, c.Lock, c.ExpireAll = reg.Int("cache.partitions"), lock, reg.Bool("cache.expire_all")
	}
	o.Tree.TargetSize, o.Tree.TargetAge = reg.Int("cache.tree.size"), reg.Duration("cache.tree.age")
	if reg.Bool("cache.object") {
		// rippled: DatabaseNodeImp takes the tree cache's size, and its age in minutes where that is in seconds.
		o.Heap, o.Objects.TargetSize, o.Objects.TargetAge = heap, o.Tree.TargetSize, 60*o.Tree.TargetAge
	}
	return o, o.Validate()
}

// close gives everything back; the trees must have been released before. A heap
// that is not empty is an error: something forgot a reference.
func (s *storage) close() error {
	s.family.Clear()
	return errors.Join(s.db.Close(), s.heap.Close())
}
