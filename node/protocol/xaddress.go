package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// XAddress is an address together with an optional tag, as X... (main network) or T... (test networks).
type XAddress struct {
	Account AccountID
	Tag     uint32
	HasTag  bool
	Test    bool
}

// String returns the text form.
func (x XAddress) String() string {
	version := versionXMain[:]
	if x.Test {
		version = versionXTest[:]
	}
	var b [29]byte
	copy(b[:], x.Account[:])
	if x.HasTag {
		b[20] = 1
		binary.LittleEndian.PutUint32(b[21:], x.Tag)
	}
	return EncodeBase58Check(version, b[:])
}

// ParseXAddress reads the text form.
func ParseXAddress(s string) (XAddress, error) {
	test := false
	b, err := DecodeBase58Check(s, versionXMain[:], 29)
	if err != nil {
		if b, err = DecodeBase58Check(s, versionXTest[:], 29); err != nil {
			return XAddress{}, fmt.Errorf("X-address %q: %w", clip(s), err)
		}
		test = true
	}
	x := XAddress{Account: AccountID(b[:20]), Test: test, Tag: binary.LittleEndian.Uint32(b[21:])}
	switch {
	case b[20] > 1:
		return XAddress{}, errors.New("X-address: its flag for a tag is neither 0 nor 1")
	case binary.LittleEndian.Uint32(b[25:]) != 0:
		return XAddress{}, errors.New("X-address: tags of more than 32 bits are not supported")
	case b[20] == 0 && x.Tag != 0:
		return XAddress{}, errors.New("X-address: a tag although the flag says there is none")
	}
	x.HasTag = b[20] == 1
	return x, nil
}

// parseAddress reads a classic address or an X-address.
func parseAddress(s string) (XAddress, error) {
	if len(s) > 0 && (s[0] == 'X' || s[0] == 'T') {
		return ParseXAddress(s)
	}
	a, err := ParseAccountID(s)
	return XAddress{Account: a}, err
}
