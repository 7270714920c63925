package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// ObjectType is the type byte of a NodeObject (NodeObject.h).
type ObjectType uint8

// The types that are stored.
const (
	Unknown     ObjectType = 0
	Ledger      ObjectType = 1
	AccountNode ObjectType = 3
	TxNode      ObjectType = 4
)

// Hash is the key of a NodeObject: the SHA-512Half that names the node or ledger.
type Hash = [32]byte

// Value codecs (codec.h): the first byte of a stored value. Codec 1 (LZ4) is never written: the payloads are hashes
// and signatures, which do not shrink.
const (
	codecRaw         = 0
	codecInnerSparse = 2
	codecInnerFull   = 3
)

const (
	headLen       = 9   // ledger index (unused, 0), the same again, type
	innerLen      = 516 // "MIN\0" and sixteen hashes
	innerPrefix   = 0x4D494E00
	innerBranches = 16
	hashLen       = 32
	// ObjectMax bounds one payload; the largest real one is a leaf of a few hundred KiB.
	ObjectMax = 16 << 20
)

// ErrFormat is a stored value that does not follow the codec.
var ErrFormat = errors.New("store: malformed object")

// AppendObject encodes a NodeObject: 9 bytes of head and the payload, or, for an inner node in prefix form, a mask and
// the hashes that are present. An inner node comes back with type Unknown, as in rippled.
func AppendObject(dst []byte, t ObjectType, payload []byte) []byte {
	if len(payload) == innerLen && binary.BigEndian.Uint32(payload) == innerPrefix {
		return appendInner(dst, payload[4:])
	}
	dst = append(dst, codecRaw, 0, 0, 0, 0, 0, 0, 0, 0, byte(t))
	return append(dst, payload...)
}

func appendInner(dst, hashes []byte) []byte {
	var zero [hashLen]byte
	mask := uint16(0)
	for i := range innerBranches {
		if [hashLen]byte(hashes[i*hashLen:]) != zero {
			mask |= 0x8000 >> i
		}
	}
	if mask == 0xFFFF {
		dst = append(dst, codecInnerFull)
		return append(dst, hashes...)
	}
	dst = append(dst, codecInnerSparse)
	dst = binary.BigEndian.AppendUint16(dst, mask)
	for i := range innerBranches {
		if mask&(0x8000>>i) != 0 {
			dst = append(dst, hashes[i*hashLen:(i+1)*hashLen]...)
		}
	}
	return dst
}

// DecodeObject appends the payload of an encoded value to dst and returns it with the type.
func DecodeObject(dst, value []byte) ([]byte, ObjectType, error) {
	if len(value) == 0 {
		return dst, Unknown, fmt.Errorf("%w: empty value", ErrFormat)
	}
	body := value[1:]
	switch value[0] {
	case codecRaw:
		if len(body) < headLen {
			return dst, Unknown, fmt.Errorf("%w: %d bytes, want at least %d", ErrFormat, len(body), headLen)
		}
		if len(body) > headLen+ObjectMax {
			return dst, Unknown, fmt.Errorf("%w: %d bytes, allowed %d", ErrFormat, len(body), headLen+ObjectMax)
		}
		return append(dst, body[headLen:]...), ObjectType(body[headLen-1]), nil
	case codecInnerSparse:
		return decodeSparse(dst, body)
	case codecInnerFull:
		if len(body) != innerLen-4 {
			return dst, Unknown, fmt.Errorf("%w: full inner of %d bytes, want %d", ErrFormat, len(body), innerLen-4)
		}
		dst = binary.BigEndian.AppendUint32(dst, innerPrefix)
		return append(dst, body...), Unknown, nil
	}
	return dst, Unknown, fmt.Errorf("%w: codec %d, want 0, 2 or 3", ErrFormat, value[0])
}

func decodeSparse(dst, body []byte) ([]byte, ObjectType, error) {
	if len(body) < 2 {
		return dst, Unknown, fmt.Errorf("%w: sparse inner of %d bytes", ErrFormat, len(body))
	}
	mask := binary.BigEndian.Uint16(body)
	body = body[2:]
	if n := bits.OnesCount16(mask); n == 0 || len(body) != n*hashLen {
		return dst, Unknown, fmt.Errorf("%w: sparse inner of %d hashes has %d bytes", ErrFormat, n, len(body))
	}
	dst = binary.BigEndian.AppendUint32(dst, innerPrefix)
	var zero [hashLen]byte
	for i := range innerBranches {
		if mask&(0x8000>>i) == 0 {
			dst = append(dst, zero[:]...)
			continue
		}
		dst = append(dst, body[:hashLen]...)
		body = body[hashLen:]
	}
	return dst, Unknown, nil
}
