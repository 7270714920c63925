package shamap

import "ledgerlab/shamap/payload"

// Node is one node of the tree: a counted header whose bytes are in the heap.
type Node struct {
	hash [32]byte
	payload.Header
}

func (n *Node) Acquire() bool                             { panic("todo") }
func (n *Node) Release()                                  { panic("todo") }
func (n *Node) DropIfSole() bool                          { panic("todo") }
func (n *Node) Alive() bool                               { panic("todo") }
func (n *Node) Hash() [32]byte                            { return n.hash }
func (n *Node) IsInner() bool                             { panic("todo") }
func (n *Node) PayloadLen() int                           { panic("todo") }
func (n *Node) AppendPrefixed(dst []byte) ([]byte, error) { panic("todo") }
func (n *Node) AppendWire(dst []byte) ([]byte, error)     { panic("todo") }

// ParsePrefixed makes a node of stored bytes, checks its hash, and returns it with one reference.
func ParsePrefixed(env *Env, h [32]byte, b []byte) (*Node, error) { panic("todo") }

// Map is one version of a tree.
type Map struct{}

func New(env *Env, kind Kind) *Map                                { panic("todo") }
func Open(env *Env, kind Kind, root [32]byte) (*Map, error)       { panic("todo") }
func (m *Map) Kind() Kind                                         { panic("todo") }
func (m *Map) Get(key [32]byte, dst []byte) ([]byte, bool, error) { panic("todo") }
func (m *Map) Has(key [32]byte) (bool, error)                     { panic("todo") }
func (m *Map) Put(key [32]byte, data []byte) error                { panic("todo") }
func (m *Map) Delete(key [32]byte) error                          { panic("todo") }
func (m *Map) Apply(changes []Change) error                       { panic("todo") }
func (m *Map) Hash() ([32]byte, error)                            { panic("todo") }
func (m *Map) Snapshot(mutable bool) *Map                         { panic("todo") }
func (m *Map) View(linking bool) *Map                             { panic("todo") }
func (m *Map) SetLinking(on bool)                                 { panic("todo") }
func (m *Map) Release()                                           { panic("todo") }
func (m *Map) ReleaseSome(budget int) (done bool)                 { panic("todo") }
func (m *Map) Flush(s Sink) (nodes int, err error)                { panic("todo") }

// Walk visits leaves with key >= from in key order until fn answers false. Slices are valid during the call.
func (m *Map) Walk(from [32]byte, fn func(key [32]byte, data []byte) bool) error { panic("todo") }

// WalkNodes visits every node once, children after parents, without linking.
func (m *Map) WalkNodes(fn func(h [32]byte, prefixed []byte) bool) error { panic("todo") }

// Diff visits keys whose data differ; a nil slice says the key is absent there. complete is false when max was reached.
func Diff(a, b *Map, max int, fn func(key [32]byte, inA, inB []byte) bool) (complete bool, err error) {
	panic("todo")
}

// Proof gives the prefixed nodes from the root down to the leaf of key, or to where key would be.
func (m *Map) Proof(key [32]byte) (path [][]byte, found bool, err error) { panic("todo") }

// VerifyProof checks path against root; found false with a nil error proves absence.
func VerifyProof(kind Kind, root, key [32]byte, path [][]byte) (data []byte, found bool, err error) {
	panic("todo")
}

// NodeID is the place of a node: the masked path and its depth.
type NodeID struct {
	Path  [32]byte
	Depth uint8
}

func (id NodeID) AppendTo(dst []byte) []byte { panic("todo") }
func ParseNodeID(b []byte) (NodeID, error)   { panic("todo") }

// Want is a node that a Syncer lacks.
type Want struct {
	ID   NodeID
	Hash [32]byte
}

// AddResult says what became of a node given to a Syncer.
type AddResult uint8

const (
	AddInvalid AddResult = iota
	AddUseful
	AddDuplicate
)

// WireNode is a node as peers send it.
type WireNode struct {
	ID   NodeID
	Data []byte
}

// Syncer completes a tree of which only the root hash is known.
type Syncer struct{}

func NewSyncer(env *Env, kind Kind, root [32]byte) *Syncer          { panic("todo") }
func (s *Syncer) Missing(max int) ([]Want, error)                   { panic("todo") }
func (s *Syncer) AddNode(id NodeID, wire []byte) (AddResult, error) { panic("todo") }
func (s *Syncer) Done() bool                                        { panic("todo") }
func (s *Syncer) Flush(sink Sink) (int, error)                      { panic("todo") }
func (s *Syncer) Map() (*Map, error)                                { panic("todo") }
func (s *Syncer) Release()                                          { panic("todo") }

// NodeFat gives the node at id and its descendants depth levels down.
func (m *Map) NodeFat(id NodeID, depth int, leaves bool, max int) ([]WireNode, error) { panic("todo") }
