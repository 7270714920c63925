package check

import (
	"crypto/sha512"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"ledgerlab/store"
)

type hash = [32]byte

// inUse says that a database is open elsewhere.
func inUse(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) ||
		err != nil && strings.Contains(err.Error(), "lock held by current process")
}

// fault is why an object is no use.
type fault struct {
	what   Fault
	detail string
}

var errMissing = &fault{what: Missing}

func wrong(format string, args ...any) *fault { return &fault{Wrong, fmt.Sprintf(format, args...)} }

// reader reads objects by hash and checks them.
type reader struct {
	gens  [2]store.Backend
	value []byte // scratch: as stored
}

// get appends the payload of h to dst, verified. archived says where it was.
func (r *reader) get(h hash, dst []byte) (payload []byte, t store.ObjectType, archived bool, f *fault) {
	for i, g := range r.gens {
		if g == nil {
			continue
		}
		value, err := g.Get(h, r.value[:0])
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			r.value = value
			payload, t, err = decode(h, dst, value)
		}
		if err == nil {
			return payload, t, i == 1, nil
		}
		// A sound copy may be in the other generation, but a node meets this one first.
		return dst, t, i == 1, &fault{Corrupt, oneLine(err)}
	}
	return dst, store.Unknown, false, errMissing
}

func decode(h hash, dst, value []byte) ([]byte, store.ObjectType, error) {
	payload, t, err := store.DecodeObject(dst, value)
	if err != nil {
		return dst, t, err
	}
	sum := sha512.Sum512(payload[len(dst):])
	if got := hash(sum[:32]); got != h {
		return dst, t, fmt.Errorf("its %d bytes hash to %s", len(payload)-len(dst), hexOf(got))
	}
	return payload, t, nil
}

// oneLine is the first line of an error: databases put their own details below.
func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// node is a tree node in prefix form.
type node struct {
	leaf bool
	key  hash   // of a leaf
	raw  []byte // the whole prefix form
}

const (
	innerLen  = 4 + 16*32
	prefixLen = 4
)

func (n *node) child(i int) hash { return hash(n.raw[prefixLen+32*i:]) }

// data is what a leaf holds, without prefix and key.
func (n *node) data() []byte { return n.raw[prefixLen : len(n.raw)-32] }

// parseNode reads a prefix form that must be at p in a tree of this kind.
func parseNode(kind Kind, t store.ObjectType, p *place, raw []byte) (node, *fault) {
	n := node{raw: raw}
	if len(raw) < prefixLen {
		return n, wrong("%d bytes are no node", len(raw))
	}
	leafPrefix, leafType := "MLN\x00", store.AccountNode
	if kind == KindTx {
		leafPrefix, leafType = "SND\x00", store.TxNode
	}
	switch string(raw[:prefixLen]) {
	case "MIN\x00":
		return n, checkInner(&n, p)
	case leafPrefix:
	default:
		return n, wrong("prefix %X does not belong in this tree", raw[:prefixLen])
	}
	if t != leafType {
		return n, wrong("stored as an object of type %d, want %d", t, leafType)
	}
	if len(raw) <= prefixLen+32 {
		return n, wrong("leaf of %d bytes", len(raw))
	}
	n.leaf, n.key = true, hash(raw[len(raw)-32:])
	if !p.holds(&n.key) {
		return n, wrong("leaf of key %s is in another's place", hexOf(n.key))
	}
	return n, nil
}

func checkInner(n *node, p *place) *fault {
	if len(n.raw) != innerLen {
		return wrong("inner node of %d bytes", len(n.raw))
	}
	if p.depth == len(p.nibbles) {
		return wrong("inner node where the tree is at its end")
	}
	for i := range 16 {
		if n.child(i) != (hash{}) {
			return nil
		}
	}
	return wrong("inner node without children")
}
