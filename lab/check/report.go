package check

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Fault says what is the matter with an object.
type Fault string

// The faults.
const (
	Missing Fault = "missing" // not in the store
	Corrupt Fault = "corrupt" // it cannot be read, or its bytes do not have its hash
	Wrong   Fault = "wrong"   // its bytes have its hash, but it is not what belongs there
)

// Kind says what an object is, as far as it is known from where it was looked for.
type Kind string

// The kinds.
const (
	KindHeader     Kind = "ledger header"
	KindState      Kind = "state node"
	KindTx         Kind = "transaction node"
	KindGeneration Kind = "generation"
	KindStateFile  Kind = "state file"
)

// Finding is one damaged object and the ledgers that need it.
type Finding struct {
	Fault Fault  `json:"fault"`
	Kind  Kind   `json:"kind"`
	Key   string `json:"key"`            // hash in hex, or a name
	Path  string `json:"path,omitempty"` // nibbles from the root of the tree; "root"
	// First and Last are the ledgers that need it; 0 where it is no part of one.
	First  uint32 `json:"first_ledger,omitempty"`
	Last   uint32 `json:"last_ledger,omitempty"`
	Detail string `json:"detail,omitempty"`

	key hash
	at  place
}

// String is one line.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", f.Fault, f.Kind, f.Key)
	if f.Path != "" {
		fmt.Fprintf(&b, " at %s", f.Path)
	}
	switch {
	case f.First == 0:
	case f.First == f.Last:
		fmt.Fprintf(&b, ", ledger %d", f.First)
	default:
		fmt.Fprintf(&b, ", ledgers %d-%d", f.First, f.Last)
	}
	if f.Detail != "" {
		fmt.Fprintf(&b, ": %s", f.Detail)
	}
	return b.String()
}

// Objects counts what was read and found right.
type Objects struct {
	Headers     uint64 `json:"headers"`
	StateInner  uint64 `json:"state_inner_nodes"`
	StateLeaves uint64 `json:"state_leaves"`
	TxInner     uint64 `json:"transaction_inner_nodes"`
	TxLeaves    uint64 `json:"transactions"`
	Bytes       uint64 `json:"bytes"` // payloads, uncompressed
	Writable    uint64 `json:"in_writable"`
	Archive     uint64 `json:"in_archive"`
}

// Total is the number of objects.
func (o *Objects) Total() uint64 {
	return o.Headers + o.StateInner + o.StateLeaves + o.TxInner + o.TxLeaves
}

// Report is what was found.
type Report struct {
	Dir       string `json:"dir"`
	NetworkID uint32 `json:"network_id"`
	Format    int    `json:"format"`
	// Oldest and Newest are the ledgers that the store's state file claims.
	Oldest uint32 `json:"oldest_ledger"`
	Newest uint32 `json:"newest_ledger"`
	Hash   string `json:"newest_hash"`
	// NotHeld are ledgers between the two that the node never had: it was away.
	NotHeld []Span `json:"not_held,omitempty"`
	// Ledgers were walked; Whole of them have nothing missing or wrong.
	Ledgers int     `json:"ledgers"`
	Whole   int     `json:"whole_ledgers"`
	Objects Objects `json:"objects"`
	// Damaged counts findings, named or not, by fault.
	Damaged  map[Fault]int `json:"damaged"`
	Findings []Finding     `json:"findings"`
	Unnamed  int           `json:"unnamed_findings"`
	// Notes are remarks on what is no damage.
	Notes []string `json:"notes,omitempty"`
}

// Sound says that nothing is missing or wrong.
func (r *Report) Sound() bool { return len(r.Damaged) == 0 }

// place is where a node stands in a tree: nibbles from the root.
type place struct {
	nibbles [64]byte
	depth   int
}

func (p *place) String() string {
	if p.depth == 0 {
		return "root"
	}
	const digits = "0123456789ABCDEF"
	out := make([]byte, p.depth)
	for i := range out {
		out[i] = digits[p.nibbles[i]]
	}
	return string(out)
}

// holds says whether key lies below p.
func (p *place) holds(key *hash) bool {
	for i := range p.depth {
		if nibble(key, i) != p.nibbles[i] {
			return false
		}
	}
	return true
}

func nibble(key *hash, i int) byte {
	if i%2 == 0 {
		return key[i/2] >> 4
	}
	return key[i/2] & 15
}

func hexOf(h hash) string { return strings.ToUpper(hex.EncodeToString(h[:])) }
