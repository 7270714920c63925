package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"ledgerlab/node/casetest"
)

func TestCasesDataDriven(t *testing.T) {
	var d struct {
		Types []struct {
			Name    string
			Ordinal int
		}
		Fields []struct {
			TypeName string `json:"type_name"`
			Name     string
			Nth      int `json:"nth_of_type"`
			Type     int
			Hex      string `json:"expected_hex"`
		} `json:"fields_tests"`
		Whole []struct {
			Tx     map[string]any `json:"tx_json"`
			Fields [][2]any
			Blob   string `json:"blob_with_no_signing"`
		} `json:"whole_objects"`
		Values []struct {
			JSON  any `json:"test_json"`
			Type  string
			Hex   string `json:"expected_hex"`
			Error string
		} `json:"values_tests"`
	}
	const name = "binary-codec/data-driven-tests.json"
	loadCase(t, name, &d)
	for _, r := range d.Fields {
		f, ok := FieldByName(r.Name)
		if !ok || int(f.Type()) != r.Type || int(f.Number()) != r.Nth || upperHex(f.appendID(nil)) != r.Hex {
			t.Errorf("field %s: %X, want %s", r.Name, f.appendID(nil), r.Hex)
		}
	}
	casetest.Checked(name, len(d.Fields), "fields")
	for i, r := range d.Whole {
		roundTrip(t, fmt.Sprintf("whole %d", i), unhex(t, r.Blob), r.Tx)
		checkWholeFields(t, r.Tx, r.Fields)
	}
	casetest.Checked(name, len(d.Whole), "whole objects, field by field")
	good, bad := 0, 0
	for _, r := range d.Values {
		if s, ok := r.JSON.(string); ok && strings.HasPrefix(s, "{") {
			r.JSON, _ = decodeJSON([]byte(strings.ReplaceAll(s, "'", `"`)))
		}
		if r.Type != "Amount" {
			t.Fatalf("type %s", r.Type)
		}
		a, err := AmountFromJSON(r.JSON)
		switch {
		case r.Error != "":
			bad++
			if err == nil {
				t.Errorf("%v must be refused: %s", r.JSON, r.Error)
			}
		case err != nil:
			t.Errorf("%v: %v", r.JSON, err)
		default:
			good++
			b := a.AppendTo(nil)
			back, err := ParseAmount(b)
			if upperHex(b) != r.Hex || err != nil || back != a {
				t.Errorf("%v: %X, want %s (%v)", r.JSON, b, r.Hex, err)
			}
		}
	}
	casetest.Checked(name, good, "amounts that must pass")
	casetest.Checked(name, bad, "amounts that must be refused")
}

func checkWholeFields(t *testing.T, tx map[string]any, fields [][2]any) {
	t.Helper()
	o, err := ObjectFromMap(tx)
	if err != nil {
		t.Error(err)
		return
	}
	for _, row := range fields {
		f, _ := FieldByName(row[0].(string))
		info := row[1].(map[string]any)
		raw, ok := o.Raw(f)
		want := ""
		for _, part := range info["binary"].([]any) {
			want += flat(part)
		}
		got := upperHex(raw) // the file, too, lists an array without its end marker
		if !ok || got != want || upperHex(f.appendID(nil)) != info["field_header"] {
			t.Errorf("%s: %s, want %s", f, got, want)
		}
	}
}

func flat(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case []any:
		s := ""
		for _, e := range x {
			s += flat(e)
		}
		return s
	}
	return fmt.Sprint(v)
}

func TestCasesXAddresses(t *testing.T) {
	var d struct {
		Transactions []struct{ Rjson, Xjson map[string]any }
	}
	const name = "binary-codec/x-codec-fixtures.json"
	loadCase(t, name, &d)
	for i, r := range d.Transactions {
		a, err1 := ObjectFromMap(r.Rjson)
		b, err2 := ObjectFromMap(r.Xjson)
		if err1 != nil || err2 != nil || !a.Equal(b) {
			t.Errorf("%d: %v %v", i, err1, err2)
		}
	}
	casetest.Checked(name, len(d.Transactions), "transactions with X-addresses")

	var a map[string]string
	loadCase(t, "address-codec/addresses.json", &a)
	for k, v := range a {
		switch k {
		case "ACCOUNT_X", "ACCOUNT_T":
			x, err := ParseXAddress(v)
			if err != nil || x.Account.String() != a["ACCOUNT"] || x.String() != v || x.Test != (k == "ACCOUNT_T") {
				t.Errorf("%s: %+v %v", k, x, err)
			}
		case "SECRET":
			seed, ed, err := DecodeSeed(v)
			if err != nil || EncodeSeed(seed, ed) != v {
				t.Errorf("%s: %v", k, err)
			}
		default:
			id, err := ParseAccountID(v)
			if err != nil || id.String() != v {
				t.Errorf("%s: %v", k, err)
			}
		}
	}
	casetest.Checked("address-codec/addresses.json", len(a), "addresses and a seed")
}

func TestCasesSerializationVectors(t *testing.T) {
	type number struct {
		Value json.Number
		Hex   string `json:"hex_value"`
	}
	var d struct {
		Vectors struct {
			Int32 struct{ Cases []number } `json:"int32_roundtrip"`
			Int64 struct {
				Cases []struct {
					Value string
					Hex   string `json:"hex_value"`
				}
			} `json:"int64_roundtrip"`
			Malformed struct {
				Cases []struct {
					Name string
					Hex  string `json:"payload_hex"`
				}
			} `json:"malformed_payloads"`
			JSON struct {
				Valid []struct {
					JSON string `json:"json"`
					Want string `json:"expected_output"`
				} `json:"valid_cases"`
				Invalid []struct{ Name, JSON string } `json:"invalid_cases"`
			} `json:"json_parsing"`
			Lookups struct {
				Cases []struct {
					Type  string `json:"type_id"`
					Value int    `json:"field_value"`
				} `json:"invalid_field_lookups"`
			} `json:"field_type_ids"`
			Vector256 struct {
				Case struct{ Values []string } `json:"test_case"`
			} `json:"vector256"`
		}
	}
	const name = "vectors/serialization_vectors.json"
	loadCase(t, name, &d)
	v, n := d.Vectors, 0
	for _, c := range v.Int32.Cases {
		raw, err := jsonInt(FieldLoanScale, c.Value)
		if err != nil || "0x"+upperHex(raw) != c.Hex || valueJSON(FieldLoanScale, raw) != must32(c.Value) {
			t.Errorf("int32 %s: %X %v", c.Value, raw, err)
		}
		n++
	}
	for _, c := range v.Int64.Cases {
		f := Field(TypeInt64)<<16 | 1
		raw, err := jsonInt(f, c.Value)
		if err != nil || "0x"+upperHex(raw) != c.Hex || valueJSON(f, raw) != c.Value {
			t.Errorf("int64 %s: %X %v", c.Value, raw, err)
		}
		n++
	}
	for _, c := range v.Malformed.Cases {
		if _, err := ParseObject(unhex(t, c.Hex)); err == nil {
			t.Errorf("%s must be refused", c.Name)
		}
		n++
	}
	for _, c := range v.JSON.Valid {
		o, err := ObjectFromJSON([]byte(c.JSON))
		if err != nil {
			t.Errorf("%s: %v", c.JSON, err)
			continue
		}
		if got, _ := json.Marshal(o); string(got) != c.Want {
			t.Errorf("%s: %s, want %s", c.JSON, got, c.Want)
		}
		n++
	}
	for _, c := range v.JSON.Invalid {
		if _, err := ObjectFromJSON([]byte(c.JSON)); err == nil {
			t.Errorf("%s must be refused: %s", c.Name, c.JSON)
		}
		n++
	}
	kinds := map[string]FieldType{
		"STI_VL": TypeBlob, "STI_UINT256": TypeHash256, "STI_UINT32": TypeUint32,
		"STI_VECTOR256": TypeVector256, "STI_OBJECT": TypeObject,
	}
	for _, c := range v.Lookups.Cases {
		if (Field(kinds[c.Type])<<16 | Field(c.Value)).Known() {
			t.Errorf("%s %d must be unknown", c.Type, c.Value)
		}
		n++
	}
	o := &Object{}
	var hashes []Hash
	for _, s := range v.Vector256.Case.Values {
		hashes = append(hashes, MustHash(s))
	}
	o.SetHashes(FieldHashes, hashes)
	p, err := ParseObject(o.Bytes())
	if got, _ := p.GetHashes(FieldHashes); err != nil || fmt.Sprint(got) != fmt.Sprint(hashes) {
		t.Errorf("vector256: %v %v", got, err)
	}
	for size := range 1000 { // variable_length_encoding
		o.SetBlob(FieldURI, bytes.Repeat([]byte{7}, size))
		if p, err := ParseObject(o.Bytes()); err != nil || len(p.Blob(FieldURI)) != size {
			t.Fatalf("blob of %d bytes: %v", size, err)
		}
	}
	casetest.Checked(name, n+1+1000, "numbers, objects, refusals, blobs of 0 to 999 bytes")
}

func must32(n json.Number) int32 {
	v, _ := n.Int64()
	return int32(v)
}

func TestCasesAmountVectors(t *testing.T) {
	type text struct {
		Value, Drops string
		Valid        bool
	}
	var d struct {
		Vectors struct {
			Native struct {
				Cases []struct {
					Drops int64
					Text  string `json:"expected_text"`
				}
			} `json:"native_currency"`
			XRPValid   struct{ Cases []text } `json:"xrp_valid_values"`
			XRPInvalid struct{ Cases []text } `json:"xrp_invalid_values"`
			XRPConv    struct{ Cases []text } `json:"xrp_conversion"`
			IOU        struct {
				Cases []struct {
					Mantissa int64
					Exponent int
					Text     string `json:"expected_text"`
				}
			} `json:"iou_currency"`
			IOUValid struct{ Cases []text } `json:"iou_valid_values"`
			IOUConv  struct{ Cases []text } `json:"iou_conversion"`
			Codes    struct {
				Cases []struct {
					String string
					Hex    string
					Native bool `json:"is_native"`
				}
			} `json:"currency_codes"`
			CanAdd    struct{ Cases []pairCase } `json:"can_add_xrp"`
			CanSub    struct{ Cases []pairCase } `json:"can_subtract_xrp"`
			Constants struct {
				MinValue   string `json:"cMinValue"`
				MaxValue   string `json:"cMaxValue"`
				MaxNativeN string `json:"cMaxNativeN"`
				MinOffset  int    `json:"cMinOffset"`
				MaxOffset  int    `json:"cMaxOffset"`
			}
			Arithmetic struct {
				Rates []struct {
					A    int64  `json:"input1_drops"`
					B    int64  `json:"input2_drops"`
					Want string `json:"expected_rate_formula"` // the file's number does not agree with its formula
				} `json:"rate_calculations"`
				Rounding []struct{ N, D, M int64 } `json:"rounding_tests"`
			}
		}
	}
	const name = "vectors/amount_vectors.json"
	loadCase(t, name, &d)
	v, n := d.Vectors, 0
	usd, _ := ParseCurrency("USD")
	for _, c := range v.Native.Cases {
		if got := XRP(Drops(c.Drops)).ValueText(); got != c.Text {
			t.Errorf("%d drops: %s", c.Drops, got)
		}
		n++
	}
	for _, c := range append(v.XRPValid.Cases, v.XRPConv.Cases...) {
		got, err := ParseDrops(c.Value + c.Drops)
		if err != nil || fmt.Sprint(int64(got)) != c.Value+c.Drops {
			t.Errorf("%v: %v", c, err)
		}
		n++
	}
	for _, c := range v.XRPInvalid.Cases {
		if _, err := ParseDrops(c.Value); err == nil {
			t.Errorf("%s must be refused", c.Value)
		}
		n++
	}
	for _, c := range v.IOU.Cases {
		a, err := Issued(c.Mantissa, c.Exponent, usd, AccountOne)
		if err != nil || a.ValueText() != c.Text {
			t.Errorf("%+v: %s %v", c, a.ValueText(), err)
		}
		n++
	}
	for _, c := range append(v.IOUValid.Cases, v.IOUConv.Cases...) {
		a, err := ParseIssued(c.Value, usd, AccountOne)
		if err != nil || a.ValueText() != c.Value {
			t.Errorf("%s: %s %v", c.Value, a.ValueText(), err)
		}
		n++
	}
	for _, c := range v.Codes.Cases {
		got, err := ParseCurrency(c.String)
		if err != nil || got.IsXRP() != c.Native || got.String() != c.String {
			t.Errorf("currency %s: %s %v", c.String, got, err)
		}
		n++
	}
	for _, c := range v.Arithmetic.Rates {
		var below, mantissa uint64
		if _, err := fmt.Sscanf(c.Want, "((100 - %d) << 56) | %d", &below, &mantissa); err != nil {
			t.Fatal(err)
		}
		if got := RateOf(XRP(Drops(c.A)), XRP(Drops(c.B))); got != (100-below)<<56|mantissa {
			t.Errorf("rate of %d to %d: %d, want %s", c.A, c.B, got, c.Want)
		}
		n++
	}
	whole := func(x int64) Amount { a, _ := Issued(x, 0, usd, AccountOne); return a }
	for _, c := range v.Arithmetic.Rounding {
		q, err1 := Divide(whole(c.N), whole(c.D), whole(1).Asset())
		p, err2 := Multiply(q, whole(c.M), whole(1).Asset())
		want := whole(c.N * c.M / c.D)
		if diff, err := p.Sub(want); err1 != nil || err2 != nil || err != nil || !close16(diff, want) {
			t.Errorf("(%d/%d)*%d = %s, want %s", c.N, c.D, c.M, p, want)
		}
		n++
	}
	for _, c := range append(v.CanAdd.Cases, v.CanSub.Cases...) {
		a, b := c.amount(t, c.Amt1), c.amount(t, c.Amt2)
		if c.CanAdd != nil && (Math{}).CanAdd(a, b) != *c.CanAdd || c.CanSub != nil && (Math{}).CanSubtract(a, b) != *c.CanSub {
			t.Errorf("%+v", c)
		}
		n++
	}
	k := v.Constants
	if k.MinValue != fmt.Sprint(minMantissa) || k.MaxValue != fmt.Sprint(maxMantissa) || k.MaxNativeN != fmt.Sprint(int64(MaxDrops)) ||
		k.MinOffset != minExponent || k.MaxOffset != maxExponent {
		t.Errorf("constants %+v", k)
	}
	n += 5
	three, sixty, twenty := XRP(3), whole(60), whole(20)
	if p, err := Multiply(twenty, three, sixty.Asset()); err != nil || p.ValueText() != "60" {
		t.Errorf("20 * 3 = %s %v", p, err)
	}
	if q, err := Divide(sixty, three, sixty.Asset()); err != nil || q.ValueText() != "20" {
		t.Errorf("60 / 3 = %s %v", q, err)
	}
	casetest.Checked(name, n+2, "amounts, currencies, rates, products")
}

// pairCase is whether two amounts of drops can be added or subtracted.
type pairCase struct {
	Amt1, Amt2 any
	CanAdd     *bool `json:"can_add"`
	CanSub     *bool `json:"can_subtract"`
}

func (pairCase) amount(t *testing.T, v any) Amount {
	t.Helper()
	if v == "MAX_INT64" {
		return XRP(math.MaxInt64)
	}
	n, err := v.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return XRP(Drops(n))
}

// close16 reports whether the difference is at most a few units in the last of 16 digits.
func close16(diff, of Amount) bool {
	return diff.IsZero() || diff.Exponent()+16 <= of.Exponent()+3
}

func TestCasesShamapLeaves(t *testing.T) {
	// The first root has one leaf below it: inner hash of one branch.
	var s struct {
		Steps []struct {
			Key  string `json:"add_key"`
			Data string
			Root string `json:"root_after_add"`
		}
	}
	loadCase(t, "shamap/shamap_build_tear.json", &s)
	first := s.Steps[0]
	leaf := SHA512Half(PrefixTxID[:], unhex(t, first.Data))
	inner := make([]byte, 4+16*32)
	copy(inner, PrefixInner[:])
	key := MustHash(first.Key)
	copy(inner[4+32*int(key[0]>>4):], leaf[:])
	if got := SHA512Half(inner); got.String() != first.Root {
		t.Errorf("root %s, want %s", got, first.Root)
	}
	casetest.Checked("shamap/shamap_build_tear.json", 1, "prefix forms of leaf and inner node")
}

func TestCasesMetadata(t *testing.T) {
	for _, name := range []string{"payment_iou", "payment_xrp_create_account", "trustline_create"} {
		var d struct {
			Meta        map[string]any
			Transaction map[string]any
		}
		loadCase(t, "tx-meta/"+name+".json", &d)
		o, err := ObjectFromMap(d.Transaction)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tx, err := ParseTransaction(o.Bytes())
		if err != nil || tx.ID().String() != d.Transaction["hash"] {
			t.Errorf("%s: id %v", name, err)
		}
		m, err := ObjectFromMap(d.Meta)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		meta, err := ParseMetadata(m.Bytes())
		if err != nil || fmt.Sprint(meta.Index) != fmt.Sprint(d.Meta["TransactionIndex"]) || len(meta.Nodes) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		casetest.Checked("tx-meta/"+name+".json", 2, "transaction id and metadata")
	}
}

func TestLengthPrefixLimits(t *testing.T) {
	for _, n := range []int{0, 1, 192, 193, 12480, 12481, 918744} {
		b := AppendLength(nil, n)
		got, next, err := readLength(b, 0, 0)
		if err != nil || got != n || next != len(b) {
			t.Errorf("%d: %d %v", n, got, err)
		}
	}
	if _, _, err := readLength([]byte{254, 255, 255}, 0, 0); err == nil {
		t.Error("a length above 918,744 must be refused")
	}
}
