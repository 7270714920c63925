package protocol

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/node/casetest"
)

// casesDir is the folder of real data that LEDGERLAB_CASES names. Unset is a skip; set but unreadable is a failure.
func casesDir(t testing.TB) string {
	t.Helper()
	dir, ok := os.LookupEnv("LEDGERLAB_CASES")
	if !ok {
		t.Skip("LEDGERLAB_CASES is not set: the cases are not checked")
	}
	if _, err := os.ReadDir(dir); err != nil {
		t.Fatalf("LEDGERLAB_CASES: %v", err)
	}
	return dir
}

func readCase(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(casesDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// loadCase decodes a file; numbers in it stay as they are written.
func loadCase(t testing.TB, name string, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(readCase(t, name)))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCasesDefinitions(t *testing.T) {
	var d struct {
		Types   map[string]int `json:"TYPES"`
		Entries map[string]int `json:"LEDGER_ENTRY_TYPES"`
		Txs     map[string]int `json:"TRANSACTION_TYPES"`
		Results map[string]int `json:"TRANSACTION_RESULTS"`
		Fields  [][2]any       `json:"FIELDS"`

		EntryFormats map[string][]formatRow `json:"LEDGER_ENTRY_FORMATS"`
		TxFormats    map[string][]formatRow `json:"TRANSACTION_FORMATS"`
	}
	loadCase(t, "binary-codec/definitions.json", &d)
	n := 0
	for _, row := range d.Fields {
		name, info := row[0].(string), row[1].(map[string]any)
		typ, nth := d.Types[info["type"].(string)], info["nth"].(json.Number).String()
		if !info["isSerialized"].(bool) || typ < 1 || typ > maxFieldType {
			continue
		}
		f, ok := FieldByName(name)
		if !ok || int(f.Type()) != typ || fmt.Sprint(f.Number()) != nth || f.String() != name ||
			f.IsSigning() != info["isSigningField"].(bool) || f.IsVL() != info["isVLEncoded"].(bool) {
			t.Errorf("field %s: %v %d %d", name, ok, f.Type(), f.Number())
		}
		n++
	}
	if n != len(Fields()) {
		t.Errorf("%d fields in the file, %d in the table", n, len(Fields()))
	}
	for name, v := range d.Entries {
		if e, ok := ParseEntryType(name); v >= 0 && (!ok || int(e) != v) {
			t.Errorf("entry type %s", name)
		}
		n++
	}
	for name, v := range d.Txs {
		if e, ok := ParseTxType(name); v >= 0 && (!ok || int(e) != v) {
			t.Errorf("transaction type %s", name)
		}
		n++
	}
	for name, v := range d.Results {
		if e, ok := ParseTER(name); !ok || int(e) != v || e.String() != name {
			t.Errorf("result %s", name)
		}
		n++
	}
	for name, rows := range d.TxFormats {
		if typ, ok := ParseTxType(name); ok {
			n += checkFormatRows(t, name, rows, txFormats[typ])
		}
	}
	for name, rows := range d.EntryFormats {
		if typ, ok := ParseEntryType(name); ok {
			n += checkFormatRows(t, name, rows, entryFormats[typ])
		}
	}
	casetest.Checked("binary-codec/definitions.json", n, "fields, types, results and rows of formats")
}

type formatRow struct {
	Name  string
	Style int `json:"optionality"`
}

func checkFormatRows(t *testing.T, name string, rows []formatRow, ours []FormatField) int {
	t.Helper()
	if len(rows) != len(ours) {
		t.Errorf("format %s has %d fields, want %d", name, len(ours), len(rows))
		return 0
	}
	for i, r := range rows {
		if ours[i].Field.String() != r.Name || int(ours[i].Style) != r.Style {
			t.Errorf("format %s: %s", name, r.Name)
		}
	}
	return len(rows)
}

// roundTrip checks that binary and JSON form give one another.
func roundTrip(t *testing.T, what string, binary []byte, form map[string]any) {
	t.Helper()
	o, err := ParseObject(binary)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if got := o.Bytes(); !bytes.Equal(got, binary) {
		t.Errorf("%s: re-encoded %X, want %X", what, got, binary)
	}
	if form == nil {
		return
	}
	p, err := ObjectFromMap(form)
	if err != nil {
		t.Errorf("%s: from JSON: %v", what, err)
	} else if got := p.Bytes(); !bytes.Equal(got, binary) {
		t.Errorf("%s: from JSON %X, want %X", what, got, binary)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := ObjectFromJSON(text)
	if err != nil || !bytes.Equal(q.Bytes(), binary) {
		t.Errorf("%s: through our JSON: %v", what, err)
	}
}

func TestCasesCodecFixtures(t *testing.T) {
	type row struct {
		Binary string
		JSON   map[string]any `json:"json"`
	}
	var d struct {
		AccountState, Transactions, LedgerData []row
	}
	const name = "binary-codec/codec-fixtures.json"
	loadCase(t, name, &d)
	for i, r := range d.AccountState {
		b := unhex(t, r.Binary)
		roundTrip(t, fmt.Sprintf("state %d", i), b, r.JSON)
		e, err := ParseEntry(b)
		if err != nil || !bytes.Equal(e.AppendTo(nil), b) || !bytes.Equal(ToObject(e).Bytes(), b) {
			t.Errorf("state %d: typed form: %v", i, err)
		}
	}
	for i, r := range d.Transactions {
		roundTrip(t, fmt.Sprintf("transaction %d", i), unhex(t, r.Binary), r.JSON)
	}
	for _, r := range d.LedgerData {
		b := unhex(t, r.Binary)
		h, err := ParseHeader(b)
		if err != nil || !bytes.Equal(h.AppendTo(nil), b) || fmt.Sprint(h.Sequence) != fmt.Sprint(r.JSON["ledger_index"]) ||
			h.ParentHash.String() != r.JSON["parent_hash"] || h.TxHash.String() != r.JSON["transaction_hash"] ||
			h.AccountHash.String() != r.JSON["account_hash"] {
			t.Errorf("header: %v %+v", err, h)
		}
	}
	casetest.Checked(name, len(d.AccountState)+len(d.Transactions)+len(d.LedgerData), "objects, transactions and a header")
}

func TestCasesSingleTransactions(t *testing.T) {
	for _, row := range [][2]string{
		{"delivermin-tx-binary", "delivermin-tx"},
		{"escrow-cancel-binary", "escrow-cancel-tx"},
		{"escrow-create-binary", "escrow-create-tx"},
		{"escrow-finish-binary", "escrow-finish-tx"},
		{"ticket-create-binary", "ticket-create-tx"},
	} {
		var want string
		var form map[string]any
		loadCase(t, "binary-codec/"+row[0]+".json", &want)
		loadCase(t, "binary-codec/"+row[1]+".json", &form)
		roundTrip(t, row[1], unhex(t, want), form)
		casetest.Checked("binary-codec/"+row[1]+".json", 1, "transaction")
		casetest.Checked("binary-codec/"+row[0]+".json", 1, "transaction")
		if meta, ok := form["meta"].(map[string]any); ok && row[1] == "escrow-finish-tx" {
			loadCase(t, "binary-codec/escrow-finish-meta-binary.json", &want)
			roundTrip(t, "meta", unhex(t, want), meta)
			casetest.Checked("binary-codec/escrow-finish-meta-binary.json", 1, "metadata")
		}
	}
	var d struct {
		Binary string
		Tx     map[string]any
	}
	loadCase(t, "binary-codec/negative-unl.json", &d)
	roundTrip(t, "negative-unl", unhex(t, d.Binary), d.Tx)
	casetest.Checked("binary-codec/negative-unl.json", 1, "pseudo transaction")
}
