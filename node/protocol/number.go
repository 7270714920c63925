package protocol

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits of a serialised Number (rippled Number.h, large mantissas): 10^18 to 2^63-1 in magnitude.
const (
	numberMinMantissa = 1_000_000_000_000_000_000
	numberMinExponent = -32768
	numberMaxExponent = 32768
	numberZeroExp     = math.MinInt32 // exponent of zero
)

// appendNumber appends the serialised form of a decimal.
func appendNumber(dst []byte, s string) ([]byte, error) {
	d, err := parseDecimal(s)
	if err != nil {
		return nil, err
	}
	if d.digits == "" {
		return appendNumberParts(dst, 0, numberZeroExp), nil
	}
	digits, e := d.digits, d.exponent
	if len(digits) > 38 {
		return nil, fmt.Errorf("%q has more than 38 digits", clip(s))
	}
	for len(digits) < 19 {
		digits += "0"
		e--
	}
	carry := false
	if len(digits) > 19 {
		carry = digits[19] >= '5'
		e += len(digits) - 19
		digits = digits[:19]
	}
	m, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return nil, err
	}
	if carry {
		m++
	}
	if m > math.MaxInt64 { // the last digit goes: 10^18 stays within reach
		m = (m + 5) / 10
		e++
	}
	if e < numberMinExponent || e > numberMaxExponent {
		return nil, fmt.Errorf("%q is out of range", clip(s))
	}
	v := int64(m)
	if d.negative {
		v = -v
	}
	return appendNumberParts(dst, v, int32(e)), nil
}

func appendNumberParts(dst []byte, m int64, e int32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, uint64(m)), uint32(e))
}

// numberText is the text form of a serialised Number.
func numberText(b []byte) string {
	m, e := int64(binary.BigEndian.Uint64(b)), int(int32(binary.BigEndian.Uint32(b[8:])))
	if m == 0 {
		return "0"
	}
	sign, digits := "", strconv.FormatUint(uint64(m), 10)
	if m < 0 {
		sign, digits = "-", strconv.FormatUint(-uint64(m), 10)
	}
	trimmed := strings.TrimRight(digits, "0")
	if e+len(digits)-len(trimmed) > 0 || e < -40 {
		digits, e = trimmed, e+len(digits)-len(trimmed)
		if e > 0 && len(digits)+e <= 20 {
			return sign + digits + strings.Repeat("0", e)
		}
		return sign + digits + "e" + strconv.Itoa(e)
	}
	if e >= 0 {
		return sign + digits + strings.Repeat("0", e)
	}
	return sign + plainDecimal(digits, e)
}
