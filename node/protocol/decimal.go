package protocol

import "math/bits"

// rounding is how excess digits of a decimal go (rippled Number.h).
type rounding uint8

const (
	toNearest rounding = iota // ties to even
	towardsZero
	downward
	upward
)

// number is a decimal of 16 digits, sign * m * 10^exp, the Number of rippled 1.10 (Number.cpp). Zero has m == 0.
type num struct {
	m   uint64
	exp int
	neg bool
}

const (
	numMinExponent = -32768
	numMaxExponent = 32768
)

// guard keeps the digits that fall off, for rounding: sixteen of them, and whether anything was beyond.
type guard struct {
	digits uint64
	beyond bool
	neg    bool
}

func (g *guard) push(d uint64) {
	g.beyond = g.beyond || g.digits&0xF != 0
	g.digits = g.digits>>4 | d<<60
}

func (g *guard) pop() uint64 {
	d := g.digits >> 60
	g.digits <<= 4
	return d
}

// away reports whether the magnitude is to be raised (when digits were cut) or lowered (when they were borrowed).
func (g *guard) away(mode rounding, odd bool) bool {
	rest := g.digits > 0 || g.beyond
	switch mode {
	case towardsZero:
		return false
	case downward:
		return g.neg && rest
	case upward:
		return !g.neg && rest
	}
	const halfway = 0x5000_0000_0000_0000
	switch {
	case g.digits != halfway:
		return g.digits > halfway
	case g.beyond:
		return true
	}
	return odd
}

// normalized brings m into 16 digits; an overflow of the exponent is an error, an underflow zero.
func normalized(m uint64, exp int, neg bool, mode rounding) (num, error) {
	if m == 0 {
		return num{}, nil
	}
	for m < minMantissa && exp > numMinExponent {
		m *= 10
		exp--
	}
	g := guard{neg: neg}
	for m > maxMantissa {
		if exp >= numMaxExponent {
			return num{}, ErrOverflow
		}
		g.push(m % 10)
		m /= 10
		exp++
	}
	if exp < numMinExponent || m < minMantissa {
		return num{}, nil
	}
	return rounded(m, exp, neg, &g, mode)
}

func rounded(m uint64, exp int, neg bool, g *guard, mode rounding) (num, error) {
	if g.away(mode, m&1 == 1) {
		m++
		if m > maxMantissa {
			m /= 10
			exp++
		}
	}
	if exp > numMaxExponent {
		return num{}, ErrOverflow
	}
	if exp < numMinExponent {
		return num{}, nil
	}
	return num{m, exp, neg}, nil
}

func (x num) add(y num, mode rounding) (num, error) {
	switch {
	case y.m == 0:
		return x, nil
	case x.m == 0:
		return y, nil
	case x.m == y.m && x.exp == y.exp && x.neg != y.neg:
		return num{}, nil
	}
	var g guard
	if x.exp < y.exp {
		g.neg = x.neg
		for ; x.exp < y.exp; x.exp++ {
			g.push(x.m % 10)
			x.m /= 10
		}
	} else if y.exp < x.exp {
		g.neg = y.neg
		for ; y.exp < x.exp; y.exp++ {
			g.push(y.m % 10)
			y.m /= 10
		}
	}
	if x.neg == y.neg {
		m, exp := x.m+y.m, x.exp
		if m > maxMantissa {
			g.push(m % 10)
			m /= 10
			exp++
		}
		return rounded(m, exp, x.neg, &g, mode)
	}
	return difference(x, y, &g, mode)
}

// difference subtracts magnitudes of equal exponents; the digits in g belong below the smaller one.
func difference(x, y num, g *guard, mode rounding) (num, error) {
	m, exp, neg := x.m-y.m, x.exp, x.neg
	if x.m <= y.m {
		m, exp, neg = y.m-x.m, y.exp, y.neg
	}
	for m < minMantissa {
		m = m*10 - g.pop()
		exp--
	}
	if g.away(mode, m&1 == 1) {
		m--
		if m < minMantissa {
			m *= 10
			exp--
		}
	}
	if exp < numMinExponent {
		return num{}, nil
	}
	return num{m, exp, neg}, nil
}

func (x num) mul(y num, mode rounding) (num, error) {
	if x.m == 0 || y.m == 0 {
		return num{}, nil
	}
	hi, lo := bits.Mul64(x.m, y.m)
	exp, neg := x.exp+y.exp, x.neg != y.neg
	g := guard{neg: neg}
	for hi != 0 || lo > maxMantissa {
		var d uint64
		q := hi / 10
		lo, d = bits.Div64(hi%10, lo, 10)
		hi = q
		g.push(d)
		exp++
	}
	return rounded(lo, exp, neg, &g, mode)
}

func (x num) div(y num, mode rounding) (num, error) {
	if y.m == 0 {
		return num{}, ErrOverflow
	}
	if x.m == 0 {
		return num{}, nil
	}
	return normalized(mulDiv(x.m, pow17, y.m, 0), x.exp-y.exp-17, x.neg != y.neg, mode)
}

// whole rounds to a whole number.
func (x num) whole(mode rounding) (int64, error) {
	m, exp := x.m, x.exp
	g := guard{neg: x.neg}
	for ; exp < 0 && (m != 0 || g.digits != 0); exp++ {
		g.push(m % 10)
		m /= 10
	}
	for ; exp > 0 && m != 0; exp-- {
		if m > (1<<63-1)/10 {
			return 0, ErrOverflow
		}
		m *= 10
	}
	if g.away(mode, m&1 == 1) {
		m++
	}
	if x.neg {
		return -int64(m), nil
	}
	return int64(m), nil
}
