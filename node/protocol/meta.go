package protocol

import (
	"encoding/binary"
	"slices"
)

// NodeKind says what a transaction did to an entry.
type NodeKind uint8

// The kinds.
const (
	NodeCreated NodeKind = iota
	NodeModified
	NodeDeleted
)

var nodeKindField = [...]Field{FieldCreatedNode, FieldModifiedNode, FieldDeletedNode}

// String returns the name of the field that announces the kind.
func (k NodeKind) String() string { return nodeKindField[k].String() }

// AffectedNode is one entry that a transaction touched. Before is nil for a created entry. After is the entry as it
// stands after threading (PreviousTxnID and PreviousTxnLgrSeq already set); for a deleted one its last state.
type AffectedNode struct {
	Kind       NodeKind
	Index      Hash
	Before     Entry
	After      Entry
	ThreadOnly bool // an AccountRoot that only got a new PreviousTxnID through an entry it owns
}

// IsThreaded reports whether entries of the type point to the last transaction that changed them. The types that
// got the field later count only with the amendment fixPreviousTxnID.
func IsThreaded(t EntryType, fixPreviousTxnID bool) bool {
	switch t {
	case EntryDirectoryNode, EntryAmendments, EntryFeeSettings, EntryNegativeUNL, EntryAMM:
		return fixPreviousTxnID
	case EntryLedgerHashes:
		return false
	}
	return true
}

// BuildMetadata returns the serialised metadata of a transaction (rippled ApplyStateTable.cpp and TxMeta.cpp). It
// sorts nodes by index. delivered is nil unless the metadata states a delivered amount.
func BuildMetadata(result TER, txIndex uint32, delivered *Amount, nodes []AffectedNode) []byte {
	return AppendMetadata(make([]byte, 0, 32+256*len(nodes)), result, txIndex, delivered, nodes)
}

// AppendMetadata is BuildMetadata into a buffer of the caller.
func AppendMetadata(dst []byte, result TER, txIndex uint32, delivered *Amount, nodes []AffectedNode) []byte {
	byIndex := func(a, b AffectedNode) int { return a.Index.Compare(b.Index) }
	if !slices.IsSortedFunc(nodes, byIndex) {
		slices.SortFunc(nodes, byIndex)
	}
	dst = binary.BigEndian.AppendUint32(append(dst, 0x20, 0x1C), txIndex)
	if delivered != nil {
		dst = delivered.AppendTo(append(dst, 0x60, 0x12))
	}
	dst = append(dst, 0xF8)
	for i := range nodes {
		dst = appendNode(dst, &nodes[i])
	}
	return append(dst, arrayEnd, 0x03, 0x10, byte(result))
}

func appendNode(dst []byte, n *AffectedNode) []byte {
	if n.Kind == NodeModified {
		before, ok1 := n.Before.(*AccountRoot)
		after, ok2 := n.After.(*AccountRoot)
		if ok1 && ok2 {
			return appendAccountModified(dst, n, before, after)
		}
	}
	if n.Kind == NodeCreated {
		if after, ok := n.After.(*AccountRoot); ok && len(after.Opt.fields) == 0 {
			return appendAccountCreated(dst, n, after)
		}
	}
	return appendNodeGeneric(dst, n)
}

func appendAccountModified(dst []byte, n *AffectedNode, before, after *AccountRoot) []byte {
	prev := !before.PreviousTxnID.IsZero() && before.PreviousTxnID != after.PreviousTxnID
	if n.ThreadOnly && !prev {
		return dst
	}
	dst = append(dst, 0xE5, 0x11, 0, byte(EntryAccountRoot))
	if prev {
		dst = before.appendCore(dst, FieldPreviousTxnLgrSeq)
		dst = before.appendCore(dst, FieldPreviousTxnID)
	}
	dst = append(append(dst, 0x56), n.Index[:]...)
	if n.ThreadOnly {
		return append(dst, objectEnd)
	}
	dst = appendAccountPrevious(dst, before, after)
	dst = appendAccountFinal(append(dst, 0xE7), after)
	return append(dst, objectEnd, objectEnd)
}

// appendAccountPrevious appends PreviousFields: the old value of what changed. A field that is new has no old value
// but makes the object appear, if only an empty one, as in rippled.
func appendAccountPrevious(dst []byte, before, after *AccountRoot) []byte {
	start := len(dst)
	dst = append(dst, 0xE6)
	if len(before.Opt.fields) == 0 && len(after.Opt.fields) == 0 {
		for _, f := range accountShown {
			if accountDiffers(before, after, f) {
				dst = before.appendCore(dst, f)
			}
		}
		if len(dst) == start+1 {
			return dst[:start]
		}
		return append(dst, objectEnd)
	}
	next, added := 0, false
	old := func(limit Field) {
		for ; next < len(before.Opt.fields) && before.Opt.fields[next].field < limit; next++ {
			v := &before.Opt.fields[next]
			if raw, ok := after.Opt.Raw(v.field); v.field.meta(metaChangeOrig) && (!ok || string(raw) != string(v.raw)) {
				dst = v.appendTo(dst)
			}
		}
	}
	for _, f := range accountShown {
		old(f)
		if accountDiffers(before, after, f) {
			dst = before.appendCore(dst, f)
		}
	}
	old(^Field(0))
	for i := range after.Opt.fields {
		f := after.Opt.fields[i].field
		added = added || f.meta(metaChangeOrig) && !before.Opt.Has(f)
	}
	if len(dst) == start+1 && !added {
		return dst[:start]
	}
	return append(dst, objectEnd)
}

// accountShown are the required fields that metadata shows as changed or final, in order.
var accountShown = [...]Field{FieldFlags, FieldSequence, FieldOwnerCount, FieldBalance, FieldAccount}

func accountDiffers(a, b *AccountRoot, f Field) bool {
	switch f {
	case FieldFlags:
		return a.Flags != b.Flags
	case FieldSequence:
		return a.Sequence != b.Sequence
	case FieldOwnerCount:
		return a.OwnerCount != b.OwnerCount
	case FieldBalance:
		return a.Balance != b.Balance
	}
	return a.Account != b.Account
}

func appendAccountFinal(dst []byte, a *AccountRoot) []byte {
	next := 0
	for _, f := range accountShown {
		for ; next < len(a.Opt.fields) && a.Opt.fields[next].field < f; next++ {
			dst = appendIfMeta(dst, &a.Opt.fields[next], metaAlways|metaChangeNew)
		}
		dst = a.appendCore(dst, f)
	}
	for ; next < len(a.Opt.fields); next++ {
		dst = appendIfMeta(dst, &a.Opt.fields[next], metaAlways|metaChangeNew)
	}
	return dst
}

func appendIfMeta(dst []byte, v *fieldValue, mask uint8) []byte {
	if v.field.meta(mask) {
		return v.appendTo(dst)
	}
	return dst
}

func appendAccountCreated(dst []byte, n *AffectedNode, a *AccountRoot) []byte {
	dst = append(dst, 0xE3, 0x11, 0, byte(EntryAccountRoot), 0x56)
	dst = append(append(dst, n.Index[:]...), 0xE8)
	if a.Flags != 0 {
		dst = a.appendCore(dst, FieldFlags)
	}
	if a.Sequence != 0 {
		dst = a.appendCore(dst, FieldSequence)
	}
	if a.OwnerCount != 0 {
		dst = a.appendCore(dst, FieldOwnerCount)
	}
	if a.Balance != 0 {
		dst = a.appendCore(dst, FieldBalance)
	}
	dst = a.appendCore(dst, FieldAccount)
	return append(dst, objectEnd, objectEnd)
}

// appendNodeGeneric writes a node of any type from its general forms.
func appendNodeGeneric(dst []byte, n *AffectedNode) []byte {
	before, after := ToObject(n.Before), ToObject(n.After)
	if before == nil {
		before = &Object{}
	}
	if after == nil {
		after = before
	}
	prevID := before.Hash256(FieldPreviousTxnID)
	threaded := n.Kind == NodeModified && !prevID.IsZero() && prevID != after.Hash256(FieldPreviousTxnID)
	if n.ThreadOnly && !threaded {
		return dst
	}
	dst = nodeKindField[n.Kind].appendID(dst)
	dst = binary.BigEndian.AppendUint16(append(dst, 0x11), uint16(after.Type()))
	if threaded {
		dst = binary.BigEndian.AppendUint32(append(dst, 0x25), before.Uint32(FieldPreviousTxnLgrSeq))
		dst = append(append(dst, 0x55), prevID[:]...)
	}
	dst = append(append(dst, 0x56), n.Index[:]...)
	if n.ThreadOnly {
		return append(dst, objectEnd)
	}
	switch n.Kind {
	case NodeCreated:
		dst = appendShown(dst, FieldNewFields, after, metaCreate|metaAlways, true)
	case NodeModified:
		dst = appendPrevious(dst, before, after)
		dst = appendShown(dst, FieldFinalFields, after, metaChangeNew|metaAlways, false)
	case NodeDeleted:
		dst = appendPrevious(dst, before, after)
		dst = appendShown(dst, FieldFinalFields, after, metaDeleteFin|metaAlways, false)
	}
	return append(dst, objectEnd)
}

func appendPrevious(dst []byte, before, after *Object) []byte {
	start := len(dst)
	dst = FieldPreviousFields.appendID(dst)
	empty, changed := len(dst), false
	for i := range before.fields {
		v := &before.fields[i]
		if !v.field.meta(metaChangeOrig) {
			continue
		}
		if raw, ok := after.Raw(v.field); !ok || string(raw) != string(v.raw) {
			dst = v.appendTo(dst)
		}
	}
	for i := range after.fields {
		f := after.fields[i].field
		changed = changed || f.meta(metaChangeOrig) && !before.Has(f)
	}
	if len(dst) == empty && !changed {
		return dst[:start]
	}
	return append(dst, objectEnd)
}

func appendShown(dst []byte, outer Field, o *Object, mask uint8, skipDefault bool) []byte {
	start := len(dst)
	dst = outer.appendID(dst)
	empty := len(dst)
	for i := range o.fields {
		v := &o.fields[i]
		if v.field.meta(mask) && !(skipDefault && v.isDefault()) {
			dst = v.appendTo(dst)
		}
	}
	if len(dst) == empty && skipDefault {
		return dst[:start]
	}
	return append(dst, objectEnd)
}

// isDefault reports whether the value is what rippled takes for unset.
func (v *fieldValue) isDefault() bool {
	switch v.field.Type() {
	case TypeAmount:
		return len(v.raw) == 8 && binary.BigEndian.Uint64(v.raw) == amountPositive
	case TypeBlob, TypeAccountID, TypeVector256, TypeObject, TypeArray:
		return len(v.raw) == 0
	case TypeNumber: // zero has the least exponent
		return binary.BigEndian.Uint64(v.raw) == 0
	}
	for _, b := range v.raw {
		if b != 0 {
			return false
		}
	}
	return true
}

// MetaNode is one node of parsed metadata. Absent objects are nil.
type MetaNode struct {
	Kind              NodeKind
	EntryType         EntryType
	Index             Hash
	PreviousTxnID     Hash
	PreviousTxnLgrSeq uint32
	Previous          *Object
	Final             *Object
	New               *Object
}

// Metadata is parsed metadata.
type Metadata struct {
	Result    TER
	Index     uint32 // position in the ledger's order of application
	Delivered *Amount
	Nodes     []MetaNode
	Object    *Object
}

// ParseMetadata reads serialised metadata. Oddities of old ledgers (negative amounts, missing parts) are no faults;
// what cannot be decoded is.
func ParseMetadata(b []byte) (*Metadata, error) {
	o, err := ParseObject(b)
	if err != nil {
		return nil, err
	}
	m := &Metadata{Result: TER(o.Uint8(FieldTransactionResult)), Index: o.Uint32(FieldTransactionIndex), Object: o}
	if d, ok := o.GetAmount(FieldDeliveredAmount); ok {
		m.Delivered = &d
	}
	elements, _ := o.GetArray(FieldAffectedNodes)
	for _, e := range elements {
		k := slices.Index(nodeKindField[:], e.Field)
		if k < 0 {
			return nil, fault(0, e.Field, "no kind of affected node")
		}
		n := MetaNode{
			Kind: NodeKind(k), EntryType: e.Object.Type(), Index: e.Object.Hash256(FieldLedgerIndex),
			PreviousTxnID: e.Object.Hash256(FieldPreviousTxnID), PreviousTxnLgrSeq: e.Object.Uint32(FieldPreviousTxnLgrSeq),
		}
		n.Previous, _ = e.Object.GetObject(FieldPreviousFields)
		n.Final, _ = e.Object.GetObject(FieldFinalFields)
		n.New, _ = e.Object.GetObject(FieldNewFields)
		m.Nodes = append(m.Nodes, n)
	}
	return m, nil
}
