package protocol

import (
	"bytes"
	"encoding/binary"
)

// Uint8 returns the value, 0 if the field is not there.
func (o *Object) Uint8(f Field) uint8 { v, _ := o.GetUint8(f); return v }

// Uint16 returns the value, 0 if the field is not there.
func (o *Object) Uint16(f Field) uint16 { v, _ := o.GetUint16(f); return v }

// Uint32 returns the value, 0 if the field is not there.
func (o *Object) Uint32(f Field) uint32 { v, _ := o.GetUint32(f); return v }

// Uint64 returns the value, 0 if the field is not there.
func (o *Object) Uint64(f Field) uint64 { v, _ := o.GetUint64(f); return v }

// Hash256 returns the value, zero if the field is not there.
func (o *Object) Hash256(f Field) Hash { v, _ := o.GetHash(f); return v }

// AccountID returns the value, zero if the field is not there.
func (o *Object) AccountID(f Field) AccountID { v, _ := o.GetAccountID(f); return v }

// Amount returns the value, zero XRP if the field is not there.
func (o *Object) Amount(f Field) Amount { v, _ := o.GetAmount(f); return v }

// Blob returns the value, nil if the field is not there. It must not be changed.
func (o *Object) Blob(f Field) []byte { v, _ := o.Raw(f); return v }

// GetUint8 returns the value and whether it is there.
func (o *Object) GetUint8(f Field) (uint8, bool) {
	if b, ok := o.Raw(f); ok && len(b) == 1 {
		return b[0], true
	}
	return 0, false
}

// GetUint16 returns the value and whether it is there.
func (o *Object) GetUint16(f Field) (uint16, bool) {
	if b, ok := o.Raw(f); ok && len(b) == 2 {
		return binary.BigEndian.Uint16(b), true
	}
	return 0, false
}

// GetUint32 returns the value and whether it is there.
func (o *Object) GetUint32(f Field) (uint32, bool) {
	if b, ok := o.Raw(f); ok && len(b) == 4 {
		return binary.BigEndian.Uint32(b), true
	}
	return 0, false
}

// GetUint64 returns the value and whether it is there.
func (o *Object) GetUint64(f Field) (uint64, bool) {
	if b, ok := o.Raw(f); ok && len(b) == 8 {
		return binary.BigEndian.Uint64(b), true
	}
	return 0, false
}

// GetHash returns a 256-bit value and whether it is there.
func (o *Object) GetHash(f Field) (Hash, bool) {
	if b, ok := o.Raw(f); ok && len(b) == 32 {
		return Hash(b), true
	}
	return Hash{}, false
}

// GetAccountID returns the account and whether it is there; an account of no bytes is account zero.
func (o *Object) GetAccountID(f Field) (AccountID, bool) {
	b, ok := o.Raw(f)
	if ok && len(b) == 20 {
		return AccountID(b), true
	}
	return AccountID{}, ok && len(b) == 0
}

// GetCurrency returns a 160-bit value and whether it is there.
func (o *Object) GetCurrency(f Field) (Currency, bool) {
	if b, ok := o.Raw(f); ok && len(b) == 20 {
		return Currency(b), true
	}
	return Currency{}, false
}

// GetAmount returns the amount and whether it is there.
func (o *Object) GetAmount(f Field) (Amount, bool) {
	if b, ok := o.Raw(f); ok && f.Type() == TypeAmount {
		return decodeAmount(b), true
	}
	return Amount{}, false
}

// GetHashes returns a list of hashes and whether it is there.
func (o *Object) GetHashes(f Field) ([]Hash, bool) {
	b, ok := o.Raw(f)
	if !ok {
		return nil, false
	}
	out := make([]Hash, len(b)/32)
	for i := range out {
		out[i] = Hash(b[32*i:])
	}
	return out, true
}

// GetObject returns a copy of the inner object and whether it is there; SetObject writes changes back.
func (o *Object) GetObject(f Field) (*Object, bool) {
	b, ok := o.Raw(f)
	if !ok || f.Type() != TypeObject {
		return nil, false
	}
	in, err := ParseObject(b)
	return in, err == nil
}

// SetUint8 sets the value.
func (o *Object) SetUint8(f Field, v uint8) { o.setRaw(f, []byte{v}) }

// SetUint16 sets the value.
func (o *Object) SetUint16(f Field, v uint16) { o.setRaw(f, binary.BigEndian.AppendUint16(nil, v)) }

// SetUint32 sets the value.
func (o *Object) SetUint32(f Field, v uint32) { o.setRaw(f, binary.BigEndian.AppendUint32(nil, v)) }

// SetUint64 sets the value.
func (o *Object) SetUint64(f Field, v uint64) { o.setRaw(f, binary.BigEndian.AppendUint64(nil, v)) }

// SetHash sets a 256-bit value.
func (o *Object) SetHash(f Field, v Hash) { o.setRaw(f, bytes.Clone(v[:])) }

// SetAccountID sets the account.
func (o *Object) SetAccountID(f Field, v AccountID) { o.setRaw(f, bytes.Clone(v[:])) }

// SetCurrency sets a 160-bit value.
func (o *Object) SetCurrency(f Field, v Currency) { o.setRaw(f, bytes.Clone(v[:])) }

// SetAmount sets the amount.
func (o *Object) SetAmount(f Field, v Amount) { o.setRaw(f, v.AppendTo(nil)) }

// SetDrops sets an amount of XRP.
func (o *Object) SetDrops(f Field, v Drops) { o.SetAmount(f, XRP(v)) }

// SetBlob sets a copy of the bytes.
func (o *Object) SetBlob(f Field, v []byte) { o.setRaw(f, append([]byte{}, v...)) }

// SetHashes sets a list of hashes.
func (o *Object) SetHashes(f Field, v []Hash) {
	b := make([]byte, 0, 32*len(v))
	for i := range v {
		b = append(b, v[i][:]...)
	}
	o.setRaw(f, b)
}

// SetObject sets a copy of the inner object.
func (o *Object) SetObject(f Field, in *Object) { o.setRaw(f, in.Bytes()) }

// Element is one object of an array with the field that announces it.
type Element struct {
	Field  Field
	Object *Object
}

// GetArray returns copies of the array's objects and whether it is there; SetArray writes changes back.
func (o *Object) GetArray(f Field) ([]Element, bool) {
	b, ok := o.Raw(f)
	if !ok || f.Type() != TypeArray {
		return nil, false
	}
	fields, err := parseElements(b)
	if err != nil {
		return nil, false
	}
	out := make([]Element, len(fields))
	for i, v := range fields {
		in, err := ParseObject(v.raw)
		if err != nil {
			return nil, false
		}
		out[i] = Element{v.field, in}
	}
	return out, true
}

// parseElements splits the content of an array into its objects.
func parseElements(b []byte) ([]fieldValue, error) {
	var out []fieldValue
	for pos := 0; pos < len(b); {
		f, next, err := readID(b, pos)
		if err != nil {
			return nil, err
		}
		start, end, next, err := scanValue(b, next, f, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, fieldValue{f, b[start:end:end]})
		pos = next
	}
	return out, nil
}

// SetArray sets an array of objects.
func (o *Object) SetArray(f Field, v []Element) {
	b := []byte{}
	for _, e := range v {
		b = e.Object.AppendTo(e.Field.appendID(b))
		b = append(b, objectEnd)
	}
	o.setRaw(f, b)
}
