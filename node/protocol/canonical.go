package protocol

// CanonicalKey is what a set of transactions is sorted by before it is applied (rippled CanonicalTXSet.cpp):
// account xor salt, sequences before tickets, id. The salt is the hash of the agreed set when a ledger is built,
// zero for local transactions, the parent's hash for held ones.
type CanonicalKey struct {
	account Hash
	seq     SeqProxy
	id      Hash
}

// NewCanonicalKey returns the key of a transaction under a salt.
func NewCanonicalKey(salt Hash, tx *Transaction) CanonicalKey {
	k := CanonicalKey{account: salt, seq: tx.SeqProxy(), id: tx.id}
	for i, b := range tx.account {
		k.account[i] ^= b
	}
	return k
}

// Compare orders keys.
func (k CanonicalKey) Compare(o CanonicalKey) int {
	if c := k.account.Compare(o.account); c != 0 {
		return c
	}
	if c := k.seq.Compare(o.seq); c != 0 {
		return c
	}
	return k.id.Compare(o.id)
}

// CanonicalLess reports whether a is applied before b.
func CanonicalLess(salt Hash, a, b *Transaction) bool {
	return NewCanonicalKey(salt, a).Compare(NewCanonicalKey(salt, b)) < 0
}
