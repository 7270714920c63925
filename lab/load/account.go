package load

import (
	"fmt"

	"ledgerlab/node/crypto"
	"ledgerlab/node/protocol"
)

// account is one payer. Its fields are guarded by the lane's mutex, keys and
// address apart.
type account struct {
	index   int
	key     *crypto.KeyPair
	id      protocol.AccountID
	address string

	next       uint32          // sequence of the next payment to sign
	epoch      uint32          // signed payments of an older epoch are void
	unanswered int             // sent without an answer yet
	live       map[uint32]bool // sequences accepted and not final
	dirty      bool            // next is not known; nothing is signed
	asking     bool            // the node is being asked for it
	hint       uint32          // newest word of the node on its next sequence, 0 = none
}

// payment is one signed transaction.
type payment struct {
	acc    *account
	seq    uint32
	epoch  uint32
	expire uint32 // last ledger it may be in
	id     [32]byte
	blob   []byte
}

// template holds what all payments of a load have in common.
type template struct {
	networkID uint32
	fee       protocol.Drops
}

// sign makes a payment.
func (t template) sign(a *account, to protocol.AccountID, amount uint64, seq, expire uint32) (*payment, error) {
	o := new(protocol.Object)
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	if t.networkID > 1024 { // smaller ids must not be named
		o.SetUint32(protocol.FieldNetworkID, t.networkID)
	}
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, seq)
	if expire != 0 {
		o.SetUint32(protocol.FieldLastLedgerSequence, expire)
	}
	o.SetDrops(protocol.FieldAmount, protocol.Drops(amount))
	o.SetDrops(protocol.FieldFee, t.fee)
	o.SetAccountID(protocol.FieldAccount, a.id)
	o.SetAccountID(protocol.FieldDestination, to)
	tx, err := crypto.SignTransaction(a.key, o)
	if err != nil {
		return nil, fmt.Errorf("payment of account %d: %w", a.index, err)
	}
	return &payment{acc: a, seq: seq, expire: expire, id: tx.ID(), blob: tx.Blob()}, nil
}

// free reports whether a further payment may be signed; waiting counts those
// signed and not sent yet.
func (a *account) free(most int) bool { return !a.dirty && a.unanswered+len(a.live) < most }

// resync sets the next sequence from the node's word. Sequences that are on their
// way are skipped.
func (a *account) resync(next uint32) {
	for a.live[next] {
		next++
	}
	a.next, a.dirty, a.hint = next, false, 0
}

// void makes signed payments that were not sent yet worthless.
func (a *account) void() {
	a.dirty = true
	a.epoch++
}
