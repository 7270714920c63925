package rcl

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

const (
	// setKeepRounds: a set is kept for this many rounds after its last use
	// (xrpld InboundTransactions setKeepRounds).
	setKeepRounds = 3
	// serveNodesMax and serveBytesMax bound one reply (xrpld softMaxReplyNodes
	// is 8,192; bytes keep a reply within one frame).
	serveNodesMax = 8192
	serveBytesMax = 512 << 10
	// serveDepthMax is xrpld's maxQueryDepth.
	serveDepthMax = 3
)

// SetsConfig is what a Sets works with.
type SetsConfig struct {
	Env *shamap.Env
	// Parse makes a transaction of a blob, which it may keep. Lookup may return
	// one that is here already (the hash router's), sparing the parse; nil: none.
	Parse  func(blob []byte) (Tx, error)
	Lookup func(id protocol.Hash) Tx
	// Unseen is told of the transactions that came with a peer's set; called on
	// the goroutine that acquired it (ingest gives them to the open ledger). Nil:
	// nobody.
	Unseen func(txs []Tx)
	// Max sets kept; the one unused longest goes first. The default value is 256.
	Max int
	// TxsMax transactions in a set from a peer. The default value is 65536.
	TxsMax int
	Log    *slog.Logger
}

// Sets holds the transaction sets of the last rounds. It serves them to peers;
// safe for concurrent use.
type Sets struct {
	cfg     SetsConfig
	log     *slog.Logger
	syncEnv *shamap.Env // of acquisitions

	mu struct {
		sync.Mutex
		byID  map[protocol.Hash]*kept
		inner map[[32]byte]*innerNode // by hash, see setSource
		round uint64
	}
}

// kept is a set and the last round that used it.
type kept struct {
	set   *TxSet
	round uint64
}

// NewSets returns an empty store of sets.
func NewSets(c SetsConfig) *Sets {
	if c.Max == 0 {
		c.Max = 256
	}
	if c.TxsMax == 0 {
		c.TxsMax = 65536
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Parse == nil {
		c.Parse = protocol.ParseTransaction
	}
	if c.Env != nil {
		// Sets are not backed: their nodes must neither fill the tree-node cache nor
		// be looked for in the store (xrpld: SHAMap::setUnbacked).
		c.Env = &shamap.Env{Heap: c.Env.Heap, Sparse: c.Env.Sparse, Lanes: c.Env.Lanes}
	}
	s := &Sets{cfg: c, log: c.Log}
	s.mu.byID = map[protocol.Hash]*kept{}
	s.mu.inner = map[[32]byte]*innerNode{}
	if c.Env != nil {
		s.syncEnv = &shamap.Env{Heap: c.Env.Heap, Sparse: c.Env.Sparse, Lanes: c.Env.Lanes, Source: setSource{s}}
	}
	return s
}

// Make builds the set of the given transactions and keeps it.
func (s *Sets) Make(txs []Tx) (*TxSet, error) {
	sorted := sortTxs(append([]Tx(nil), txs...))
	changes := make([]shamap.Change, len(sorted))
	for i, t := range sorted {
		changes[i] = shamap.Change{Key: t.ID(), Data: t.Blob()}
	}
	base := shamap.New(s.cfg.Env, shamap.KindTx)
	defer base.Release()
	return s.derive(base, changes, sorted)
}

// derive applies changes to a copy of base and keeps the result.
func (s *Sets) derive(base *shamap.Map, changes []shamap.Change, txs []Tx) (*TxSet, error) {
	m := base.Snapshot(true)
	defer m.Release()
	if err := m.Apply(changes); err != nil {
		return nil, fmt.Errorf("rcl: change transaction set: %w", err)
	}
	return s.keep(m, txs)
}

// keep registers an immutable copy of a complete tree. The caller keeps m.
func (s *Sets) keep(m *shamap.Map, txs []Tx) (*TxSet, error) {
	id, err := m.Hash()
	if err != nil {
		return nil, fmt.Errorf("rcl: hash transaction set: %w", err)
	}
	if err := s.indexInner(m); err != nil {
		return nil, fmt.Errorf("rcl: index transaction set: %w", err)
	}
	set := &TxSet{id: id, tree: m.Snapshot(false), txs: txs, store: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.mu.byID[set.id]; k != nil {
		set.tree.Release()
		k.round = s.mu.round
		return k.set, nil
	}
	if len(s.mu.byID) >= s.cfg.Max {
		s.dropOldest()
	}
	s.mu.byID[set.id] = &kept{set, s.mu.round}
	return set, nil
}

// dropOldest needs mu held.
func (s *Sets) dropOldest() {
	var oldest *kept
	for _, k := range s.mu.byID {
		if oldest == nil || k.round < oldest.round {
			oldest = k
		}
	}
	if oldest != nil && oldest.round < s.mu.round {
		oldest.set.tree.Release()
		delete(s.mu.byID, oldest.set.id)
	}
}

// Get returns a set that is here and marks it as used.
func (s *Sets) Get(id protocol.Hash) *TxSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.mu.byID[id]
	if k == nil {
		return nil
	}
	k.round = s.mu.round
	return k.set
}

// Len is the number of sets kept.
func (s *Sets) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mu.byID)
}

// NextRound ages the sets and lets go of those unused for setKeepRounds.
func (s *Sets) NextRound() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.round++
	s.forgetInner()
	for id, k := range s.mu.byID {
		if k.round+setKeepRounds < s.mu.round {
			k.set.tree.Release()
			delete(s.mu.byID, id)
		}
	}
}

// Close lets go of all sets.
func (s *Sets) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, k := range s.mu.byID {
		k.set.tree.Release()
		delete(s.mu.byID, id)
	}
}

// find looks for the body of a transaction in all sets.
func (s *Sets) find(id protocol.Hash) Tx {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.mu.byID {
		if t := k.set.Tx(id); t != nil {
			return t
		}
	}
	return nil
}

// parse makes the transaction of a leaf.
func (s *Sets) parse(id protocol.Hash, blob []byte) (Tx, error) {
	if s.cfg.Lookup != nil {
		if t := s.cfg.Lookup(id); t != nil {
			return t, nil
		}
	}
	return s.cfg.Parse(blob)
}

var errNoSet = errors.New("no such transaction set")

// Serve answers a request for nodes of a transaction set (peer.ItemTxSet).
func (s *Sets) Serve(r peer.Request) peer.Response {
	resp := peer.Response{Item: r.Item, Hash: r.Hash, Seq: r.Seq}
	nodes, err := s.nodes(r)
	if err != nil {
		resp.Err = err.Error()
	}
	resp.Nodes = nodes
	return resp
}

func (s *Sets) nodes(r peer.Request) ([]peer.Node, error) {
	s.mu.Lock()
	k := s.mu.byID[r.Hash]
	if k == nil {
		s.mu.Unlock()
		return nil, errNoSet
	}
	tree := k.set.tree.Snapshot(false) // ours: the set may go while we read
	s.mu.Unlock()
	defer tree.Release()

	var out []peer.Node
	size := 0
	for _, raw := range r.NodeIDs {
		id, err := shamap.ParseNodeID(raw)
		if err != nil {
			return nil, err
		}
		fat, err := tree.NodeFat(id, min(max(r.Depth, 0), serveDepthMax), false, serveNodesMax-len(out))
		if err != nil {
			return out, err
		}
		for _, n := range fat {
			out = append(out, peer.Node{ID: n.ID.AppendTo(nil), Data: n.Data})
			size += len(n.Data)
		}
		if len(out) >= serveNodesMax || size >= serveBytesMax {
			break
		}
	}
	return out, nil
}
