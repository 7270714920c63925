package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ledgerlab/node/folder"
	"ledgerlab/node/history"
	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
)

var (
	// ErrNoStore is a folder without a store in it.
	ErrNoStore = errors.New("no store")
	// ErrEmpty is a store without a validated ledger.
	ErrEmpty = errors.New("store is empty")
)

// Options say what to check.
type Options struct {
	// Dir is a node's data folder, or the store in it.
	Dir string
	// NetworkID, when not 0, is the network the folder must be of.
	NetworkID uint32
	// NamedMax bounds the findings that are named. Default 1,000.
	NamedMax int
	// CacheBytes is the block cache of each generation. Default 64 MiB.
	CacheBytes int64
	// Progress, if set, is told of the work every few thousand objects.
	Progress func(Progress)
	// FS, Open and OpenIndex, if set, replace files and Pebble: for stores in memory.
	FS        store.FS
	Open      func(dir string) (store.Backend, error)
	OpenIndex func(dir string) (history.Backend, error)
}

// Progress is how far a check is.
type Progress struct {
	Ledger, Oldest uint32 // being walked, and where the walk ends
	Objects        uint64
	Damaged        int
}

func (o Options) withDefaults() Options {
	if o.NamedMax <= 0 {
		o.NamedMax = 1000
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.FS == nil {
		o.FS = store.OS
	}
	if o.Open == nil {
		o.Open = func(dir string) (store.Backend, error) {
			po := pebbledb.Default()
			po.Dir, po.BlockCacheBytes, po.ReadOnly = dir, o.CacheBytes, true
			return pebbledb.Open(po)
		}
	}
	if o.OpenIndex == nil {
		o.OpenIndex = func(dir string) (history.Backend, error) { return openIndexFile(dir, 1<<20) }
	}
	return o
}

// Folders finds the data folders to check below dir: dir itself when it has a
// store, or those of the nodes of a network.
func Folders(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is a file; give a node's data folder", ErrNoStore, dir)
	}
	if storeOf(store.OS, dir) != "" {
		return []string{dir}, nil
	}
	nodes, err := filepath.Glob(filepath.Join(dir, "*", "data", "store"))
	if err != nil || len(nodes) == 0 {
		what := "no store is in it"
		if entries, _ := os.ReadDir(dir); len(entries) == 0 {
			what = "it is empty"
		}
		return nil, errors.Join(err, fmt.Errorf("%w: %s is no data folder of a node: %s", ErrNoStore, dir, what))
	}
	for i := range nodes {
		nodes[i] = filepath.Dir(nodes[i])
	}
	return nodes, nil
}

// storeOf is the store in dir, or dir if that is one, or "".
func storeOf(fsys store.FS, dir string) string {
	for _, d := range []string{path.Join(dir, "store"), dir} {
		names, err := fsys.List(d)
		if err != nil {
			continue
		}
		for _, n := range names {
			if n == "state" || strings.HasPrefix(n, generationPrefix) {
				return d
			}
		}
	}
	return ""
}

// generationPrefix starts the names of generations.
const generationPrefix = "ledgerdb."

// opened is a store opened for reading.
type opened struct {
	lock  *folder.Lock
	state store.State
	gens  [2]store.Backend // writable, archive; nil when it cannot be opened
	// index of ledgers by sequence, nil without; indexed is its newest ledger, 0 without.
	index   *history.Index
	indexed uint32
}

// open opens the store and notes what of it is not there.
func open(o Options, r *Report) (s *opened, err error) {
	dir := storeOf(o.FS, o.Dir)
	if dir == "" {
		return nil, fmt.Errorf("%w: %s is no data folder of a node", ErrNoStore, o.Dir)
	}
	s = &opened{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
			s = nil
		}
	}()
	if s.lock, err = shareFolder(o, dir); err != nil {
		return s, err
	}
	var ok bool
	s.state, ok, err = store.ReadState(o.FS, dir)
	switch {
	case errors.Is(err, store.ErrCorrupt):
		r.damage(o.NamedMax, Finding{Fault: Corrupt, Kind: KindStateFile, Key: path.Join(dir, "state"), Detail: err.Error()})
		return s, nil
	case err != nil:
		return s, err
	case !ok:
		r.damage(o.NamedMax, Finding{Fault: Missing, Kind: KindStateFile, Key: path.Join(dir, "state"), Detail: "there are generations and no file that names them"})
		return s, nil
	case o.NetworkID != 0 && s.state.NetworkID != o.NetworkID:
		return s, fmt.Errorf("%w: %s is of network %d, not %d", store.ErrForeign, o.Dir, s.state.NetworkID, o.NetworkID)
	}
	r.NetworkID, r.Format = s.state.NetworkID, s.state.Format
	if err := s.openGenerations(o, dir, r); err != nil {
		return s, err
	}
	return s, s.openIndex(o, dir, r)
}

// shareFolder takes the lock of the data folder, which is around or at the store.
func shareFolder(o Options, dir string) (*folder.Lock, error) {
	if o.FS != store.OS {
		return nil, nil
	}
	holder := filepath.Dir(dir)
	if filepath.Base(dir) != "store" {
		holder = dir
	}
	return folder.Share(holder)
}

func (s *opened) openGenerations(o Options, dir string, r *Report) error {
	names, err := o.FS.List(dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	have := map[string]bool{}
	for _, n := range names {
		have[n] = true
		if strings.HasPrefix(n, generationPrefix) && n != s.state.Writable && n != s.state.Archive {
			r.Notes = append(r.Notes, n+" is left of an interrupted rotation; the next start removes it")
		}
	}
	for i, name := range []string{s.state.Writable, s.state.Archive} {
		at := path.Join(dir, name)
		if !have[name] {
			if s.state.Made {
				r.damage(o.NamedMax, Finding{Fault: Missing, Kind: KindGeneration, Key: name, Detail: "the state file names it"})
			}
			continue
		}
		gen, err := o.Open(at)
		switch {
		case err == nil:
			s.gens[i] = gen
		case inUse(err):
			return fmt.Errorf("%w: %s: %w", folder.ErrInUse, at, err)
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("open %s: %w", at, err)
		default:
			r.damage(o.NamedMax, Finding{Fault: Corrupt, Kind: KindGeneration, Key: name, Detail: oneLine(err)})
		}
	}
	return nil
}

func (s *opened) close() error {
	var errs []error
	if s.index != nil {
		errs = append(errs, s.index.Close())
	}
	for _, g := range s.gens {
		if g != nil {
			errs = append(errs, g.Close())
		}
	}
	return errors.Join(append(errs, s.lock.Release())...)
}
