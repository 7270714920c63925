package protocol

import (
	"errors"
	"math/bits"
)

// ErrOverflow says that the result of an arithmetic operation is out of range.
var ErrOverflow = errors.New("amount out of range")

var errAssets = errors.New("amounts of different assets")

const pow14, pow17 = 100_000_000_000_000, 100_000_000_000_000_000

// Compare orders amounts of one asset by value: -1, 0 or 1. Of amounts of different assets only the signs count.
func (a Amount) Compare(b Amount) int {
	if s, o := a.Sign(), b.Sign(); s != o {
		if s < o {
			return -1
		}
		return 1
	}
	c := compareMagnitude(a, b)
	if a.negative {
		return -c
	}
	return c
}

func compareMagnitude(a, b Amount) int {
	switch {
	case a.mantissa == 0 && b.mantissa == 0:
		return 0
	case a.exponent != b.exponent:
		if a.exponent < b.exponent {
			return -1
		}
		return 1
	case a.mantissa < b.mantissa:
		return -1
	case a.mantissa > b.mantissa:
		return 1
	}
	return 0
}

func (a Amount) sameAsset(b Amount) bool {
	return a.kind == b.kind && a.currency == b.currency && (a.kind != kindMPT || a.issuer == b.issuer)
}

// Add returns a + b in the asset of a; currencies must be equal, issuers need not be. Issued amounts follow rippled
// before fixUniversalNumber: the smaller is cut to the exponent of the larger, and a sum within 10 units of the last
// place is zero.
func (a Amount) Add(b Amount) (Amount, error) {
	if !a.sameAsset(b) {
		return Amount{}, errAssets
	}
	if b.mantissa == 0 {
		return a, nil
	}
	if a.mantissa == 0 {
		a.mantissa, a.exponent, a.negative = b.mantissa, b.exponent, b.negative
		return a, nil
	}
	x, y := a.signed(), b.signed()
	if a.kind != kindIssued {
		s := x + y
		if (s > x) != (y > 0) {
			return Amount{}, ErrOverflow
		}
		return a.withSigned(s, 0)
	}
	ea, eb := int(a.exponent), int(b.exponent)
	for ; ea < eb; ea++ {
		x /= 10
	}
	for ; eb < ea; eb++ {
		y /= 10
	}
	s := x + y
	if s >= -10 && s <= 10 {
		return a.withSigned(0, 0)
	}
	return a.withSigned(s, ea)
}

// Sub returns a - b, as Add.
func (a Amount) Sub(b Amount) (Amount, error) { return a.Add(b.Negate()) }

func (a Amount) signed() int64 {
	if a.negative {
		return -int64(a.mantissa)
	}
	return int64(a.mantissa)
}

func (a Amount) withSigned(v int64, exp int) (Amount, error) {
	if v < 0 {
		return a.with(uint64(-v), exp, true)
	}
	return a.with(uint64(v), exp, false)
}

// normalForm returns mantissa and exponent as an issued amount would have them: whole units are scaled up.
func (a Amount) normalForm() (m uint64, exp int) {
	m, exp = a.mantissa, int(a.exponent)
	if a.kind != kindIssued && m != 0 {
		exp = 0
		for m < minMantissa {
			m *= 10
			exp--
		}
	}
	return m, exp
}

// Multiply returns a * b as an amount of the asset, as rippled before fixUniversalNumber (STAmount multiply): the
// 128-bit product over 10^14, plus 7.
func Multiply(a, b Amount, asset Asset) (Amount, error) {
	zero := ZeroOf(asset)
	if a.mantissa == 0 || b.mantissa == 0 {
		return zero, nil
	}
	if a.kind == kindXRP && b.kind == kindXRP && asset.IsXRP() {
		hi, lo := bits.Mul64(a.mantissa, b.mantissa)
		if hi != 0 || lo > 1<<62 {
			return Amount{}, ErrOverflow
		}
		return zero.with(lo, 0, a.negative != b.negative)
	}
	m1, e1 := a.normalForm()
	m2, e2 := b.normalForm()
	return zero.with(mulDiv(m1, m2, pow14, 0)+7, e1+e2+14, a.negative != b.negative)
}

// Divide returns a / b as an amount of the asset, as rippled before fixUniversalNumber (STAmount divide): the
// mantissa times 10^17 over the other, plus 5.
func Divide(a, b Amount, asset Asset) (Amount, error) {
	zero := ZeroOf(asset)
	if b.mantissa == 0 {
		return Amount{}, errors.New("division by zero")
	}
	if a.mantissa == 0 {
		return zero, nil
	}
	m1, e1 := a.normalForm()
	m2, e2 := b.normalForm()
	return zero.with(mulDiv(m1, pow17, m2, 0)+5, e1-e2-17, a.negative != b.negative)
}

// mulDiv returns (a*b + add) / c for results below 2^64.
func mulDiv(a, b, c, add uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, add, 0)
	hi += carry
	if hi >= c {
		return ^uint64(0)
	}
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// RateOf is the quality of an offer, in / out, as it stands in the key of a book directory (rippled getRate): the
// exponent plus 100 in the top byte, the mantissa below. It is 0 when out is zero or the rate is out of range.
func RateOf(out, in Amount) uint64 {
	if out.mantissa == 0 {
		return 0
	}
	r, err := Divide(in, out, Asset{Currency: CurrencyOne, Issuer: AccountOne})
	if err != nil || r.mantissa == 0 {
		return 0
	}
	return uint64(int(r.exponent)+100)<<56 | r.mantissa
}

// CurrencyOne is the currency of amounts that are only numbers (rippled noCurrency).
var CurrencyOne = Currency{19: 1}

// QualityAmount is the rate that a quality stands for, as an amount that is only a number.
func QualityAmount(q uint64) Amount {
	a := ZeroOf(Asset{Currency: CurrencyOne, Issuer: AccountOne})
	if q != 0 {
		a.mantissa, a.exponent = q&(1<<56-1), int8(int(q>>56)-100)
	}
	return a
}
