package shamap

import (
	"sync/atomic"
)

// Map is one version of a tree. A map that is not mutable is safe for
// concurrent use; a mutable one belongs to one goroutine at a time.
type Map struct {
	env      *Env
	kind     Kind
	mutable  bool
	dirty    bool   // hashes are out of date
	owner    uint32 // number of the nodes this map may modify; 0: none yet
	root     *Node  // nil: the map is empty; an inner node else
	link     atomic.Bool
	released atomic.Bool
	g        *grave // of ReleaseSome
}

// New makes an empty mutable map, which links what it loads.
func New(env *Env, kind Kind) *Map {
	m := &Map{env: env, kind: kind, mutable: true}
	m.link.Store(true)
	return m
}

// Open makes an immutable map of a root that is in the cache or the store. It
// does not link (see SetLinking). The zero hash is the empty map.
func Open(env *Env, kind Kind, root [32]byte) (*Map, error) {
	m := &Map{env: env, kind: kind}
	if root == ([32]byte{}) {
		return m, nil
	}
	n, err := env.fetch(root, kind, 0)
	if err != nil {
		return nil, err
	}
	m.root = n
	return m, nil
}

// Kind says what the leaves are.
func (m *Map) Kind() Kind { return m.kind }

// Mutable says whether the map may be changed.
func (m *Map) Mutable() bool { return m.mutable }

// Backed says whether the map finds nodes in a Source.
func (m *Map) Backed() bool { return m.env.Source != nil }

// Hash computes what is out of date and gives the root hash.
func (m *Map) Hash() ([32]byte, error) {
	if m.released.Load() {
		return [32]byte{}, ErrReleased
	}
	if m.dirty {
		m.rehash()
	}
	if m.root == nil {
		return [32]byte{}, nil
	}
	return m.root.hash, nil
}

// Snapshot gives another map of the same content, in constant time apart from
// hashing what is out of date. It panics on a released map.
func (m *Map) Snapshot(mutable bool) *Map {
	if m.released.Load() {
		panic(ErrReleased)
	}
	if m.dirty {
		m.rehash()
	}
	if m.mutable {
		m.owner = 0 // what was private so far is shared from now on
	}
	if m.root != nil && !m.root.Acquire() {
		panic(ErrReleased)
	}
	s := &Map{env: m.env, kind: m.kind, mutable: mutable, root: m.root}
	s.link.Store(mutable || m.link.Load())
	return s
}

// View is an immutable snapshot that links what it loads, or does not.
func (m *Map) View(linking bool) *Map {
	s := m.Snapshot(false)
	s.link.Store(linking)
	return s
}

// SetLinking says whether reads at this map link what they load, where the
// environment's mode leaves that to the map.
func (m *Map) SetLinking(on bool) { m.link.Store(on) }

func (m *Map) linking() bool {
	switch m.env.Link {
	case LinkAll:
		return true
	case LinkNone:
		return false
	}
	return m.link.Load()
}

// Release ends the map. Nodes that only it held are dropped, and their bytes
// are free at once unless a guarded reader may still see them. It panics when
// the map was released before.
func (m *Map) Release() {
	if m.released.Load() {
		panic(ErrReleased)
	}
	m.ReleaseSome(-1)
}

// ReleaseSome is Release in steps of at most budget nodes; it is called until
// it answers true, and answers true from then on. After the first call the map
// is released. Steps belong to one goroutine.
func (m *Map) ReleaseSome(budget int) (done bool) {
	if m.g == nil {
		if m.released.Swap(true) || m.root == nil || !m.root.hd.Drop() {
			return true
		}
		m.g = graves.Get().(*grave)
		m.g.begin(m.env.Heap)
		m.g.push(m.root)
	}
	if !m.g.run(budget) {
		return false
	}
	m.g.end()
	graves.Put(m.g)
	m.g = nil
	m.env.Heap.Reclaim()
	return true
}
