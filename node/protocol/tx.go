package protocol

import (
	"encoding/binary"
	"sync/atomic"
)

// txInlineFields is the number of fields of a transaction that need no second allocation; a payment with flags,
// tags and a limit has 12.
const txInlineFields = 14

// Transaction is a parsed transaction: immutable, shareable, one allocation for the usual ones. Getters of Object
// serve its fields.
type Transaction struct {
	fields Object
	blob   []byte
	id     Hash

	txType   TxType
	account  AccountID
	fee      Drops
	sequence uint32
	ticket   uint32
	flags    uint32
	lastSeq  uint32
	hasLast  bool
	isTicket bool

	skip  [4]span // extents of the fields that are not signed
	nSkip int

	inline [txInlineFields]fieldValue
	local  atomic.Pointer[any] // see SetLocal
}

type span struct{ start, end uint32 }

// ParseTransaction reads a whole transaction and computes its id. It keeps blob. The fields that every transaction
// has must be there and of the right kind; CheckFormat compares the rest with the format of the type.
func ParseTransaction(blob []byte) (*Transaction, error) {
	if len(blob) > maxInputBytes {
		return nil, fault(0, 0, "%d bytes are above %d", len(blob), maxInputBytes)
	}
	t := &Transaction{blob: blob}
	fields := t.inline[:0]
	last := Field(0)
	seen := uint8(0)
	for pos := 0; pos < len(blob); {
		f, next, err := readID(blob, pos)
		if err != nil {
			return nil, err
		}
		if f <= last || f == FieldObjectEndMarker || f == FieldArrayEndMarker {
			return nil, checkOrder(pos, f, last)
		}
		start, end, next, err := scanValue(blob, next, f, 0)
		if err != nil {
			return nil, err
		}
		if len(fields) == maxFieldCount {
			return nil, fault(pos, f, "more than %d fields", maxFieldCount)
		}
		v := blob[start:end:end]
		bit, err := t.note(f, v, pos, next)
		if err != nil {
			return nil, err
		}
		seen |= bit
		fields = append(fields, fieldValue{f, v})
		last, pos = f, next
	}
	if seen != seenAll {
		return nil, missingCommon(len(blob), seen)
	}
	t.fields.fields = fields
	t.id = SHA512Half(PrefixTxID[:], blob)
	return t, nil
}

// Bits of the fields that every transaction has.
const (
	seenType = 1 << iota
	seenAccount
	seenSequence
	seenFee
	seenKey
	seenAll = seenType | seenAccount | seenSequence | seenFee | seenKey
)

func missingCommon(off int, seen uint8) error {
	for i, f := range []Field{FieldTransactionType, FieldAccount, FieldSequence, FieldFee, FieldSigningPubKey} {
		if seen&(1<<i) == 0 {
			return fault(off, f, "missing, and every transaction has it")
		}
	}
	return nil
}

// note keeps the values that the hot path asks for; [pos:next] is the field with its id and marker.
func (t *Transaction) note(f Field, v []byte, pos, next int) (seen uint8, err error) {
	switch f {
	case FieldTransactionType:
		t.txType = TxType(binary.BigEndian.Uint16(v))
		return seenType, nil
	case FieldFlags:
		t.flags = binary.BigEndian.Uint32(v)
	case FieldSequence:
		t.sequence = binary.BigEndian.Uint32(v)
		return seenSequence, nil
	case FieldLastLedgerSequence:
		t.lastSeq, t.hasLast = binary.BigEndian.Uint32(v), true
	case FieldTicketSequence:
		t.ticket, t.isTicket = binary.BigEndian.Uint32(v), true
	case FieldFee:
		if len(v) != 8 {
			return 0, fault(pos, f, "the fee is not XRP")
		}
		t.fee = decodeAmount(v).Drops()
		return seenFee, nil
	case FieldSigningPubKey:
		return seenKey, nil
	case FieldAccount:
		copy(t.account[:], v)
		return seenAccount, nil
	case FieldTxnSignature, FieldSignature, FieldMasterSignature, FieldSigners, FieldBatchSigners,
		FieldCounterpartySignature, FieldSponsorSignature:
		if t.nSkip == len(t.skip) {
			return 0, fault(pos, f, "more than %d fields that are not signed", len(t.skip))
		}
		t.skip[t.nSkip] = span{uint32(pos), uint32(next)}
		t.nSkip++
	}
	return 0, nil
}

// Blob is the serialised form, which must not be changed.
func (t *Transaction) Blob() []byte { return t.blob }

// ID is the transaction's hash.
func (t *Transaction) ID() Hash { return t.id }

// Type is the transaction type.
func (t *Transaction) Type() TxType { return t.txType }

// Account is the account that pays the fee.
func (t *Transaction) Account() AccountID { return t.account }

// Fee is the fee in drops; a malformed transaction may state a negative one.
func (t *Transaction) Fee() Drops { return t.fee }

// Flags are the flags, 0 if the field is absent.
func (t *Transaction) Flags() uint32 { return t.flags }

// Sequence is the value of the field, 0 when a ticket is used.
func (t *Transaction) Sequence() uint32 { return t.sequence }

// SeqProxy is the sequence or the ticket that the transaction consumes.
func (t *Transaction) SeqProxy() SeqProxy {
	if t.isTicket && t.sequence == 0 {
		return SeqProxy{Value: t.ticket, Ticket: true}
	}
	return SeqProxy{Value: t.sequence}
}

// TicketSequence is the value of the field and whether it is there.
func (t *Transaction) TicketSequence() (uint32, bool) { return t.ticket, t.isTicket }

// LastLedgerSequence is the last ledger the transaction may be in, and whether there is such a limit.
func (t *Transaction) LastLedgerSequence() (uint32, bool) { return t.lastSeq, t.hasLast }

// NetworkID is the value of the field and whether it is there.
func (t *Transaction) NetworkID() (uint32, bool) { return t.fields.GetUint32(FieldNetworkID) }

// SigningPubKey is the key that signed, empty when multi-signed.
func (t *Transaction) SigningPubKey() []byte { return t.fields.Blob(FieldSigningPubKey) }

// TxnSignature is the signature, empty when multi-signed.
func (t *Transaction) TxnSignature() []byte { return t.fields.Blob(FieldTxnSignature) }

// Has reports whether the field is there.
func (t *Transaction) Has(f Field) bool { return t.fields.Has(f) }

// Object is the general form. It is shared and must not be changed; Copy it first.
func (t *Transaction) Object() *Object { return &t.fields }

// SigningData is what a single signature signs: prefix and signed fields.
func (t *Transaction) SigningData() []byte {
	return t.AppendSigningData(make([]byte, 0, len(t.blob)+4))
}

// AppendSigningData appends what a single signature signs.
func (t *Transaction) AppendSigningData(dst []byte) []byte {
	return t.appendSigned(append(dst, PrefixTxSign[:]...))
}

// AppendMultiSigningData appends what a multi-signature of the signer signs.
func (t *Transaction) AppendMultiSigningData(dst []byte, signer AccountID) []byte {
	return append(t.appendSigned(append(dst, PrefixTxMultiSign[:]...)), signer[:]...)
}

func (t *Transaction) appendSigned(dst []byte) []byte {
	from := uint32(0)
	for _, s := range t.skip[:t.nSkip] {
		dst = append(dst, t.blob[from:s.start]...)
		from = s.end
	}
	return append(dst, t.blob[from:]...)
}

// SetLocal remembers something about the transaction beside it, as the verdict of a check, so that it is done once.
// It is the one thing about a transaction that may change; the last value wins.
func (t *Transaction) SetLocal(v any) { t.local.Store(&v) }

// Local returns what SetLocal remembered, nil if nothing.
func (t *Transaction) Local() any {
	if p := t.local.Load(); p != nil {
		return *p
	}
	return nil
}

// SeqProxy is a sequence number or a ticket number. All sequences order before all tickets.
type SeqProxy struct {
	Value  uint32
	Ticket bool
}

// Compare orders sequences before tickets, then by number.
func (s SeqProxy) Compare(o SeqProxy) int {
	switch {
	case s.Ticket != o.Ticket:
		if o.Ticket {
			return -1
		}
		return 1
	case s.Value < o.Value:
		return -1
	case s.Value > o.Value:
		return 1
	}
	return 0
}

// Payment is the typed view of a payment.
type Payment struct {
	Destination    AccountID
	Amount         Amount
	DestinationTag uint32
	HasTag         bool
	SendMax        Amount
	HasSendMax     bool
	DeliverMin     Amount
	HasDeliverMin  bool
	HasPaths       bool
	InvoiceID      Hash
	HasInvoiceID   bool
}

// Payment returns the typed view; false if this is no payment or Destination or Amount are missing.
func (t *Transaction) Payment() (p Payment, ok bool) {
	if t.txType != TxPayment {
		return p, false
	}
	dst, amount := false, false
	for i := range t.fields.fields {
		v := &t.fields.fields[i]
		switch v.field {
		case FieldDestination:
			copy(p.Destination[:], v.raw)
			dst = true
		case FieldAmount:
			p.Amount = decodeAmount(v.raw)
			amount = true
		case FieldDestinationTag:
			p.DestinationTag, p.HasTag = binary.BigEndian.Uint32(v.raw), true
		case FieldSendMax:
			p.SendMax, p.HasSendMax = decodeAmount(v.raw), true
		case FieldDeliverMin:
			p.DeliverMin, p.HasDeliverMin = decodeAmount(v.raw), true
		case FieldPaths:
			p.HasPaths = true
		case FieldInvoiceID:
			p.InvoiceID, p.HasInvoiceID = Hash(v.raw), true
		}
	}
	return p, dst && amount
}

// AccountSet is the typed view of an account's settings; absent fields are nil.
type AccountSet struct {
	EmailHash, MessageKey, Domain []byte
	WalletLocator                 *Hash
	WalletSize, TransferRate      *uint32
	SetFlag, ClearFlag            uint32
	TickSize                      *uint8
	NFTokenMinter                 *AccountID
}

// AccountSet returns the typed view; false if this is another type.
func (t *Transaction) AccountSet() (s AccountSet, ok bool) {
	if t.txType != TxAccountSet {
		return s, false
	}
	o := &t.fields
	if v, has := o.Raw(FieldEmailHash); has {
		s.EmailHash = v
	}
	s.MessageKey, s.Domain = o.Blob(FieldMessageKey), o.Blob(FieldDomain)
	if v, has := o.GetHash(FieldWalletLocator); has {
		s.WalletLocator = &v
	}
	if v, has := o.GetUint32(FieldWalletSize); has {
		s.WalletSize = &v
	}
	if v, has := o.GetUint32(FieldTransferRate); has {
		s.TransferRate = &v
	}
	s.SetFlag, s.ClearFlag = o.Uint32(FieldSetFlag), o.Uint32(FieldClearFlag)
	if v, has := o.GetUint8(FieldTickSize); has {
		s.TickSize = &v
	}
	if v, has := o.GetAccountID(FieldNFTokenMinter); has {
		s.NFTokenMinter = &v
	}
	return s, true
}
