package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// generationPrefix starts the name of every generation directory; what bears it and is not named by the state file is
// the remains of an interrupted rotation (SHAMapStoreImp::dbPaths).
const generationPrefix = "ledgerdb."

var scratches = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

func getScratch() *[]byte { return scratches.Get().(*[]byte) }

func putScratch(b *[]byte) {
	if cap(*b) <= 64<<10 {
		scratches.Put(b)
	}
}

// Open opens the store in o.Dir, or makes one. Half-made generations of an interrupted rotation are removed.
func Open(o Options) (*Rotating, error) {
	if o.FS == nil {
		o.FS = OS
	}
	if o.ForwardBytes <= 0 {
		o.ForwardBytes = forwardBytesDefault
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Backend == nil {
		return nil, errors.New("store: no backend given")
	}
	r := &Rotating{o: o}
	r.state.Store(&State{})
	if err := r.o.FS.MkdirAll(o.Dir); err != nil {
		return nil, fmt.Errorf("store: make %s: %w", o.Dir, err)
	}
	if err := r.loadState(); err != nil {
		return nil, err
	}
	if err := r.checkGenerations(); err != nil {
		return nil, err
	}
	if err := r.openPair(); err != nil {
		return nil, err
	}
	return r, nil
}

// loadState reads the state file, or writes the first one.
func (r *Rotating) loadState() error {
	s, ok, err := ReadState(r.o.FS, r.o.Dir)
	if err != nil {
		return err
	}
	if ok {
		if s.NetworkID != r.o.NetworkID {
			return fmt.Errorf("%w: %s holds network %d, this node is of network %d",
				ErrForeign, r.o.Dir, s.NetworkID, r.o.NetworkID)
		}
		r.state.Store(&s)
		return nil
	}
	found, err := r.generations()
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("%w: %s has generations (%s) but no state file; restore it or remove them",
			ErrForeign, r.o.Dir, strings.Join(found, ", "))
	}
	return r.update(func(s *State) {
		*s = State{
			Format: FormatVersion, NetworkID: r.o.NetworkID,
			Writable: generationPrefix + "000002", Archive: generationPrefix + "000001",
		}
	})
}

// generations names the generation directories that exist.
func (r *Rotating) generations() ([]string, error) {
	names, err := r.o.FS.List(r.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: list %s: %w", r.o.Dir, err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, generationPrefix) })
	slices.Sort(names)
	return names, nil
}

// checkGenerations removes what no state names, and refuses a pair of which a part is gone.
func (r *Rotating) checkGenerations() error {
	found, err := r.generations()
	if err != nil {
		return err
	}
	s := r.State()
	var missing []string
	for _, want := range []string{s.Writable, s.Archive} {
		if !slices.Contains(found, want) {
			missing = append(missing, want)
		}
	}
	if s.Made && len(missing) > 0 {
		return fmt.Errorf("%w: %s: the state file names %s and %s, but %s is not there",
			ErrCorrupt, r.o.Dir, s.Writable, s.Archive, strings.Join(missing, " and "))
	}
	removed := 0
	for _, name := range found {
		why := "left by an interrupted rotation"
		if name == s.Writable || name == s.Archive {
			if s.Made {
				continue
			}
			why = "left by an interrupted first start" // never used, and maybe half made
		}
		r.o.Warn(fmt.Sprintf("store: removing %s, %s", path.Join(r.o.Dir, name), why))
		if err := r.o.FS.RemoveAll(path.Join(r.o.Dir, name)); err != nil {
			return fmt.Errorf("store: remove %s: %w", name, err)
		}
		removed++
	}
	if removed > 0 {
		if err := r.o.FS.SyncDir(r.o.Dir); err != nil {
			return fmt.Errorf("store: sync %s: %w", r.o.Dir, err)
		}
	}
	r.o.Step("open.cleaned")
	return nil
}

// openGeneration opens a generation; a new one gets a filter, for everything that will be in it passes this process.
func (r *Rotating) openGeneration(name string, isNew bool) (generation, error) {
	b, err := r.o.Backend(path.Join(r.o.Dir, name))
	if err != nil {
		return generation{}, fmt.Errorf("store: open generation %s: %w", name, err)
	}
	if err := r.o.FS.SyncDir(r.o.Dir); err != nil {
		return generation{}, errors.Join(fmt.Errorf("store: sync %s: %w", r.o.Dir, err), b.Close())
	}
	g := generation{name: name, Backend: b}
	if isNew {
		g.filter = newFilter()
	}
	return g, nil
}

func (r *Rotating) openPair() error {
	s := r.State()
	writable, err := r.openGeneration(s.Writable, !s.Made)
	if err != nil {
		return err
	}
	archive, err := r.openGeneration(s.Archive, !s.Made)
	if err != nil {
		return errors.Join(err, writable.Close())
	}
	r.o.Step("open.opened")
	r.mu.pair = newPair(writable, archive)
	r.mu.pair.settled.Store(true)
	if s.Made {
		return nil
	}
	if err := r.update(func(s *State) { s.Made = true }); err != nil {
		return errors.Join(err, writable.Close(), archive.Close())
	}
	return nil
}

// Prepared is a new generation, open and empty, not yet in use.
type Prepared struct{ gen generation }

// Prepare makes the next generation (step 8 of SHAMapStoreImp::run).
func (r *Rotating) Prepare() (*Prepared, error) {
	if err := r.Failed(); err != nil {
		return nil, err
	}
	s := r.State()
	if err := r.removeStale(s); err != nil {
		return nil, err
	}
	n := 0
	for _, name := range []string{s.Writable, s.Archive} {
		if i, err := strconv.Atoi(strings.TrimPrefix(name, generationPrefix)); err == nil {
			n = max(n, i)
		}
	}
	name := fmt.Sprintf("%s%06d", generationPrefix, n+1)
	gen, err := r.openGeneration(name, true)
	if err != nil {
		return nil, err
	}
	r.o.Step("rotate.prepared")
	return &Prepared{gen}, nil
}

// Discard closes and removes a generation that will not be used.
func (r *Rotating) Discard(n *Prepared) error {
	return errors.Join(n.gen.Close(), r.removeGeneration(n.gen.name))
}

func (r *Rotating) removeGeneration(name string) error {
	if err := r.o.FS.RemoveAll(path.Join(r.o.Dir, name)); err != nil {
		return fmt.Errorf("store: remove generation %s: %w", name, err)
	}
	if err := r.o.FS.SyncDir(r.o.Dir); err != nil {
		return fmt.Errorf("store: sync %s: %w", r.o.Dir, err)
	}
	return nil
}

// removeStale removes what earlier rotations of this process could not remove.
func (r *Rotating) removeStale(s State) error {
	found, err := r.generations()
	if err != nil {
		return err
	}
	for _, name := range found {
		if name != s.Writable && name != s.Archive {
			r.o.Warn(fmt.Sprintf("store: removing %s, which an earlier rotation left", path.Join(r.o.Dir, name)))
			if err := r.removeGeneration(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// removePaced removes the files of a generation, batch of them between two calls of pause, and then its folder. When
// pause says no, the rest stays for the next start or rotation.
func (r *Rotating) removePaced(name string, batch int, pause func() bool) error {
	if pause != nil && batch > 0 {
		dir := path.Join(r.o.Dir, name)
		files, err := r.o.FS.List(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: list %s: %w", dir, err)
		}
		for i, f := range files {
			if i > 0 && i%batch == 0 && !pause() {
				return nil
			}
			if err := r.o.FS.RemoveAll(path.Join(dir, f)); err != nil {
				return fmt.Errorf("store: remove %s of generation %s: %w", f, name, err)
			}
			r.o.Step("rotate.deleting")
		}
	}
	return r.removeGeneration(name)
}

// Rotation is what Rotate records and calls.
type Rotation struct {
	// LastRotated is the sequence from which the next rotation counts.
	LastRotated uint32
	// Mark gives the newest ledger that may have been written before the swap; nil means not known. It is asked
	// right before the state is written.
	Mark func() uint32
	// AfterSwap, if set, runs when readers can no longer meet the old archive and before it is deleted.
	AfterSwap func()
	// DeleteBatch is how many files of the old archive are removed at once; 0 removes all. Pause is called between two
	// batches; when it answers false the rest stays for the next start.
	DeleteBatch int
	Pause       func() bool
}

// Rotate makes n the writable generation and the writable one the archive, and deletes the old archive. The state
// that names the new pair is on disk before the first write can go to n, so no commit is ever in a directory that a
// restart would remove. Whatever happens, n belongs to the store afterwards.
func (r *Rotating) Rotate(n *Prepared, how Rotation) error {
	old, err := r.acquire()
	if err != nil {
		return errors.Join(err, n.gen.Close())
	}
	if err := r.settle(old); err != nil {
		old.release()
		return errors.Join(err, n.gen.Close())
	}
	r.o.Step("rotate.settled")
	mark := uint32(0)
	if how.Mark != nil {
		mark = how.Mark()
	}
	err = r.update(func(s *State) {
		s.Writable, s.Archive, s.LastRotated, s.Mark = n.gen.name, old.writable.name, how.LastRotated, mark
		s.Rotations++
	})
	if err != nil {
		old.release()
		return errors.Join(err, n.gen.Close())
	}
	r.o.Step("rotate.persisted")
	next := newPair(n.gen, old.writable)
	r.timed(&r.mu, func() { r.mu.pair = next })
	r.o.Step("rotate.swapped")
	old.release()
	old.release() // the Rotating's own
	<-old.drained
	r.o.Step("rotate.drained")
	// Late commits and copies of those that still held the old pair, whose archive is going away.
	if err := r.settle(old); err != nil {
		return err
	}
	next.settled.Store(true)
	if how.AfterSwap != nil {
		how.AfterSwap()
	}
	r.o.Step("rotate.called")
	if err := old.archive.Close(); err != nil {
		return fmt.Errorf("store: close %s: %w", old.archive.name, err)
	}
	r.o.Step("rotate.closed")
	if err := r.removePaced(old.archive.name, how.DeleteBatch, how.Pause); err != nil {
		return err
	}
	r.o.Step("rotate.deleted")
	return nil
}

// settle writes queued copies of p and puts its writable generation on disk.
func (r *Rotating) settle(p *pair) error {
	if err := r.flushForward(p); err != nil {
		return err
	}
	if err := p.writable.Sync(); err != nil {
		return r.fail(fmt.Errorf("store: sync %s: %w", p.writable.name, err))
	}
	return nil
}

// Close syncs and ends the store once its readers have left.
func (r *Rotating) Close() error {
	r.mu.Lock()
	if r.mu.closed {
		r.mu.Unlock()
		return ErrClosed
	}
	r.mu.closed = true
	p := r.mu.pair
	r.mu.Unlock()
	p.release()
	<-p.drained
	var err error
	if r.Failed() == nil {
		err = r.settle(p)
	}
	return errors.Join(err, p.writable.Close(), p.archive.Close())
}
