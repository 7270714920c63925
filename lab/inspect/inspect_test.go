package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ledgerlab/node/casetest"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// ownLedger makes a reply with two accounts, a payment between them with its metadata, and the state.
func ownLedger(t testing.TB) []byte {
	t.Helper()
	heap, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	env := &shamap.Env{Heap: heap}
	a := &protocol.AccountRoot{Account: protocol.AccountID{1}, Sequence: 5, Balance: 1000, PreviousTxnID: protocol.Hash{7}}
	a.Opt.SetBlob(protocol.FieldDomain, []byte("example.com"))
	b := &protocol.AccountRoot{Account: protocol.AccountID{2}, Sequence: 9, Balance: 10, PreviousTxnID: protocol.Hash{8}}
	o := &protocol.Object{}
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldSequence, 5)
	o.SetDrops(protocol.FieldAmount, 100)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetBlob(protocol.FieldSigningPubKey, []byte{0xED, 1})
	o.SetAccountID(protocol.FieldAccount, a.Account)
	o.SetAccountID(protocol.FieldDestination, b.Account)
	tx, err := protocol.ParseTransaction(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	a2, b2 := a.Copy(), b.Copy()
	a2.Balance, a2.Sequence, a2.PreviousTxnID = 890, 6, tx.ID()
	b2.Balance, b2.PreviousTxnID = 110, tx.ID()
	ka, kb := protocol.AccountKey(a.Account), protocol.AccountKey(b.Account)
	meta := protocol.BuildMetadata(protocol.TesSUCCESS, 0, nil, []protocol.AffectedNode{
		{Kind: protocol.NodeModified, Index: ka, Before: a, After: a2}, {Kind: protocol.NodeModified, Index: kb, Before: b, After: b2},
	})
	in := &inspection{env: env}
	id := tx.ID()
	txRoot, err := in.tree(shamap.KindTxMeta, []shamap.Change{{Key: id, Data: protocol.AppendTxNode(nil, tx.Blob(), meta)}})
	if err != nil {
		t.Fatal(err)
	}
	stateRoot, err := in.tree(shamap.KindState, []shamap.Change{{Key: ka, Data: a2.AppendTo(nil)}, {Key: kb, Data: b2.AppendTo(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	h := protocol.Header{
		Sequence: 3, Drops: 1000, ParentHash: protocol.Hash{9}, TxHash: txRoot, AccountHash: stateRoot,
		ParentCloseTime: 40, CloseTime: 50, CloseTimeResolution: 10,
	}
	m, err := protocol.ParseMetadata(meta)
	if err != nil {
		t.Fatal(err)
	}
	form, metaForm := o.ToJSON(), m.Object.ToJSON()
	metaForm["delivered_amount"] = "100"
	form["hash"], form["metaData"], form["DeliverMax"] = id, metaForm, "100"
	entries := []any{}
	for k, e := range map[protocol.Hash]*protocol.AccountRoot{ka: a2, kb: b2} {
		f := e.Object().ToJSON()
		f["index"] = k
		entries = append(entries, f)
	}
	text, err := json.Marshal(map[string]any{"result": map[string]any{
		"ledger": map[string]any{
			"ledger_index": "3", "total_coins": "1000", "parent_hash": h.ParentHash, "transaction_hash": txRoot,
			"account_hash": stateRoot, "parent_close_time": 40, "close_time": 50, "close_time_resolution": 10, "close_flags": 0,
			"ledger_hash": h.Hash(), "closed": true, "close_time_human": "2000-Jan-01 00:00:50.000000000 UTC",
			"close_time_iso": "2000-01-01T00:00:50Z", "transactions": []any{form}, "accountState": entries,
		},
		"ledger_hash": h.Hash(), "ledger_index": 3, "validated": true, "status": "success",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// otherForms gives the same ledger as newer servers write it, and in binary.
func otherForms(t testing.TB, text []byte) map[string][]byte {
	t.Helper()
	write := func(change func(l map[string]any, tx map[string]any)) []byte {
		var m map[string]any
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&m); err != nil {
			t.Fatal(err)
		}
		l := m["result"].(map[string]any)["ledger"].(map[string]any)
		change(l, l["transactions"].([]any)[0].(map[string]any))
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	binaryOf := func(v any) string {
		o, err := protocol.ObjectFromMap(v.(map[string]any))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%X", o.Bytes())
	}
	return map[string][]byte{
		"version 2": write(func(l, tx map[string]any) {
			meta, hash := tx["metaData"], tx["hash"]
			delete(tx, "metaData")
			delete(tx, "hash")
			l["transactions"] = []any{map[string]any{
				"tx_json": tx, "meta": meta, "hash": hash, "ledger_index": 3,
				"ledger_hash": l["ledger_hash"], "validated": true, "close_time_iso": l["close_time_iso"],
			}}
		}),
		"binary": write(func(l, tx map[string]any) {
			l["transactions"] = []any{map[string]any{"tx_blob": binaryOf(tx), "meta": binaryOf(tx["metaData"]), "hash": tx["hash"]}}
			var pairs []any
			for _, e := range l["accountState"].([]any) {
				pairs = append(pairs, map[string]any{"index": e.(map[string]any)["index"], "data": binaryOf(e)})
			}
			l["accountState"] = pairs
		}),
	}
}

func TestOtherForms(t *testing.T) {
	for name, text := range otherForms(t, ownLedger(t)) {
		rep, err := Ledger(name, text)
		if err != nil || rep.Difference != nil || rep.Transactions != 1 || rep.StateEntries != 2 {
			t.Errorf("%s: %v %+v", name, err, rep)
			continue
		}
		if n := everyByte(t, text, 3); n < 500 {
			t.Errorf("%s: only %d changes were tried", name, n)
		}
	}
}

func TestOwnLedger(t *testing.T) {
	rep, err := Ledger("own", ownLedger(t))
	if err != nil || rep.Difference != nil {
		t.Fatalf("%v %v", err, rep.Difference)
	}
	if rep.Transactions != 1 || rep.StateEntries != 2 || rep.Sequence != 3 || len(rep.Checks) != 8 {
		t.Errorf("%+v", rep)
	}
}

// everyByte changes every byte of a ledger's text, one at a time: each change must be found, unless the text still
// says the same value by value.
func everyByte(t *testing.T, text []byte, step int) (tried int) {
	t.Helper()
	before, err := protocol.DecodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(text); at += step {
		for _, flip := range []byte{1, 0x20} {
			changed := append([]byte(nil), text...)
			changed[at] ^= flip
			after, err := protocol.DecodeJSON(changed)
			if err != nil || reflect.DeepEqual(before, after) {
				continue
			}
			tried++
			if rep, err := Ledger("changed", changed); err == nil && rep.Difference == nil {
				t.Errorf("offset %d: %q for %q is not found in ...%s...", at, changed[at], text[at],
					changed[max(0, at-40):min(len(changed), at+20)])
			}
		}
	}
	return tried
}

func TestEveryByteOfOwnLedger(t *testing.T) {
	if n := everyByte(t, ownLedger(t), 1); n < 2000 {
		t.Errorf("only %d changes were tried", n)
	}
}

func TestCasesEveryByte(t *testing.T) {
	dir := casesDir(t)
	for _, c := range []struct {
		name string
		step int
	}{{"ledgers-mainnet/11618225.json", 31}, {"ledgers-xrpl4j/negative-balance-ledgers-ledger-result-354496.json", 3}} {
		text, err := os.ReadFile(filepath.Join(dir, c.name))
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() {
			c.step *= 10
		}
		casetest.Checked(c.name, everyByte(t, text, c.step), "changed bytes found")
	}
}

func TestRefusals(t *testing.T) {
	for _, text := range []string{``, `1`, `{}`, `{"result":{}}`, `[`, `{"ledger":{"x":1}}`, strings.Repeat("[", 100000)} {
		if _, err := Ledger("bad", []byte(text)); err == nil {
			t.Errorf("%.40s must be refused", text)
		}
	}
	if _, err := File(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file")
	}
}
