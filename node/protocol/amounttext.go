package protocol

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDigits is the number of significant digits that an issued amount can hold.
const maxDigits = 16

// decimal is the text form of a number taken apart: digits * 10^exponent, without zeros on either side.
type decimal struct {
	digits   string // empty for zero
	exponent int
	negative bool
	point    bool // a decimal point or an exponent was written
}

// maxDecimalText bounds the text of a number.
const maxDecimalText = 160

// parseDecimal reads [+-]digits[.digits][e[+-]digits] without leading zeros.
func parseDecimal(s string) (decimal, error) {
	var d decimal
	bad := fmt.Errorf("%q is not a number", clip(s))
	if len(s) == 0 || len(s) > maxDecimalText {
		return d, bad
	}
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	whole, rest := takeDigits(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return d, bad
	}
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		d.point = true
		if fraction, rest = takeDigits(rest[1:]); fraction == "" {
			return d, bad
		}
	}
	exp := 0
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		d.point = true
		v, err := strconv.ParseInt(strings.TrimPrefix(rest[1:], "+"), 10, 16)
		if err != nil || strings.HasPrefix(rest[1:], "+-") {
			return d, bad
		}
		exp, rest = int(v), ""
	}
	if rest != "" {
		return d, bad
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent = exp - len(fraction)
	d.digits = strings.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits)
	if d.digits == "" {
		d.exponent, d.negative = 0, false
	}
	return d, nil
}

func takeDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// ParseDrops reads XRP as clients write it: a whole number of drops from 0 to 10^17.
func ParseDrops(s string) (Drops, error) { return parseDrops(s, false) }

// parseDrops reads drops; negative ones appear in metadata of old ledgers.
func parseDrops(s string, negative bool) (Drops, error) {
	d, err := parseDecimal(s)
	if err != nil {
		return 0, err
	}
	if d.point {
		return 0, fmt.Errorf("%q is not a whole number of drops", clip(s))
	}
	if d.negative && !negative {
		return 0, fmt.Errorf("%q: an amount of XRP is not negative", clip(s))
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v > int64(MaxDrops) || v < -int64(MaxDrops) {
		return 0, fmt.Errorf("%q is more than all XRP there is", clip(s))
	}
	return Drops(v), nil
}

// ParseIssued reads the value of an issued amount: at most 16 significant digits, exponents from -96 to 80.
func ParseIssued(value string, c Currency, issuer AccountID) (Amount, error) {
	a := ZeroOf(Asset{Currency: c, Issuer: issuer})
	if c.IsXRP() {
		return Amount{}, fmt.Errorf("XRP is not an issued currency")
	}
	d, err := parseDecimal(value)
	if err != nil {
		return Amount{}, err
	}
	if d.digits == "" {
		return a, nil
	}
	if len(d.digits) > maxDigits {
		return Amount{}, fmt.Errorf("%q has %d significant digits, %d are allowed", clip(value), len(d.digits), maxDigits)
	}
	m, err := strconv.ParseUint(d.digits+strings.Repeat("0", maxDigits-len(d.digits)), 10, 64)
	if err != nil {
		return Amount{}, err
	}
	e := d.exponent - (maxDigits - len(d.digits))
	if e < minExponent || e > maxExponent {
		return Amount{}, fmt.Errorf("%q is out of range", clip(value))
	}
	a.mantissa, a.exponent, a.negative = m, int8(e), d.negative
	return a, nil
}

// parseMPT reads the value of a multi-purpose token: decimal or 0x, at most 2^63-1, not negative.
func parseMPT(value, id string) (Amount, error) {
	var raw [24]byte
	if err := parseHexInto(raw[:], id); err != nil {
		return Amount{}, fmt.Errorf("mpt_issuance_id: %w", err)
	}
	base, digits := 10, value
	if h, ok := strings.CutPrefix(value, "0x"); ok {
		base, digits = 16, h
	} else if value == "-0" {
		digits = "0"
	}
	v, err := strconv.ParseUint(digits, base, 63)
	if err != nil {
		return Amount{}, fmt.Errorf("%q is not a whole number from 0 to 9223372036854775807", clip(value))
	}
	return MPT(v, false, raw), nil
}

// ValueText is the value without currency and issuer, as rippled writes it.
func (a Amount) ValueText() string {
	sign := ""
	if a.negative {
		sign = "-"
	}
	if a.kind != kindIssued {
		return sign + strconv.FormatUint(a.mantissa, 10)
	}
	if a.mantissa == 0 {
		return "0"
	}
	digits := strconv.FormatUint(a.mantissa, 10)
	e := int(a.exponent)
	if e != 0 && (e < -25 || e > -5) { // rippled STAmount::getText
		return sign + digits + "e" + strconv.Itoa(e)
	}
	return sign + plainDecimal(digits, e)
}

// plainDecimal writes digits * 10^e, e <= 0, without exponent and without zeros at the end of a fraction.
func plainDecimal(digits string, e int) string {
	if e == 0 {
		return digits
	}
	if n := -e; len(digits) <= n {
		digits = strings.Repeat("0", n-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)+e], strings.TrimRight(digits[len(digits)+e:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// String is for people: value, currency and issuer.
func (a Amount) String() string {
	switch a.kind {
	case kindXRP:
		return a.ValueText() + " drops"
	case kindMPT:
		id := a.MPTokenIssuanceID()
		return a.ValueText() + "/" + upperHex(id[:])
	}
	return a.ValueText() + "/" + a.currency.String() + "/" + a.issuer.String()
}
