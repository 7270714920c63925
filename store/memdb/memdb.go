package memdb

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"ledgerlab/store"
)

// DB is a map of values.
type DB struct {
	mu     sync.RWMutex // guards what follows
	m      map[store.Hash][]byte
	bytes  uint64
	closed bool
}

// New makes an empty DB.
func New() *DB { return &DB{m: make(map[store.Hash][]byte)} }

// Get appends the value under h to dst.
func (d *DB) Get(h store.Hash, dst []byte) ([]byte, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return dst, store.ErrClosed
	}
	v, ok := d.m[h]
	if !ok {
		return dst, store.ErrNotFound
	}
	return append(dst, v...), nil
}

// GetSorted looks up hashes one by one.
func (d *DB) GetSorted(hs []store.Hash, fn func(i int, value []byte) error) error {
	var buf []byte
	for i, h := range hs {
		v, err := d.Get(h, buf[:0])
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = fn(i, v)
		}
		if err != nil {
			return err
		}
		buf = v
	}
	return nil
}

// Has reports whether h is there.
func (d *DB) Has(h store.Hash) (bool, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return false, store.ErrClosed
	}
	_, ok := d.m[h]
	return ok, nil
}

// Commit writes the batch.
func (d *DB) Commit(b *store.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return store.ErrClosed
	}
	return b.Each(func(h store.Hash, value []byte) error {
		d.bytes += uint64(len(value)) - uint64(len(d.m[h]))
		d.m[h] = bytes.Clone(value)
		return nil
	})
}

// Sync does nothing: there is no disk.
func (d *DB) Sync() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return store.ErrClosed
	}
	return nil
}

// Each visits every value in the order of hashes.
func (d *DB) Each(fn func(h store.Hash, value []byte) error) error {
	d.mu.RLock()
	if d.closed {
		d.mu.RUnlock()
		return store.ErrClosed
	}
	keys := make([]store.Hash, 0, len(d.m))
	for h := range d.m {
		keys = append(keys, h)
	}
	d.mu.RUnlock()
	slices.SortFunc(keys, func(a, b store.Hash) int { return bytes.Compare(a[:], b[:]) })
	for _, h := range keys {
		v, err := d.Get(h, nil)
		if err != nil {
			return err
		}
		if err := fn(h, v); err != nil {
			return err
		}
	}
	return nil
}

// Range visits the values under the keys from first to last, both included, in the order of keys or the other way
// round, until fn answers false.
func (d *DB) Range(first, last store.Hash, reverse bool, fn func(h store.Hash, value []byte) bool) error {
	d.mu.RLock()
	if d.closed {
		d.mu.RUnlock()
		return store.ErrClosed
	}
	var keys []store.Hash
	for h := range d.m {
		if bytes.Compare(h[:], first[:]) >= 0 && bytes.Compare(h[:], last[:]) <= 0 {
			keys = append(keys, h)
		}
	}
	d.mu.RUnlock()
	slices.SortFunc(keys, func(a, b store.Hash) int { return bytes.Compare(a[:], b[:]) })
	if reverse {
		slices.Reverse(keys)
	}
	for _, h := range keys {
		v, err := d.Get(h, nil)
		if err != nil {
			return err
		}
		if !fn(h, v) {
			return nil
		}
	}
	return nil
}

// Stats counts value bytes as if they were on disk.
func (d *DB) Stats() store.BackendStats {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return store.BackendStats{DiskBytes: d.bytes}
}

// Close ends the DB.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return store.ErrClosed
	}
	d.closed = true
	return nil
}
