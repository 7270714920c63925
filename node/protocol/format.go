package protocol

import (
	"cmp"
	"slices"
)

// FormatStyle says whether a field of a format must be there.
type FormatStyle uint8

// Styles, with rippled's meaning.
const (
	Required FormatStyle = iota
	Optional
	Default // present only when not the default value
)

// FormatField is one row of the format of a transaction or ledger entry.
type FormatField struct {
	Field Field
	Style FormatStyle
}

// txWhole and entryWhole are the formats with the common fields, sorted by field.
var (
	txWhole    = wholeFormats(txFormats, txCommon)
	entryWhole = wholeFormats(entryFormats, entryCommon)
)

func wholeFormats[T comparable](own map[T][]FormatField, common []FormatField) map[T][]FormatField {
	m := make(map[T][]FormatField, len(own))
	for t, f := range own {
		w := slices.Concat(common, f)
		slices.SortFunc(w, func(a, b FormatField) int { return cmp.Compare(a.Field, b.Field) })
		m[t] = w
	}
	return m
}

// TxFormat returns the format of a transaction type, common fields included, sorted by field. It must not be changed.
func TxFormat(t TxType) ([]FormatField, bool) { f, ok := txWhole[t]; return f, ok }

// EntryFormat returns the format of an entry type, common fields included, sorted by field. It must not be changed.
func EntryFormat(t EntryType) ([]FormatField, bool) { f, ok := entryWhole[t]; return f, ok }

// CheckFormat compares the fields with the format of the type: a missing required field and a field that does not
// belong are faults. Submission refuses such a transaction; old ledgers may hold some.
func (t *Transaction) CheckFormat() error {
	format, ok := txWhole[t.txType]
	if !ok {
		return fault(0, FieldTransactionType, "unknown transaction type %d", t.txType)
	}
	return checkFormat(&t.fields, format)
}

// CheckEntryFormat compares a ledger entry with the format of its type.
func CheckEntryFormat(o *Object) error {
	format, ok := entryWhole[o.Type()]
	if !ok {
		return fault(0, FieldLedgerEntryType, "unknown entry type %d", o.Type())
	}
	return checkFormat(o, format)
}

// checkFormat walks two sorted lists side by side.
func checkFormat(o *Object, want []FormatField) error {
	next := 0
	for i := range o.fields {
		f := o.fields[i].field
		for ; next < len(want) && want[next].Field < f; next++ {
			if want[next].Style == Required {
				return fault(0, want[next].Field, "missing, and the type needs it")
			}
		}
		if next == len(want) || want[next].Field != f {
			return fault(0, f, "does not belong to the type")
		}
		next++
	}
	for ; next < len(want); next++ {
		if want[next].Style == Required {
			return fault(0, want[next].Field, "missing, and the type needs it")
		}
	}
	return nil
}
