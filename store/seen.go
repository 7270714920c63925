package store

import "sync"

// seenMax bounds what a rotation remembers: beyond it a lookup is made twice.
const seenMax = 1 << 21

// seen remembers, while a rotation is in flight, which objects are known to be in
// the writable generation and where they were found: a rotation reads every node
// of the state, asks for its place, and then goes through the cached keys, which
// are mostly the same. Half a hash names an object; that two objects share it
// takes a collision of 128 bits of SHA-512.
type seen struct {
	mu    sync.Mutex         // guards place; held for one map access
	place map[[16]byte]Place // nil while no rotation is in flight
}

// note keeps the first place an object was found in and reports whether this is the first, as far as is known.
func (s *seen) note(h Hash, p Place) bool {
	k := [16]byte(h[:16])
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.place[k]; ok {
		return false
	}
	if s.place != nil && len(s.place) < seenMax {
		s.place[k] = p
	}
	return true
}

func (s *seen) find(h Hash) (Place, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.place[[16]byte(h[:16])]
	return p, ok
}
