package history

import (
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// FromLedger reads what the index says of a ledger.
func FromLedger(l *ledger.Ledger) (Ledger, error) {
	out := Ledger{Seq: l.Sequence(), Hash: l.Hash(), CloseTime: l.Header().CloseTime}
	var fault error
	err := l.Txs().Walk([32]byte{}, func(id [32]byte, data []byte) bool {
		var t Tx
		if t, fault = readTx(id, data); fault == nil {
			out.Txs = append(out.Txs, t)
		}
		return fault == nil
	})
	if err == nil {
		err = fault
	}
	if err != nil {
		return Ledger{}, fmt.Errorf("history: transactions of ledger %d: %w", l.Sequence(), err)
	}
	return out, nil
}

func readTx(id protocol.Hash, leaf []byte) (Tx, error) {
	_, _, m, err := ledger.ParseTx(id, leaf)
	if err != nil {
		return Tx{}, err
	}
	return Tx{ID: id, Place: m.Index, Accounts: Affected(m)}, nil
}

// Affected returns the accounts that a transaction touched, each once. rippled:
// TxMeta::getAffectedAccounts, which takes them from the fields that the nodes have
// after the transaction.
func Affected(m *protocol.Metadata) []protocol.AccountID {
	out := make([]protocol.AccountID, 0, 4)
	for i := range m.Nodes {
		o := m.Nodes[i].Final
		if m.Nodes[i].Kind == protocol.NodeCreated {
			o = m.Nodes[i].New
		}
		if o == nil {
			continue
		}
		for f, raw := range o.All() {
			if a, ok := accountIn(f, raw); ok {
				out = addOnce(out, a)
			}
		}
	}
	return out
}

// accountIn is the account that a field names, if it is one of those that count.
func accountIn(f protocol.Field, raw []byte) (protocol.AccountID, bool) {
	switch {
	case f.Type() == protocol.TypeAccountID && len(raw) == accountLen:
		return protocol.AccountID(raw), true
	case f == protocol.FieldLowLimit, f == protocol.FieldHighLimit, f == protocol.FieldTakerPays, f == protocol.FieldTakerGets:
		if len(raw) == 8+20+accountLen { // an issued amount: value, currency, issuer
			a := protocol.AccountID(raw[8+20:])
			return a, a != (protocol.AccountID{})
		}
	}
	return protocol.AccountID{}, false
}

func addOnce(list []protocol.AccountID, a protocol.AccountID) []protocol.AccountID {
	for _, have := range list {
		if have == a {
			return list
		}
	}
	return append(list, a)
}
