package protocol

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ledgerlab/node/casetest"
)

// slowLeaf and slowRoot are the plainest way to the root of a tree, to check formats without package shamap.
type slowLeaf struct{ key, hash Hash }

func slowRoot(leaves []slowLeaf) Hash {
	if len(leaves) == 0 {
		return Hash{}
	}
	return slowInner(leaves, 0)
}

func slowInner(leaves []slowLeaf, depth int) Hash {
	var branch [16][]slowLeaf
	for _, l := range leaves {
		n := l.key[depth/2] >> 4
		if depth%2 == 1 {
			n = l.key[depth/2] & 15
		}
		branch[n] = append(branch[n], l)
	}
	body := append([]byte(nil), PrefixInner[:]...)
	for _, b := range branch {
		var h Hash
		switch len(b) {
		case 0:
		case 1:
			h = b[0].hash
		default:
			h = slowInner(b, depth+1)
		}
		body = append(body, h[:]...)
	}
	return SHA512Half(body)
}

func number(t testing.TB, v any) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(fmt.Sprint(v), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCasesLedgerHeaders(t *testing.T) {
	var rows []map[string]any
	loadCase(t, "ledger-headers.json", &rows)
	for _, r := range rows {
		h := Header{
			Sequence: uint32(number(t, r["ledger_index"])), Drops: number(t, r["total_coins"]),
			ParentHash: MustHash(r["parent_hash"].(string)), TxHash: MustHash(r["transaction_hash"].(string)),
			AccountHash: MustHash(r["account_hash"].(string)), ParentCloseTime: uint32(number(t, r["parent_close_time"])),
			CloseTime: uint32(number(t, r["close_time"])), CloseFlags: uint8(number(t, r["close_flags"])),
			CloseTimeResolution: uint8(number(t, r["close_time_resolution"])),
		}
		if h.Hash().String() != r["ledger_hash"] {
			t.Errorf("%v: %s", r["file"], h.Hash())
		}
		back, err := ParseHeader(h.AppendTo(nil))
		if err != nil || back != h {
			t.Errorf("%v: %v", r["file"], err)
		}
	}
	casetest.Checked("ledger-headers.json", len(rows), "headers hash to their published hash")
}

// ledgerOf finds the ledger in a file, which is itself or inside a reply.
func ledgerOf(d map[string]any) map[string]any {
	if r, ok := d["result"].(map[string]any); ok {
		d = r
	}
	if l, ok := d["ledger"].(map[string]any); ok {
		return l
	}
	return d
}

// ledgerTx checks the form of one transaction with metadata and returns its leaf.
func ledgerTx(t *testing.T, what string, form map[string]any) (leaf slowLeaf, idOK bool) {
	t.Helper()
	o, err := ObjectFromMap(form)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return leaf, false
	}
	tx, err := ParseTransaction(o.Bytes())
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return leaf, false
	}
	if !bytes.Equal(tx.Object().Bytes(), tx.Blob()) {
		t.Errorf("%s: does not re-encode", what)
	}
	meta, _ := form["metaData"].(map[string]any)
	m, err := ObjectFromMap(meta)
	if err != nil {
		t.Errorf("%s: metadata: %v", what, err)
		return leaf, false
	}
	b := m.Bytes()
	parsed, err := ParseMetadata(b)
	if err != nil || !bytes.Equal(parsed.Object.Bytes(), b) || len(parsed.Nodes) == 0 {
		t.Errorf("%s: metadata: %v", what, err)
	}
	id := tx.ID()
	item := AppendTxNode(nil, tx.Blob(), b)
	blob, back, err := SplitTxNode(item)
	if err != nil || !bytes.Equal(blob, tx.Blob()) || !bytes.Equal(back, b) {
		t.Errorf("%s: item: %v", what, err)
	}
	return slowLeaf{id, SHA512Half(PrefixTxNode[:], item, id[:])}, id.String() == form["hash"]
}

func TestCasesLedgers(t *testing.T) {
	dir := casesDir(t)
	files := []string{"binary-codec/ledger-full-38129.json"}
	for _, folder := range []string{"ledgers-mainnet", "ledgers-xrpl4j", "ledgers-xrpljs"} {
		list, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			files = append(files, folder+"/"+f.Name())
		}
	}
	for _, name := range files {
		var d map[string]any
		loadCase(t, name, &d)
		l := ledgerOf(d)
		txs, roots := checkLedgerTxs(t, name, l)
		state := checkLedgerState(t, name, l)
		casetest.Checked(name, txs+state, fmt.Sprintf("objects: %d transactions, %d entries; %s", txs, state, roots))
	}
}

func checkLedgerTxs(t *testing.T, name string, l map[string]any) (n int, roots string) {
	list, _ := l["transactions"].([]any)
	var leaves []slowLeaf
	for i, v := range list {
		form, ok := v.(map[string]any)
		if !ok {
			return 0, "ids only"
		}
		leaf, ok := ledgerTx(t, fmt.Sprintf("%s transaction %d", name, i), form)
		if !ok && !strings.Contains(name, "special-object") { // made by hand, its id is of another transaction
			t.Errorf("%s transaction %d: wrong id", name, i)
		}
		leaves = append(leaves, leaf)
	}
	if len(leaves) == 0 {
		return 0, "no transactions"
	}
	if slowRoot(leaves).String() != l["transaction_hash"] {
		if filepath.Dir(name) != "ledgers-xrpl4j" { // README: for decoding and robustness
			t.Errorf("%s: transaction root %s", name, slowRoot(leaves))
		}
		return len(leaves), "transaction root differs, as the cases say it may"
	}
	return len(leaves), "transaction root reproduces"
}

func checkLedgerState(t *testing.T, name string, l map[string]any) int {
	list, _ := l["accountState"].([]any)
	if list == nil {
		list, _ = l["state"].([]any)
	}
	var leaves []slowLeaf
	for i, v := range list {
		form := v.(map[string]any)
		var b []byte
		if data, ok := form["data"].(string); ok {
			b = unhex(t, data)
		} else {
			o, err := ObjectFromMap(form)
			if err != nil {
				t.Errorf("%s entry %d: %v", name, i, err)
				continue
			}
			b = o.Bytes()
		}
		e, err := ParseEntry(b)
		if err != nil || !bytes.Equal(e.AppendTo(nil), b) || !bytes.Equal(ToObject(e).Bytes(), b) {
			t.Errorf("%s entry %d: %v", name, i, err)
		}
		key := MustHash(form["index"].(string))
		leaves = append(leaves, slowLeaf{key, SHA512Half(PrefixLeaf[:], b, key[:])})
	}
	if want, ok := l["account_hash"]; ok && len(leaves) > 0 && slowRoot(leaves).String() != want {
		t.Errorf("%s: state root %s, want %s", name, slowRoot(leaves), want)
	}
	return len(leaves)
}
