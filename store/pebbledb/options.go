package pebbledb

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are the settings of one database. The zero value of a field means its default.
type Options struct {
	// Dir is the database's own directory.
	Dir string
	// BlockCacheBytes is the block cache, C memory under cgo; default 16 MiB.
	BlockCacheBytes int64
	// MemTableBytes is the size at which a memtable is flushed, C memory under cgo; default 8 MiB. Pebble may hold
	// two of them and the one being flushed.
	MemTableBytes int
	// Compactions is how many may run at once; default 1.
	Compactions int
	// NoCompaction leaves tables as they were flushed: for a database that is read little and deleted whole.
	NoCompaction bool
	// ReadOnly opens an existing database and changes nothing in it.
	ReadOnly bool
	// FS is the file system; default the real one.
	FS vfs.FS
	// Logger takes Pebble's messages; default none.
	Logger *slog.Logger
	// Fatal, if set, is told of an error after which the database takes no more commits.
	Fatal func(error)
}

const (
	blockCacheDefault = 16 << 20
	memTableDefault   = 8 << 20
	memTableMin       = 64 << 10
	memTablesMax      = 3
)

// Default is the smallest sensible database of a lab node.
func Default() Options {
	return Options{BlockCacheBytes: blockCacheDefault, MemTableBytes: memTableDefault, Compactions: 1}
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.BlockCacheBytes < 0 {
		errs = append(errs, fmt.Errorf("pebbledb: block cache of %d bytes is negative", o.BlockCacheBytes))
	}
	if o.MemTableBytes != 0 && o.MemTableBytes < memTableMin {
		errs = append(errs, fmt.Errorf("pebbledb: memtable of %d bytes: want 0 or at least %d", o.MemTableBytes, memTableMin))
	}
	if o.Compactions < 0 {
		errs = append(errs, fmt.Errorf("pebbledb: %d compactions is negative", o.Compactions))
	}
	return errors.Join(errs...)
}

func (o Options) withDefaults() Options {
	d := Default()
	if o.BlockCacheBytes == 0 {
		o.BlockCacheBytes = d.BlockCacheBytes
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = d.MemTableBytes
	}
	if o.Compactions == 0 {
		o.Compactions = d.Compactions
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// pebble gives Pebble's own options.
func (o Options) pebble(l *logger, stalls *stallCounter) *pebble.Options {
	p := &pebble.Options{
		FS:                          o.FS,
		ReadOnly:                    o.ReadOnly,
		Cache:                       nil, // made and counted by Open
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: memTablesMax,
		FormatMajorVersion:          pebble.FormatNewest,
		CompactionConcurrencyRange:  func() (int, int) { return 1, o.Compactions },
		Logger:                      l,
		EventListener:               stalls.listener(l),
	}
	if o.NoCompaction {
		p.DisableAutomaticCompactions, p.L0StopWritesThreshold = true, 1<<20
	}
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	for i := range p.Levels { // the lowest too, where only iterators that ask for it use them (Get does not)
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return p
}
