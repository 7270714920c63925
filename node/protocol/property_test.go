package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// optional are fields of an AccountRoot beside the required ones, with their sizes.
var optional = []Field{
	FieldTransferRate, FieldTicketCount, FieldTickSize, FieldAccountTxnID, FieldRegularKey, FieldDomain,
	FieldEmailHash, FieldMintedNFTokens, FieldWalletLocator, FieldMessageKey,
}

func drawAccount(t *rapid.T, name string) *AccountRoot {
	a := &AccountRoot{
		Account: genesis, Sequence: rapid.Uint32().Draw(t, name+"seq"),
		Balance:    Drops(rapid.Int64Range(0, int64(MaxDrops)).Draw(t, name+"balance")),
		OwnerCount: rapid.Uint32Range(0, 3).Draw(t, name+"owner"), Flags: rapid.Uint32Range(0, 1).Draw(t, name+"flags"),
		PreviousTxnLgrSeq: rapid.Uint32().Draw(t, name+"lgr"),
	}
	a.PreviousTxnID[0] = rapid.ByteRange(0, 2).Draw(t, name+"prev")
	for _, f := range optional {
		if !rapid.Bool().Draw(t, name+f.String()) {
			continue
		}
		switch n := int(fixedSize[f.Type()]); {
		case n != 0:
			a.Opt.setRaw(f, bytes.Repeat([]byte{rapid.ByteRange(0, 2).Draw(t, name+"v"+f.String())}, n))
		case f.Type() == TypeAccountID:
			a.Opt.SetAccountID(f, AccountOne)
		default:
			a.Opt.SetBlob(f, rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, name+"b"+f.String()))
		}
	}
	return a
}

func TestAccountRootAgreesWithObject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAccount(t, "")
		b := a.AppendTo(nil)
		o, err := ParseObject(b)
		if err != nil || !bytes.Equal(o.Bytes(), b) {
			t.Fatalf("%X: %v", b, err)
		}
		back, err := ParseAccountRoot(b)
		if err != nil || !back.Equal(a) || !EntryEqual(back, o) || !bytes.Equal(back.AppendTo(nil), b) {
			t.Fatalf("%X: %v", b, err)
		}
		c := back.Copy()
		c.Opt.SetUint32(FieldTransferRate, 77)
		c.Balance++
		if !bytes.Equal(back.AppendTo(nil), b) {
			t.Fatal("a copy is not independent")
		}
	})
}

func TestMetadataFastPathAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawAccount(t, "before."), drawAccount(t, "after.")
		if rapid.Bool().Draw(t, "near") { // mostly equal accounts, as a payment leaves them
			after = before.Copy()
			after.Balance = Drops(rapid.Int64Range(0, 3).Draw(t, "balance"))
			after.PreviousTxnID[1] = 9
		}
		kind := NodeKind(rapid.IntRange(0, 2).Draw(t, "kind"))
		fast := AffectedNode{
			Kind: kind, Index: Hash{1}, Before: before, After: after,
			ThreadOnly: kind == NodeModified && rapid.Bool().Draw(t, "threadOnly"),
		}
		if kind == NodeCreated {
			fast.Before = nil
		}
		slow := fast
		if slow.Before != nil {
			slow.Before = ToObject(before)
		}
		slow.After = ToObject(after)
		a := BuildMetadata(TesSUCCESS, 3, nil, []AffectedNode{fast})
		b := BuildMetadata(TesSUCCESS, 3, nil, []AffectedNode{slow})
		if !bytes.Equal(a, b) {
			t.Fatalf("fast %X\nslow %X", a, b)
		}
		m, err := ParseMetadata(a)
		if err != nil || m.Index != 3 || len(m.Nodes) > 1 || !bytes.Equal(m.Object.Bytes(), a) {
			t.Fatalf("%X: %v", a, err)
		}
	})
}

func TestMetadataIsSorted(t *testing.T) {
	a := &AccountRoot{Account: genesis, Balance: 1}
	b := a.Copy()
	b.Balance = 2
	d := XRP(5)
	m, err := ParseMetadata(BuildMetadata(TecCLAIM, 7, &d, []AffectedNode{
		{Kind: NodeModified, Index: Hash{2}, Before: a, After: b},
		{Kind: NodeDeleted, Index: Hash{1}, Before: a, After: b},
		{Kind: NodeCreated, Index: Hash{0}, After: b},
	}))
	if err != nil || m.Result != TecCLAIM || m.Index != 7 || *m.Delivered != d || len(m.Nodes) != 3 {
		t.Fatalf("%+v %v", m, err)
	}
	for i, n := range m.Nodes {
		if n.Index != (Hash{byte(i)}) || n.EntryType != EntryAccountRoot {
			t.Errorf("%d: %+v", i, n)
		}
	}
}

// drawObject makes a random object of fields of every type.
func drawObject(t *rapid.T, depth int) *Object {
	o := &Object{}
	fields := Fields()
	for range rapid.IntRange(0, 8).Draw(t, "fields") {
		f := rapid.SampledFrom(fields).Draw(t, "field")
		if f == FieldObjectEndMarker || f == FieldArrayEndMarker || f == FieldTransactionType || f == FieldLedgerEntryType {
			continue
		}
		if raw, ok := drawValue(t, f, depth); ok {
			if err := o.SetRaw(f, raw); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
	}
	return o
}

func drawValue(t *rapid.T, f Field, depth int) ([]byte, bool) {
	bytesN := func(n int) []byte { return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes") }
	switch f.Type() {
	case TypeAmount:
		return drawAmount(t).AppendTo(nil), true
	case TypeNumber:
		b, err := appendNumber(nil, rapid.StringMatching(`-?[1-9][0-9]{0,17}(\.[0-9]{0,3}[1-9])?`).Draw(t, "number"))
		return b, err == nil
	case TypeBlob:
		return rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "blob"), true
	case TypeAccountID:
		return bytesN(20), true
	case TypeCurrency:
		c := Currency(bytesN(20))
		return c[:], !c.IsBad() && !c.IsXRP()
	case TypeVector256:
		return bytesN(32 * rapid.IntRange(0, 3).Draw(t, "hashes")), true
	case TypeObject:
		if depth == 0 {
			return nil, false
		}
		return drawObject(t, depth-1).Bytes(), true
	case TypeArray:
		if depth == 0 {
			return nil, false
		}
		o := &Object{}
		var list []Element
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list = append(list, Element{FieldMemo, drawObject(t, depth-1)})
		}
		o.SetArray(FieldMemos, list)
		return o.Blob(FieldMemos), true
	case TypePathSet:
		s := PathStep{Type: stepAccount | stepIssuer, Account: AccountID(bytesN(20)), Issuer: AccountID(bytesN(20))}
		return appendPaths(nil, [][]PathStep{{s, s}, {s}}), true
	case TypeIssue:
		b := append(bytesN(20), bytesN(20)...)
		c, a := Currency(b[:20]), AccountID(b[20:])
		return b, !c.IsXRP() && !c.IsBad() && !a.IsZero() && a != AccountOne
	case TypeXChainBridge:
		b := slices.Concat([]byte{20}, bytesN(20), make([]byte, 20))
		return append(b, b...), true
	}
	return bytesN(int(fixedSize[f.Type()])), true
}

func drawAmount(t *rapid.T) Amount {
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return XRP(Drops(rapid.Int64Range(-int64(MaxDrops), int64(MaxDrops)).Draw(t, "drops")))
	case 1:
		return MPT(rapid.Uint64Range(0, 1<<63-1).Draw(t, "units"), false, [24]byte{1})
	}
	a, err := Issued(rapid.Int64().Draw(t, "mantissa"), rapid.IntRange(-100, 60).Draw(t, "exponent"),
		Currency{12: 'U', 13: 'S', 14: 'D'}, genesis)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestObjectRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObject(t, 3)
		b := o.Bytes()
		p, err := ParseObject(b)
		if err != nil || !p.Equal(o) || !bytes.Equal(p.Bytes(), b) {
			t.Fatalf("%X: %v", b, err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ObjectFromJSON(text)
		if err != nil || !bytes.Equal(q.Bytes(), b) {
			t.Fatalf("%s: %v\n%X\n%X", text, err, b, q.Bytes())
		}
	})
}

func TestAmountText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAmount(t)
		back, err := ParseAmount(a.AppendTo(nil))
		if err != nil || back != a {
			t.Fatalf("%s: %v", a, err)
		}
		if a.IsIssued() {
			if b, err := ParseIssued(a.ValueText(), a.Currency(), a.Issuer()); err != nil || b != a {
				t.Fatalf("%s: %s %v", a, b, err)
			}
			if s, err := a.Sub(a); err != nil || !s.IsZero() {
				t.Fatalf("%s - itself = %s %v", a, s, err)
			}
		}
		if a.Compare(a) != 0 || a.Negate().Negate() != a {
			t.Fatal("compare or negate")
		}
	})
}

func TestBase58RoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Byte(), 1, 3).Draw(t, "version")
		p := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "payload")
		s := EncodeBase58Check(v, p)
		back, err := DecodeBase58Check(s, v, len(p))
		if err != nil || !bytes.Equal(back, p) {
			t.Fatalf("%s: %v", s, err)
		}
		broken := []byte(s)
		i := rapid.IntRange(0, len(s)-1).Draw(t, "at")
		broken[i] = base58Alphabet[(int(base58Index[s[i]])+1)%58]
		if _, err := DecodeBase58Check(string(broken), v, len(p)); err == nil {
			t.Fatalf("%s: a changed character passes", broken)
		}
	})
}
