package pebbledb

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"ledgerlab/store"
)

// DB is one generation.
type DB struct {
	db     *pebble.DB
	log    *logger
	stalls stallCounter
}

var _ store.Backend = (*DB)(nil)

// Open opens or makes the database in o.Dir.
func Open(o Options) (*DB, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	d := &DB{log: newLogger(o)}
	p := o.pebble(d.log, &d.stalls)
	p.Cache = pebble.NewCache(o.BlockCacheBytes)
	defer p.Cache.Unref()
	err := d.log.guarded(func() (err error) {
		d.db, err = pebble.Open(o.Dir, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pebbledb: open %s: %w", o.Dir, classify(err))
	}
	return d, nil
}

// Get appends the value under h to dst.
func (d *DB) Get(h store.Hash, dst []byte) ([]byte, error) {
	v, closer, err := d.db.Get(h[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return dst, store.ErrNotFound
	}
	if err != nil {
		return dst, readError("get", h, err)
	}
	dst = append(dst, v...)
	return dst, closer.Close()
}

// readError names the hash, and a damaged table as what it is.
func readError(op string, h store.Hash, err error) error {
	if pebble.IsCorruptionError(err) {
		return &store.CorruptError{Hash: h, Err: fmt.Errorf("pebbledb: %s: %w", op, err)}
	}
	return fmt.Errorf("pebbledb: %s %X: %w", op, h, err)
}

// GetSorted looks up hashes that ascend with one iterator, which keeps tables open and goes forward from where it is:
// a fraction of what as many Gets cost.
func (d *DB) GetSorted(hs []store.Hash, fn func(i int, value []byte) error) error {
	it, err := d.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return fmt.Errorf("pebbledb: iterate: %w", err)
	}
	for i := range hs {
		if !it.SeekPrefixGE(hs[i][:]) {
			if err := it.Error(); err != nil {
				_ = it.Close() // says the same again
				return readError("get", hs[i], err)
			}
			continue
		}
		v, err := it.ValueAndErr()
		if err != nil {
			err = readError("get", hs[i], err)
		} else {
			err = fn(i, v)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return it.Close()
}

// Has reports whether h is there.
func (d *DB) Has(h store.Hash) (bool, error) {
	_, closer, err := d.db.Get(h[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, readError("has", h, err)
	}
	return true, closer.Close()
}

// Commit writes the batch, all of it or nothing.
func (d *DB) Commit(b *store.Batch) error {
	if b.Len() == 0 {
		if b.Sync {
			return d.Sync()
		}
		return nil
	}
	w := d.db.NewBatchWithSize(b.Size() + 16*b.Len() + 64)
	err := b.Each(func(h store.Hash, value []byte) error { return w.Set(h[:], value, nil) })
	if err != nil {
		return fmt.Errorf("pebbledb: batch: %w", err)
	}
	opts := pebble.NoSync
	if b.Sync {
		opts = pebble.Sync
	}
	return d.guard(func() error { return errors.Join(w.Commit(opts), w.Close()) })
}

// Sync puts every commit so far on disk.
func (d *DB) Sync() error {
	return d.guard(func() error { return d.db.LogData(nil, pebble.Sync) })
}

func (d *DB) guard(write func() error) error {
	if err := d.log.guarded(write); err != nil {
		return fmt.Errorf("pebbledb: write: %w", classify(err))
	}
	return nil
}

// Each visits every value in the order of hashes.
func (d *DB) Each(fn func(h store.Hash, value []byte) error) error {
	it, err := d.db.NewIter(nil)
	if err != nil {
		return fmt.Errorf("pebbledb: iterate: %w", err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		if len(it.Key()) != len(store.Hash{}) {
			return errors.Join(fmt.Errorf("%w: key of %d bytes", store.ErrCorrupt, len(it.Key())), it.Close())
		}
		v, err := it.ValueAndErr()
		if err == nil {
			err = fn(store.Hash(it.Key()), v)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return errors.Join(it.Error(), it.Close())
}

// Range visits the values under the keys from first to last, both included, in the order of keys or the other way
// round, until fn answers false. The slice is valid during the call only.
func (d *DB) Range(first, last store.Hash, reverse bool, fn func(h store.Hash, value []byte) bool) error {
	it, err := d.db.NewIter(&pebble.IterOptions{LowerBound: first[:], UpperBound: append(last[:], 0)})
	if err != nil {
		return fmt.Errorf("pebbledb: iterate: %w", err)
	}
	step, begin := it.Next, it.First
	if reverse {
		step, begin = it.Prev, it.Last
	}
	for more := begin(); more; more = step() {
		v, err := it.ValueAndErr()
		if err != nil || len(it.Key()) != len(store.Hash{}) {
			return errors.Join(fmt.Errorf("pebbledb: range at %X: %w", it.Key(), err), it.Close())
		}
		if !fn(store.Hash(it.Key()), v) {
			break
		}
	}
	return errors.Join(it.Error(), it.Close())
}

// Stats is a snapshot.
func (d *DB) Stats() store.BackendStats {
	m := d.db.Metrics()
	written := m.WAL.BytesWritten
	for _, l := range m.Levels {
		written += l.TableBytesFlushed + l.TableBytesCompacted
	}
	return store.BackendStats{
		DiskBytes: m.DiskSpaceUsage(), WrittenBytes: written, CacheBytes: m.BlockCache.Size, MemTableBytes: m.MemTable.Size,
		CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses, Compactions: m.Compact.Count,
		WriteStalls: d.stalls.n.Load(), StallNanos: d.stalls.nanos.Load(),
	}
}

// Close ends the database. One that has failed is abandoned: Pebble's locks may be held for ever.
func (d *DB) Close() error {
	if d.log.err() != nil {
		return nil
	}
	if err := d.log.guarded(d.db.Close); err != nil {
		return fmt.Errorf("pebbledb: close: %w", classify(err))
	}
	return nil
}
