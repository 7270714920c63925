package shamap

import (
	"errors"
	"fmt"
	"sync/atomic"

	"ledgerlab/shamap/payload"
)

// Kind says what the leaves of a tree are.
type Kind uint8

// The three kinds of tree.
const (
	KindTx     Kind = 1 // transactions without metadata (transaction sets)
	KindTxMeta Kind = 2 // transactions with metadata (closed ledgers)
	KindState  Kind = 3 // account state
)

func (k Kind) String() string {
	switch k {
	case KindTx:
		return "tx"
	case KindTxMeta:
		return "tx+meta"
	case KindState:
		return "state"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// LinkMode says when a node that was loaded is linked into its parent, where
// it then stays as long as the parent does.
type LinkMode uint8

// Link modes, the values of the flag tree.link.
const (
	LinkCurrent LinkMode = iota // only reads at maps that are marked linking (the default)
	LinkAll                     // every read, as xrpld does
	LinkNone                    // never: loaded nodes live in the cache alone
)

// ParseLinkMode reads "all", "current" or "none".
func ParseLinkMode(s string) (LinkMode, error) {
	switch s {
	case "current", "":
		return LinkCurrent, nil
	case "all":
		return LinkAll, nil
	case "none":
		return LinkNone, nil
	}
	return 0, fmt.Errorf("shamap: link mode %q: want all, current or none", s)
}

func (l LinkMode) String() string {
	return [...]string{"current", "all", "none"}[l]
}

// Source is where a backed tree finds nodes it does not have in memory.
// All methods are called by many goroutines.
type Source interface {
	// Fetch gives the prefixed bytes of a node, or nil and no error when the
	// node is not there. The tree checks the hash itself and does not keep
	// the slice.
	Fetch(h [32]byte) ([]byte, error)
	// Cached gives a live node with one reference taken for the caller.
	Cached(h [32]byte) (*Node, bool)
	// Canonicalize publishes n and gives the node that everybody shall use.
	// The caller keeps its reference on n in any case. When another node was
	// there first, that one is returned with a reference taken for the caller;
	// when n itself is returned, no further reference is taken for the caller.
	// The cache takes its own by Acquire.
	Canonicalize(h [32]byte, n *Node) *Node
	// FullBelow says that everything under h is known to be stored.
	FullBelow(h [32]byte) bool
	MarkFullBelow(h [32]byte)
}

// Healer is a Source that may know where to get the right bytes of a node whose stored bytes are wrong.
type Healer interface {
	Heal(h [32]byte, cause error) (prefixed []byte, err error)
}

// Sink receives nodes that were not stored yet.
type Sink interface {
	// Put takes the prefixed form of a node; the slice is valid only during
	// the call.
	Put(k Kind, h [32]byte, prefixed []byte) error
}

// Env is what the maps of one process share. Its fields must not be changed
// once the first map uses it, and it must not be copied.
type Env struct {
	Heap   *payload.Heap // payload memory; required
	Source Source        // nil: maps are not backed, a missing node is an error
	Link   LinkMode      // default LinkCurrent
	Sparse bool          // inner payloads hold only present children; default dense, 516 bytes
	Lanes  int           // goroutines that hash a large batch; 0 and 1: none beside the caller

	owners atomic.Uint32 // last owner number given to a mutable map
}

// owner gives a number that no node alive carries, short of 2^29 of them.
func (e *Env) owner() uint32 {
	for {
		if id := e.owners.Add(1) & ownMask; id != 0 {
			return id
		}
	}
}

// Change is one entry of a batch. Data nil deletes the key, which may be
// absent; anything else inserts or replaces.
type Change struct {
	Key  [32]byte
	Data []byte
}

// ErrReleased is returned by any use of a map or node after its release.
var ErrReleased = errors.New("shamap: used after release")

// ErrImmutable is returned by a change to a map that is not mutable.
var ErrImmutable = errors.New("shamap: map is immutable")

// ErrMissing names a node that is neither in memory nor in the source.
type ErrMissing struct{ Hash [32]byte }

func (e ErrMissing) Error() string { return fmt.Sprintf("shamap: node %X is missing", e.Hash[:]) }

// ErrCorrupt names a node whose bytes are wrong.
type ErrCorrupt struct {
	Hash   [32]byte
	Reason string
}

func (e ErrCorrupt) Error() string {
	return fmt.Sprintf("shamap: node %X is corrupt: %s", e.Hash[:], e.Reason)
}
