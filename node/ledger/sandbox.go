package ledger

import (
	"errors"
	"slices"

	"ledgerlab/node/protocol"
)

// errErased is returned by Peek users that ask for what they erased; it shows a
// fault in an engine, never bad input.
var errErased = errors.New("ledger: entry was erased by this transaction")

// item is one entry a transaction has touched.
type item struct {
	key    protocol.Hash
	act    action
	before protocol.Entry // shared, nil for an insert
	cur    protocol.Entry // private
}

// Sandbox is the view of one transaction. It reads through to an OpenView, keeps
// its changes to itself, and either commits them with metadata or is discarded. The
// zero value is ready for Reset; it is meant to be used again and again, so that a
// transaction allocates only what outlives it.
type Sandbox struct {
	base  *OpenView
	items []item
	fee   protocol.Drops // destroyed
	nodes []protocol.AffectedNode
}

// Reset points the sandbox at a view and forgets all changes.
func (s *Sandbox) Reset(base *OpenView) {
	s.base = base
	s.Discard()
}

// Discard forgets all changes.
func (s *Sandbox) Discard() {
	clear(s.items)
	s.items = s.items[:0]
	s.fee = 0
}

// Base returns the view below.
func (s *Sandbox) Base() *OpenView { return s.base }

// Header returns the header of the view below.
func (s *Sandbox) Header() *protocol.Header { return &s.base.header }

// Fees returns the settings in force.
func (s *Sandbox) Fees() Fees { return s.base.fees }

// Rules returns the amendments in force.
func (s *Sandbox) Rules() *Rules { return s.base.rules }

// Open says whether the view below is an open ledger.
func (s *Sandbox) Open() bool { return s.base.open }

// HasTx says whether the view below has applied the transaction.
func (s *Sandbox) HasTx(id protocol.Hash) (bool, error) { return s.base.HasTx(id) }

// find returns the touched entry; a transaction touches few, so a scan is the
// cheapest index.
func (s *Sandbox) find(key *protocol.Hash) *item {
	for i := range s.items {
		if s.items[i].key == *key {
			return &s.items[i]
		}
	}
	return nil
}

// Read returns the entry as this transaction sees it; it must not be changed.
func (s *Sandbox) Read(key protocol.Hash) (protocol.Entry, error) {
	if it := s.find(&key); it != nil {
		if it.act == actErase {
			return nil, nil
		}
		return it.cur, nil
	}
	return s.base.Read(key)
}

// Peek returns a private copy of the entry, or nil when there is none. Changes to
// it count only after Update.
func (s *Sandbox) Peek(key protocol.Hash) (protocol.Entry, error) {
	if it := s.find(&key); it != nil {
		if it.act == actErase {
			return nil, nil
		}
		return it.cur, nil
	}
	e, err := s.base.Read(key)
	if err != nil || e == nil {
		return nil, err
	}
	cur := e.Clone()
	s.items = append(s.items, item{key: key, act: actRead, before: e, cur: cur})
	return cur, nil
}

// PeekAccount returns a private copy of an account root, or nil.
func (s *Sandbox) PeekAccount(key protocol.Hash) (*protocol.AccountRoot, error) {
	e, err := s.Peek(key)
	if err != nil || e == nil {
		return nil, err
	}
	root, ok := e.(*protocol.AccountRoot)
	if !ok {
		return nil, &TypeError{Key: key, Got: e.Type()}
	}
	return root, nil
}

// Update marks a peeked entry as changed.
func (s *Sandbox) Update(key protocol.Hash) {
	if it := s.find(&key); it != nil && it.act == actRead {
		it.act = actModify
	}
}

// Insert adds a new entry; the sandbox takes it over.
func (s *Sandbox) Insert(key protocol.Hash, e protocol.Entry) {
	if it := s.find(&key); it != nil {
		if it.act == actErase && it.before != nil {
			it.act = actModify
		} else {
			it.act = actInsert
		}
		it.cur = e
		return
	}
	s.items = append(s.items, item{key: key, act: actInsert, cur: e})
}

// Erase removes a peeked or inserted entry.
func (s *Sandbox) Erase(key protocol.Hash) error {
	it := s.find(&key)
	if it == nil {
		return errErased
	}
	if it.act == actInsert && it.before == nil {
		i := slices.IndexFunc(s.items, func(x item) bool { return x.key == key })
		s.items = slices.Delete(s.items, i, i+1)
		return nil
	}
	it.act = actErase
	return nil
}

// DestroyFee takes drops out of existence when the sandbox commits.
func (s *Sandbox) DestroyFee(d protocol.Drops) { s.fee += d }

// Touched is the number of entries changed so far; the size limit of metadata is
// stated in it.
func (s *Sandbox) Touched() int {
	n := 0
	for i := range s.items {
		if s.items[i].act != actRead {
			n++
		}
	}
	return n
}

// EachChange calls fn for every changed entry: before is nil for an insert, after
// is nil for an erased one. It serves the invariant checks.
func (s *Sandbox) EachChange(fn func(key protocol.Hash, before, after protocol.Entry) bool) {
	for i := range s.items {
		it := &s.items[i]
		if it.act == actRead {
			continue
		}
		after := it.cur
		if it.act == actErase {
			after = nil
		}
		if !fn(it.key, it.before, after) {
			return
		}
	}
}
