package tx

import "ledgerlab/node/protocol"

// Consequences are what the queue must know about a transaction that it may hold.
// rippled: TxConsequences.
type Consequences struct {
	Fee            protocol.Drops
	PotentialSpend protocol.Drops // XRP beside the fee
	Seq            protocol.SeqProxy
	SequencesUsed  uint32
	Blocker        bool // later transactions of the account may become invalid
}

// ConsequencesOf states the consequences of a transaction that passed Preflight.
func ConsequencesOf(tx *protocol.Transaction) Consequences {
	c := Consequences{Fee: tx.Fee(), Seq: tx.SeqProxy(), Blocker: blocker(tx)}
	if !c.Seq.Ticket {
		c.SequencesUsed = 1
	}
	if p, ok := tx.Payment(); ok {
		spend := p.Amount
		if p.HasSendMax {
			spend = p.SendMax
		}
		if spend.IsXRP() {
			c.PotentialSpend = max(spend.Drops(), 0)
		}
	}
	return c
}

func blocker(tx *protocol.Transaction) bool {
	switch tx.Type() {
	case protocol.TxSetRegularKey, protocol.TxSignerListSet, protocol.TxAccountDelete:
		return true
	case protocol.TxAccountSet:
		if tx.Flags()&(protocol.TfRequireAuth|protocol.TfOptionalAuth) != 0 {
			return true
		}
		return blockingSetting(tx.Object().Uint32(protocol.FieldSetFlag)) ||
			blockingSetting(tx.Object().Uint32(protocol.FieldClearFlag))
	}
	return false
}

func blockingSetting(asf uint32) bool {
	return asf == protocol.AsfRequireAuth || asf == protocol.AsfDisableMaster || asf == protocol.AsfAccountTxnID
}
