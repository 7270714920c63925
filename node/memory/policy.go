package memory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// PolicyKind is when a trigger leads to a trim.
type PolicyKind string

// The kinds, as written in trim.policy.
const (
	PolicyAlways   PolicyKind = "always"
	PolicyEvery    PolicyKind = "every"    // every(n): each n-th trigger
	PolicyFreed    PolicyKind = "freed"    // freed(bytes): so much was freed since the last trim
	PolicyRetained PolicyKind = "retained" // retained(ratio): free but resident above ratio times live
	PolicyGrowth   PolicyKind = "growth"   // growth(bytes): RSS rose so much since the end of the last trim
	PolicyPressure PolicyKind = "pressure" // pressure(share): RSS above this share of the limit
	PolicyBackoff  PolicyKind = "backoff"  // backoff(base, factor): waits longer after each useless trim
)

// Policy is a parsed trim.policy.
type Policy struct {
	Kind  PolicyKind
	N     int           // every
	Bytes int64         // freed, growth
	Ratio float64       // retained, pressure, factor of backoff
	Base  time.Duration // backoff
}

// String is the form that ParsePolicy reads.
func (p Policy) String() string {
	switch p.Kind {
	case PolicyEvery:
		return fmt.Sprintf("every(%d)", p.N)
	case PolicyFreed, PolicyGrowth:
		return fmt.Sprintf("%s(%d)", p.Kind, p.Bytes)
	case PolicyRetained, PolicyPressure:
		return fmt.Sprintf("%s(%s)", p.Kind, strconv.FormatFloat(p.Ratio, 'g', -1, 64))
	case PolicyBackoff:
		return fmt.Sprintf("backoff(%v,%s)", p.Base, strconv.FormatFloat(p.Ratio, 'g', -1, 64))
	case PolicyAlways:
	}
	return string(PolicyAlways)
}

// ParsePolicy reads "always", "every(n)", "freed(bytes)", "retained(ratio)", "growth(bytes)", "pressure(share)" or
// "backoff(base,factor)". Bytes may end in KiB, MiB or GiB; base is a duration.
func ParsePolicy(s string) (Policy, error) {
	text := strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	if text == "" || text == string(PolicyAlways) {
		return Policy{Kind: PolicyAlways}, nil
	}
	name, rest, ok := strings.Cut(text, "(")
	args, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return Policy{}, policyError(s)
	}
	p := Policy{Kind: PolicyKind(name)}
	var err error
	switch p.Kind {
	case PolicyEvery:
		p.N, err = strconv.Atoi(args)
		ok = p.N >= 1
	case PolicyFreed, PolicyGrowth:
		p.Bytes, err = parseBytes(args)
		ok = p.Bytes > 0
	case PolicyRetained:
		p.Ratio, err = strconv.ParseFloat(args, 64)
		ok = p.Ratio > 0 && p.Ratio < 1e6
	case PolicyPressure:
		p.Ratio, err = strconv.ParseFloat(args, 64)
		ok = p.Ratio > 0 && p.Ratio <= 1
	case PolicyBackoff:
		base, factor, two := strings.Cut(args, ",")
		if p.Base, err = time.ParseDuration(base); err == nil {
			p.Ratio, err = strconv.ParseFloat(factor, 64)
		}
		ok = two && p.Base > 0 && p.Ratio >= 1 && p.Ratio <= 100
	default:
		return Policy{}, policyError(s)
	}
	if err != nil || !ok {
		return Policy{}, policyError(s)
	}
	return p, nil
}

func policyError(s string) error {
	return fmt.Errorf("memory: trim policy %q: want always, every(n), freed(bytes), retained(ratio), growth(bytes), "+
		"pressure(share) or backoff(base,factor)", s)
}

func parseBytes(s string) (int64, error) {
	unit := int64(1)
	for _, u := range []struct {
		name string
		n    int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if t, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = t, u.n
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("memory: %q is not a number of bytes", s)
	}
	return n * unit, nil
}

// moment is what a policy looks at.
type moment struct {
	triggers  int // since the last trim, this one included
	freed     uint64
	retained  int64 // -1: not known
	live      int64
	rss       int64
	rssAfter  int64 // at the end of the last trim, 0 before the first
	limit     int64
	sinceLast time.Duration
	useless   int // trims in a row that gave nothing back
	first     bool
}

// allows reports whether to trim now, and if not, why.
func (p Policy) allows(m moment) (bool, string) {
	switch p.Kind {
	case PolicyEvery:
		return m.triggers >= p.N, fmt.Sprintf("trigger %d of %d", m.triggers, p.N)
	case PolicyFreed:
		return m.freed >= uint64(p.Bytes), fmt.Sprintf("%d bytes freed of %d", m.freed, p.Bytes)
	case PolicyRetained:
		ok := m.retained >= 0 && float64(m.retained) >= p.Ratio*float64(m.live)
		return ok, fmt.Sprintf("%d bytes retained, %d live, ratio %g", m.retained, m.live, p.Ratio)
	case PolicyGrowth:
		return m.first || m.rss-m.rssAfter >= p.Bytes, fmt.Sprintf("grown by %d bytes of %d", m.rss-m.rssAfter, p.Bytes)
	case PolicyPressure:
		return float64(m.rss) >= p.Ratio*float64(m.limit), fmt.Sprintf("rss %d of limit %d, share %g", m.rss, m.limit, p.Ratio)
	case PolicyBackoff:
		wait := p.wait(m.useless)
		return m.first || m.sinceLast >= wait, fmt.Sprintf("%v of %v since the last trim", m.sinceLast, wait)
	case PolicyAlways:
	}
	return true, ""
}

const backoffMax = time.Hour

// wait is how long a backoff pauses after so many useless trims.
func (p Policy) wait(useless int) time.Duration {
	w := float64(p.Base) * math.Pow(p.Ratio, float64(min(useless, 1000)))
	return time.Duration(min(w, float64(backoffMax)))
}
