package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the type of a flag's value.
type Kind uint8

// The kinds of flag value.
const (
	KindBool     Kind = iota // on, off
	KindInt                  // a count
	KindBytes                // a size
	KindDuration             // a time span
	KindRatio                // a share
	KindEnum                 // one of Allowed
	KindSet                  // any of Allowed, comma-separated; the first allowed word alone means none
	KindPolicy               // a named rule with arguments, as in freed(64MiB)
)

var kindNames = [...]string{"bool", "int", "bytes", "duration", "ratio", "enum", "set", "policy"}

// String names the kind as it stands in listings.
func (k Kind) String() string { return kindNames[k] }

// WordDefault is the value that leaves a setting to the allocator or runtime;
// Value.IsDefault tells it.
const WordDefault = "default"

// Flag describes one mechanism that can be switched. Flags are static; the
// current value lives in a Registry.
type Flag struct {
	Name      string   // group.name
	Kind      Kind     // type of the value
	Allowed   []string // words of an enum or set; patterns of a policy
	Min, Max  float64  // bounds of a number, in bytes, nanoseconds, share or count; Max 0 = no upper bound
	OrDefault bool     // the word "default" is allowed beside the number
	Default   string   // what xrpld does, or what this node does where xrpld has no such thing
	Component string   // the package that acts on it
	Hot       bool     // may change while the node runs; otherwise at start only
	MayHash   bool     // a change may change ledger hashes
	Source    string   // where the mechanism comes from
	Doc       string   // one sentence
}

// Value is a parsed flag value. The zero Value is not valid.
type Value struct {
	text  string
	kind  Kind
	num   float64 // count, bytes, nanoseconds, share, or 0/1; exact up to 2^53
	items []string
	pol   Policy
	dflt  bool
}

// Policy is a parsed KindPolicy value: its name and arguments in bytes,
// nanoseconds, share or count as the pattern says.
type Policy struct {
	Name string
	Args []float64
}

// String returns the canonical text, which parses back to an equal value.
func (v Value) String() string { return v.text }

// IsDefault reports the word "default".
func (v Value) IsDefault() bool { return v.dflt }

// Bool returns a KindBool value.
func (v Value) Bool() bool { v.must(KindBool); return v.num != 0 }

// Int returns a KindInt value.
func (v Value) Int() int { v.must(KindInt); return int(v.num) }

// Bytes returns a KindBytes value; -1 for "default".
func (v Value) Bytes() int64 {
	v.must(KindBytes)
	if v.dflt {
		return -1
	}
	return int64(v.num)
}

// Duration returns a KindDuration value.
func (v Value) Duration() time.Duration { v.must(KindDuration); return time.Duration(v.num) }

// Ratio returns a KindRatio value; 20% is 0.2.
func (v Value) Ratio() float64 { v.must(KindRatio); return v.num }

// Items returns the words of a KindSet value; empty for none.
func (v Value) Items() []string { v.must(KindSet); return slices.Clone(v.items) }

// Has reports whether a KindSet value holds word.
func (v Value) Has(word string) bool { v.must(KindSet); return slices.Contains(v.items, word) }

// Policy returns a KindPolicy value.
func (v Value) Policy() Policy {
	v.must(KindPolicy)
	return Policy{Name: v.pol.Name, Args: slices.Clone(v.pol.Args)}
}

func (v Value) must(k Kind) {
	if v.kind != k {
		panic(fmt.Sprintf("config: value %q is of kind %s, read as %s", v.text, v.kind, k))
	}
}

// AllowedText says in words what values f takes.
func (f *Flag) AllowedText() string {
	var s string
	switch f.Kind {
	case KindBool:
		return "on or off"
	case KindEnum:
		return "one of " + strings.Join(f.Allowed, ", ")
	case KindSet:
		return f.Allowed[0] + ", or any of " + strings.Join(f.Allowed[1:], ", ") + " separated by commas"
	case KindPolicy:
		return "one of " + strings.Join(f.Allowed, ", ")
	case KindInt:
		s = "a whole number"
	case KindBytes:
		s = "a size such as 256KiB"
	case KindDuration:
		s = "a duration such as 100ms"
	case KindRatio:
		s = "a share such as 20%"
	}
	if f.Max > 0 {
		s += fmt.Sprintf(" from %s to %s", f.formatNum(f.Min), f.formatNum(f.Max))
	} else {
		s += ", at least " + f.formatNum(f.Min)
	}
	if f.OrDefault {
		s += ", or the word default"
	}
	return s
}

func (f *Flag) formatNum(n float64) string {
	switch f.Kind {
	case KindBytes:
		return FormatBytes(int64(n))
	case KindDuration:
		return FormatDuration(time.Duration(n))
	case KindRatio:
		return FormatRatio(n)
	default:
		return fmt.Sprintf("%d", int64(n))
	}
}
