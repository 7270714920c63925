package protocol

import (
	"encoding/binary"
	"fmt"
)

// Drops is an amount of XRP; one XRP is a million drops.
type Drops int64

// Limits of XRP.
const (
	DropsPerXRP Drops = 1_000_000
	MaxDrops    Drops = 100_000_000_000_000_000 // all XRP there ever was
)

// Bits of a serialised amount (rippled STAmount.h).
const (
	amountIssued   = uint64(1) << 63
	amountPositive = uint64(1) << 62
	amountMPT      = uint64(1) << 61
	amountZero     = amountIssued
	mantissaMask   = uint64(1)<<54 - 1
)

// Limits of an issued amount: value = mantissa * 10^exponent.
const (
	minMantissa  = 1_000_000_000_000_000
	maxMantissa  = 9_999_999_999_999_999
	minExponent  = -96
	maxExponent  = 80
	zeroExponent = -100
)

type amountKind uint8

const (
	kindXRP amountKind = iota
	kindIssued
	kindMPT
)

// Amount is a quantity of XRP, of an issued currency or of a multi-purpose token. It is comparable and small enough
// to pass by value. The zero Amount is zero XRP.
type Amount struct {
	mantissa uint64 // drops, token units, or the normalized mantissa
	exponent int8   // issued only; -100 for zero
	negative bool
	kind     amountKind
	currency Currency  // issued; the first 20 bytes of an MPT's id
	issuer   AccountID // issued; the last 4 bytes of an MPT's id come first
}

// Asset names what an amount is an amount of. The zero Asset is XRP.
type Asset struct {
	Currency Currency
	Issuer   AccountID
	mpt      bool
}

// IsXRP reports whether the asset is the native currency.
func (a Asset) IsXRP() bool { return !a.mpt && a.Currency.IsXRP() }

// XRP returns an amount of drops.
func XRP(d Drops) Amount {
	if d < 0 {
		return Amount{mantissa: uint64(-d), negative: true}
	}
	return Amount{mantissa: uint64(d)}
}

// Issued returns mantissa * 10^exponent of the currency, normalized as rippled does: too small becomes zero, too
// large is an error.
func Issued(mantissa int64, exponent int, c Currency, issuer AccountID) (Amount, error) {
	a := Amount{kind: kindIssued, currency: c, issuer: issuer}
	neg := mantissa < 0
	m := uint64(mantissa)
	if neg {
		m = -m
	}
	return a.with(m, exponent, neg)
}

// with returns the amount of the same asset with another value, normalized.
func (a Amount) with(m uint64, exp int, neg bool) (Amount, error) {
	if a.kind != kindIssued {
		return a.withWhole(m, exp, neg)
	}
	for m != 0 && m < minMantissa && exp > minExponent {
		m *= 10
		exp--
	}
	for m > maxMantissa {
		if exp >= maxExponent {
			return Amount{}, fmt.Errorf("amount out of range")
		}
		m /= 10
		exp++
	}
	if m < minMantissa || exp < minExponent {
		a.mantissa, a.exponent, a.negative = 0, zeroExponent, false
		return a, nil
	}
	if exp > maxExponent {
		return Amount{}, fmt.Errorf("amount out of range")
	}
	a.mantissa, a.exponent, a.negative = m, int8(exp), neg
	return a, nil
}

// withWhole is with for assets that are counted in whole units.
func (a Amount) withWhole(m uint64, exp int, neg bool) (Amount, error) {
	for ; exp < 0 && m != 0; exp++ {
		m /= 10
	}
	for ; exp > 0 && m != 0; exp-- {
		if m > 1<<62/10 {
			return Amount{}, fmt.Errorf("amount out of range")
		}
		m *= 10
	}
	limit := uint64(MaxDrops)
	if a.kind == kindMPT {
		limit = 1<<63 - 1
	}
	if m > limit {
		return Amount{}, fmt.Errorf("amount out of range")
	}
	a.mantissa, a.exponent, a.negative = m, 0, neg && m != 0
	return a, nil
}

// ZeroOf returns zero of an asset.
func ZeroOf(s Asset) Amount {
	switch {
	case s.mpt:
		return Amount{kind: kindMPT, currency: s.Currency, issuer: s.Issuer}
	case s.Currency.IsXRP():
		return Amount{}
	}
	return Amount{kind: kindIssued, exponent: zeroExponent, currency: s.Currency, issuer: s.Issuer}
}

// IsXRP reports whether the amount is XRP.
func (a Amount) IsXRP() bool { return a.kind == kindXRP }

// IsIssued reports whether the amount is of an issued currency.
func (a Amount) IsIssued() bool { return a.kind == kindIssued }

// IsMPT reports whether the amount is of a multi-purpose token.
func (a Amount) IsMPT() bool { return a.kind == kindMPT }

// Drops returns the value of an XRP amount; 0 for other kinds.
func (a Amount) Drops() Drops {
	if a.kind != kindXRP {
		return 0
	}
	if a.negative {
		return -Drops(a.mantissa)
	}
	return Drops(a.mantissa)
}

// Sign is -1, 0 or 1.
func (a Amount) Sign() int {
	switch {
	case a.mantissa == 0:
		return 0
	case a.negative:
		return -1
	}
	return 1
}

// IsZero reports whether the value is zero.
func (a Amount) IsZero() bool { return a.mantissa == 0 }

// Mantissa is the magnitude's mantissa: drops, token units, or the normalized mantissa of an issued amount.
func (a Amount) Mantissa() uint64 { return a.mantissa }

// Exponent is the exponent of an issued amount; 0 for other kinds.
func (a Amount) Exponent() int { return int(a.exponent) }

// Currency is the currency of an issued amount; XRP otherwise.
func (a Amount) Currency() Currency {
	if a.kind != kindIssued {
		return Currency{}
	}
	return a.currency
}

// Issuer is the issuer of an issued amount; account zero otherwise.
func (a Amount) Issuer() AccountID {
	if a.kind != kindIssued {
		return AccountID{}
	}
	return a.issuer
}

// Asset names what this is an amount of.
func (a Amount) Asset() Asset {
	if a.kind == kindXRP {
		return Asset{}
	}
	return Asset{a.currency, a.issuer, a.kind == kindMPT}
}

// WithIssuer returns the same value and currency with another issuer; XRP stays as it is.
func (a Amount) WithIssuer(issuer AccountID) Amount {
	if a.kind == kindIssued {
		a.issuer = issuer
	}
	return a
}

// MPTokenIssuanceID returns the 24-byte id of a multi-purpose token.
func (a Amount) MPTokenIssuanceID() (id [24]byte) {
	copy(id[:20], a.currency[:])
	copy(id[20:], a.issuer[:4])
	return id
}

// MPT returns an amount of a multi-purpose token.
func MPT(units uint64, negative bool, id [24]byte) Amount {
	a := Amount{mantissa: units, negative: negative && units != 0, kind: kindMPT, currency: Currency(id[:20])}
	copy(a.issuer[:4], id[20:])
	return a
}

// Negate returns the amount with the other sign.
func (a Amount) Negate() Amount {
	if a.mantissa != 0 {
		a.negative = !a.negative
	}
	return a
}

// AppendTo appends the serialised form: 8, 33 or 48 bytes.
func (a Amount) AppendTo(dst []byte) []byte {
	switch a.kind {
	case kindXRP:
		v := a.mantissa
		if !a.negative {
			v |= amountPositive
		}
		return binary.BigEndian.AppendUint64(dst, v)
	case kindMPT:
		h := byte(0x20)
		if !a.negative {
			h |= 0x40
		}
		dst = binary.BigEndian.AppendUint64(append(dst, h), a.mantissa)
		return append(append(dst, a.currency[:]...), a.issuer[:4]...)
	}
	v := amountZero
	if a.mantissa != 0 {
		v |= a.mantissa | uint64(int(a.exponent)+97)<<54
		if !a.negative {
			v |= amountPositive
		}
	}
	dst = binary.BigEndian.AppendUint64(dst, v)
	return append(append(dst, a.currency[:]...), a.issuer[:]...)
}

// checkIssuedBits says what is wrong with the first eight bytes of an issued amount; nothing is an empty string.
func checkIssuedBits(v uint64) string {
	if v == amountZero {
		return ""
	}
	m, e := v&mantissaMask, int(v>>54&0xFF)-97
	switch {
	case m < minMantissa || m > maxMantissa:
		return fmt.Sprintf("mantissa %d is not normalized", m)
	case e < minExponent || e > maxExponent:
		return fmt.Sprintf("exponent %d is out of range", e)
	}
	return ""
}

// decodeAmount reads an amount that scanAmount accepted.
func decodeAmount(b []byte) Amount {
	v := binary.BigEndian.Uint64(b)
	switch len(b) {
	case 8:
		return Amount{mantissa: v &^ amountPositive, negative: v&amountPositive == 0}
	case 33:
		return MPT(binary.BigEndian.Uint64(b[1:]), b[0]&0x40 == 0, [24]byte(b[9:33]))
	}
	a := Amount{kind: kindIssued, exponent: zeroExponent, currency: Currency(b[8:28]), issuer: AccountID(b[28:48])}
	if v != amountZero {
		a.mantissa = v & mantissaMask
		a.exponent = int8(int(v>>54&0xFF) - 97)
		a.negative = v&amountPositive == 0
	}
	return a
}

// ParseAmount reads a serialised amount that fills b.
func ParseAmount(b []byte) (Amount, error) {
	n, err := scanAmount(b, 0, FieldAmount)
	if err != nil {
		return Amount{}, err
	}
	if n != len(b) {
		return Amount{}, fault(n, FieldAmount, "%d bytes too many", len(b)-n)
	}
	return decodeAmount(b), nil
}
