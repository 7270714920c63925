package tx

import (
	"ledgerlab/node/protocol"
)

// kind is what a transaction type adds to the common rules.
type kind struct {
	preflight func(c *context) protocol.TER
	preclaim  func(c *context, v reader) protocol.TER
	apply     func(c *context) protocol.TER
}

// kinds has an entry for each type that the engine applies.
var kinds = [...]struct {
	typ  protocol.TxType
	kind kind
}{
	{protocol.TxPayment, kind{preflightPayment, preclaimPayment, applyPayment}},
	{protocol.TxAccountSet, kind{preflightAccountSet, preclaimAccountSet, applyAccountSet}},
	{protocol.TxSetRegularKey, kind{preflightRegularKey, preclaimNothing, applyRegularKey}},
}

// kindOf returns nil for a type that is not applied.
func kindOf(t protocol.TxType) *kind {
	for i := range kinds {
		if kinds[i].typ == t {
			return &kinds[i].kind
		}
	}
	return nil
}

// Supported says whether the engine applies transactions of the type.
func Supported(t protocol.TxType) bool { return kindOf(t) != nil }
