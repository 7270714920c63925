package peer

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"strings"
)

// Key is the ed25519 public key of a node's TLS certificate. It is the pin of the peer list.
type Key [32]byte

func (k Key) String() string { return strings.ToUpper(hex.EncodeToString(k[:])) }

// ParseKey reads 64 hex digits.
func ParseKey(s string) (Key, error) {
	var k Key
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return k, fmt.Errorf("peer key %q: want 64 hex digits", s)
	}
	copy(k[:], b)
	return k, nil
}

// Identity is the key pair of this node's TLS certificate.
type Identity struct {
	private ed25519.PrivateKey
}

// NewIdentity makes the identity of a 32-byte seed.
func NewIdentity(seed [32]byte) Identity {
	return Identity{ed25519.NewKeyFromSeed(seed[:])}
}

// Key is the public key, to be pinned by the peers.
func (i Identity) Key() Key { return Key(i.private.Public().(ed25519.PublicKey)) }
