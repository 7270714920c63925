package protocol

import "fmt"

// FieldType is the serialised type of a field.
type FieldType uint16

// Type codes (rippled SField.h); types of 16 and more need a longer field id.
const (
	TypeUint16       FieldType = 1
	TypeUint32       FieldType = 2
	TypeUint64       FieldType = 3
	TypeHash128      FieldType = 4
	TypeHash256      FieldType = 5
	TypeAmount       FieldType = 6
	TypeBlob         FieldType = 7
	TypeAccountID    FieldType = 8
	TypeNumber       FieldType = 9
	TypeInt32        FieldType = 10
	TypeInt64        FieldType = 11
	TypeObject       FieldType = 14
	TypeArray        FieldType = 15
	TypeUint8        FieldType = 16
	TypeHash160      FieldType = 17
	TypePathSet      FieldType = 18
	TypeVector256    FieldType = 19
	TypeUint96       FieldType = 20
	TypeHash192      FieldType = 21
	TypeHash384      FieldType = 22
	TypeHash512      FieldType = 23
	TypeIssue        FieldType = 24
	TypeXChainBridge FieldType = 25
	TypeCurrency     FieldType = 26

	maxFieldType = 26
)

// fixedSize is the width of each type that always has the same one, and 0 for the others.
var fixedSize = [maxFieldType + 1]uint8{
	TypeUint16: 2, TypeUint32: 4, TypeUint64: 8, TypeHash128: 16, TypeHash256: 32, TypeNumber: 12, TypeInt32: 4,
	TypeInt64: 8, TypeUint8: 1, TypeHash160: 20, TypeUint96: 12, TypeHash192: 24, TypeHash384: 48, TypeHash512: 64,
	TypeCurrency: 20,
}

// Field is a field code: type in the high half, number within the type in the low half. Fields of an object are
// serialised in the order of their codes.
type Field uint32

// Which parts of metadata a field appears in (rippled SField.h sMD_*).
const (
	metaNever      = 0
	metaChangeOrig = 1 << 0
	metaChangeNew  = 1 << 1
	metaDeleteFin  = 1 << 2
	metaCreate     = 1 << 3
	metaAlways     = 1 << 4
	metaDefault    = metaChangeOrig | metaChangeNew | metaDeleteFin | metaCreate

	metaDeleteFinal = metaDeleteFin
)

type fieldInfo struct {
	field   Field
	name    string
	signing bool
	meta    uint8
}

const maxFieldNumber = 80

// fieldIndex finds the information of a field by type and number; nil is an unknown field.
var fieldIndex = func() (t [maxFieldType + 1][maxFieldNumber]*fieldInfo) {
	for i := range fieldTable {
		f := &fieldTable[i]
		t[f.field.Type()][f.field.Number()] = f
	}
	return t
}()

var fieldByName = func() map[string]Field {
	m := make(map[string]Field, len(fieldTable))
	for _, f := range fieldTable {
		m[f.name] = f.field
	}
	return m
}()

func (f Field) info() *fieldInfo {
	t, n := f.Type(), f.Number()
	if t > maxFieldType || n >= maxFieldNumber {
		return nil
	}
	return fieldIndex[t][n]
}

// Type is the serialised type.
func (f Field) Type() FieldType { return FieldType(f >> 16) }

// Number is the number within the type.
func (f Field) Number() uint16 { return uint16(f) }

// Known reports whether the field is in the table.
func (f Field) Known() bool { return f.info() != nil }

// IsSigning reports whether the field is part of what is signed.
func (f Field) IsSigning() bool { i := f.info(); return i != nil && i.signing }

// IsVL reports whether the value is preceded by its length.
func (f Field) IsVL() bool { return isVL(f.Type()) }

func isVL(t FieldType) bool { return t == TypeBlob || t == TypeAccountID || t == TypeVector256 }

func (f Field) meta(mask uint8) bool { i := f.info(); return i != nil && i.meta&mask != 0 }

// String returns the field's name.
func (f Field) String() string {
	if i := f.info(); i != nil {
		return i.name
	}
	return fmt.Sprintf("unknown(%d,%d)", f.Type(), f.Number())
}

// FieldByName finds a serialised field.
func FieldByName(name string) (Field, bool) { f, ok := fieldByName[name]; return f, ok }

// Fields returns every serialised field in the order of their codes.
func Fields() []Field {
	out := make([]Field, len(fieldTable))
	for i := range fieldTable {
		out[i] = fieldTable[i].field
	}
	return out
}

// appendID appends the one to three bytes that announce the field.
func (f Field) appendID(dst []byte) []byte {
	t, n := byte(f>>16), byte(f)
	switch {
	case t < 16 && n < 16:
		return append(dst, t<<4|n)
	case t < 16:
		return append(dst, t<<4, n)
	case n < 16:
		return append(dst, n, t)
	}
	return append(dst, 0, t, n)
}

// TxType is the type of a transaction.
type TxType uint16

// String returns the type's name as clients write it.
func (t TxType) String() string {
	if n, ok := txTypeNames[t]; ok {
		return n
	}
	return fmt.Sprintf("TxType(%d)", uint16(t))
}

// Known reports whether the type is in the table.
func (t TxType) Known() bool { _, ok := txTypeNames[t]; return ok }

// IsPseudo reports whether only the servers themselves create this type.
func (t TxType) IsPseudo() bool { return t >= TxEnableAmendment && t <= TxUNLModify }

// ParseTxType finds a type by name.
func ParseTxType(s string) (TxType, bool) { return byName(txTypeNames, s) }

// EntryType is the type of a ledger entry.
type EntryType uint16

// String returns the type's name as clients write it.
func (t EntryType) String() string {
	if n, ok := entryTypeNames[t]; ok {
		return n
	}
	return fmt.Sprintf("EntryType(%d)", uint16(t))
}

// ParseEntryType finds a type by name.
func ParseEntryType(s string) (EntryType, bool) { return byName(entryTypeNames, s) }

func byName[T comparable](m map[T]string, s string) (T, bool) {
	for k, v := range m {
		if v == s {
			return k, true
		}
	}
	var zero T
	return zero, false
}
