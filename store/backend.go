package store

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound is returned by Get for a hash that is not there.
	ErrNotFound = errors.New("store: not found")
	// ErrCorrupt is a value that fails its hash check.
	ErrCorrupt = errors.New("store: corrupt object")
	// ErrForeign is a directory written by another network or in an unknown format.
	ErrForeign = errors.New("store: foreign data")
	// ErrFull is a write the disk had no room for. The store takes no more writes after it.
	ErrFull = errors.New("store: disk full")
	// ErrClosed is any call after Close.
	ErrClosed = errors.New("store: closed")
)

// CorruptError is an ErrCorrupt that names its object.
type CorruptError struct {
	Hash Hash
	Err  error // what is wrong with it
}

func (e *CorruptError) Error() string { return fmt.Sprintf("%v: %X: %v", ErrCorrupt, e.Hash, e.Err) }

// Is makes every CorruptError an ErrCorrupt.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Unwrap gives what is wrong.
func (e *CorruptError) Unwrap() error { return e.Err }

// Backend is one generation: opaque values under hashes. It is safe for concurrent use, Close excepted.
type Backend interface {
	// Get appends the value under h to dst, or returns ErrNotFound.
	Get(h Hash, dst []byte) ([]byte, error)
	// GetSorted looks up hashes that ascend and calls fn, in that order, with the position of each that is there. The
	// value is valid during the call only.
	GetSorted(hs []Hash, fn func(i int, value []byte) error) error
	// Has reports whether h is there.
	Has(h Hash) (bool, error)
	// Commit writes the batch, all of it or nothing; with b.Sync it is on disk when Commit returns.
	Commit(b *Batch) error
	// Sync puts every commit so far on disk.
	Sync() error
	// Each visits every value in the order of hashes; the slice is valid during the call only.
	Each(fn func(h Hash, value []byte) error) error
	// Stats is a snapshot.
	Stats() BackendStats
	// Close ends it. Unsynced commits may be lost.
	Close() error
}

// BackendStats is what a backend knows about itself; zero where it does not.
type BackendStats struct {
	DiskBytes     uint64 // files of this generation
	WrittenBytes  uint64 // to logs and tables, compactions included, since it was opened
	CacheBytes    int64  // block cache in use
	MemTableBytes uint64 // memtables, flushing ones included
	CacheHits     int64
	CacheMisses   int64
	Compactions   int64
	WriteStalls   int64
	StallNanos    int64
}

// Batch collects writes. It is not safe for concurrent use.
type Batch struct {
	// Sync asks for the batch to be on disk when Commit returns.
	Sync bool

	buf  []byte
	ends []int // end of each record in buf; a record is a hash and a value
}

// NewBatch makes an empty batch with room for n bytes.
func NewBatch(n int) *Batch { return &Batch{buf: make([]byte, 0, n)} }

// Put adds an opaque value.
func (b *Batch) Put(h Hash, value []byte) {
	b.buf = append(append(b.buf, h[:]...), value...)
	b.ends = append(b.ends, len(b.buf))
}

// PutObject adds a NodeObject.
func (b *Batch) PutObject(t ObjectType, h Hash, payload []byte) {
	b.buf = AppendObject(append(b.buf, h[:]...), t, payload)
	b.ends = append(b.ends, len(b.buf))
}

// Len is the number of writes.
func (b *Batch) Len() int { return len(b.ends) }

// Size is the number of bytes, hashes included.
func (b *Batch) Size() int { return len(b.buf) }

// Reset empties the batch and keeps its memory, unless that has grown above keepMax bytes.
func (b *Batch) Reset(keepMax int) {
	if cap(b.buf) > keepMax {
		*b = Batch{}
		return
	}
	b.buf, b.ends, b.Sync = b.buf[:0], b.ends[:0], false
}

// Each visits the writes in order; the slice is the batch's own.
func (b *Batch) Each(fn func(h Hash, value []byte) error) error {
	start := 0
	for _, end := range b.ends {
		if err := fn(Hash(b.buf[start:]), b.buf[start+hashLen:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// eachHash visits the hashes in place.
func (b *Batch) eachHash(fn func(h *Hash)) {
	start := 0
	for _, end := range b.ends {
		fn((*Hash)(b.buf[start:]))
		start = end
	}
}

// String counts what is inside.
func (b *Batch) String() string { return fmt.Sprintf("%d objects, %d bytes", b.Len(), b.Size()) }
