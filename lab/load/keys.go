package load

import (
	"fmt"

	"ledgerlab/node/crypto"
)

// AccountKey returns the ed25519 key of account i of the load drawn from seed.
// Prepared states fund the accounts of these keys.
func AccountKey(seed uint64, i int) *crypto.KeyPair {
	key, err := crypto.GenerateAccountKey(crypto.SeedFromPassphrase(fmt.Sprintf("ledgerlab account %d %d", seed, i)), crypto.Ed25519)
	if err != nil {
		panic(err) // every seed is an ed25519 key
	}
	return key
}
