package store

import (
	"os"
	"path/filepath"
)

// FS is the little of a file system that Rotating itself needs; backends bring their own. pebbledb.Files adapts
// Pebble's, for tests that crash or fail.
type FS interface {
	// MkdirAll makes dir and whatever is missing above it, and makes them durable.
	MkdirAll(dir string) error
	// List names the entries of dir; a missing dir is an fs.ErrNotExist.
	List(dir string) ([]string, error)
	ReadFile(name string) ([]byte, error)
	// WriteSync creates or truncates a file, writes and syncs it.
	WriteSync(name string, data []byte) error
	Rename(from, to string) error
	// SyncDir makes creations, renames and removals in dir durable.
	SyncDir(dir string) error
	RemoveAll(path string) error
}

// OS is the real file system.
var OS FS = osFS{}

type osFS struct{}

func (osFS) ReadFile(name string) ([]byte, error)     { return os.ReadFile(name) }
func (osFS) Rename(from, to string) error             { return os.Rename(from, to) }
func (osFS) RemoveAll(path string) error              { return os.RemoveAll(path) }
func (osFS) WriteSync(name string, data []byte) error { return writeSync(name, data) }

func (f osFS) MkdirAll(dir string) error {
	missing := Missing(dir, func(d string) bool { _, err := os.Stat(d); return err == nil })
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range missing {
		if err := f.SyncDir(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return nil
}

// Missing names dir and those directories above it that do not exist, the deepest first: what a MkdirAll will make,
// and so whose parents it must sync.
func Missing(dir string, exists func(dir string) bool) []string {
	var out []string
	for dir = filepath.Clean(dir); !exists(dir); dir = filepath.Dir(dir) {
		out = append(out, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return out
}

func (osFS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func writeSync(name string, data []byte) error {
	f, err := os.OpenFile(filepath.Clean(name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func (osFS) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
