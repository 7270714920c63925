package node

import (
	"errors"
	"fmt"

	"ledgerlab/node/memory"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// holders says who holds the payloads of tree nodes: the newest validated ledger, whose tree keeps every node that a
// linking read brought in, or somebody else. It walks what that ledger keeps in memory.
func (n *Node) holders() ([]memory.Line, error) {
	st := n.store.heap.Stats()
	all := int64(0)
	for _, t := range []payload.Tag{payload.TagInner, payload.TagLeaf, payload.TagItem} {
		all += st.ByTag[t].LiveBytes + st.ByTag[t].LimboBytes
	}
	l := n.chain.Validated()
	if l == nil {
		return []memory.Line{{Name: memory.BesideTreeElsewhere, Bytes: all}}, nil
	}
	defer l.Release()
	held := int64(0)
	state, err := l.State().Resident(nil)
	if err == nil {
		held = state.PayloadBytes
		if !l.Header().TxHash.IsZero() {
			txs, terr := l.Txs().Resident(nil)
			held, err = held+txs.PayloadBytes, terr
		}
	}
	if errors.Is(err, shamap.ErrMutable) { // the first ledger of a new network is still the map it was made in
		held, err = 0, nil
	}
	if err != nil {
		return nil, fmt.Errorf("tree of ledger %d: %w", l.Sequence(), err)
	}
	return []memory.Line{
		{Name: memory.BesideTreeValidated, Bytes: held},
		{Name: memory.BesideTreeElsewhere, Bytes: max(0, all-held)},
	}, nil
}
