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
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
	"ledgerlab/store/pebbledb"
)

// storage is what ledgers live in: payload memory, store, caches.
type storage struct {
	heap   *payload.Heap
	db     *store.Rotating
	folder *memdb.Folder // of a store in memory, else nil
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
	so, folder := storeOptions(cfg, reg, log, failed)
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
	return &storage{heap: heap, db: db, folder: folder, files: so.FS, family: fam, env: &shamap.Env{
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

// storeOptions says how to open the store; folder is where one in memory lives.
func storeOptions(cfg config.Config, reg *config.Registry, log *slog.Logger, failed func(error)) (o store.Options, folder *memdb.Folder) {
	o = store.Options{
		Dir: storeFolder(cfg.DataDir), FS: store.OS, NetworkID: cfg.NetworkID,
		Warn: func(line string) { log.Warn("store", "what", line) },
	}
	if reg.Enum("store.backend") == "memory" {
		folder = memdb.NewFolder()
		o.Dir, o.FS, o.Backend = "store", folder, folder.Open
		return o, folder
	}
	o.Backend = func(dir string) (store.Backend, error) {
		po := pebbledb.Default()
		po.Dir, po.BlockCacheBytes, po.Fatal = dir, reg.Bytes("store.block_cache"), failed
		return pebbledb.Open(po)
	}
	return o, nil
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
