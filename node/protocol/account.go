package protocol

import (
	"bytes"
	"errors"
	"fmt"
)

// AccountID identifies an account: RIPEMD160(SHA256(public key)).
type AccountID [20]byte

// Accounts with a meaning of their own.
var (
	AccountZero = AccountID{}
	AccountOne  = AccountID{19: 1} // "no account", the issuer in a trust line's balance
)

// String returns the classic address (r...).
func (a AccountID) String() string { return EncodeBase58Check(versionAccount[:], a[:]) }

// IsZero reports whether every byte is zero.
func (a AccountID) IsZero() bool { return a == AccountID{} }

// Compare orders accounts as unsigned big-endian numbers.
func (a AccountID) Compare(o AccountID) int { return bytes.Compare(a[:], o[:]) }

// MarshalText writes the classic address.
func (a AccountID) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads a classic address.
func (a *AccountID) UnmarshalText(b []byte) error {
	v, err := ParseAccountID(string(b))
	if err == nil {
		*a = v
	}
	return err
}

// ParseAccountID reads a classic address.
func ParseAccountID(s string) (AccountID, error) {
	p, err := DecodeBase58Check(s, versionAccount[:], 20)
	if err != nil {
		return AccountID{}, fmt.Errorf("address %q: %w", clip(s), err)
	}
	return AccountID(p), nil
}

// MustAccountID is ParseAccountID for constants; it panics on a malformed one.
func MustAccountID(s string) AccountID {
	a, err := ParseAccountID(s)
	if err != nil {
		panic(err)
	}
	return a
}

// Currency is a 20-byte currency code; all zero is XRP.
type Currency [20]byte

// CurrencyXRP is the native currency.
var CurrencyXRP = Currency{}

// badCurrency is the three letters XRP written as an issued code, which the protocol forbids.
var badCurrency = Currency{12: 'X', 13: 'R', 14: 'P'}

// IsXRP reports whether this is the native currency.
func (c Currency) IsXRP() bool { return c == Currency{} }

// IsBad reports whether this is the forbidden issued code that spells XRP.
func (c Currency) IsBad() bool { return c == badCurrency }

// Compare orders currencies as unsigned big-endian numbers.
func (c Currency) Compare(o Currency) int { return bytes.Compare(c[:], o[:]) }

// String returns XRP, three characters, or 40 hexadecimal digits.
func (c Currency) String() string {
	if c.IsXRP() {
		return "XRP"
	}
	for i, b := range c {
		if (i < 12 || i > 14) && b != 0 {
			return upperHex(c[:])
		}
	}
	for _, b := range c[12:15] {
		if !isoChar(b) {
			return upperHex(c[:])
		}
	}
	if c.IsBad() {
		return upperHex(c[:])
	}
	return string(c[12:15])
}

// isoChar reports whether b may appear in a three-character code (rippled UintTypes.cpp).
func isoChar(b byte) bool {
	switch {
	case b >= 'A' && b <= 'Z', b >= 'a' && b <= 'z', b >= '0' && b <= '9':
		return true
	}
	return bytes.IndexByte([]byte("<>(){}[]|?!@#$%^&*"), b) >= 0
}

var errCurrency = errors.New("a currency is XRP, three of its allowed characters, or 40 hexadecimal digits")

// ParseCurrency reads XRP, a three-character code or 40 hexadecimal digits.
func ParseCurrency(s string) (Currency, error) {
	var c Currency
	switch {
	case s == "XRP":
		return c, nil
	case len(s) == 3:
		for i := range 3 {
			if !isoChar(s[i]) {
				return c, errCurrency
			}
		}
		copy(c[12:], s)
		return c, nil
	case len(s) == 40:
		if err := parseHexInto(c[:], s); err != nil {
			return c, err
		}
		if c.IsBad() {
			return c, errors.New("the issued code that spells XRP is forbidden")
		}
		return c, nil
	}
	return c, errCurrency
}

// clip shortens foreign text for an error message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
