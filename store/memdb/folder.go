package memdb

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"ledgerlab/store"
)

// Folder is a file system and a set of generations in memory: Open and the store.FS methods together let a
// store.Rotating live, and be opened again, without a disk.
type Folder struct {
	mu    sync.Mutex // guards what follows
	files map[string][]byte
	dbs   map[string]*DB
}

// NewFolder makes an empty folder.
func NewFolder() *Folder { return &Folder{files: make(map[string][]byte), dbs: make(map[string]*DB)} }

// Open opens or makes the generation in dir. One that was closed comes back with its values.
func (f *Folder) Open(dir string) (store.Backend, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.dbs[dir]
	if !ok {
		d = New()
	} else {
		d.mu.Lock()
		d = &DB{m: d.m, bytes: d.bytes}
		f.dbs[dir].mu.Unlock()
	}
	f.dbs[dir] = d
	return d, nil
}

// MkdirAll does nothing: folders are names.
func (f *Folder) MkdirAll(string) error { return nil }

// SyncDir does nothing.
func (f *Folder) SyncDir(string) error { return nil }

// List names files and generations of dir.
func (f *Folder) List(dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.files {
		if path.Dir(name) == path.Clean(dir) {
			names = append(names, path.Base(name))
		}
	}
	for name := range f.dbs {
		if path.Dir(name) == path.Clean(dir) {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// ReadFile returns a file.
func (f *Folder) ReadFile(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, ok := f.files[path.Clean(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(data), nil
}

// WriteSync replaces a file.
func (f *Folder) WriteSync(name string, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[path.Clean(name)] = slices.Clone(data)
	return nil
}

// Rename moves a file.
func (f *Folder) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, ok := f.files[path.Clean(from)]
	if !ok {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	delete(f.files, path.Clean(from))
	f.files[path.Clean(to)] = data
	return nil
}

// RemoveAll forgets files and generations at and below name.
func (f *Folder) RemoveAll(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = path.Clean(name)
	for k := range f.files {
		if k == name || strings.HasPrefix(k, name+"/") {
			delete(f.files, k)
		}
	}
	for k := range f.dbs {
		if k == name || strings.HasPrefix(k, name+"/") {
			delete(f.dbs, k)
		}
	}
	return nil
}
