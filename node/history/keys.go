package history

import (
	"encoding/binary"
	"errors"

	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

// Keys are 32 bytes, the store's size, in the order in which ranges are read. The
// first byte says what is under them.
const (
	kindLedger  = 1 // sequence -> hash, close time, transactions
	kindTx      = 2 // id without its last byte -> that byte, sequence, place
	kindAccount = 3 // account, sequence, place -> id of the transaction
)

const (
	ledgerValueLen = 32 + 4 + 4
	txValueLen     = 1 + 4 + 4
	accountLen     = 20
)

var errFormat = errors.New("history: malformed value")

func ledgerKey(seq uint32) (k store.Hash) {
	k[0] = kindLedger
	binary.BigEndian.PutUint32(k[1:], seq)
	return k
}

func txKey(id protocol.Hash) (k store.Hash) {
	k[0] = kindTx
	copy(k[1:], id[:])
	return k
}

func accountKey(a protocol.AccountID, seq, place uint32) (k store.Hash) {
	k[0] = kindAccount
	copy(k[1:], a[:])
	binary.BigEndian.PutUint32(k[1+accountLen:], seq)
	binary.BigEndian.PutUint32(k[1+accountLen+4:], place)
	return k
}

// end makes a key the last one with its first n bytes.
func end(k store.Hash, n int) store.Hash {
	for i := n; i < len(k); i++ {
		k[i] = 0xFF
	}
	return k
}
