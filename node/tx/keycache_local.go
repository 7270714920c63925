package tx

import (
	"crypto/sha256"

	"golang.org/x/crypto/ripemd160" //nolint:staticcheck // the ledger's own choice

	"ledgerlab/node/protocol"
)

func accountOfKey(pub []byte) protocol.AccountID {
	s := sha256.Sum256(pub)
	h := ripemd160.New()
	h.Write(s[:])
	return protocol.AccountID(h.Sum(nil))
}
