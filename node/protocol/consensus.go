package protocol

import (
	"encoding/binary"
	"slices"
)

// Flags of a validation.
const (
	VfFullValidation    uint32 = 0x00000001
	VfFullyCanonicalSig uint32 = 0x80000000
)

// maxValidationBytes bounds a validation; the largest real ones carry amendment votes and stay below 4 KiB.
const maxValidationBytes = 16 << 10

// Validation is a validator's statement about a ledger. Optional fields are absent when zero; Extra holds the rest
// (amendments, fee votes).
type Validation struct {
	Flags          uint32
	LedgerSequence uint32
	CloseTime      uint32
	LoadFee        uint32
	SigningTime    uint32
	Cookie         uint64
	ServerVersion  uint64
	LedgerHash     Hash
	ConsensusHash  Hash // of the transaction set
	ValidatedHash  Hash // the validator's last fully validated ledger
	SigningPubKey  []byte
	Signature      []byte
	Extra          Object
}

// IsFull reports whether the validator was proposing.
func (v *Validation) IsFull() bool { return v.Flags&VfFullValidation != 0 }

// Object returns the general form.
func (v *Validation) Object() *Object {
	o := v.Extra.Copy()
	o.SetUint32(FieldFlags, v.Flags)
	for _, f := range []struct {
		field Field
		value uint32
	}{{FieldLedgerSequence, v.LedgerSequence}, {FieldCloseTime, v.CloseTime}, {FieldLoadFee, v.LoadFee}} {
		if f.value != 0 {
			o.SetUint32(f.field, f.value)
		}
	}
	o.SetUint32(FieldSigningTime, v.SigningTime)
	if v.Cookie != 0 {
		o.SetUint64(FieldCookie, v.Cookie)
	}
	if v.ServerVersion != 0 {
		o.SetUint64(FieldServerVersion, v.ServerVersion)
	}
	o.SetHash(FieldLedgerHash, v.LedgerHash)
	if !v.ConsensusHash.IsZero() {
		o.SetHash(FieldConsensusHash, v.ConsensusHash)
	}
	if !v.ValidatedHash.IsZero() {
		o.SetHash(FieldValidatedHash, v.ValidatedHash)
	}
	o.SetBlob(FieldSigningPubKey, v.SigningPubKey)
	if v.Signature != nil {
		o.SetBlob(FieldSignature, v.Signature)
	}
	return o
}

// AppendTo appends the serialised form.
func (v *Validation) AppendTo(dst []byte) []byte { return v.Object().AppendTo(dst) }

// SigningData is what the signature signs: prefix and all fields but the signature.
func (v *Validation) SigningData() []byte {
	return v.Object().AppendSigningTo(append([]byte(nil), PrefixValidation[:]...))
}

// SigningHash is the digest of SigningData; validators sign it with secp256k1.
func (v *Validation) SigningHash() Hash { return half(v.SigningData()) }

// ID is the hash of the serialised form, by which servers suppress duplicates.
func (v *Validation) ID() Hash { return half(v.AppendTo(nil)) }

// ParseValidation reads a serialised validation.
func ParseValidation(b []byte) (*Validation, error) {
	if len(b) > maxValidationBytes {
		return nil, fault(0, 0, "%d bytes are above %d", len(b), maxValidationBytes)
	}
	o, err := ParseObject(b)
	if err != nil {
		return nil, err
	}
	for _, f := range []Field{FieldFlags, FieldLedgerHash, FieldSigningTime, FieldSigningPubKey} {
		if !o.Has(f) {
			return nil, fault(len(b), f, "missing, and every validation has it")
		}
	}
	v := &Validation{
		Flags: o.Uint32(FieldFlags), SigningTime: o.Uint32(FieldSigningTime),
		LedgerHash: o.Hash256(FieldLedgerHash), SigningPubKey: o.Blob(FieldSigningPubKey),
	}
	if sig, ok := o.Raw(FieldSignature); ok {
		v.Signature = sig
	}
	v.LedgerSequence, v.CloseTime = o.Uint32(FieldLedgerSequence), o.Uint32(FieldCloseTime)
	v.LoadFee, v.Cookie = o.Uint32(FieldLoadFee), o.Uint64(FieldCookie)
	v.ServerVersion = o.Uint64(FieldServerVersion)
	v.ConsensusHash, v.ValidatedHash = o.Hash256(FieldConsensusHash), o.Hash256(FieldValidatedHash)
	v.Extra.fields = slices.DeleteFunc(o.fields, func(f fieldValue) bool {
		switch f.field {
		case FieldFlags, FieldLedgerHash, FieldSigningTime, FieldSigningPubKey, FieldSignature:
			return true
		case FieldLedgerSequence, FieldCloseTime, FieldLoadFee, FieldCookie, FieldServerVersion, FieldConsensusHash,
			FieldValidatedHash:
			return !f.isDefault() // a present zero stays in Extra, so that the bytes come out again
		}
		return false
	})
	return v, nil
}

// Proposal sequence numbers with a meaning of their own.
const (
	SeqJoin  uint32 = 0
	SeqLeave uint32 = 0xFFFFFFFF
)

// Proposal is a validator's position in a round.
type Proposal struct {
	PrevLedger Hash
	TxSet      Hash
	Seq        uint32 // 0 the first, +1 a change, SeqLeave when leaving
	CloseTime  uint32
	PublicKey  []byte
	Signature  []byte
}

// SigningHash is the digest that the validator signs.
func (p *Proposal) SigningHash() Hash {
	var buf [76]byte
	copy(buf[:], PrefixProposal[:])
	binary.BigEndian.PutUint32(buf[4:], p.Seq)
	binary.BigEndian.PutUint32(buf[8:], p.CloseTime)
	copy(buf[12:], p.PrevLedger[:])
	copy(buf[44:], p.TxSet[:])
	return half(buf[:])
}

// AppendTo appends the form whose hash suppresses duplicates: set, previous ledger, sequence, close time, key and
// signature with their lengths.
func (p *Proposal) AppendTo(dst []byte) []byte {
	dst = append(append(dst, p.TxSet[:]...), p.PrevLedger[:]...)
	dst = binary.BigEndian.AppendUint32(dst, p.Seq)
	dst = binary.BigEndian.AppendUint32(dst, p.CloseTime)
	dst = append(AppendLength(dst, len(p.PublicKey)), p.PublicKey...)
	return append(AppendLength(dst, len(p.Signature)), p.Signature...)
}

// ID is the hash by which servers suppress duplicates.
func (p *Proposal) ID() Hash { return half(p.AppendTo(nil)) }

// ParseProposal reads what AppendTo wrote.
func ParseProposal(b []byte) (*Proposal, error) {
	if len(b) < 74 {
		return nil, fault(len(b), 0, "a proposal has at least 74 bytes, not %d", len(b))
	}
	p := &Proposal{
		TxSet: Hash(b[:32]), PrevLedger: Hash(b[32:64]), Seq: binary.BigEndian.Uint32(b[64:]),
		CloseTime: binary.BigEndian.Uint32(b[68:]),
	}
	pos := 72
	for i, dst := range []*[]byte{&p.PublicKey, &p.Signature} {
		n, next, err := readLength(b, pos, [...]Field{FieldSigningPubKey, FieldSignature}[i])
		if err != nil {
			return nil, err
		}
		if n > len(b)-next {
			return nil, fault(next, 0, "%d bytes wanted, %d left", n, len(b)-next)
		}
		*dst, pos = b[next:next+n], next+n
	}
	if pos != len(b) {
		return nil, fault(pos, 0, "%d bytes too many", len(b)-pos)
	}
	return p, nil
}
