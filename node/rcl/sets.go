package rcl

import (
	"ledgerlab/node/peer"
	"ledgerlab/shamap"
)

// Sets holds the transaction sets of the last rounds, each a SHAMap. It serves
// them to peers; safe for concurrent use.
type Sets struct{}

// SetsConfig is what a Sets works with.
type SetsConfig struct {
	Env   *shamap.Env
	Parse func(blob []byte) (Tx, error)
	// Unseen is told of transactions that came with a peer's set (ingest gives
	// them to the open ledger). May be nil.
	Unseen func(txs []Tx)
	Max    int
	TxsMax int
}

// NewSets returns an empty store of sets.
func NewSets(c SetsConfig) *Sets { return &Sets{} }

// Serve answers a request for nodes of a transaction set (peer.ItemTxSet).
func (s *Sets) Serve(r peer.Request) peer.Response { return peer.Response{} }
