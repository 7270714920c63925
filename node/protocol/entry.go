package protocol

import (
	"encoding/binary"
	"slices"
)

// Entry is an entry of the state tree: *AccountRoot, the fast typed form, or *Object, the general one.
type Entry interface {
	Type() EntryType
	AppendTo(dst []byte) []byte
	Clone() Entry
}

// ParseEntry reads a ledger entry. An AccountRoot that has all its required fields comes back as *AccountRoot,
// everything else as *Object. It keeps slices of b only in optional fields and general objects.
func ParseEntry(b []byte) (Entry, error) {
	if isAccountRoot(b) {
		if a := new(AccountRoot); a.parse(b) {
			return a, nil
		}
	}
	o, err := ParseObject(b)
	if err != nil {
		return nil, err
	}
	if !o.Has(FieldLedgerEntryType) {
		return nil, fault(0, FieldLedgerEntryType, "missing, and every entry has it")
	}
	return o, nil
}

func isAccountRoot(b []byte) bool {
	return len(b) >= 3 && b[0] == 0x11 && b[1] == 0 && b[2] == byte(EntryAccountRoot)
}

// ToObject returns the general form of an entry; an *Object is returned as it is.
func ToObject(e Entry) *Object {
	switch v := e.(type) {
	case nil:
		return nil
	case *Object:
		return v
	case *AccountRoot:
		return v.Object()
	}
	o, err := ParseObject(e.AppendTo(nil))
	if err != nil {
		return nil
	}
	return o
}

// EntryEqual reports whether two entries serialise to the same bytes.
func EntryEqual(a, b Entry) bool {
	if x, ok := a.(*AccountRoot); ok {
		if y, ok := b.(*AccountRoot); ok {
			return x.Equal(y)
		}
	}
	if x, ok := a.(*Object); ok {
		if y, ok := b.(*Object); ok {
			return x.Equal(y)
		}
	}
	return slices.Equal(a.AppendTo(nil), b.AppendTo(nil))
}

// AccountRoot is an account: the fields that every account has, and the rest in Opt. Its fields must not be set
// through Opt, except that Opt holds no field twice.
type AccountRoot struct {
	Account           AccountID
	Sequence          uint32
	Balance           Drops
	OwnerCount        uint32
	Flags             uint32
	PreviousTxnID     Hash
	PreviousTxnLgrSeq uint32
	Opt               Object // optional fields: TransferRate, Domain, TicketCount, RegularKey, ...
}

// Type is EntryAccountRoot.
func (a *AccountRoot) Type() EntryType { return EntryAccountRoot }

// Clone returns an independent copy as an entry.
func (a *AccountRoot) Clone() Entry { return a.Copy() }

// Copy returns an independent copy.
func (a *AccountRoot) Copy() *AccountRoot {
	c := new(AccountRoot)
	*c = *a
	if len(a.Opt.fields) != 0 {
		c.Opt.fields = slices.Clone(a.Opt.fields)
	}
	return c
}

// Equal reports whether both serialise to the same bytes.
func (a *AccountRoot) Equal(b *AccountRoot) bool {
	return a.Account == b.Account && a.Sequence == b.Sequence && a.Balance == b.Balance &&
		a.OwnerCount == b.OwnerCount && a.Flags == b.Flags && a.PreviousTxnID == b.PreviousTxnID &&
		a.PreviousTxnLgrSeq == b.PreviousTxnLgrSeq && a.Opt.Equal(&b.Opt)
}

// ParseAccountRoot reads an AccountRoot that has all required fields.
func ParseAccountRoot(b []byte) (*AccountRoot, error) {
	e, err := ParseEntry(b)
	if err != nil {
		return nil, err
	}
	if a, ok := e.(*AccountRoot); ok {
		return a, nil
	}
	return nil, fault(0, FieldLedgerEntryType, "no complete AccountRoot")
}

// accountPlainSize is the size of an account without optional fields.
const accountPlainSize = 87

// parse reads the bytes; false if they are not an account with all required fields, or malformed.
func (a *AccountRoot) parse(b []byte) bool {
	if len(b) == accountPlainSize && a.parsePlain(b) {
		return true
	}
	var space [24]fieldValue
	fields, err := parseFields(b, space[:0])
	if err != nil {
		return false
	}
	n, seen := 0, 0
	for _, v := range fields {
		switch v.field {
		case FieldLedgerEntryType:
			continue
		case FieldFlags:
			a.Flags = binary.BigEndian.Uint32(v.raw)
		case FieldSequence:
			a.Sequence = binary.BigEndian.Uint32(v.raw)
		case FieldPreviousTxnLgrSeq:
			a.PreviousTxnLgrSeq = binary.BigEndian.Uint32(v.raw)
		case FieldOwnerCount:
			a.OwnerCount = binary.BigEndian.Uint32(v.raw)
		case FieldPreviousTxnID:
			a.PreviousTxnID = Hash(v.raw)
		case FieldBalance:
			if len(v.raw) != 8 {
				return false
			}
			a.Balance = decodeAmount(v.raw).Drops()
		case FieldAccount:
			if len(v.raw) != 20 {
				return false
			}
			a.Account = AccountID(v.raw)
		default:
			fields[n] = v
			n++
			continue
		}
		seen++
	}
	if seen != 7 {
		return false
	}
	if n != 0 {
		a.Opt.fields = slices.Clone(fields[:n])
	}
	return true
}

// parsePlain reads an account without optional fields by position.
func (a *AccountRoot) parsePlain(b []byte) bool {
	_ = b[accountPlainSize-1]
	if b[3] != 0x22 || b[8] != 0x24 || b[13] != 0x25 || b[18] != 0x2D || b[23] != 0x55 || b[56] != 0x62 ||
		b[65] != 0x81 || b[66] != 0x14 {
		return false
	}
	bal := binary.BigEndian.Uint64(b[57:])
	if bal&(amountIssued|amountMPT|amountPositive) != amountPositive {
		return false
	}
	a.Flags = binary.BigEndian.Uint32(b[4:])
	a.Sequence = binary.BigEndian.Uint32(b[9:])
	a.PreviousTxnLgrSeq = binary.BigEndian.Uint32(b[14:])
	a.OwnerCount = binary.BigEndian.Uint32(b[19:])
	a.PreviousTxnID = Hash(b[24:56])
	a.Balance = Drops(bal &^ amountPositive)
	a.Account = AccountID(b[67:87])
	return true
}

// AppendTo appends the serialised form.
func (a *AccountRoot) AppendTo(dst []byte) []byte {
	if len(a.Opt.fields) == 0 {
		dst = append(dst, 0x11, 0, byte(EntryAccountRoot))
		dst = a.appendCore(dst, FieldFlags)
		dst = a.appendCore(dst, FieldSequence)
		dst = a.appendCore(dst, FieldPreviousTxnLgrSeq)
		dst = a.appendCore(dst, FieldOwnerCount)
		dst = a.appendCore(dst, FieldPreviousTxnID)
		dst = a.appendCore(dst, FieldBalance)
		return a.appendCore(dst, FieldAccount)
	}
	dst = append(dst, 0x11, 0, byte(EntryAccountRoot))
	next := 0
	for _, f := range accountCore {
		for next < len(a.Opt.fields) && a.Opt.fields[next].field < f {
			dst = a.Opt.fields[next].appendTo(dst)
			next++
		}
		dst = a.appendCore(dst, f)
	}
	for ; next < len(a.Opt.fields); next++ {
		dst = a.Opt.fields[next].appendTo(dst)
	}
	return dst
}

// accountCore are the required fields after LedgerEntryType, in order.
var accountCore = [...]Field{
	FieldFlags, FieldSequence, FieldPreviousTxnLgrSeq, FieldOwnerCount, FieldPreviousTxnID,
	FieldBalance, FieldAccount,
}

func (a *AccountRoot) appendCore(dst []byte, f Field) []byte {
	switch f {
	case FieldFlags:
		return binary.BigEndian.AppendUint32(append(dst, 0x22), a.Flags)
	case FieldSequence:
		return binary.BigEndian.AppendUint32(append(dst, 0x24), a.Sequence)
	case FieldPreviousTxnLgrSeq:
		return binary.BigEndian.AppendUint32(append(dst, 0x25), a.PreviousTxnLgrSeq)
	case FieldOwnerCount:
		return binary.BigEndian.AppendUint32(append(dst, 0x2D), a.OwnerCount)
	case FieldPreviousTxnID:
		return append(append(dst, 0x55), a.PreviousTxnID[:]...)
	case FieldBalance:
		return XRP(a.Balance).AppendTo(append(dst, 0x62))
	}
	return append(append(dst, 0x81, 0x14), a.Account[:]...)
}

// Object returns the general form.
func (a *AccountRoot) Object() *Object {
	o, err := ParseObject(a.AppendTo(nil))
	if err != nil { // not reachable: AppendTo writes well-formed fields in order
		return &Object{}
	}
	return o
}
