package chain

import (
	"context"
	"fmt"
	"slices"

	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// replay makes a ledger from its parent, when that is here, and its transactions:
// they are a small part of what the state's changed nodes would be. nil when it
// cannot be done; then the state is fetched. rippled: LedgerReplayer.
func (j *inbound) replay(ctx context.Context, h protocol.Header) *ledger.Ledger {
	parent := j.m.Ledger(h.ParentHash)
	if parent == nil {
		return nil
	}
	defer parent.Release()
	txs, err := j.tree(ctx, shamap.KindTxMeta, h.TxHash, peer.ItemTxNodes)
	if err != nil {
		return nil
	}
	defer txs.Release()
	list, err := inOrder(txs)
	if err != nil {
		j.m.log.Warn("ledger cannot be replayed", "seq", h.Sequence, "cause", err)
		return nil
	}
	var b Built
	err = j.m.d.Bulk(ctx, "acquire", func(context.Context) (err error) {
		b, err = j.m.BuildNow(Request{
			Parent: parent, Txs: list, InOrder: true,
			Close: ledger.Close{
				Time: h.CloseTime, Resolution: h.CloseTimeResolution,
				Agreed: h.CloseFlags&protocol.CloseFlagNoConsensus == 0,
			},
		})
		return err
	})
	if err != nil {
		return nil
	}
	if b.Ledger.Hash() != j.id {
		j.m.log.Error("a replayed ledger differs from the network's", "seq", h.Sequence,
			"differs", Difference(b.Ledger.Header(), &h))
		b.Ledger.Release()
		return nil
	}
	j.m.count(func(s *Stats) { s.Replayed++ })
	return b.Ledger
}

// inOrder reads the transactions of a tree in the order in which they were applied.
func inOrder(txs *shamap.Map) ([]*protocol.Transaction, error) {
	type placed struct {
		at uint32
		tx *protocol.Transaction
	}
	var list []placed
	var fault error
	err := txs.Walk([32]byte{}, func(key [32]byte, data []byte) bool {
		blob, meta, err := protocol.SplitTxNode(slices.Clone(data))
		if err != nil {
			fault = err
			return false
		}
		t, err := protocol.ParseTransaction(blob)
		if err != nil {
			fault = fmt.Errorf("transaction %s: %w", protocol.Hash(key), err)
			return false
		}
		md, err := protocol.ParseMetadata(meta)
		if err != nil {
			fault = fmt.Errorf("metadata of %s: %w", protocol.Hash(key), err)
			return false
		}
		list = append(list, placed{md.Index, t})
		return true
	})
	if err != nil || fault != nil {
		return nil, fmt.Errorf("chain: %w", errorsFirst(err, fault))
	}
	slices.SortFunc(list, func(a, b placed) int { return int(a.at) - int(b.at) })
	out := make([]*protocol.Transaction, len(list))
	for i := range list {
		out[i] = list[i].tx
	}
	return out, nil
}

func errorsFirst(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}
