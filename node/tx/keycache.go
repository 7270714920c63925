package tx

import (
	"encoding/binary"

	"ledgerlab/node/crypto"
	"ledgerlab/node/protocol"
)

// keyCacheSize is the number of slots of each table: enough for the accounts of the
// lab's traffic, 0.9 MB an engine.
const keyCacheSize = 8192

// keyCache remembers two pure functions whose hashing would be a third of the cost
// of a payment: account to state index, and signing key to account. It is direct
// mapped: a collision costs one hash, never a wrong answer.
type keyCache struct {
	accounts []accountSlot
	signers  []signerSlot
}

type accountSlot struct {
	id  protocol.AccountID
	ok  bool
	key protocol.Hash
}

type signerSlot struct {
	pub [33]byte
	ok  bool
	id  protocol.AccountID
}

func (k *keyCache) accountKey(id protocol.AccountID) protocol.Hash {
	if k.accounts == nil {
		k.accounts = make([]accountSlot, keyCacheSize)
	}
	// Account ids are hashes, so any of their bits will do.
	s := &k.accounts[binary.LittleEndian.Uint32(id[:])%keyCacheSize]
	if !s.ok || s.id != id {
		*s = accountSlot{id: id, ok: true, key: protocol.AccountKey(id)}
	}
	return s.key
}

// signer returns the account of a public key of 33 bytes.
func (k *keyCache) signer(pub []byte) protocol.AccountID {
	if len(pub) != 33 {
		return accountOfKey(pub)
	}
	if k.signers == nil {
		k.signers = make([]signerSlot, keyCacheSize)
	}
	s := &k.signers[binary.LittleEndian.Uint32(pub[5:])%keyCacheSize]
	if !s.ok || s.pub != [33]byte(pub) {
		*s = signerSlot{pub: [33]byte(pub), ok: true, id: accountOfKey(pub)}
	}
	return s.id
}

func accountOfKey(pub []byte) protocol.AccountID { return crypto.AccountIDFromPublic(pub) }
