package protocol

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// jsonIgnored are names that servers put beside the fields of an object and that are not serialised.
var jsonIgnored = map[string]bool{
	"hash": true, "index": true, "date": true, "ledger_index": true, "inLedger": true, "ledger_hash": true,
	"validated": true, "meta": true, "metaData": true, "delivered_amount": true, "DeliverMax": true, "ctid": true,
	"close_time_iso": true, "owner_funds": true, "urlgravatar": true, "nftoken_id": true, "nftoken_ids": true,
	"offer_id": true, "mpt_issuance_id": true, "taker_gets_funded": true, "taker_pays_funded": true, "quality": true,
	"signer_lists": true,
}

// jsonReader reads objects from JSON values. strict is for what clients submit: no negative XRP.
type jsonReader struct{ strict bool }

// ObjectFromJSON reads an object as clients write it and as servers return it. Names of fields must be known, but for
// those that servers add; X-addresses are taken for accounts and give their tags.
func ObjectFromJSON(data []byte) (*Object, error) { return fromJSON(data, jsonReader{}) }

// TransactionFromJSON reads a transaction as clients write it, signed or not. Amounts of XRP must not be negative.
func TransactionFromJSON(data []byte) (*Object, error) {
	o, err := fromJSON(data, jsonReader{strict: true})
	if err == nil && !o.Has(FieldTransactionType) {
		return nil, fmt.Errorf("TransactionType is missing")
	}
	return o, err
}

// ObjectFromMap is ObjectFromJSON for a value that is decoded already; numbers are json.Number.
func ObjectFromMap(m map[string]any) (*Object, error) { return jsonReader{}.object(m, "", 0) }

func fromJSON(data []byte, r jsonReader) (*Object, error) {
	v, err := decodeJSON(data)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("an object is wanted")
	}
	return r.object(m, "", 0)
}

func (r jsonReader) object(m map[string]any, path string, depth int) (*Object, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: nested deeper than %d", path, maxDepth)
	}
	o := &Object{}
	for _, name := range sortedNames(m) {
		f, ok := FieldByName(name)
		if !ok || f == FieldObjectEndMarker || f == FieldArrayEndMarker {
			if jsonIgnored[name] || strings.HasPrefix(name, "_") { // a comment
				continue
			}
			return nil, fmt.Errorf("%s: unknown field", join(path, clip(name)))
		}
		raw, err := r.value(f, m[name], join(path, name), depth)
		if err != nil {
			return nil, err
		}
		o.setRaw(f, raw)
	}
	if o.Uint16(FieldTransactionType) == uint16(TxUNLModify) && o.AccountID(FieldAccount).IsZero() {
		o.setRaw(FieldAccount, []byte{}) // servers write the account of this one type without bytes
	}
	if err := r.tags(o, m, path); err != nil {
		return nil, err
	}
	return o, nil
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// tags moves the tags of X-addresses into the fields that hold them.
func (r jsonReader) tags(o *Object, m map[string]any, path string) error {
	for _, p := range [...]struct{ account, tag Field }{
		{FieldAccount, FieldSourceTag}, {FieldDestination, FieldDestinationTag},
	} {
		s, _ := m[p.account.String()].(string)
		x, err := parseAddress(s)
		if err != nil || !x.HasTag {
			continue
		}
		if old, ok := o.GetUint32(p.tag); ok && old != x.Tag {
			return fmt.Errorf("%s: %s is %d, the X-address says %d", join(path, p.account.String()), p.tag, old, x.Tag)
		}
		o.SetUint32(p.tag, x.Tag)
	}
	return nil
}

// value returns the serialised value of a field.
func (r jsonReader) value(f Field, v any, path string, depth int) ([]byte, error) {
	raw, err := r.valueOf(f, v, path, depth)
	if err != nil && !strings.HasPrefix(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return raw, err
}

func (r jsonReader) valueOf(f Field, v any, path string, depth int) ([]byte, error) {
	switch f.Type() {
	case TypeUint8, TypeUint16, TypeUint32:
		return jsonUint(f, v)
	case TypeUint64:
		return jsonUint64(f, v)
	case TypeInt32, TypeInt64:
		return jsonInt(f, v)
	case TypeNumber:
		s, err := numberString(v)
		if err != nil {
			return nil, err
		}
		return appendNumber(nil, s)
	case TypeBlob:
		return jsonHex(v, -1)
	case TypeAccountID:
		return jsonAccount(f, v)
	case TypeAmount:
		a, err := r.amount(v)
		return a.AppendTo(nil), err
	case TypeObject:
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("an object is wanted")
		}
		o, err := r.object(m, path, depth+1)
		if err != nil {
			return nil, err
		}
		return o.Bytes(), nil
	case TypeArray:
		return r.array(v, path, depth+1)
	case TypePathSet:
		return jsonPaths(v)
	case TypeVector256:
		return jsonHashes(v)
	case TypeIssue:
		return jsonIssue(nil, v)
	case TypeXChainBridge:
		return jsonBridge(v)
	case TypeCurrency:
		s, _ := v.(string)
		c, err := ParseCurrency(s)
		return c[:], err
	}
	if n := int(fixedSize[f.Type()]); n != 0 {
		if s, ok := v.(string); ok && s == "" && f.Type() == TypeHash128 {
			return make([]byte, n), nil // an empty EmailHash clears it
		}
		return jsonHex(v, n)
	}
	return nil, fmt.Errorf("type %d is not supported", f.Type())
}

// jsonHex reads hexadecimal digits: n bytes, any number of bytes if n is negative.
func jsonHex(v any, n int) ([]byte, error) {
	s, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("a string of hexadecimal digits is wanted")
	}
	if n >= 0 {
		b := make([]byte, n)
		return b, parseHexInto(b, s)
	}
	if len(s) > 2*maxVLBytes {
		return nil, fmt.Errorf("%d bytes are above %d", len(s)/2, maxVLBytes)
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("%q is not hexadecimal", clip(s))
	}
	return b, nil
}

func jsonAccount(f Field, v any) ([]byte, error) {
	s, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("an address is wanted")
	}
	switch len(s) {
	case 0:
		return []byte{}, nil
	case 40:
		return jsonHex(v, 20)
	}
	x, err := parseAddress(s)
	if err != nil {
		return nil, err
	}
	if x.HasTag && f != FieldAccount && f != FieldDestination {
		return nil, fmt.Errorf("a tag has no place here")
	}
	return x.Account[:], nil
}

// AmountFromJSON reads an amount as clients write it: a string of drops, or an object.
func AmountFromJSON(v any) (Amount, error) { return jsonReader{strict: true}.amount(v) }

func (r jsonReader) amount(v any) (Amount, error) {
	switch x := v.(type) {
	case string:
		d, err := parseDrops(x, !r.strict)
		return XRP(d), err
	case json.Number:
		d, err := parseDrops(x.String(), !r.strict)
		return XRP(d), err
	case map[string]any:
		value, ok := x["value"].(string)
		if !ok {
			return Amount{}, fmt.Errorf("value: a string is wanted")
		}
		if id, ok := x["mpt_issuance_id"].(string); ok {
			if len(x) != 2 {
				return Amount{}, fmt.Errorf("beside mpt_issuance_id and value nothing is allowed")
			}
			return parseMPT(value, id)
		}
		currency, ok1 := x["currency"].(string)
		issuer, ok2 := x["issuer"].(string)
		if !ok1 || !ok2 || len(x) != 3 {
			return Amount{}, fmt.Errorf("value, currency and issuer are wanted, each a string, and nothing else")
		}
		c, err := ParseCurrency(currency)
		if err != nil {
			return Amount{}, err
		}
		a, err := jsonAccount(FieldIssuer, issuer)
		if err != nil {
			return Amount{}, err
		}
		if len(a) != 20 {
			return Amount{}, fmt.Errorf("the issuer is missing")
		}
		return ParseIssued(value, c, AccountID(a))
	}
	return Amount{}, fmt.Errorf("a string of drops or an object is wanted")
}

func (r jsonReader) array(v any, path string, depth int) ([]byte, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("an array is wanted")
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	b := []byte{}
	for i, e := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		m, ok := e.(map[string]any)
		if !ok || len(m) != 1 {
			return nil, fmt.Errorf("%s: an object with exactly one name is wanted", at)
		}
		for name, inner := range m {
			f, ok := FieldByName(name)
			if !ok || f.Type() != TypeObject || f == FieldObjectEndMarker {
				return nil, fmt.Errorf("%s: %q announces no object", at, clip(name))
			}
			raw, err := r.value(f, inner, join(at, name), depth)
			if err != nil {
				return nil, err
			}
			b = append(append(f.appendID(b), raw...), objectEnd)
		}
	}
	return b, nil
}

func jsonHashes(v any) ([]byte, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("an array of hashes is wanted")
	}
	b := make([]byte, 0, 32*len(list))
	for i, e := range list {
		h, err := jsonHex(e, 32)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		b = append(b, h...)
	}
	if len(b) > maxVLBytes {
		return nil, fmt.Errorf("%d bytes are above %d", len(b), maxVLBytes)
	}
	return b, nil
}
