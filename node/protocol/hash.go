package protocol

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"strings"
)

// Hash is a 256-bit hash or key.
type Hash [32]byte

// String returns 64 upper-case hexadecimal digits.
func (h Hash) String() string { return upperHex(h[:]) }

// IsZero reports whether every byte is zero.
func (h Hash) IsZero() bool { return h == Hash{} }

// Compare orders hashes as unsigned big-endian numbers.
func (h Hash) Compare(o Hash) int { return bytes.Compare(h[:], o[:]) }

// MarshalText writes the hexadecimal form, so that hashes work in JSON and as map keys.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the hexadecimal form.
func (h *Hash) UnmarshalText(b []byte) error {
	v, err := ParseHash(string(b))
	if err == nil {
		*h = v
	}
	return err
}

// ParseHash reads 64 hexadecimal digits of either case.
func ParseHash(s string) (Hash, error) {
	var h Hash
	return h, parseHexInto(h[:], s)
}

// MustHash is ParseHash for constants; it panics on a malformed one.
func MustHash(s string) Hash {
	h, err := ParseHash(s)
	if err != nil {
		panic(err)
	}
	return h
}

func parseHexInto(dst []byte, s string) error {
	if len(s) != 2*len(dst) {
		return fmt.Errorf("%d hexadecimal digits wanted, got %d", 2*len(dst), len(s))
	}
	if _, err := hex.Decode(dst, []byte(s)); err != nil {
		return fmt.Errorf("%q is not hexadecimal", s)
	}
	return nil
}

func upperHex(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }

// HashPrefix separates the domains of SHA-512Half (rippled HashPrefix.h).
type HashPrefix [4]byte

// The prefixes: three letters and a zero byte.
var (
	PrefixTxID         = HashPrefix{'T', 'X', 'N', 0} // transaction id, and leaf without metadata
	PrefixTxNode       = HashPrefix{'S', 'N', 'D', 0} // leaf of transaction and metadata
	PrefixLeaf         = HashPrefix{'M', 'L', 'N', 0} // state leaf
	PrefixInner        = HashPrefix{'M', 'I', 'N', 0} // inner tree node
	PrefixLedger       = HashPrefix{'L', 'W', 'R', 0} // ledger header
	PrefixTxSign       = HashPrefix{'S', 'T', 'X', 0} // single signing
	PrefixTxMultiSign  = HashPrefix{'S', 'M', 'T', 0} // multi-signing
	PrefixValidation   = HashPrefix{'V', 'A', 'L', 0} // validation
	PrefixProposal     = HashPrefix{'P', 'R', 'P', 0} // proposal
	PrefixManifest     = HashPrefix{'M', 'A', 'N', 0} // manifest
	PrefixPayChanClaim = HashPrefix{'C', 'L', 'M', 0} // payment channel claim
	PrefixCredential   = HashPrefix{'C', 'R', 'D', 0} // credential
	PrefixBatch        = HashPrefix{'B', 'C', 'H', 0} // batch signing
)

// SHA512Half is the first 32 bytes of SHA-512 of the concatenation of the parts.
func SHA512Half(parts ...[]byte) Hash {
	if len(parts) == 1 {
		return half(parts[0])
	}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n <= 512 { // joined on the stack: cheaper than a digest object
		var buf [512]byte
		b := buf[:0]
		for _, p := range parts {
			b = append(b, p...)
		}
		return half(b)
	}
	d := sha512.New()
	for _, p := range parts {
		d.Write(p)
	}
	var sum [64]byte
	d.Sum(sum[:0])
	return Hash(sum[:32])
}

func half(b []byte) Hash {
	s := sha512.Sum512(b)
	return Hash(s[:32])
}
