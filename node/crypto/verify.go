package crypto

import (
	"bytes"
	stded "crypto/ed25519"

	"ledgerlab/node/protocol"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
)

// Rule says which of two signatures that are both right by arithmetic are right by protocol.
type Rule uint8

// The rules for secp256k1. For ed25519 both are the same: S below the order of the group.
const (
	Canonical Rule = iota // low S only: submission, and every ledger since fully canonical signatures are required
	Historic              // high S too: ledgers of 2013 to 2015 hold some
)

// edOptions is the one set of options under which every ed25519 signature is judged, alone or in a batch.
//
// rippled verifies with ed25519-donna: it refuses S at or above the order, takes keys of small order and keys whose y
// is not reduced, and compares the bytes of R with those it computed, which refuses an R that is not reduced. All of
// that is here. One thing cannot be had: donna's equation has no cofactor, and a batch without cofactor gives answers
// that depend on chance and on the neighbours. So the equation here has the cofactor, alone and in a batch. What donna
// accepts is accepted; beyond it only signatures with a torsion component, which nobody but the owner of the key can
// make, for a message that the owner could sign properly.
var edOptions = &ed25519.Options{Verify: &ed25519.VerifyOptions{
	AllowSmallOrderA:   true,
	AllowSmallOrderR:   true,
	AllowNonCanonicalA: true,
}}

// Verify reports whether sig is a signature of msg by the public key.
func Verify(pub, msg, sig []byte, rule Rule) bool {
	t, ok := KeyTypeOf(pub)
	if !ok {
		return false
	}
	if t == Ed25519 {
		return len(sig) == stded.SignatureSize && ed25519.VerifyWithOptions(pub[1:], msg, sig, edOptions)
	}
	return verifySecp(pub, protocol.SHA512Half(msg), sig, rule)
}

// VerifyDigest reports whether sig is a canonical secp256k1 signature of the digest.
func VerifyDigest(pub []byte, h protocol.Hash, sig []byte) bool {
	t, ok := KeyTypeOf(pub)
	return ok && t == Secp256k1 && verifySecp(pub, h, sig, Canonical)
}

// VerifyDigestRule is VerifyDigest under a rule.
func VerifyDigestRule(pub []byte, h protocol.Hash, sig []byte, rule Rule) bool {
	t, ok := KeyTypeOf(pub)
	return ok && t == Secp256k1 && verifySecp(pub, h, sig, rule)
}

func verifySecp(pub []byte, h protocol.Hash, sig []byte, rule Rule) bool {
	s, err := ecdsa.ParseDERSignature(sig) // strict DER, 0 < r, s < n
	if err != nil {
		return false
	}
	if rule == Canonical {
		if v := s.S(); v.IsOverHalfOrder() {
			return false
		}
	}
	key, err := secp256k1.ParsePubKey(pub)
	if err != nil {
		return false
	}
	return s.Verify(h[:], key)
}

// IsCanonical reports whether a signature has the form that submission requires, without verifying it: strict DER
// with low S, or 64 bytes with S below the order for an ed25519 key.
func IsCanonical(pub, sig []byte) bool {
	t, ok := KeyTypeOf(pub)
	if !ok {
		return false
	}
	if t == Ed25519 {
		return len(sig) == stded.SignatureSize && belowEdOrder(sig[32:])
	}
	s, err := ecdsa.ParseDERSignature(sig)
	if err != nil {
		return false
	}
	v := s.S()
	return !v.IsOverHalfOrder()
}

// edOrder is the order of the ed25519 group, most significant byte first.
var edOrder = []byte{
	0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0xDE, 0xF9, 0xDE, 0xA2, 0xF7, 0x9C, 0xD6,
	0x58, 0x12, 0x63, 0x1A, 0x5C, 0xF5, 0xD3, 0xED,
}

func belowEdOrder(s []byte) bool {
	var be [32]byte
	for i, b := range s {
		be[31-i] = b
	}
	return bytes.Compare(be[:], edOrder) < 0
}
