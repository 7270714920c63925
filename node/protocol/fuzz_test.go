package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Seeds of our own: the golden payment, the genesis account, an account with options, metadata, an offer, paths.
func seedObjects(f *testing.F) [][]byte {
	f.Helper()
	a := &AccountRoot{Account: genesis, Sequence: 5, Balance: 12, PreviousTxnID: Hash{1}}
	a.Opt.SetBlob(FieldDomain, []byte("example.com"))
	a.Opt.SetUint32(FieldTransferRate, 1_100_000_000)
	b := a.Copy()
	b.Balance, b.PreviousTxnID = 11, Hash{2}
	paid := XRP(1)
	offer := NewEntry(EntryOffer)
	offer.SetAmount(FieldTakerPays, mustIssued(f, "1.5"))
	offer.SetDrops(FieldTakerGets, 7)
	offer.SetPaths(FieldPaths, [][]PathStep{{{Type: stepAccount, Account: genesis}}, {{Type: stepCurrency | stepIssuer}}})
	memo := &Object{}
	memo.SetBlob(FieldMemoData, []byte("memo"))
	offer.SetArray(FieldMemos, []Element{{FieldMemo, memo}})
	return [][]byte{
		unhex(f, goldenBlob), unhex(f, genesisAccount), a.AppendTo(nil), offer.Bytes(),
		BuildMetadata(TesSUCCESS, 1, &paid, []AffectedNode{
			{Kind: NodeModified, Index: Hash{3}, Before: a, After: b},
			{Kind: NodeDeleted, Index: Hash{4}, Before: offer, After: offer},
			{Kind: NodeCreated, Index: Hash{5}, After: b},
		}),
	}
}

func mustIssued(t testing.TB, v string) Amount {
	t.Helper()
	a, err := ParseIssued(v, Currency{12: 'U', 13: 'S', 14: 'D'}, genesis)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// again checks that an object which was read comes out as it went in, in both forms.
func again(t *testing.T, o *Object, in []byte) {
	t.Helper()
	if out := o.Bytes(); !bytes.Equal(out, in) {
		t.Fatalf("%X came out as %X", in, out)
	}
	if _, err := json.Marshal(o); err != nil {
		t.Fatal(err)
	}
}

func FuzzTransaction(f *testing.F) {
	for _, b := range seedObjects(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tx, err := ParseTransaction(b)
		if err != nil {
			return
		}
		again(t, tx.Object(), b)
		tx.Payment()
		tx.AccountSet()
		_ = tx.CheckFormat()
		if got := tx.SigningData()[4:]; !bytes.Equal(got, tx.Object().AppendSigningTo(nil)) {
			t.Fatalf("signing data %X", got)
		}
	})
}

func FuzzEntry(f *testing.F) {
	for _, b := range seedObjects(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := ParseEntry(b)
		if err != nil {
			return
		}
		if out := e.AppendTo(nil); !bytes.Equal(out, b) {
			t.Fatalf("%X came out as %X", b, out)
		}
		again(t, ToObject(e), b)
		if !EntryEqual(e, e.Clone()) {
			t.Fatal("a clone differs")
		}
		_ = CheckEntryFormat(ToObject(e))
	})
}

func FuzzMetadata(f *testing.F) {
	for _, b := range seedObjects(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := ParseMetadata(b); err == nil {
			again(t, m.Object, b)
		}
	})
}

func FuzzHeader(f *testing.F) {
	h := Header{Sequence: 1, Drops: uint64(MaxDrops), CloseTimeResolution: 10}
	f.Add(h.AppendTo(nil))
	f.Add(h.AppendPrefixed(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, err := ParseHeader(b); err == nil && !bytes.Equal(h.AppendTo(nil), b) {
			t.Fatal("a header came out otherwise")
		}
		if h, err := ParsePrefixedHeader(b); err == nil && !bytes.Equal(h.AppendPrefixed(nil), b) {
			t.Fatal("a stored header came out otherwise")
		}
	})
}

func FuzzManifest(f *testing.F) {
	key := append([]byte{0xED}, make([]byte, 32)...)
	m := Manifest{
		Sequence: 1, MasterKey: key, SigningKey: append([]byte{2}, key[1:]...), Domain: "example.com",
		Signature: []byte{1}, MasterSignature: []byte{2},
	}
	f.Add(m.AppendTo(nil))
	f.Add((&Manifest{Sequence: ManifestRevoked, MasterKey: key, MasterSignature: []byte{2}}).AppendTo(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := ParseManifest(b); err == nil {
			again(t, m.Object(), b)
			m.SigningData()
		}
	})
}

func FuzzValidation(f *testing.F) {
	v := Validation{
		Flags: 1, LedgerHash: Hash{1}, LedgerSequence: 2, SigningTime: 3, Cookie: 4, SigningPubKey: make([]byte, 33),
		Signature: []byte{1},
	}
	f.Add(v.AppendTo(nil))
	v.Extra.SetHashes(FieldAmendments, []Hash{{1}})
	f.Add(v.AppendTo(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := ParseValidation(b); err == nil {
			again(t, v.Object(), b)
			v.SigningHash()
		}
	})
}

func FuzzProposal(f *testing.F) {
	p := Proposal{Seq: 1, PublicKey: make([]byte, 33), Signature: make([]byte, 70)}
	f.Add(p.AppendTo(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := ParseProposal(b); err == nil && !bytes.Equal(p.AppendTo(nil), b) {
			t.Fatal("a proposal came out otherwise")
		}
	})
}

func FuzzBase58(f *testing.F) {
	f.Add(genesis.String())
	f.Add(XAddress{Account: genesis, Tag: 1, HasTag: true}.String())
	f.Add("snoPBrXtMeMyMHUVTgbuqAfg1SUTb")
	f.Add("n94a1u4jAz288pZLtw6yFWVbi89YamiC6JBXPVUj5zmExe5fTVg9")
	f.Fuzz(func(t *testing.T, s string) {
		if a, err := ParseAccountID(s); err == nil && a.String() != s {
			t.Fatalf("%s came out as %s", s, a)
		}
		if x, err := ParseXAddress(s); err == nil && x.String() != s {
			t.Fatalf("%s came out as %s", s, x)
		}
		if seed, ed, err := DecodeSeed(s); err == nil && EncodeSeed(seed, ed) != s {
			t.Fatalf("%s came out otherwise", s)
		}
		if k, err := DecodeNodePublic(s); err == nil && EncodeNodePublic(k) != s {
			t.Fatalf("%s came out otherwise", s)
		}
	})
}

func FuzzAmount(f *testing.F) {
	f.Add(XRP(1).AppendTo(nil), "1")
	f.Add(mustIssued(f, "1.25").AppendTo(nil), "1.25e-3")
	f.Add(MPT(5, false, [24]byte{1}).AppendTo(nil), "-0.000001")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		if a, err := ParseAmount(b); err == nil {
			if out := a.AppendTo(nil); !bytes.Equal(out, b) {
				t.Fatalf("%X came out as %X", b, out)
			}
			if c, err := a.Add(a); err == nil && c.Sign() != a.Sign() && a.IsIssued() && a.Exponent() > minExponent {
				t.Fatalf("%s + itself = %s", a, c)
			}
			_, _ = Multiply(a, a, a.Asset())
			_, _ = Divide(a, a, a.Asset())
			RateOf(a, a)
		}
		if a, err := ParseIssued(text, Currency{12: 'U'}, genesis); err == nil {
			if back, err := ParseIssued(a.ValueText(), a.Currency(), a.Issuer()); err != nil || back != a {
				t.Fatalf("%s: %s came out as %s: %v", text, a, back, err)
			}
		}
		if d, err := ParseDrops(text); err == nil && (d < 0 || d > MaxDrops) {
			t.Fatalf("%s: %d", text, d)
		}
		if n, err := appendNumber(nil, text); err == nil {
			if back, err := appendNumber(nil, numberText(n)); err != nil || !bytes.Equal(back, n) {
				t.Fatalf("%s: %X %s came out as %X: %v", text, n, numberText(n), back, err)
			}
		}
	})
}

func FuzzTransactionJSON(f *testing.F) {
	for _, b := range seedObjects(f) {
		o, err := ParseObject(b)
		if err != nil {
			f.Fatal(err)
		}
		text, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"TransactionType":"TrustSet","Account":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","LimitAmount":{"currency":"USD","value":"1","issuer":"rrrrrrrrrrrrrrrrrrrrBZbvji"}}`))
	f.Add([]byte(`{"TransactionType":"AMMDeposit","Asset":{"currency":"XRP"},"Asset2":{"mpt_issuance_id":"000002D2E0739D43718DB5815CE070D4D514A261EC872C93"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := TransactionFromJSON(text); err != nil {
			_, err = ObjectFromJSON(text)
			if err != nil {
				return
			}
		}
		o, err := ObjectFromJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		b := o.Bytes()
		p, err := ParseObject(b)
		if err != nil {
			t.Fatalf("%s: %X does not parse: %v", text, b, err)
		}
		again(t, p, b)
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ObjectFromJSON(out)
		if err != nil || !bytes.Equal(q.Bytes(), b) {
			t.Fatalf("%s: %s came out otherwise: %v", text, out, err)
		}
	})
}
