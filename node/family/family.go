package family

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"ledgerlab/cache"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
)

// Hash names a node.
type Hash = [32]byte

// Options are the settings of a Family.
type Options struct {
	// Tree is the tree-node cache (TreeNodeCache); name, size and age as node_size says.
	Tree cache.Options
	// Policy is who leaves the tree-node cache.
	Policy cache.Policy
	// TreeOff switches the tree-node cache off: every lookup misses and nothing is kept.
	TreeOff bool
	// FullBelow is the full-below cache (FullBelowCache).
	FullBelow cache.Options
	// FullBelowOff switches the full-below cache off.
	FullBelowOff bool
	// Objects is the NodeObject cache (flag cache.object); Heap holds its blobs, nil switches it off.
	Objects cache.Options
	Heap    *payload.Heap
	// BatchBytes is the room a new batch starts with.
	BatchBytes int
}

// Default is rippled's: node_size tiny, FullBelowCache of 524,288 for 10 minutes.
func Default() Options {
	return Options{
		Tree:       cache.Options{Name: "TreeNodeCache", TargetSize: 262144, TargetAge: 30 * time.Second},
		FullBelow:  cache.Options{Name: "FullBelowCache", TargetSize: 524288, TargetAge: 10 * time.Minute},
		Objects:    cache.Options{Name: "NodeObjectCache", TargetSize: 262144, TargetAge: 30 * time.Minute},
		BatchBytes: 256 << 10,
	}
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if o.BatchBytes < 0 {
		errs = append(errs, fmt.Errorf("family: batch bytes %d is negative", o.BatchBytes))
	}
	return errors.Join(append(errs, o.Tree.Validate(), o.FullBelow.Validate(), o.Objects.Validate())...)
}

// Family is the source of tree nodes.
type Family struct {
	o       Options
	db      *store.Rotating
	tree    cache.Cache[Hash, *shamap.Node]
	full    *cache.Keys[Hash]
	objects *objects // nil when off
	repair  Repair

	objectHits                          atomic.Uint64
	fetches, found, missing, fetchBytes atomic.Uint64
	lost                                atomic.Uint64 // canonicalize met another node
	corrupt, repaired                   atomic.Uint64
	written, writtenBytes, commits      atomic.Uint64
}

// New makes a family over a store.
func New(o Options, db *store.Rotating, now func() time.Time) (*Family, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	tree, err := cache.New[Hash, *shamap.Node](o.Policy, o.Tree, cache.HashOf32, now)
	if err != nil {
		return nil, err
	}
	f := &Family{o: o, db: db, tree: tree, full: cache.NewKeys[Hash](o.FullBelow, cache.HashOf32, now)}
	if o.Heap != nil {
		f.objects = &objects{heap: o.Heap, cache: cache.NewTagged[Hash, *payload.Blob](o.Objects, cache.HashOf32, now)}
	}
	return f, nil
}

// SetExpireAll makes every sweep give up every entry of every cache, or no longer (flag cache.expire_all).
func (f *Family) SetExpireAll(on bool) {
	f.tree.SetExpireAll(on)
	f.full.SetExpireAll(on)
	if f.objects != nil {
		f.objects.cache.SetExpireAll(on)
	}
}

// Store is the store underneath.
func (f *Family) Store() *store.Rotating { return f.db }

// Tree is the tree-node cache, for statistics and settings.
func (f *Family) Tree() cache.Cache[Hash, *shamap.Node] { return f.tree }

// FullBelowCache is the full-below cache.
func (f *Family) FullBelowCache() *cache.Keys[Hash] { return f.full }

// Sweepables are the family's caches in rippled's order: full-below, tree nodes, and the object cache if it is on.
func (f *Family) Sweepables() []cache.Sweepable {
	out := []cache.Sweepable{f.full, f.tree}
	if f.objects != nil {
		out = append(out, f.objects.cache)
	}
	return out
}

// Clear drops every cached value: at the end, so that the heap can be seen to be empty.
func (f *Family) Clear() {
	f.full.Clear()
	f.tree.Clear()
	if f.objects != nil {
		f.objects.cache.Clear()
	}
}

// Fetch gives the prefixed bytes of a node, or nil and no error when it is not there.
func (f *Family) Fetch(h Hash) ([]byte, error) {
	f.fetches.Add(1)
	b, err := f.load(h)
	if errors.Is(err, store.ErrCorrupt) {
		b, err = f.healed(h, err)
	}
	if err != nil {
		return nil, err
	}
	if b == nil {
		f.missing.Add(1)
		return nil, nil
	}
	f.found.Add(1)
	f.fetchBytes.Add(uint64(len(b)))
	return b, nil
}

// healed is Heal for a read: what cannot be healed keeps its cause.
func (f *Family) healed(h Hash, cause error) ([]byte, error) {
	b, err := f.Heal(h, cause)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	return b, nil
}

// FetchSorted gives the prefixed bytes of many nodes; the hashes ascend.
func (f *Family) FetchSorted(hs []Hash, fn func(i int, prefixed []byte) error) error {
	found := 0
	f.fetches.Add(uint64(len(hs)))
	err := f.loadSorted(hs, func(i int, b []byte) error {
		found++
		f.found.Add(1)
		f.fetchBytes.Add(uint64(len(b)))
		return fn(i, b)
	})
	if err == nil {
		f.missing.Add(uint64(len(hs) - found))
	}
	return err
}

// Cached gives a live node with one reference for the caller.
func (f *Family) Cached(h Hash) (*shamap.Node, bool) {
	if f.o.TreeOff {
		return nil, false
	}
	return f.tree.Fetch(h)
}

// Canonicalize publishes n and gives the node that everybody shall use. The caller keeps its reference on n; another
// node comes with a reference for the caller.
func (f *Family) Canonicalize(h Hash, n *shamap.Node) *shamap.Node {
	if f.o.TreeOff || !n.Acquire() {
		return n
	}
	winner, _ := f.tree.Canonicalize(h, n, cache.ReplaceClient) // consumes the reference just taken
	if winner == n {
		n.Release()
		return n
	}
	f.lost.Add(1)
	return winner
}

// FullBelow says that nothing is missing under h.
func (f *Family) FullBelow(h Hash) bool { return !f.o.FullBelowOff && f.full.Touch(h) }

// MarkFullBelow remembers that nothing is missing under h.
func (f *Family) MarkFullBelow(h Hash) {
	if !f.o.FullBelowOff {
		f.full.Insert(h)
	}
}

// Stats is a snapshot of a Family.
type Stats struct {
	Tree, FullBelow        cache.Stats
	Objects                cache.Stats // zero when the object cache is off
	ObjectHits             uint64      // of Found
	Fetches, Found         uint64      // lookups below the tree-node cache
	Missing, FetchBytes    uint64
	Lost                   uint64 // nodes parsed in vain: another was there first
	Corrupt, Repaired      uint64 // objects with wrong bytes, and those of them that others had
	Written, WrittenBytes  uint64
	Commits                uint64
	FullBelowGeneration    uint32
	TreeOff, FullBelowsOff bool
}

// Stats is a snapshot.
func (f *Family) Stats() Stats {
	s := Stats{
		ObjectHits: f.objectHits.Load(), Tree: f.tree.Stats(), FullBelow: f.full.Stats(), Fetches: f.fetches.Load(), Found: f.found.Load(),
		Missing: f.missing.Load(), FetchBytes: f.fetchBytes.Load(), Lost: f.lost.Load(),
		Corrupt: f.corrupt.Load(), Repaired: f.repaired.Load(),
		Written: f.written.Load(), WrittenBytes: f.writtenBytes.Load(), Commits: f.commits.Load(),
		FullBelowGeneration: f.full.Generation(), TreeOff: f.o.TreeOff, FullBelowsOff: f.o.FullBelowOff,
	}
	if f.objects != nil {
		s.Objects = f.objects.cache.Stats()
	}
	return s
}
