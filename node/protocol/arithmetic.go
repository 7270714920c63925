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

// Add is Math{}.Add: exact for XRP, the older rules for issued amounts.
func (a Amount) Add(b Amount) (Amount, error) { return Math{}.Add(a, b) }

// Sub returns a - b, as Add.
func (a Amount) Sub(b Amount) (Amount, error) { return a.Add(b.Negate()) }

// Multiply is Math{}.Multiply.
func Multiply(a, b Amount, asset Asset) (Amount, error) { return Math{}.Multiply(a, b, asset) }

// Divide is Math{}.Divide.
func Divide(a, b Amount, asset Asset) (Amount, error) { return Math{}.Divide(a, b, asset) }

// RateOf is Math{}.Rate.
func RateOf(out, in Amount) uint64 { return Math{}.Rate(out, in) }

// Math is the arithmetic of amounts under the rules of a ledger (rippled STAmount.cpp).
type Math struct {
	UniversalNumber bool // the amendment fixUniversalNumber: digits that do not fit are rounded to nearest, ties to even
}

// Add returns a + b in the asset of a; currencies must be equal, issuers need not be. Before fixUniversalNumber the
// smaller of two issued amounts is cut to the exponent of the larger, and a sum within 10 units of the last place is
// zero.
func (r Math) Add(a, b Amount) (Amount, error) {
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
	if a.kind == kindIssued && r.UniversalNumber {
		s, err := a.num().add(b.num(), toNearest)
		if err != nil {
			return Amount{}, err
		}
		return a.withNum(s)
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

// CanAdd reports whether two amounts of an asset have a sum that can be written.
func (r Math) CanAdd(a, b Amount) bool { _, err := r.Add(a, b); return err == nil }

// CanSubtract reports whether b can be taken from a: the difference can be written, and whole units do not fall below
// zero by taking a positive amount.
func (r Math) CanSubtract(a, b Amount) bool {
	if a.kind != kindIssued && b.Sign() > 0 && a.Compare(b) < 0 {
		return false
	}
	_, err := r.Sub(a, b)
	return err == nil
}

// Sub returns a - b, as Add.
func (r Math) Sub(a, b Amount) (Amount, error) { return r.Add(a, b.Negate()) }

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

// num is the value as a decimal of 16 digits.
func (a Amount) num() num {
	if a.kind == kindIssued {
		if a.mantissa == 0 {
			return num{}
		}
		return num{a.mantissa, int(a.exponent), a.negative}
	}
	n, _ := normalized(a.mantissa, 0, a.negative, toNearest) // 19 digits cannot overflow the exponent
	return n
}

// withNum returns the amount of the same asset with the value of a decimal.
func (a Amount) withNum(n num) (Amount, error) {
	if a.kind != kindIssued {
		v, err := n.whole(toNearest)
		if err != nil {
			return Amount{}, err
		}
		return a.withSigned(v, 0)
	}
	if n.exp > maxExponent {
		return Amount{}, ErrOverflow
	}
	if n.m == 0 || n.exp < minExponent {
		a.mantissa, a.exponent, a.negative = 0, zeroExponent, false
		return a, nil
	}
	a.mantissa, a.exponent, a.negative = n.m, int8(n.exp), n.neg
	return a, nil
}

// make returns m * 10^exp of an asset, the way a new amount is normalized under the rules.
func (r Math) make(asset Asset, m uint64, exp int, neg bool, mode rounding) (Amount, error) {
	z := ZeroOf(asset)
	if !r.UniversalNumber {
		return z.with(m, exp, neg)
	}
	if z.kind != kindIssued { // rippled hands the digits on as they are: more than 16 are kept
		v, err := num{m, exp, neg}.whole(mode)
		if err != nil {
			return Amount{}, err
		}
		return z.withSigned(v, 0)
	}
	n, err := normalized(m, exp, neg, mode)
	if err != nil {
		return Amount{}, err
	}
	return z.withNum(n)
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

// product is the exact product of two amounts of XRP.
func product(a, b Amount) (Amount, error) {
	hi, lo := bits.Mul64(a.mantissa, b.mantissa)
	if hi != 0 || lo > uint64(MaxDrops) {
		return Amount{}, ErrOverflow
	}
	return Amount{mantissa: lo, negative: a.negative != b.negative}, nil
}

// Multiply returns a * b as an amount of the asset. Before fixUniversalNumber: the 128-bit product over 10^14, plus 7.
func (r Math) Multiply(a, b Amount, asset Asset) (Amount, error) {
	zero := ZeroOf(asset)
	switch {
	case a.mantissa == 0 || b.mantissa == 0:
		return zero, nil
	case a.kind == kindXRP && b.kind == kindXRP && asset.IsXRP():
		return product(a, b)
	case r.UniversalNumber:
		p, err := a.num().mul(b.num(), toNearest)
		if err != nil {
			return Amount{}, err
		}
		return zero.withNum(p)
	}
	m1, e1 := a.normalForm()
	m2, e2 := b.normalForm()
	return r.make(asset, mulDiv(m1, m2, pow14, 0)+7, e1+e2+14, a.negative != b.negative, toNearest)
}

// Divide returns a / b as an amount of the asset: the mantissa times 10^17 over the other, plus 5.
func (r Math) Divide(a, b Amount, asset Asset) (Amount, error) {
	if b.mantissa == 0 {
		return Amount{}, errors.New("division by zero")
	}
	if a.mantissa == 0 {
		return ZeroOf(asset), nil
	}
	m1, e1 := a.normalForm()
	m2, e2 := b.normalForm()
	return r.make(asset, mulDiv(m1, pow17, m2, 0)+5, e1-e2-17, a.negative != b.negative, toNearest)
}

// MulRound is Multiply with the result rounded away from zero (up) or towards it.
func (r Math) MulRound(a, b Amount, asset Asset, up bool) (Amount, error) {
	return r.mulRound(a, b, asset, up, false)
}

// MulRoundStrict is MulRound without its oddities (fixReducedOffersV1 and later).
func (r Math) MulRoundStrict(a, b Amount, asset Asset, up bool) (Amount, error) {
	return r.mulRound(a, b, asset, up, true)
}

func (r Math) mulRound(a, b Amount, asset Asset, up, strict bool) (Amount, error) {
	if a.mantissa == 0 || b.mantissa == 0 {
		return ZeroOf(asset), nil
	}
	if a.kind == kindXRP && b.kind == kindXRP && asset.IsXRP() {
		return product(a, b)
	}
	m1, e1 := a.normalForm()
	m2, e2 := b.normalForm()
	neg, add := a.negative != b.negative, uint64(0)
	if neg != up {
		add = pow14 - 1
	}
	mode := toNearest
	if strict {
		mode = towardsZero
	}
	return r.finish(asset, mulDiv(m1, m2, pow14, add), e1+e2+14, neg, up, strict, mode)
}

// DivRound is Divide with the result rounded away from zero (up) or towards it.
func (r Math) DivRound(a, b Amount, asset Asset, up bool) (Amount, error) {
	return r.divRound(a, b, asset, up, false)
}

// DivRoundStrict is DivRound without its oddities (fixReducedOffersV1 and later).
func (r Math) DivRoundStrict(a, b Amount, asset Asset, up bool) (Amount, error) {
	return r.divRound(a, b, asset, up, true)
}

func (r Math) divRound(a, b Amount, asset Asset, up, strict bool) (Amount, error) {
	if b.mantissa == 0 {
		return Amount{}, errors.New("division by zero")
	}
	if a.mantissa == 0 {
		return ZeroOf(asset), nil
	}
	m1, e1 := a.normalForm()
	m2, e2 := b.normalForm()
	neg, add := a.negative != b.negative, uint64(0)
	if neg != up {
		add = m2 - 1
	}
	mode := toNearest
	if strict {
		mode = downward
		if up != neg {
			mode = upward
		}
	}
	return r.finish(asset, mulDiv(m1, pow17, m2, add), e1-e2-17, neg, up, false, mode)
}

// finish rounds a raw result and makes the amount; rounding up never gives zero. strict is how products are rounded
// up to whole units.
func (r Math) finish(asset Asset, m uint64, exp int, neg, up, strict bool, mode rounding) (Amount, error) {
	if neg != up {
		m, exp = roundUpDigits(asset.IsXRP() || asset.mpt, m, exp, up, strict)
	}
	a, err := r.make(asset, m, exp, neg, mode)
	if err != nil || !up || neg || a.mantissa != 0 {
		return a, err
	}
	if a.kind == kindIssued {
		a.mantissa, a.exponent = minMantissa, minExponent
	} else {
		a.mantissa = 1
	}
	return a, nil
}

// roundUpDigits cuts digits off a magnitude, rounding up (rippled canonicalizeRound and canonicalizeRoundStrict).
func roundUpDigits(whole bool, m uint64, exp int, up, strict bool) (uint64, int) {
	switch {
	case whole && exp < 0:
		loops, rest := 0, false
		for ; exp < -1; exp++ {
			rest = rest || m%10 != 0
			m /= 10
			loops++
		}
		switch {
		case strict && rest && up, !strict && loops < 2:
			m += 10
		default:
			m += 9
		}
		return m / 10, exp + 1
	case !whole && m > maxMantissa:
		for ; m > 10*maxMantissa; exp++ {
			m /= 10
		}
		return (m + 9) / 10, exp + 1
	}
	return m, exp
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

// Rate is the quality of an offer, in / out, as it stands in the key of a book directory (rippled getRate): the
// exponent plus 100 in the top byte, the mantissa below. It is 0 when out is zero or the rate is out of range.
func (r Math) Rate(out, in Amount) uint64 {
	if out.mantissa == 0 {
		return 0
	}
	q, err := r.Divide(in, out, Asset{Currency: CurrencyOne, Issuer: AccountOne})
	if err != nil || q.mantissa == 0 {
		return 0
	}
	return uint64(int(q.exponent)+100)<<56 | q.mantissa
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
