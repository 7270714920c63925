package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ValueError says that a text is not a value of a flag.
type ValueError struct {
	Flag    string
	Got     string
	Allowed string
	Nearest string // a word probably meant, or ""
}

// Error is one line.
func (e *ValueError) Error() string {
	s := fmt.Sprintf("flag %s: value %q is not allowed; allowed: %s", e.Flag, e.Got, e.Allowed)
	if e.Nearest != "" {
		s += fmt.Sprintf(" (did you mean %q?)", e.Nearest)
	}
	return s
}

// UnknownFlagError names a flag that is not in the registry.
type UnknownFlagError struct {
	Name    string
	Nearest string
}

// Error is one line.
func (e *UnknownFlagError) Error() string {
	s := fmt.Sprintf("unknown flag %q", e.Name)
	if e.Nearest != "" {
		s += fmt.Sprintf(" (did you mean %q?)", e.Nearest)
	} else {
		s += "; the verb flags lists the known ones"
	}
	return s
}

// Parse reads text as a value of f.
func (f *Flag) Parse(text string) (Value, error) {
	text = strings.TrimSpace(text)
	v := Value{text: text, kind: f.Kind}
	if f.OrDefault && text == WordDefault {
		v.dflt = true
		return v, nil
	}
	var ok bool
	switch f.Kind {
	case KindBool:
		ok = v.parseBool(text)
	case KindEnum:
		ok = slices.Contains(f.Allowed, text)
	case KindSet:
		ok = v.parseSet(text, f.Allowed)
	case KindPolicy:
		ok = v.parsePolicy(text, f.Allowed)
	default:
		ok = v.parseNumber(text, f)
	}
	if !ok {
		return Value{}, &ValueError{Flag: f.Name, Got: text, Allowed: f.AllowedText(), Nearest: f.nearest(text)}
	}
	return v, nil
}

func (f *Flag) nearest(text string) string {
	switch f.Kind {
	case KindEnum, KindSet, KindPolicy:
		return Suggest(text, f.Allowed)
	default:
		return ""
	}
}

func (v *Value) parseBool(text string) bool {
	switch text {
	case "on", "true":
		v.text, v.num = "on", 1
	case "off", "false":
		v.text, v.num = "off", 0
	default:
		return false
	}
	return true
}

func (v *Value) parseNumber(text string, f *Flag) bool {
	switch f.Kind {
	case KindBytes:
		n, err := ParseBytes(text)
		if err != nil {
			return false
		}
		v.num = float64(n)
	case KindDuration:
		d, err := ParseDuration(text)
		if err != nil {
			return false
		}
		v.num = float64(d)
	case KindRatio:
		r, err := ParseRatio(text)
		if err != nil {
			return false
		}
		v.num = r
	case KindInt:
		n, err := strconv.ParseInt(text, 10, 53)
		if err != nil {
			return false
		}
		v.num = float64(n)
	}
	v.text = f.formatNum(v.num)
	return v.num >= f.Min && (f.Max == 0 || v.num <= f.Max)
}

// parseSet accepts words separated by commas in any order and keeps the order of
// allowed; the first allowed word means the empty set and stands alone.
func (v *Value) parseSet(text string, allowed []string) bool {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	got := map[string]bool{}
	for _, w := range strings.Split(text, ",") {
		w = strings.TrimSpace(w)
		if !slices.Contains(allowed, w) {
			return false
		}
		got[w] = true
	}
	if got[allowed[0]] {
		v.text = allowed[0]
		return len(got) == 1
	}
	for _, w := range allowed[1:] {
		if got[w] {
			v.items = append(v.items, w)
		}
	}
	v.text = strings.Join(v.items, ",")
	return true
}

// parsePolicy reads name(arg, ...) against patterns such as freed(bytes).
func (v *Value) parsePolicy(text string, patterns []string) bool {
	name, args, ok := splitCall(text)
	if !ok {
		return false
	}
	for _, p := range patterns {
		pname, kinds, _ := splitCall(p)
		if pname != name || len(kinds) != len(args) {
			continue
		}
		v.pol = Policy{Name: name}
		canon := make([]string, len(args))
		for i, a := range args {
			n, s, ok := policyArg(kinds[i], a)
			if !ok {
				return false
			}
			v.pol.Args = append(v.pol.Args, n)
			canon[i] = s
		}
		v.text = name + "(" + strings.Join(canon, ",") + ")"
		return true
	}
	return false
}

// policyArg reads one argument: a size, a duration, a share or a count, all above zero.
func policyArg(kind, a string) (float64, string, bool) {
	switch kind {
	case "bytes":
		n, err := ParseBytes(a)
		return float64(n), FormatBytes(n), err == nil && n > 0
	case "base":
		d, err := ParseDuration(a)
		return float64(d), FormatDuration(d), err == nil && d > 0
	case "ratio", "share":
		r, err := ParseRatio(a)
		return r, FormatRatio(r), err == nil && r > 0
	default:
		r, err := strconv.ParseFloat(a, 64)
		if err != nil || r < 1 || math.IsInf(r, 0) || (kind == "n" && r != math.Trunc(r)) {
			return 0, "", false
		}
		return r, strconv.FormatFloat(r, 'f', -1, 64), true
	}
}

func splitCall(s string) (name string, args []string, ok bool) {
	name, rest, found := strings.Cut(strings.TrimSpace(s), "(")
	inner, closed := strings.CutSuffix(rest, ")")
	if !found || !closed || name == "" {
		return "", nil, false
	}
	for _, a := range strings.Split(inner, ",") {
		args = append(args, strings.TrimSpace(a))
	}
	return name, args, true
}
