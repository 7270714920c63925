package protocol

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
)

// ToJSON returns the object as clients read it: names of fields, types and results as text, XRP as a string of drops,
// hashes and blobs in upper-case hexadecimal, 64-bit numbers as lower-case hexadecimal without zeros in front.
func (o *Object) ToJSON() map[string]any {
	m := make(map[string]any, len(o.fields)+2)
	for i := range o.fields {
		v := &o.fields[i]
		m[v.field.String()] = valueJSON(v.field, v.raw)
	}
	if m["Account"] == "" && m["TransactionType"] == TxUNLModify.String() {
		m["Account"] = AccountZero.String()
	}
	return m
}

// MarshalJSON writes ToJSON.
func (o *Object) MarshalJSON() ([]byte, error) { return json.Marshal(o.ToJSON()) }

// MarshalJSON writes the amount as clients read it.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.ToJSON()) }

// ToJSON returns a string of drops, or an object of value and asset.
func (a Amount) ToJSON() any {
	switch a.kind {
	case kindXRP:
		return a.ValueText()
	case kindMPT:
		id := a.MPTokenIssuanceID()
		return map[string]any{"value": a.ValueText(), "mpt_issuance_id": upperHex(id[:])}
	}
	return map[string]any{"value": a.ValueText(), "currency": a.currency.String(), "issuer": a.issuer.String()}
}

func valueJSON(f Field, b []byte) any {
	switch f.Type() {
	case TypeUint8:
		if f == FieldTransactionResult && TER(b[0]).Known() {
			return TER(b[0]).String()
		}
		return b[0]
	case TypeUint16:
		return uint16JSON(f, binary.BigEndian.Uint16(b))
	case TypeUint32:
		v := binary.BigEndian.Uint32(b)
		if f == FieldPermissionValue {
			return permissionJSON(v)
		}
		return v
	case TypeUint64:
		if v := binary.BigEndian.Uint64(b); baseTen(f) {
			return strconv.FormatUint(v, 10)
		} else {
			return strconv.FormatUint(v, 16)
		}
	case TypeInt32:
		return int32(binary.BigEndian.Uint32(b))
	case TypeInt64:
		return strconv.FormatInt(int64(binary.BigEndian.Uint64(b)), 10)
	case TypeNumber:
		return numberText(b)
	case TypeAmount:
		return decodeAmount(b).ToJSON()
	case TypeAccountID:
		if len(b) != 20 {
			return ""
		}
		return AccountID(b).String()
	case TypeCurrency:
		return Currency(b).String()
	}
	return compositeJSON(f, b)
}

func uint16JSON(f Field, v uint16) any {
	switch f {
	case FieldTransactionType:
		if t := TxType(v); t.Known() {
			return t.String()
		}
	case FieldLedgerEntryType:
		if n, ok := entryTypeNames[EntryType(v)]; ok {
			return n
		}
	}
	return v
}

func permissionJSON(v uint32) any {
	for name, p := range granularPermissions {
		if p == v {
			return name
		}
	}
	if t := TxType(v - 1); v > 0 && v <= 1<<16 && t.Known() {
		return t.String()
	}
	return v
}

// compositeJSON writes the types that are made of others. The values were checked when the object was made.
func compositeJSON(f Field, b []byte) any {
	one := &Object{fields: []fieldValue{{f, b}}}
	switch f.Type() {
	case TypeObject:
		if in, ok := one.GetObject(f); ok {
			return in.ToJSON()
		}
	case TypeArray:
		elements, _ := one.GetArray(f)
		list := make([]any, 0, len(elements))
		for _, e := range elements {
			list = append(list, map[string]any{e.Field.String(): e.Object.ToJSON()})
		}
		return list
	case TypePathSet:
		paths, _ := one.GetPaths(f)
		return pathsJSON(paths)
	case TypeVector256:
		hashes, _ := one.GetHashes(f)
		list := make([]any, 0, len(hashes))
		for _, h := range hashes {
			list = append(list, h.String())
		}
		return list
	case TypeIssue:
		m, _ := issueJSON(b)
		return m
	case TypeXChainBridge:
		return bridgeJSON(b)
	}
	return upperHex(b)
}
