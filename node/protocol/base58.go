package protocol

import (
	"bytes"
	"crypto/sha256"
	"errors"
)

const base58Alphabet = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"

// Version bytes of the Base58Check forms.
var (
	versionAccount     = [...]byte{0x00}
	versionNodePublic  = [...]byte{0x1C}
	versionNodePrivate = [...]byte{0x20}
	versionSeed        = [...]byte{0x21}
	versionAccountPub  = [...]byte{0x23}
	versionSeedEd      = [...]byte{0x01, 0xE1, 0x4B}
	versionXMain       = [...]byte{0x05, 0x44}
	versionXTest       = [...]byte{0x04, 0x93}
)

// maxBase58Len bounds the text that is looked at; the longest form in use has 53 characters.
const maxBase58Len = 128

var base58Index = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range len(base58Alphabet) {
		t[base58Alphabet[i]] = int8(i)
	}
	return t
}()

// Faults of Base58Check text.
var (
	ErrBase58Char     = errors.New("a character is not in the Base58 alphabet")
	ErrBase58Length   = errors.New("wrong length")
	ErrBase58Checksum = errors.New("wrong checksum")
	ErrBase58Version  = errors.New("wrong kind (version bytes)")
)

// EncodeBase58Check appends the double SHA-256 checksum to version and payload and returns the Base58 text.
func EncodeBase58Check(version, payload []byte) string {
	buf := make([]byte, 0, len(version)+len(payload)+4)
	buf = append(append(buf, version...), payload...)
	sum := checksum(buf)
	return encodeBase58(append(buf, sum[:]...))
}

// DecodeBase58Check returns the payload of Base58Check text of the given version and payload length.
func DecodeBase58Check(s string, version []byte, payloadLen int) ([]byte, error) {
	raw, err := decodeBase58(s)
	if err != nil {
		return nil, err
	}
	if len(raw) != len(version)+payloadLen+4 {
		return nil, ErrBase58Length
	}
	body := raw[:len(raw)-4]
	if sum := checksum(body); !bytes.Equal(sum[:], raw[len(raw)-4:]) {
		return nil, ErrBase58Checksum
	}
	if !bytes.HasPrefix(body, version) {
		return nil, ErrBase58Version
	}
	return body[len(version):], nil
}

func checksum(b []byte) [4]byte {
	a := sha256.Sum256(b)
	a = sha256.Sum256(a[:])
	return [4]byte(a[:4])
}

func encodeBase58(b []byte) string {
	zeros := 0
	for zeros < len(b) && b[zeros] == 0 {
		zeros++
	}
	digits := make([]byte, 0, len(b)*138/100+1) // log(256)/log(58) = 1.37; least significant first
	for _, v := range b[zeros:] {
		carry := int(v)
		for i := range digits {
			carry += int(digits[i]) << 8
			digits[i] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			digits = append(digits, byte(carry%58))
		}
	}
	out := make([]byte, 0, zeros+len(digits))
	for range zeros {
		out = append(out, base58Alphabet[0])
	}
	for i := len(digits) - 1; i >= 0; i-- {
		out = append(out, base58Alphabet[digits[i]])
	}
	return string(out)
}

func decodeBase58(s string) ([]byte, error) {
	if len(s) == 0 || len(s) > maxBase58Len {
		return nil, ErrBase58Length
	}
	zeros := 0
	for zeros < len(s) && s[zeros] == base58Alphabet[0] {
		zeros++
	}
	var num []byte // least significant first
	for i := zeros; i < len(s); i++ {
		d := base58Index[s[i]]
		if d < 0 {
			return nil, ErrBase58Char
		}
		carry := int(d)
		for j := range num {
			carry += int(num[j]) * 58
			num[j] = byte(carry)
			carry >>= 8
		}
		for ; carry > 0; carry >>= 8 {
			num = append(num, byte(carry))
		}
	}
	out := make([]byte, zeros+len(num))
	for i, v := range num {
		out[len(out)-1-i] = v
	}
	return out, nil
}

// EncodeNodePublic returns a node or validator key (n...).
func EncodeNodePublic(pub []byte) string { return EncodeBase58Check(versionNodePublic[:], pub) }

// DecodeNodePublic reads a node or validator key (n...): 33 bytes.
func DecodeNodePublic(s string) ([]byte, error) {
	return DecodeBase58Check(s, versionNodePublic[:], 33)
}

// EncodeNodePrivate returns a node's private key (p...).
func EncodeNodePrivate(key []byte) string { return EncodeBase58Check(versionNodePrivate[:], key) }

// DecodeNodePrivate reads a node's private key (p...): 32 bytes.
func DecodeNodePrivate(s string) ([]byte, error) {
	return DecodeBase58Check(s, versionNodePrivate[:], 32)
}

// EncodeAccountPublic returns an account's public key (a...).
func EncodeAccountPublic(pub []byte) string { return EncodeBase58Check(versionAccountPub[:], pub) }

// DecodeAccountPublic reads an account's public key (a...): 33 bytes.
func DecodeAccountPublic(s string) ([]byte, error) {
	return DecodeBase58Check(s, versionAccountPub[:], 33)
}

// EncodeSeed returns a 16-byte seed as s... or, for ed25519, as sEd....
func EncodeSeed(seed [16]byte, ed25519 bool) string {
	if ed25519 {
		return EncodeBase58Check(versionSeedEd[:], seed[:])
	}
	return EncodeBase58Check(versionSeed[:], seed[:])
}

// DecodeSeed reads s... or sEd... and says which of the two it was.
func DecodeSeed(s string) (seed [16]byte, ed25519 bool, err error) {
	p, err := DecodeBase58Check(s, versionSeed[:], 16)
	if err != nil {
		var errEd error
		if p, errEd = DecodeBase58Check(s, versionSeedEd[:], 16); errEd != nil {
			if errors.Is(err, ErrBase58Length) {
				err = errEd
			}
			return seed, false, err
		}
		ed25519 = true
	}
	return [16]byte(p), ed25519, nil
}
