package crypto

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"ledgerlab/node/protocol"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"golang.org/x/crypto/ripemd160" //nolint:staticcheck // accounts are RIPEMD-160 hashes by protocol
)

// KeyType is the kind of a key.
type KeyType uint8

// The kinds.
const (
	Secp256k1 KeyType = iota
	Ed25519
)

// String returns the name clients use.
func (t KeyType) String() string {
	if t == Ed25519 {
		return "ed25519"
	}
	return "secp256k1"
}

// ParseKeyType reads secp256k1 or ed25519.
func ParseKeyType(s string) (KeyType, error) {
	switch s {
	case "secp256k1":
		return Secp256k1, nil
	case "ed25519":
		return Ed25519, nil
	}
	return 0, fmt.Errorf("key type %q: it is secp256k1 or ed25519", s)
}

// edPrefix marks an ed25519 public key.
const edPrefix = 0xED

// Seed is what keys are made from.
type Seed [16]byte

// ParseSeed reads s... or sEd...; the second form says ed25519.
func ParseSeed(s string) (Seed, KeyType, error) {
	b, ed, err := protocol.DecodeSeed(s)
	if err != nil {
		return Seed{}, 0, fmt.Errorf("seed: %w", err) // never the text: it is a secret
	}
	if ed {
		return b, Ed25519, nil
	}
	return b, Secp256k1, nil
}

// SeedFromPassphrase makes a seed as rippled does: the first half of SHA-512Half.
func SeedFromPassphrase(s string) Seed {
	h := protocol.SHA512Half([]byte(s))
	return Seed(h[:16])
}

// NewSeed reads a seed from a source of randomness.
func NewSeed(random io.Reader) (Seed, error) {
	var s Seed
	_, err := io.ReadFull(random, s[:])
	return s, err
}

// Encode returns the text form for keys of a kind.
func (s Seed) Encode(t KeyType) string { return protocol.EncodeSeed(s, t == Ed25519) }

// KeyPair is a private key with its public half.
type KeyPair struct {
	Type   KeyType
	Public []byte // 33 bytes: compressed point, or ED and the ed25519 key
	secp   *secp256k1.PrivateKey
	ed     ed25519.PrivateKey
}

// GenerateAccountKey makes the key of an account (index 0) from a seed.
func GenerateAccountKey(seed Seed, t KeyType) (*KeyPair, error) {
	if t == Ed25519 {
		h := protocol.SHA512Half(seed[:])
		return KeyPairFromPrivate(Ed25519, h[:])
	}
	root, err := secpRoot(seed)
	if err != nil {
		return nil, err
	}
	generator := root.PubKey().SerializeCompressed()
	add, err := secpScalar(append(generator, 0, 0, 0, 0))
	if err != nil {
		return nil, err
	}
	add.Add(&root.Key)
	if add.IsZero() {
		return nil, errors.New("the seed gives no key")
	}
	return secpPair(secp256k1.NewPrivateKey(add)), nil
}

// GenerateNodeKey makes the key of a node or validator from a seed: the secp256k1 root pair itself.
func GenerateNodeKey(seed Seed) (*KeyPair, error) {
	root, err := secpRoot(seed)
	if err != nil {
		return nil, err
	}
	return secpPair(root), nil
}

// KeyPairFromPrivate makes a pair from the 32 private bytes.
func KeyPairFromPrivate(t KeyType, private []byte) (*KeyPair, error) {
	if len(private) != 32 {
		return nil, fmt.Errorf("a private key has 32 bytes, not %d", len(private))
	}
	if t == Ed25519 {
		k := ed25519.NewKeyFromSeed(private)
		return &KeyPair{Type: Ed25519, Public: append([]byte{edPrefix}, k[32:]...), ed: k}, nil
	}
	var s secp256k1.ModNScalar
	if s.SetByteSlice(private) || s.IsZero() {
		return nil, errors.New("the private key is not below the order of the curve")
	}
	return secpPair(secp256k1.NewPrivateKey(&s)), nil
}

func secpPair(k *secp256k1.PrivateKey) *KeyPair {
	return &KeyPair{Type: Secp256k1, Public: k.PubKey().SerializeCompressed(), secp: k}
}

func secpRoot(seed Seed) (*secp256k1.PrivateKey, error) {
	s, err := secpScalar(seed[:])
	if err != nil {
		return nil, err
	}
	return secp256k1.NewPrivateKey(s), nil
}

// maxSeedTries is how often a key is sought from one seed (rippled SecretKey.cpp); once is enough in practice.
const maxSeedTries = 128

// secpScalar hashes the prefix with a counter until the result is a private key.
func secpScalar(prefix []byte) (*secp256k1.ModNScalar, error) {
	for i := range uint32(maxSeedTries) {
		h := protocol.SHA512Half(binary.BigEndian.AppendUint32(append([]byte(nil), prefix...), i))
		var s secp256k1.ModNScalar
		if !s.SetByteSlice(h[:]) && !s.IsZero() {
			return &s, nil
		}
	}
	return nil, errors.New("the seed gives no key")
}

// Private returns the 32 private bytes.
func (k *KeyPair) Private() []byte {
	if k.Type == Ed25519 {
		return k.ed.Seed()
	}
	return k.secp.Serialize()
}

// AccountID is the account of the public key.
func (k *KeyPair) AccountID() protocol.AccountID { return AccountIDFromPublic(k.Public) }

// Sign signs a message: ed25519 the message itself, secp256k1 its SHA-512Half as a low-S DER signature.
func (k *KeyPair) Sign(msg []byte) []byte {
	if k.Type == Ed25519 {
		return ed25519.Sign(k.ed, msg)
	}
	return k.SignDigest(protocol.SHA512Half(msg))
}

// SignDigest signs a digest with a secp256k1 key (RFC 6979 nonce, low S, DER); nil for an ed25519 key, which signs
// no digests.
func (k *KeyPair) SignDigest(h protocol.Hash) []byte {
	if k.Type != Secp256k1 {
		return nil
	}
	return ecdsa.Sign(k.secp, h[:]).Serialize()
}

// AccountIDFromPublic is RIPEMD160(SHA256(key)): the account of an account key, the node id of a node key.
func AccountIDFromPublic(pub []byte) protocol.AccountID {
	s := sha256.Sum256(pub)
	r := ripemd160.New()
	r.Write(s[:])
	return protocol.AccountID(r.Sum(nil))
}

// KeyTypeOf says which kind of public key the bytes are, and whether they have the form of one.
func KeyTypeOf(pub []byte) (KeyType, bool) {
	if len(pub) != 33 {
		return 0, false
	}
	switch pub[0] {
	case edPrefix:
		return Ed25519, true
	case 2, 3:
		return Secp256k1, true
	}
	return 0, false
}
