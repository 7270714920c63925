package pebbledb

import (
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ledgerlab/store"
)

// Files adapts a Pebble file system to the little that store.Rotating needs.
func Files(fs vfs.FS) store.FS { return files{fs} }

type files struct{ fs vfs.FS }

func (f files) MkdirAll(dir string) error {
	missing := store.Missing(dir, func(d string) bool { _, err := f.fs.Stat(d); return err == nil || d == "." })
	if err := f.fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range missing {
		if err := f.SyncDir(f.fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

func (f files) List(dir string) ([]string, error) { return f.fs.List(dir) }
func (f files) Rename(from, to string) error      { return f.fs.Rename(from, to) }

func (f files) ReadFile(name string) ([]byte, error) {
	h, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(h)
	if cerr := h.Close(); err == nil {
		err = cerr
	}
	return data, err
}

func (f files) WriteSync(name string, data []byte) error {
	h, err := f.fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = h.Write(data)
	if err == nil {
		err = h.Sync()
	}
	if cerr := h.Close(); err == nil {
		err = cerr
	}
	return err
}

func (f files) SyncDir(dir string) error {
	h, err := f.fs.OpenDir(dir)
	if err != nil {
		return err
	}
	err = h.Sync()
	if cerr := h.Close(); err == nil {
		err = cerr
	}
	return err
}

func (f files) RemoveAll(path string) error {
	if err := f.fs.RemoveAll(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}
