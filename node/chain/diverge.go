package chain

import (
	"ledgerlab/node/protocol"
)

// Divergence describes two ledgers of one sequence.
type Divergence struct {
	Seq       uint32
	Ours      protocol.Hash
	Validated protocol.Hash
	// Parts names what differs, of "parent", "transactions", "state", "close time",
	// "close resolution", "close flags" and "drops".
	Parts []string
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
