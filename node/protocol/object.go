package protocol

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
)

// fieldValue is one field of an object. raw is the serialised value without length prefix and without end marker;
// it is never written to, so that copies of an object share it.
type fieldValue struct {
	field Field
	raw   []byte
}

// Object is the general form of everything that is serialised as fields: transactions, ledger entries, metadata and
// their inner objects. Fields are kept sorted by code; values are kept serialised and decoded when asked for, so
// that parsing copies nothing and an unchanged object serialises to the bytes it came from.
// The zero Object is empty and ready for use. An Object is not safe for concurrent change.
type Object struct {
	fields []fieldValue
}

// NewEntry returns an object that holds its type and zero flags, as every ledger entry does.
func NewEntry(t EntryType) *Object {
	o := &Object{fields: make([]fieldValue, 0, 12)}
	o.SetUint16(FieldLedgerEntryType, uint16(t))
	o.SetUint32(FieldFlags, 0)
	return o
}

// ParseObject reads a whole object (without end marker). It keeps slices of b.
func ParseObject(b []byte) (*Object, error) {
	var space [24]fieldValue
	fields, err := parseFields(b, space[:0])
	if err != nil {
		return nil, err
	}
	return &Object{fields: slices.Clone(fields)}, nil
}

// parseFields appends the fields of the whole of b to dst.
func parseFields(b []byte, dst []fieldValue) ([]fieldValue, error) {
	if len(b) > maxInputBytes {
		return nil, fault(0, 0, "%d bytes are above %d", len(b), maxInputBytes)
	}
	last := Field(0)
	for pos := 0; pos < len(b); {
		f, next, err := readID(b, pos)
		if err != nil {
			return nil, err
		}
		if err := checkOrder(pos, f, last); err != nil {
			return nil, err
		}
		start, end, next, err := scanValue(b, next, f, 0)
		if err != nil {
			return nil, err
		}
		if len(dst) == maxFieldCount {
			return nil, fault(pos, f, "more than %d fields", maxFieldCount)
		}
		dst = append(dst, fieldValue{f, b[start:end:end]})
		last, pos = f, next
	}
	return dst, nil
}

// AppendTo appends the serialised form.
func (o *Object) AppendTo(dst []byte) []byte {
	for i := range o.fields {
		dst = o.fields[i].appendTo(dst)
	}
	return dst
}

// Bytes returns the serialised form.
func (o *Object) Bytes() []byte { return o.AppendTo(make([]byte, 0, o.size())) }

// AppendSigningTo appends the serialised form of the fields that are signed.
func (o *Object) AppendSigningTo(dst []byte) []byte {
	for i := range o.fields {
		if o.fields[i].field.IsSigning() {
			dst = o.fields[i].appendTo(dst)
		}
	}
	return dst
}

// size is an upper bound of the serialised size.
func (o *Object) size() int {
	n := 0
	for i := range o.fields {
		n += len(o.fields[i].raw) + 6
	}
	return n
}

func (v *fieldValue) appendTo(dst []byte) []byte {
	dst = v.field.appendID(dst)
	switch t := v.field.Type(); {
	case isVL(t):
		return append(AppendLength(dst, len(v.raw)), v.raw...)
	case t == TypeObject:
		return append(append(dst, v.raw...), objectEnd)
	case t == TypeArray:
		return append(append(dst, v.raw...), arrayEnd)
	}
	return append(dst, v.raw...)
}

// Type is the ledger entry type, 0 if there is none.
func (o *Object) Type() EntryType { return EntryType(o.Uint16(FieldLedgerEntryType)) }

// Clone returns an independent copy as a ledger entry.
func (o *Object) Clone() Entry { return o.Copy() }

// Copy returns an independent copy. The values are shared, which is safe: they are never written to.
func (o *Object) Copy() *Object { return &Object{fields: slices.Clone(o.fields)} }

// Equal reports whether both serialise to the same bytes.
func (o *Object) Equal(p *Object) bool {
	return slices.EqualFunc(o.fields, p.fields, func(a, b fieldValue) bool {
		return a.field == b.field && bytes.Equal(a.raw, b.raw)
	})
}

// Len is the number of fields.
func (o *Object) Len() int { return len(o.fields) }

// All yields the fields in order, with their serialised values (without length prefix and end marker).
func (o *Object) All() iter.Seq2[Field, []byte] {
	return func(yield func(Field, []byte) bool) {
		for i := range o.fields {
			if !yield(o.fields[i].field, o.fields[i].raw) {
				return
			}
		}
	}
}

func (o *Object) find(f Field) (int, bool) {
	for i := range o.fields {
		if g := o.fields[i].field; g >= f {
			return i, g == f
		}
	}
	return len(o.fields), false
}

// Has reports whether the field is there.
func (o *Object) Has(f Field) bool { _, ok := o.find(f); return ok }

// Raw returns the serialised value, which must not be changed.
func (o *Object) Raw(f Field) ([]byte, bool) {
	if i, ok := o.find(f); ok {
		return o.fields[i].raw, true
	}
	return nil, false
}

// setRaw sets a value that is known to be well formed. raw belongs to the object afterwards.
func (o *Object) setRaw(f Field, raw []byte) {
	i, ok := o.find(f)
	if ok {
		o.fields[i].raw = raw
		return
	}
	o.fields = slices.Insert(o.fields, i, fieldValue{f, raw})
}

// SetRaw sets a serialised value (without length prefix and end marker) after checking it.
func (o *Object) SetRaw(f Field, raw []byte) error {
	if !f.Known() {
		return fault(0, f, "unknown field")
	}
	v := fieldValue{f, raw}
	if isVL(f.Type()) && len(raw) > maxVLBytes {
		return fault(0, f, "length %d is above %d", len(raw), maxVLBytes)
	}
	enc := v.appendTo(nil)
	_, pos, err := readID(enc, 0)
	if err != nil {
		return err
	}
	_, _, next, err := scanValue(enc, pos, f, 0)
	if err != nil {
		return err
	}
	if next != len(enc) {
		return fault(next, f, "%d bytes too many", len(enc)-next)
	}
	o.setRaw(f, slices.Clone(raw))
	return nil
}

// Delete removes the field if it is there.
func (o *Object) Delete(f Field) {
	if i, ok := o.find(f); ok {
		o.fields = slices.Delete(slices.Clone(o.fields), i, i+1)
	}
}

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
