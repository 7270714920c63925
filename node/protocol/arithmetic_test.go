package protocol

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func n(m int64, exp int) num {
	if m < 0 {
		v, _ := normalized(uint64(-m), exp, true, toNearest)
		return v
	}
	v, _ := normalized(uint64(m), exp, false, toNearest)
	return v
}

// TestNumberValues has known values of rippled's Number.
func TestNumberValues(t *testing.T) {
	for i, c := range []struct{ a, b, want num }{
		{n(1_000_000_000_000_000, -15), n(6_555_555_555_555_555, -29), n(1_000_000_000_000_066, -15)},
		{n(-1_000_000_000_000_000, -15), n(-6_555_555_555_555_555, -29), n(-1_000_000_000_000_066, -15)},
		{n(-1_000_000_000_000_000, -15), n(6_555_555_555_555_555, -29), n(-9_999_999_999_999_344, -16)},
		{n(-6_555_555_555_555_555, -29), n(1_000_000_000_000_000, -15), n(9_999_999_999_999_344, -16)},
		{num{}, n(1, 0), n(1, 0)},
		{n(1, 0), n(-1, 0), num{}},
		{n(9_999_999_999_999_999, 0), n(1, 0), n(1, 16)},
	} {
		if got, err := c.a.add(c.b, toNearest); err != nil || got != c.want {
			t.Errorf("sum %d: %+v, want %+v", i, got, c.want)
		}
	}
	for i, c := range []struct{ a, b, want num }{
		{n(7, 0), n(8, 0), n(56, 0)},
		{n(1414213562373095, -15), n(1414213562373095, -15), n(2000000000000000, -15)},
		{n(-1414213562373095, -15), n(1414213562373095, -15), n(-2000000000000000, -15)},
		{n(3214285714285706, -15), n(3111111111111119, -15), n(1000000000000000, -14)},
	} {
		if got, err := c.a.mul(c.b, toNearest); err != nil || got != c.want {
			t.Errorf("product %d: %+v, want %+v", i, got, c.want)
		}
	}
	for i, c := range []struct{ a, b, want num }{
		{n(1, 0), n(2, 0), n(5, -1)},
		{n(1, 0), n(10, 0), n(1, -1)},
		{n(1, 0), n(-10, 0), n(-1, -1)},
		{n(1414213562373095, -10), n(1414213562373095, -10), n(1, 0)},
		{n(2, 0), n(3, 0), n(6666666666666667, -16)},
	} {
		if got, err := c.a.div(c.b, toNearest); err != nil || got != c.want {
			t.Errorf("quotient %d: %+v, want %+v", i, got, c.want)
		}
	}
	for _, c := range []struct {
		v    num
		want int64
	}{{n(5, -1), 0}, {n(15, -1), 2}, {n(25, -1), 2}, {n(251, -2), 3}, {n(-15, -1), -2}, {n(1, -40), 0}, {n(7, 3), 7000}} {
		if got, err := c.v.whole(toNearest); err != nil || got != c.want {
			t.Errorf("%+v is %d, want %d", c.v, got, c.want)
		}
	}
	if _, err := n(1, 30).whole(toNearest); err == nil {
		t.Error("10^30 is no 64-bit number")
	}
}

func rat(a Amount) *big.Rat {
	r := new(big.Rat).SetInt(new(big.Int).SetUint64(a.mantissa))
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(int(a.exponent), -int(a.exponent)))), nil)
	if a.exponent < 0 {
		r.Quo(r, new(big.Rat).SetInt(ten))
	} else {
		r.Mul(r, new(big.Rat).SetInt(ten))
	}
	if a.negative {
		r.Neg(r)
	}
	return r
}

// TestArithmeticAgainstRationals compares every operation with exact arithmetic: within two units of the last of 16
// digits. Rounding up is not always up: rippled cuts a 17th digit before it looks at the 18th, and so do we.
func TestArithmeticAgainstRationals(t *testing.T) {
	usd := Asset{Currency: Currency{12: 'U', 13: 'S', 14: 'D'}, Issuer: genesis}
	draw := func(t *rapid.T, name string) Amount {
		m := rapid.Int64Range(1, 1<<62).Draw(t, name)
		if rapid.Bool().Draw(t, name+"neg") {
			m = -m
		}
		a, err := Issued(m, rapid.IntRange(-30, 10).Draw(t, name+"exp"), usd.Currency, usd.Issuer)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	near := func(t *rapid.T, what string, got Amount, want *big.Rat, units int64) {
		diff := new(big.Rat).Sub(rat(got), want)
		limit := new(big.Rat).Abs(want)
		limit.Mul(limit, big.NewRat(units, 1_000_000_000_000_000))
		if diff.Abs(diff).Cmp(limit) > 0 {
			t.Fatalf("%s: %s, want %s", what, got, want.FloatString(30))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		r := Math{UniversalNumber: rapid.Bool().Draw(t, "universal")}
		p, err := r.Multiply(a, b, usd)
		if err != nil {
			t.Fatal(err)
		}
		exact := new(big.Rat).Mul(rat(a), rat(b))
		near(t, "product", p, exact, 2)
		q, err := r.Divide(a, b, usd)
		if err != nil {
			t.Fatal(err)
		}
		ratio := new(big.Rat).Quo(rat(a), rat(b))
		near(t, "quotient", q, ratio, 2)
		for _, up := range []bool{false, true} {
			for _, c := range []struct {
				name string
				fn   func(a, b Amount, s Asset, up bool) (Amount, error)
				want *big.Rat
			}{
				{"MulRound", r.MulRound, exact},
				{"MulRoundStrict", r.MulRoundStrict, exact},
				{"DivRound", r.DivRound, ratio},
				{"DivRoundStrict", r.DivRoundStrict, ratio},
			} {
				got, err := c.fn(a, b, usd, up)
				if err != nil {
					t.Fatal(err)
				}
				near(t, c.name, got, c.want, 2)
			}
		}
		if s, err := r.Add(a, b); err == nil && r.UniversalNumber && a.negative == b.negative {
			near(t, "sum", s, new(big.Rat).Add(rat(a), rat(b)), 1)
		}
	})
}

func TestRoundingToWholeUnits(t *testing.T) {
	usd := Asset{Currency: Currency{12: 'U', 13: 'S', 14: 'D'}, Issuer: genesis}
	third, _ := ParseIssued("0.3333333333333333", usd.Currency, usd.Issuer)
	tiny, _ := ParseIssued("0.0000000001", usd.Currency, usd.Issuer)
	for _, r := range []Math{{}, {UniversalNumber: true}} {
		down, err1 := r.MulRound(third, XRP(10), Asset{}, false)
		up, err2 := r.MulRound(third, XRP(10), Asset{}, true)
		one, err3 := r.MulRound(tiny, XRP(1), Asset{}, true)
		if err1 != nil || err2 != nil || err3 != nil || down.Drops() != 3 || up.Drops() != 4 || one.Drops() != 1 {
			t.Errorf("%+v: %s %s %s", r, down, up, one)
		}
		if _, err := r.Divide(third, ZeroOf(usd), usd); err == nil {
			t.Error("division by zero")
		}
		if _, err := r.Add(third, XRP(1)); err == nil {
			t.Error("different assets")
		}
	}
	if _, err := (Math{}).Add(XRP(MaxDrops), XRP(1)); err == nil {
		t.Error("more than all XRP")
	}
}
