package protocol

import (
	"bytes"
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
