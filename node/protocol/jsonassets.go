package protocol

import (
	"encoding/binary"
	"fmt"
)

// jsonIssue appends an asset: currency, currency and issuer, or the id of a multi-purpose token, which is stored as
// issuer, account one, and the sequence with its least significant byte first.
func jsonIssue(dst []byte, v any) ([]byte, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("an asset is wanted")
	}
	if id, ok := m["mpt_issuance_id"].(string); ok {
		var raw [24]byte
		if err := parseHexInto(raw[:], id); err != nil || len(m) != 1 {
			return nil, fmt.Errorf("mpt_issuance_id: 48 hexadecimal digits are wanted, and nothing else")
		}
		dst = append(append(dst, raw[4:]...), AccountOne[:]...)
		return binary.LittleEndian.AppendUint32(dst, binary.BigEndian.Uint32(raw[:4])), nil
	}
	s, _ := m["currency"].(string)
	c, err := ParseCurrency(s)
	if err != nil {
		return nil, err
	}
	dst = append(dst, c[:]...)
	if c.IsXRP() {
		if len(m) != 1 {
			return nil, fmt.Errorf("XRP has no issuer")
		}
		return dst, nil
	}
	a, err := jsonAccount(FieldIssuer, m["issuer"])
	if err != nil {
		return nil, err
	}
	if len(a) != 20 || len(m) != 2 || AccountID(a).IsZero() || AccountID(a) == AccountOne {
		return nil, fmt.Errorf("currency and issuer are wanted, and nothing else")
	}
	return append(dst, a...), nil
}

// issueJSON returns an asset as clients read it and the number of bytes it had.
func issueJSON(b []byte) (map[string]any, int) {
	c := Currency(b[:20])
	if c.IsXRP() {
		return map[string]any{"currency": "XRP"}, 20
	}
	issuer := AccountID(b[20:40])
	if issuer == AccountOne {
		id := binary.BigEndian.AppendUint32(nil, binary.LittleEndian.Uint32(b[40:]))
		return map[string]any{"mpt_issuance_id": upperHex(append(id, b[:20]...))}, 44
	}
	return map[string]any{"currency": c.String(), "issuer": issuer.String()}, 40
}

func jsonBridge(v any) ([]byte, error) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 4 {
		return nil, fmt.Errorf("the two doors and the two assets of a bridge are wanted, and nothing else")
	}
	var b []byte
	for _, side := range bridgeSides {
		a, err := jsonAccount(FieldIssuer, m[side[0]])
		if err != nil || len(a) != 20 {
			return nil, fmt.Errorf("%s: an address is wanted", side[0])
		}
		b = append(append(b, 20), a...)
		if b, err = jsonIssue(b, m[side[1]]); err != nil {
			return nil, fmt.Errorf("%s: %w", side[1], err)
		}
	}
	return b, nil
}

var bridgeSides = [2][2]string{{"LockingChainDoor", "LockingChainIssue"}, {"IssuingChainDoor", "IssuingChainIssue"}}

func bridgeJSON(b []byte) map[string]any {
	m := map[string]any{}
	for _, side := range bridgeSides {
		m[side[0]] = AccountID(b[1:21]).String()
		issue, n := issueJSON(b[21:])
		m[side[1]] = issue
		b = b[21+n:]
	}
	return m
}

// PathStep is one step of a path. Exactly the parts that Type names are there.
type PathStep struct {
	Type     byte // 0x01 account, 0x10 currency, 0x20 issuer, 0x40 token
	Account  AccountID
	Currency Currency
	Issuer   AccountID
	Token    [24]byte
}

// Has reports whether the step names an account, a currency and an issuer.
func (s *PathStep) Has() (account, currency, issuer bool) {
	return s.Type&stepAccount != 0, s.Type&stepCurrency != 0, s.Type&stepIssuer != 0
}

// GetPaths returns the paths and whether they are there.
func (o *Object) GetPaths(f Field) ([][]PathStep, bool) {
	b, ok := o.Raw(f)
	if !ok || f.Type() != TypePathSet {
		return nil, false
	}
	var paths [][]PathStep
	var path []PathStep
	for len(b) > 0 {
		t := b[0]
		b = b[1:]
		if t == pathBoundary || t == pathEnd {
			paths = append(paths, path)
			path = nil
			continue
		}
		s := PathStep{Type: t}
		for _, p := range s.parts() {
			b = b[copy(p, b):]
		}
		path = append(path, s)
	}
	return paths, true
}

// parts are the places of the step's values in the order of serialisation.
func (s *PathStep) parts() [][]byte {
	var out [][]byte
	if s.Type&stepAccount != 0 {
		out = append(out, s.Account[:])
	}
	if s.Type&stepCurrency != 0 {
		out = append(out, s.Currency[:])
	}
	if s.Type&stepMPT != 0 {
		out = append(out, s.Token[:])
	}
	if s.Type&stepIssuer != 0 {
		out = append(out, s.Issuer[:])
	}
	return out
}

// SetPaths sets the paths; none removes the field.
func (o *Object) SetPaths(f Field, paths [][]PathStep) {
	if len(paths) == 0 {
		o.Delete(f)
		return
	}
	o.setRaw(f, appendPaths(nil, paths))
}

func appendPaths(b []byte, paths [][]PathStep) []byte {
	for i := range paths {
		if i > 0 {
			b = append(b, pathBoundary)
		}
		for j := range paths[i] {
			s := &paths[i][j]
			b = append(b, s.Type)
			for _, p := range s.parts() {
				b = append(b, p...)
			}
		}
	}
	return append(b, pathEnd)
}

func jsonPaths(v any) ([]byte, error) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("an array of paths is wanted")
	}
	paths := make([][]PathStep, 0, len(list))
	for i, p := range list {
		steps, ok := p.([]any)
		if !ok || len(steps) == 0 {
			return nil, fmt.Errorf("path %d: an array of steps is wanted", i)
		}
		path := make([]PathStep, 0, len(steps))
		for j, s := range steps {
			step, err := jsonStep(s)
			if err != nil {
				return nil, fmt.Errorf("path %d, step %d: %w", i, j, err)
			}
			path = append(path, step)
		}
		paths = append(paths, path)
	}
	return appendPaths(nil, paths), nil
}

func jsonStep(v any) (s PathStep, err error) {
	m, ok := v.(map[string]any)
	if !ok {
		return s, fmt.Errorf("an object is wanted")
	}
	for name, part := range m {
		text, _ := part.(string)
		var a []byte
		switch name {
		case "account":
			a, err = jsonAccount(FieldIssuer, part)
			s.Type |= stepAccount
			copy(s.Account[:], a)
		case "currency":
			s.Currency, err = ParseCurrency(text)
			s.Type |= stepCurrency
		case "issuer":
			a, err = jsonAccount(FieldIssuer, part)
			s.Type |= stepIssuer
			copy(s.Issuer[:], a)
		case "mpt_issuance_id":
			err = parseHexInto(s.Token[:], text)
			s.Type |= stepMPT
		case "type", "type_hex": // written by servers, follows from the rest
		default:
			err = fmt.Errorf("unknown name")
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", clip(name), err)
		}
	}
	if s.Type == 0 || s.Type&stepMPT != 0 && s.Type&stepCurrency != 0 {
		return s, fmt.Errorf("a step names an account, a currency, a token or an issuer")
	}
	return s, nil
}

func pathsJSON(paths [][]PathStep) []any {
	out := make([]any, 0, len(paths))
	for _, path := range paths {
		steps := make([]any, 0, len(path))
		for i := range path {
			s := &path[i]
			m := map[string]any{"type": s.Type, "type_hex": fmt.Sprintf("%016X", s.Type)}
			if s.Type&stepAccount != 0 {
				m["account"] = s.Account.String()
			}
			if s.Type&stepCurrency != 0 {
				m["currency"] = s.Currency.String()
			}
			if s.Type&stepMPT != 0 {
				m["mpt_issuance_id"] = upperHex(s.Token[:])
			}
			if s.Type&stepIssuer != 0 {
				m["issuer"] = s.Issuer.String()
			}
			steps = append(steps, m)
		}
		out = append(out, steps)
	}
	return out
}
