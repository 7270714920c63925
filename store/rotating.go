package store

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Options are what Open needs.
type Options struct {
	// Dir is the store's directory; it is created.
	Dir string
	// FS is where the state file and the generation directories live; nil means OS.
	FS FS
	// Backend opens (and creates) one generation in a directory.
	Backend func(dir string) (Backend, error)
	// Check judges a payload against its hash; nil means every payload is believed.
	Check func(h Hash, t ObjectType, payload []byte) error
	// CheckCopied judges what is copied forward unread; nil believes it. Where callers judge what they read, as trees do
	// that hash what they parse, it is set and Check is not.
	CheckCopied func(h Hash, t ObjectType, payload []byte) error
	// NetworkID must equal that of an existing directory.
	NetworkID uint32
	// ForwardBytes is how much copy-forward collects before it is written; 0 means 256 KiB.
	ForwardBytes int
	// Now, if set, is the clock by which the longest holds of locks are measured.
	Now func() time.Time
	// Step, if set, is told the name of each durable step as it is done: for crash tests.
	Step func(name string)
	// Warn, if set, is told in one line what was found and removed at the start.
	Warn func(line string)
}

const forwardBytesDefault = 256 << 10

// Rotating is a writable and an archive generation.
type Rotating struct {
	o Options

	mu struct { // held only to read or replace the pair and the state
		sync.RWMutex
		pair   *pair
		closed bool
	}
	stateWrite sync.Mutex            // held through a write of the state file, so that writers queue
	state      atomic.Pointer[State] // as last written; replaced under stateWrite
	holdMax    atomic.Int64          // longest hold of a lock that was measured, since TakeHoldMax
	inFlight   atomic.Bool
	failed     atomic.Pointer[error] // first write error; no writes after it
	n          counters
}

type counters struct {
	writes, writeBytes   atomic.Uint64
	reads, readBytes     atomic.Uint64
	hitWritable, hitArch atomic.Uint64
	missing, corrupt     atomic.Uint64
	forwarded            atomic.Uint64
	commits, syncs       atomic.Uint64
}

// Stats is a snapshot of Rotating.
type Stats struct {
	Writes, WriteBytes uint64
	Reads, ReadBytes   uint64 // lookups and the payload bytes they found
	HitWritable        uint64
	HitArchive         uint64
	Missing            uint64
	Corrupt            uint64
	Forwarded          uint64 // objects copied from the archive
	Commits, Syncs     uint64
	InFlight           bool
	FilterBytes        uint64 // memory of the filters that know what is not in a generation
	Writable, Archive  BackendStats
}

// pair is one choice of generations. refs counts users, one of them the Rotating itself.
type pair struct {
	writable, archive generation
	refs              atomic.Int64
	drained           chan struct{}
	// settled is false while the archive, which was the writable one until the swap, may hold commits that are not
	// on disk yet: Sync then has to sync it too.
	settled atomic.Bool

	forward struct {
		sync.Mutex
		flush sync.Mutex // held through the writing of a batch and before the lock: who flushes waits for it
		batch Batch
		spare Batch // the memory of the one written before
	}
	seen seen
}

type generation struct {
	name string
	Backend
	filter *filter // nil for a generation that an earlier process made
}

func newPair(writable, archive generation) *pair {
	p := &pair{writable: writable, archive: archive, drained: make(chan struct{})}
	p.refs.Store(1)
	return p
}

func (p *pair) release() {
	if p.refs.Add(-1) == 0 {
		close(p.drained)
	}
}

func (r *Rotating) acquire() (*pair, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.mu.closed {
		return nil, ErrClosed
	}
	r.mu.pair.refs.Add(1)
	return r.mu.pair, nil
}

// Get appends the payload under h to dst. A hit in the archive is copied forward while a rotation is in flight.
func (r *Rotating) Get(h Hash, dst []byte) ([]byte, ObjectType, error) { return r.Fetch(h, dst, false) }

// Fetch is Get; with duplicate set a hit in the archive is copied forward in any case.
func (r *Rotating) Fetch(h Hash, dst []byte, duplicate bool) ([]byte, ObjectType, error) {
	p, err := r.acquire()
	if err != nil {
		return dst, Unknown, err
	}
	defer p.release()
	scratch := getScratch()
	defer putScratch(scratch)
	value, archived, err := p.get(h, (*scratch)[:0])
	*scratch = value
	r.countRead(archived, err)
	if err != nil {
		return dst, Unknown, err
	}
	out, t, err := r.decode(h, dst, value)
	if err != nil {
		return dst, t, err
	}
	err = r.fetched(p, h, value, archived, duplicate)
	return out, t, err
}

func (p *pair) get(h Hash, dst []byte) (value []byte, archived bool, err error) {
	if !p.writable.filter.lacks(&h) {
		value, err = p.writable.Get(h, dst)
		if !errors.Is(err, ErrNotFound) {
			return value, false, err
		}
	}
	if p.archive.filter.lacks(&h) {
		return dst, true, ErrNotFound
	}
	value, err = p.archive.Get(h, dst)
	return value, true, err
}

func (r *Rotating) countRead(archived bool, err error) {
	r.n.reads.Add(1)
	switch {
	case errors.Is(err, ErrNotFound):
		r.n.missing.Add(1)
	case err != nil:
	case archived:
		r.n.hitArch.Add(1)
	default:
		r.n.hitWritable.Add(1)
	}
}

// Has reports whether h is in either generation.
func (r *Rotating) Has(h Hash) (bool, error) {
	p, err := r.acquire()
	if err != nil {
		return false, err
	}
	defer p.release()
	ok, err := p.writable.has(h)
	if ok || err != nil {
		return ok, err
	}
	return p.archive.has(h)
}

// Commit writes the batch into the writable generation, all of it or nothing.
func (r *Rotating) Commit(b *Batch) error {
	p, err := r.acquire()
	if err != nil {
		return err
	}
	defer p.release()
	return r.write(p, b)
}

func (r *Rotating) write(p *pair, b *Batch) error {
	if failed := r.failed.Load(); failed != nil {
		return *failed
	}
	if b.Len() == 0 && !b.Sync {
		return nil
	}
	p.writable.filter.add(b)
	if err := p.writable.Commit(b); err != nil {
		return r.fail(fmt.Errorf("store: commit %s to %s: %w", b, p.writable.name, err))
	}
	r.n.commits.Add(1)
	r.n.writes.Add(uint64(b.Len()))
	r.n.writeBytes.Add(uint64(b.Size()))
	return nil
}

// fail remembers the first write error; what was not written must not be believed to be.
func (r *Rotating) fail(err error) error {
	r.failed.CompareAndSwap(nil, &err)
	return *r.failed.Load()
}

// timed runs fn under a lock and remembers how long it held it.
func (r *Rotating) timed(mu sync.Locker, fn func()) {
	if r.o.Now == nil {
		mu.Lock()
		defer mu.Unlock()
		fn()
		return
	}
	mu.Lock()
	start := r.o.Now()
	fn()
	held := int64(r.o.Now().Sub(start))
	mu.Unlock()
	for {
		old := r.holdMax.Load()
		if held <= old || r.holdMax.CompareAndSwap(old, held) {
			return
		}
	}
}

// TakeHoldMax is the longest hold of a lock that readers and writers share, of those a rotation takes for more than one
// object, since it was last asked.
func (r *Rotating) TakeHoldMax() time.Duration { return time.Duration(r.holdMax.Swap(0)) }

// Failed is the write error that stopped the store, or nil.
func (r *Rotating) Failed() error {
	if p := r.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// Sync puts every commit so far on disk.
func (r *Rotating) Sync() error {
	p, err := r.acquire()
	if err != nil {
		return err
	}
	defer p.release()
	if err := r.Failed(); err != nil {
		return err
	}
	if !p.settled.Load() {
		if err := p.archive.Sync(); err != nil {
			return r.fail(fmt.Errorf("store: sync %s: %w", p.archive.name, err))
		}
	}
	if err := p.writable.Sync(); err != nil {
		return r.fail(fmt.Errorf("store: sync %s: %w", p.writable.name, err))
	}
	r.n.syncs.Add(1)
	return nil
}

// State is the durable state as last written. It does not wait for a write that is under way.
func (r *Rotating) State() State { return *r.state.Load() }

// update changes the state and writes it; on failure the state is as before.
func (r *Rotating) update(change func(s *State)) error {
	r.stateWrite.Lock()
	defer r.stateWrite.Unlock()
	if err := r.Failed(); err != nil {
		return err
	}
	next := r.State()
	change(&next)
	if err := writeState(r.o.FS, r.o.Dir, &next, r.o.Step); err != nil {
		return r.fail(err)
	}
	r.state.Store(&next)
	return nil
}

// SetValidated records the last validated ledger. The caller has synced its nodes before.
func (r *Rotating) SetValidated(v Validated) error {
	return r.update(func(s *State) { s.Validated = v })
}

// SetLastRotated records the sequence from which the next rotation counts.
func (r *Rotating) SetLastRotated(seq uint32) error {
	return r.update(func(s *State) { s.LastRotated = seq })
}

// SetOldest records the first ledger sequence that is claimed to be complete.
func (r *Rotating) SetOldest(seq uint32) error {
	return r.update(func(s *State) { s.Oldest = seq })
}

// SetCanDelete records the sequence up to which an operator allows deletion (advisory delete).
func (r *Rotating) SetCanDelete(seq uint32) error {
	return r.update(func(s *State) { s.CanDelete = seq })
}

// SetInFlight switches copy-forward of archive hits for everybody.
func (r *Rotating) SetInFlight(on bool) {
	if p, err := r.acquire(); err == nil {
		var fresh map[[16]byte]Place
		if on {
			fresh = make(map[[16]byte]Place)
		}
		r.timed(&p.seen.mu, func() { p.seen.place = fresh })
		p.release()
	}
	r.inFlight.Store(on)
}

// InFlight reports whether archive hits are copied forward for everybody.
func (r *Rotating) InFlight() bool { return r.inFlight.Load() }

// Stats is a snapshot.
func (r *Rotating) Stats() Stats {
	s := Stats{
		Writes: r.n.writes.Load(), WriteBytes: r.n.writeBytes.Load(), Reads: r.n.reads.Load(),
		ReadBytes: r.n.readBytes.Load(), HitWritable: r.n.hitWritable.Load(), HitArchive: r.n.hitArch.Load(),
		Missing: r.n.missing.Load(), Corrupt: r.n.corrupt.Load(), Forwarded: r.n.forwarded.Load(),
		Commits: r.n.commits.Load(), Syncs: r.n.syncs.Load(), InFlight: r.inFlight.Load(),
	}
	if p, err := r.acquire(); err == nil {
		s.Writable, s.Archive = p.writable.Stats(), p.archive.Stats()
		s.FilterBytes = p.writable.filter.bytes() + p.archive.filter.bytes()
		p.release()
	}
	return s
}
