package protocol

import "encoding/binary"

// HeaderSize is the serialised size of a ledger header.
const HeaderSize = 118

// CloseFlagNoConsensus in Header.CloseFlags says that the close time was not agreed (rippled sLCF_NoConsensusTime).
const CloseFlagNoConsensus = 1

// Header is the header of a ledger. Times are seconds since 2000-01-01.
type Header struct {
	Sequence            uint32
	Drops               uint64 // all XRP there is
	ParentHash          Hash
	TxHash              Hash // root of the transaction tree
	AccountHash         Hash // root of the state tree
	ParentCloseTime     uint32
	CloseTime           uint32
	CloseTimeResolution uint8 // seconds
	CloseFlags          uint8
}

// AppendTo appends the 118 bytes.
func (h *Header) AppendTo(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, h.Sequence)
	dst = binary.BigEndian.AppendUint64(dst, h.Drops)
	dst = append(dst, h.ParentHash[:]...)
	dst = append(dst, h.TxHash[:]...)
	dst = append(dst, h.AccountHash[:]...)
	dst = binary.BigEndian.AppendUint32(dst, h.ParentCloseTime)
	dst = binary.BigEndian.AppendUint32(dst, h.CloseTime)
	return append(dst, h.CloseTimeResolution, h.CloseFlags)
}

// Hash is the ledger hash.
func (h *Header) Hash() Hash {
	var buf [4 + HeaderSize]byte
	copy(buf[:], PrefixLedger[:])
	h.AppendTo(buf[:4])
	return half(buf[:])
}

// AppendPrefixed appends the stored form: prefix and header.
func (h *Header) AppendPrefixed(dst []byte) []byte {
	return h.AppendTo(append(dst, PrefixLedger[:]...))
}

// ParseHeader reads exactly 118 bytes.
func ParseHeader(b []byte) (Header, error) {
	if len(b) != HeaderSize {
		return Header{}, fault(min(len(b), HeaderSize), 0, "a ledger header has %d bytes, not %d", HeaderSize, len(b))
	}
	return Header{
		Sequence:            binary.BigEndian.Uint32(b),
		Drops:               binary.BigEndian.Uint64(b[4:]),
		ParentHash:          Hash(b[12:44]),
		TxHash:              Hash(b[44:76]),
		AccountHash:         Hash(b[76:108]),
		ParentCloseTime:     binary.BigEndian.Uint32(b[108:]),
		CloseTime:           binary.BigEndian.Uint32(b[112:]),
		CloseTimeResolution: b[116],
		CloseFlags:          b[117],
	}, nil
}

// ParsePrefixedHeader reads the stored form: prefix and header.
func ParsePrefixedHeader(b []byte) (Header, error) {
	if len(b) < 4 || HashPrefix(b[:4]) != PrefixLedger {
		return Header{}, fault(0, 0, "no ledger header: the prefix is not LWR")
	}
	return ParseHeader(b[4:])
}
