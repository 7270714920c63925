package rcl

import (
	"sync"

	"ledgerlab/node/protocol"
)

// suppressMax hashes are remembered in each of two generations, so that a message
// is recognised for at least that many later ones.
const suppressMax = 4096

// suppressor recognises messages that were here before (xrpld: HashRouter).
type suppressor struct {
	mu struct {
		sync.Mutex
		young, old map[protocol.Hash]struct{}
	}
}

func newSuppressor() *suppressor {
	s := &suppressor{}
	s.mu.young, s.mu.old = map[protocol.Hash]struct{}{}, map[protocol.Hash]struct{}{}
	return s
}

// first is true when the hash is new, and remembers it.
func (s *suppressor) first(h protocol.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.mu.young[h]; ok {
		return false
	}
	_, old := s.mu.old[h]
	if len(s.mu.young) >= suppressMax {
		s.mu.young, s.mu.old = map[protocol.Hash]struct{}{}, s.mu.young
	}
	s.mu.young[h] = struct{}{}
	return !old
}
