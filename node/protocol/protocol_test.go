package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

var genesis = MustAccountID("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh")

func TestGoldenKeys(t *testing.T) {
	usd, _ := ParseCurrency("USD")
	for _, c := range []struct {
		name string
		got  Hash
		want string
	}{
		{"AccountRoot", AccountKey(genesis), "2B6AC232AA4C4BE41BF49D2459FA4A0347E1B543A4C92FCEE0821C0201E2E9A8"},
		{"skip list", SkipListKey(), "B4979A36CDC7F3D3D5C31A4EAE2AC7D7209DDA877588B9AFC66799692AB0D66B"},
		{"Amendments", AmendmentsKey(), "7DB0788C020F02780A673DC74757F23823FA3014C1866E72CC4CD8B226CD6EF4"},
		{"FeeSettings", FeeSettingsKey(), "4BC50C9B0D8515D3EAAE1E74B29A95804346C491EE1A95BF25E4AAB854A6A651"},
		{"NegativeUNL", NegativeUNLKey(), "2E8A59AA9D3B5B186B0B9E0F62E6C02587CA74A4D778938E957B6357D364B244"},
		{"owner dir", OwnerDirKey(genesis), "D8120FC732737A2CF2E9968FDF3797A43B457F2A81AA06D2653171A1EA635204"},
		{"owner dir page 1", DirPageKey(OwnerDirKey(genesis), 1), "B001E91B2C4405A56F0BD0F6770A0B3230832C472667DFE9754933CA7F49A4F7"},
		{"Offer", OfferKey(genesis, 7), "1F42603F196092138A5096CBCC9AD4BC42DBEE6FA860839F07B3ABA93859EBD1"},
		{"Ticket", TicketKey(genesis, 7), "38EF979A371455DF7B79A56CFB7F6840741BD83A26E07708C8964D9606909CA4"},
		{"SignerList", SignerListKey(genesis), "778365D5180F5DF3016817D1F318527AD7410D83F8636CF48C43E8AF72AB49BF"},
		{"DID", DIDKey(genesis), "5D71AD4469C5444C5FBAAFCF6DAE6E625D32F74995098F4FEF3E0B0F7B36B8F9"},
		{"RippleState", TrustLineKey(genesis, AccountOne, usd), "183F6E4FC1021C488E942959DB007E0EE834D3CC364002402072AE3534189A11"},
		{"RippleState, other order", TrustLineKey(AccountOne, genesis, usd), "183F6E4FC1021C488E942959DB007E0EE834D3CC364002402072AE3534189A11"},
		{"book", BookBaseKey(CurrencyXRP, usd, AccountZero, genesis, nil), "C698FAB4F60DBE5EFB02D52FC3ADC142C3C58A9BADA220F80000000000000000"},
		{"skip list page", SkipListPageKey(70000), "80FF75BFB4F671EBB41858C316EAF264462435E67D571AEC8C4E26FEB053C13B"},
	} {
		if c.got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	k := WithQuality(Hash{23: 0xFF}, 5)
	if QualityOf(k) != 5 || NextQualityKey(k) != (Hash{22: 1, 31: 5}) {
		t.Errorf("quality: %d %s", QualityOf(k), NextQualityKey(k))
	}
}

func TestGoldenQualities(t *testing.T) {
	usd, _ := ParseCurrency("USD")
	one, err := ParseIssued("1", usd, genesis)
	if err != nil {
		t.Fatal(err)
	}
	if q := RateOf(one, XRP(1_000_000)); q != 0x5B038D7EA4C68000 {
		t.Errorf("1,000,000 drops for 1 USD: %X", q)
	}
	if q := RateOf(XRP(1_000_000), one); q != 0x4F038D7EA4C68000 {
		t.Errorf("1 USD for 1,000,000 drops: %X", q)
	}
	if a := QualityAmount(0x5B038D7EA4C68000); a.ValueText() != "1000000" {
		t.Errorf("rate as a number: %s", a.ValueText())
	}
}

func TestGoldenGenesis(t *testing.T) {
	raw := unhex(t, genesisAccount)
	a := &AccountRoot{Account: genesis, Sequence: 1, Balance: MaxDrops}
	if !bytes.Equal(a.AppendTo(nil), raw) {
		t.Errorf("%X", a.AppendTo(nil))
	}
	key := AccountKey(genesis)
	root := slowRoot([]slowLeaf{{key, SHA512Half(PrefixLeaf[:], raw, key[:])}})
	if root.String() != "A21ED30C04C88046FC61DB9DC19375EEDBD365FD8C17286F27127DF804E9CAA6" {
		t.Errorf("root %s", root)
	}
	h := Header{Sequence: 1, Drops: uint64(MaxDrops), AccountHash: root, CloseTimeResolution: 30}
	if h.Hash().String() != "AB868A6CFEEC779C2FF845C0AF00A642259986AF40C01976A7F842B6918936C7" {
		t.Errorf("ledger %s", h.Hash())
	}
	h.CloseTimeResolution = 10
	if h.Hash().String() != "E9BB323980D202EC7E51BAB2AA8E35353F9C7BDAB59BF17378EADD4D0486EF9F" {
		t.Errorf("ledger %s", h.Hash())
	}
	back, err := ParsePrefixedHeader(h.AppendPrefixed(nil))
	if err != nil || back != h {
		t.Error(err)
	}
	if _, err := ParsePrefixedHeader(raw); err == nil {
		t.Error("an entry is no header")
	}
}

func TestTransactionViews(t *testing.T) {
	tx, err := ParseTransaction(unhex(t, goldenBlob))
	if err != nil {
		t.Fatal(err)
	}
	last, ok := tx.LastLedgerSequence()
	p, isPayment := tx.Payment()
	if tx.ID().String() != "945A0760FB0A6D2CE6D4A2DB9420DE5BF7C1183A020BDB4D0EAC0A8F63AECBB8" || tx.Type() != TxPayment ||
		tx.Account() != genesis || tx.Fee() != 10 || tx.Flags() != 0 || last != 20 || !ok || !isPayment ||
		p.Destination != AccountOne || p.Amount != XRP(1_000_000_000) || tx.SeqProxy() != (SeqProxy{Value: 1}) {
		t.Errorf("%+v %+v", tx, p)
	}
	if _, ok := tx.AccountSet(); ok {
		t.Error("a payment is no AccountSet")
	}
	if err := tx.CheckFormat(); err != nil {
		t.Error(err)
	}
	if tx.SetLocal(3); tx.Local() != 3 {
		t.Error("local")
	}
	multi := tx.AppendMultiSigningData(nil, AccountOne)
	single := tx.SigningData()
	if !bytes.Equal(multi[4:len(multi)-20], single[4:]) || !bytes.Equal(multi[:4], PrefixTxMultiSign[:]) {
		t.Error("multi-signing data")
	}
}

func TestTransactionFaults(t *testing.T) {
	good := unhex(t, goldenBlob)
	for n := range good {
		_, err := ParseTransaction(good[:n])
		var d *DecodeError
		if n == len(good)-22 && err == nil { // all but Destination, which only CheckFormat wants
			continue
		}
		if !errors.As(err, &d) || d.Offset > n {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if tx, err := ParseTransaction(good[:len(good)-22]); err != nil || tx.CheckFormat() == nil {
		t.Errorf("a payment without destination: %v", err)
	}
	o, _ := ParseObject(good)
	issued, _ := ParseIssued("1", Currency{12: 'U', 13: 'S', 14: 'D'}, AccountOne)
	o.SetAmount(FieldFee, issued)
	if _, err := ParseTransaction(o.Bytes()); err == nil || !strings.Contains(err.Error(), "field Fee") {
		t.Errorf("an issued fee: %v", err)
	}
	o, _ = ParseObject(good)
	o.Delete(FieldSequence)
	if _, err := ParseTransaction(o.Bytes()); err == nil || !strings.Contains(err.Error(), "Sequence") {
		t.Errorf("no sequence: %v", err)
	}
	o, _ = ParseObject(good)
	o.SetUint32(FieldOfferSequence, 1)
	tx, err := ParseTransaction(o.Bytes())
	if err != nil || tx.CheckFormat() == nil {
		t.Errorf("OfferSequence does not belong to a payment: %v", err)
	}
}

// TestDecodeBounds feeds what must be refused before anything is allocated.
func TestDecodeBounds(t *testing.T) {
	deep := bytes.Repeat([]byte{0xF9, 0xEA}, 30)
	for name, b := range map[string][]byte{
		"too deep":             deep,
		"too long":             make([]byte, maxInputBytes+1),
		"length beyond input":  {0x70, 0x20, 254, 200, 200},
		"length 255":           {0x75, 255},
		"unknown field":        {0x1E, 0, 0},
		"unknown type":         {0x01, 0xF0},
		"id not shortest":      {0x00, 0x05, 0x01},
		"id cut off":           {0x20},
		"stray object end":     {0xE1},
		"stray array end":      {0xF1},
		"out of order":         {0x24, 0, 0, 0, 1, 0x22, 0, 0, 0, 0},
		"twice":                {0x24, 0, 0, 0, 1, 0x24, 0, 0, 0, 1},
		"array without end":    {0xF9},
		"array of numbers":     {0xF9, 0x24, 0, 0, 0, 1, 0xF1},
		"account of 19 bytes":  append([]byte{0x81, 19}, make([]byte, 19)...),
		"hashes of 33 bytes":   append([]byte{0x01, 0x13, 33}, make([]byte, 33)...),
		"negative zero":        append([]byte{0x61}, make([]byte, 8)...),
		"mantissa too small":   append([]byte{0x61, 0xD4, 0x80, 0, 0, 0, 0, 0, 1, 1}, make([]byte, 39)...),
		"exponent too large":   append([]byte{0x61, 0xFF, 0xC3, 0x8D, 0x7E, 0xA4, 0xC6, 0x80, 0, 1}, make([]byte, 39)...),
		"issued XRP":           append([]byte{0x61, 0xD4, 0x83, 0x8D, 0x7E, 0xA4, 0xC6, 0x80, 0}, make([]byte, 40)...),
		"empty path":           {0x01, 0x12, 0xFF, 0x00},
		"path without end":     {0x01, 0x12, 0x01},
		"step of unknown type": {0x01, 0x12, 0x02, 0x00},
		"issue without issuer": append([]byte{0x03, 0x18, 1}, make([]byte, 39)...),
	} {
		o, err := ParseObject(b)
		var d *DecodeError
		if err == nil || !errors.As(err, &d) {
			t.Errorf("%s: %v %v", name, o, err)
		}
	}
}

func TestSetRawChecks(t *testing.T) {
	o := &Object{}
	if o.SetRaw(FieldAccount, make([]byte, 3)) == nil || o.SetRaw(FieldFlags, nil) == nil ||
		o.SetRaw(FieldPaths, []byte{0}) == nil || o.SetRaw(Field(99), nil) == nil || o.SetRaw(FieldFlags, make([]byte, 5)) == nil {
		t.Error("malformed values must be refused")
	}
	if err := o.SetRaw(FieldFlags, []byte{0, 0, 0, 7}); err != nil || o.Uint32(FieldFlags) != 7 {
		t.Error(err)
	}
	if o.Delete(FieldFlags); o.Len() != 0 {
		t.Error("delete")
	}
}

func TestJSONRefusals(t *testing.T) {
	base := `{"TransactionType":"Payment","Account":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","Destination":"rrrrrrrrrrrrrrrrrrrrBZbvji",` +
		`"Fee":"10","Sequence":1,"Amount":"1"`
	if _, err := TransactionFromJSON([]byte(base + "}")); err != nil {
		t.Fatal(err)
	}
	for _, tail := range []string{
		``, `,"Flags":1.5}`, `,"Flags":-1}`, `,"Flags":4294967296}`, `,"Flags":1e3}`, `,"Flags":true}`,
		`,"Flags":"x"}`, `,"Flags":null}`, `,"Fee":"10"}`, `,"Nonsense":1}`, `,"SendMax":"-1"}`, `,"SendMax":"1.5"}`,
		`,"SendMax":{"currency":"USD","value":"1"}}`, `,"SendMax":{"currency":"XRP","value":"1","issuer":"rrrrrrrrrrrrrrrrrrrrBZbvji"}}`,
		`,"SendMax":{"currency":"USD","value":1,"issuer":"rrrrrrrrrrrrrrrrrrrrBZbvji"}}`, `,"Memos":{}}`, `,"Memos":[{}]}`,
		`,"Memos":[{"Memo":{},"Signer":{}}]}`, `,"Memos":[{"Flags":1}]}`, `,"Paths":[[]]}`, `,"Paths":[[{}]]}`, `,"Paths":[]}`,
		`,"InvoiceID":"00"}`, `,"SigningPubKey":"0"}`, `,"SigningPubKey":"zz"}`, `,"RegularKey":"rHb9"}`, `}{}`, `,"ObjectEndMarker":{}}`,
		`,"Memos":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
	} {
		if o, err := TransactionFromJSON([]byte(base + tail)); err == nil {
			t.Errorf("%s must be refused, gave %X", tail, o.Bytes())
		}
	}
	if _, err := TransactionFromJSON([]byte(`{"Flags":0}`)); err == nil {
		t.Error("a transaction without type")
	}
}

func TestJSONTags(t *testing.T) {
	x := XAddress{Account: genesis, Tag: 7, HasTag: true}.String()
	form := func(extra string) string {
		return `{"TransactionType":"Payment","Account":"` + x + `","Destination":"` + x + `","Fee":"10","Sequence":1,"Amount":"1"` + extra + `}`
	}
	o, err := TransactionFromJSON([]byte(form("")))
	if err != nil || o.Uint32(FieldSourceTag) != 7 || o.Uint32(FieldDestinationTag) != 7 || o.AccountID(FieldAccount) != genesis {
		t.Errorf("%v", err)
	}
	if _, err := TransactionFromJSON([]byte(form(`,"DestinationTag":7`))); err != nil {
		t.Error(err)
	}
	if _, err := TransactionFromJSON([]byte(form(`,"DestinationTag":8`))); err == nil {
		t.Error("two tags must be refused")
	}
	if _, err := TransactionFromJSON([]byte(form(`,"RegularKey":"` + x + `"`))); err == nil {
		t.Error("a tag where none belongs must be refused")
	}
}

func TestMemosAndSignersAsJSON(t *testing.T) {
	const text = `{"Account":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","Fee":"10","Memos":[{"Memo":{"MemoData":"AB","MemoType":"CD"}}],` +
		`"Sequence":1,"Signers":[{"Signer":{"Account":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","SigningPubKey":"ED","TxnSignature":"00"}}],` +
		`"SigningPubKey":"","TransactionType":"AccountSet"}`
	o, err := TransactionFromJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(o); string(got) != text {
		t.Errorf("%s", got)
	}
	tx, err := ParseTransaction(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(tx.SigningData(), []byte{0xF3}) || !bytes.Equal(tx.SigningData()[4:], o.AppendSigningTo(nil)) {
		t.Error("Signers are not signed")
	}
	signers, ok := o.GetArray(FieldSigners)
	if !ok || len(signers) != 1 || signers[0].Object.AccountID(FieldAccount) != genesis {
		t.Errorf("%v", signers)
	}
	o.SetArray(FieldSigners, signers)
	if !bytes.Equal(o.Bytes(), tx.Blob()) {
		t.Error("an array set as it was read must not change")
	}
}

func TestCanonicalOrder(t *testing.T) {
	make1 := func(a AccountID, seq, ticket uint32, fee Drops) *Transaction {
		o := &Object{}
		o.SetUint16(FieldTransactionType, uint16(TxAccountSet))
		o.SetUint32(FieldSequence, seq)
		if ticket != 0 {
			o.SetUint32(FieldTicketSequence, ticket)
		}
		o.SetDrops(FieldFee, fee)
		o.SetBlob(FieldSigningPubKey, nil)
		o.SetAccountID(FieldAccount, a)
		tx, err := ParseTransaction(o.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	a, b := AccountID{0: 1}, AccountID{0: 2}
	txs := []*Transaction{make1(a, 1, 0, 1), make1(a, 2, 0, 1), make1(a, 0, 1, 1), make1(a, 0, 9, 1), make1(b, 1, 0, 1)}
	for i := range txs {
		for j := range txs {
			if CanonicalLess(Hash{}, txs[i], txs[j]) != (i < j) {
				t.Errorf("%d before %d", i, j)
			}
		}
	}
	if CanonicalLess(Hash{0: 3}, txs[0], txs[4]) { // 1 xor 3 is above 2 xor 3
		t.Error("the salt turns the accounts round")
	}
	x, y := make1(a, 1, 0, 1), make1(a, 1, 0, 2)
	if CanonicalLess(Hash{}, x, y) != (x.ID().Compare(y.ID()) < 0) {
		t.Error("the id decides last")
	}
}

func TestSkipList(t *testing.T) {
	o := NewSkipList()
	for i := range uint32(300) {
		PushSkipList(o, Hash{0: byte(i), 1: byte(i >> 8)}, i+1, SkipListLen)
	}
	hashes, _ := o.GetHashes(FieldHashes)
	if len(hashes) != 256 || o.Uint32(FieldLastLedgerSequence) != 300 {
		t.Fatalf("%d hashes", len(hashes))
	}
	for _, c := range []struct {
		seq uint32
		ok  bool
	}{{44, false}, {45, true}, {300, true}, {301, false}} {
		h, ok := SkipListHash(o, c.seq)
		if ok != c.ok || ok && h != (Hash{0: byte(c.seq - 1), 1: byte((c.seq - 1) >> 8)}) {
			t.Errorf("%d: %v %s", c.seq, ok, h)
		}
	}
}

func TestTER(t *testing.T) {
	for _, c := range []struct {
		t    TER
		name string
		is   func(TER) bool
	}{
		{TesSUCCESS, "tesSUCCESS", TER.IsTes},
		{TecUNFUNDED_PAYMENT, "tecUNFUNDED_PAYMENT", TER.IsTec},
		{TerPRE_SEQ, "terPRE_SEQ", TER.IsTer},
		{TefPAST_SEQ, "tefPAST_SEQ", TER.IsTef},
		{TemINVALID, "temINVALID", TER.IsTem},
		{TelINSUF_FEE_P, "telINSUF_FEE_P", TER.IsTel},
	} {
		back, ok := ParseTER(c.name)
		if c.t.String() != c.name || !c.is(c.t) || !ok || back != c.t || c.t.Message() == "" || c.t.Message() == c.name {
			t.Errorf("%s: %s", c.name, c.t.Message())
		}
	}
	for v := range terTable {
		n := 0
		for _, is := range []func(TER) bool{TER.IsTes, TER.IsTec, TER.IsTer, TER.IsTef, TER.IsTem, TER.IsTel} {
			if is(v) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is of %d kinds", v, n)
		}
	}
}

func TestFieldTableIsSorted(t *testing.T) {
	if !slices.IsSorted(Fields()) {
		t.Error("the table must be in the order of serialisation")
	}
}
