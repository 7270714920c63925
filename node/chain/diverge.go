package chain

import (
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// Divergence describes two ledgers of one sequence.
type Divergence struct {
	Seq       uint32
	Ours      protocol.Hash
	Validated protocol.Hash
	// Parts names what differs, of "parent", "set", "transactions" (the same set with
	// other results), "state", "close time", "close resolution", "close flags" and
	// "drops".
	Parts []string
	// OnlyOurs and OnlyTheirs are transactions of one side, Results those whose
	// metadata differ, Entries the state entries that do; each at most divergeMax.
	OnlyOurs, OnlyTheirs, Results, Entries []protocol.Hash
}

// divergeMax bounds each list of a Divergence.
const divergeMax = 16

// explain compares two ledgers of one sequence down to transactions and entries.
func explain(ours, theirs *ledger.Ledger) (Divergence, error) {
	d := Divergence{
		Seq: ours.Sequence(), Ours: ours.Hash(), Validated: theirs.Hash(),
		Parts: Difference(ours.Header(), theirs.Header()),
	}
	_, err := shamap.Diff(ours.Txs(), theirs.Txs(), 3*divergeMax, func(key [32]byte, a, b []byte) bool {
		switch {
		case b == nil:
			d.OnlyOurs = appendUpTo(d.OnlyOurs, key)
		case a == nil:
			d.OnlyTheirs = appendUpTo(d.OnlyTheirs, key)
		default:
			d.Results = appendUpTo(d.Results, key)
		}
		return true
	})
	if err != nil {
		return d, err
	}
	if len(d.OnlyOurs)+len(d.OnlyTheirs) > 0 {
		for i, p := range d.Parts {
			if p == "transactions" {
				d.Parts[i] = "set"
			}
		}
	}
	_, err = shamap.Diff(ours.State(), theirs.State(), divergeMax, func(key [32]byte, _, _ []byte) bool {
		d.Entries = appendUpTo(d.Entries, key)
		return true
	})
	return d, err
}

func appendUpTo(list []protocol.Hash, key protocol.Hash) []protocol.Hash {
	if len(list) < divergeMax {
		list = append(list, key)
	}
	return list
}

// Difference names the parts in which two headers differ.
func Difference(a, b *protocol.Header) []string {
	var parts []string
	note := func(differs bool, name string) {
		if differs {
			parts = append(parts, name)
		}
	}
	note(a.Sequence != b.Sequence, "sequence")
	note(a.ParentHash != b.ParentHash, "parent")
	note(a.TxHash != b.TxHash, "transactions")
	note(a.AccountHash != b.AccountHash, "state")
	note(a.Drops != b.Drops, "drops")
	note(a.CloseTime != b.CloseTime || a.ParentCloseTime != b.ParentCloseTime, "close time")
	note(a.CloseTimeResolution != b.CloseTimeResolution, "close resolution")
	note(a.CloseFlags != b.CloseFlags, "close flags")
	return parts
}
