package pebbledb

import (
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ledgerlab/store"
)

// Disk is a file system whose faults can be ordered: every operation of the databases and of the store on it asks an
// injector first. Without one an operation costs one atomic load more.
type Disk struct {
	vfs.FS
	inject atomic.Pointer[Injector]
}

// Injector is asked before each operation; what it returns is what the operation returns. It may sleep. It is called by
// many goroutines.
type Injector func(Op) error

// Op is one operation on a file system.
type Op struct {
	Kind OpKind
	Name string // as in fs.PathError
	Path string
}

// OpKind says what an operation does.
type OpKind uint8

// The kinds.
const (
	OpRead   OpKind = iota
	OpWrite         // needs room
	OpChange        // renames and removals, which need none
	OpSync
)

func (k OpKind) String() string { return [...]string{"read", "write", "change", "sync"}[k] }

// Fail makes the error with which the operation fails for a cause.
func (o Op) Fail(cause error) error { return &fs.PathError{Op: o.Name, Path: o.Path, Err: cause} }

// NewDisk wraps a file system; nil is the real one.
func NewDisk(under vfs.FS) *Disk {
	if under == nil {
		under = vfs.Default
	}
	return &Disk{FS: under}
}

// Files is the disk for the store's own files.
func (d *Disk) Files() store.FS { return Files(d) }

// SetInjector replaces the injector; nil removes it.
func (d *Disk) SetInjector(f Injector) {
	if f == nil {
		d.inject.Store(nil)
		return
	}
	d.inject.Store(&f)
}

// The values of the flag store.fault.
const (
	FaultNone  = "none"
	FaultFull  = "full"
	FaultWrite = "write"
	FaultSync  = "sync"
	FaultRead  = "read"
	FaultSlow  = "slow"
)

// SetFault orders a fault by name: a full disk, errors of writes, syncs or reads, or a disk that takes delay longer for
// each operation.
func (d *Disk) SetFault(name string, delay time.Duration) error {
	on := map[OpKind]error{}
	switch name {
	case FaultNone:
		d.SetInjector(nil)
		return nil
	case FaultFull:
		on[OpWrite] = syscall.ENOSPC
	case FaultWrite:
		on[OpWrite], on[OpChange] = syscall.EIO, syscall.EIO
	case FaultSync:
		on[OpSync] = syscall.EIO
	case FaultRead:
		on[OpRead] = syscall.EIO
	case FaultSlow:
	default:
		return fmt.Errorf("pebbledb: fault %q: want none, full, write, sync, read or slow", name)
	}
	d.SetInjector(func(o Op) error {
		if name == FaultSlow {
			time.Sleep(delay)
		}
		if cause := on[o.Kind]; cause != nil {
			return o.Fail(cause)
		}
		return nil
	})
	return nil
}

func (d *Disk) ask(k OpKind, name, path string) error {
	f := d.inject.Load()
	if f == nil {
		return nil
	}
	return (*f)(Op{k, name, path})
}

func (d *Disk) file(f vfs.File, err error, name string) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d, name}, nil
}

// Create makes a file.
func (d *Disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := d.ask(OpWrite, "create", name); err != nil {
		return nil, err
	}
	f, err := d.FS.Create(name, c)
	return d.file(f, err, name)
}

// Link makes a hard link.
func (d *Disk) Link(from, to string) error {
	if err := d.ask(OpWrite, "link", to); err != nil {
		return err
	}
	return d.FS.Link(from, to)
}

// Open opens a file to read.
func (d *Disk) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := d.ask(OpRead, "open", name); err != nil {
		return nil, err
	}
	f, err := d.FS.Open(name, opts...)
	return d.file(f, err, name)
}

// OpenReadWrite opens a file.
func (d *Disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := d.ask(OpWrite, "create", name); err != nil {
		return nil, err
	}
	f, err := d.FS.OpenReadWrite(name, c, opts...)
	return d.file(f, err, name)
}

// OpenDir opens a directory to sync it.
func (d *Disk) OpenDir(name string) (vfs.File, error) {
	if err := d.ask(OpRead, "open", name); err != nil {
		return nil, err
	}
	f, err := d.FS.OpenDir(name)
	return d.file(f, err, name)
}

// Remove removes a file.
func (d *Disk) Remove(name string) error {
	if err := d.ask(OpChange, "remove", name); err != nil {
		return err
	}
	return d.FS.Remove(name)
}

// RemoveAll removes a folder.
func (d *Disk) RemoveAll(name string) error {
	if err := d.ask(OpChange, "remove", name); err != nil {
		return err
	}
	return d.FS.RemoveAll(name)
}

// Rename renames a file.
func (d *Disk) Rename(from, to string) error {
	if err := d.ask(OpChange, "rename", to); err != nil {
		return err
	}
	return d.FS.Rename(from, to)
}

// ReuseForWrite takes an old file for a new one.
func (d *Disk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := d.ask(OpWrite, "create", to); err != nil {
		return nil, err
	}
	f, err := d.FS.ReuseForWrite(from, to, c)
	return d.file(f, err, to)
}

// MkdirAll makes a folder.
func (d *Disk) MkdirAll(dir string, perm os.FileMode) error {
	if err := d.ask(OpWrite, "mkdir", dir); err != nil {
		return err
	}
	return d.FS.MkdirAll(dir, perm)
}

// List names what is in a folder.
func (d *Disk) List(dir string) ([]string, error) {
	if err := d.ask(OpRead, "list", dir); err != nil {
		return nil, err
	}
	return d.FS.List(dir)
}

// Unwrap is what lies under it.
func (d *Disk) Unwrap() vfs.FS { return d.FS }

// diskFile is an open file of a Disk.
type diskFile struct {
	vfs.File
	d    *Disk
	name string
}

// Read reads on.
func (f *diskFile) Read(p []byte) (int, error) {
	if err := f.d.ask(OpRead, "read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// ReadAt reads at an offset.
func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.ask(OpRead, "read", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// Write appends.
func (f *diskFile) Write(p []byte) (int, error) {
	if err := f.d.ask(OpWrite, "write", f.name); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// WriteAt writes at an offset.
func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.d.ask(OpWrite, "write", f.name); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

// Preallocate reserves room.
func (f *diskFile) Preallocate(off, n int64) error {
	if err := f.d.ask(OpWrite, "fallocate", f.name); err != nil {
		return err
	}
	return f.File.Preallocate(off, n)
}

// Sync puts the file on disk.
func (f *diskFile) Sync() error {
	if err := f.d.ask(OpSync, "sync", f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

// SyncTo starts to put the beginning of the file on disk.
func (f *diskFile) SyncTo(n int64) (bool, error) {
	if err := f.d.ask(OpSync, "sync", f.name); err != nil {
		return false, err
	}
	return f.File.SyncTo(n)
}

// SyncData puts the file's data on disk.
func (f *diskFile) SyncData() error {
	if err := f.d.ask(OpSync, "sync", f.name); err != nil {
		return err
	}
	return f.File.SyncData()
}
