package inspect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ledgerlab/node/protocol"
)

// texts compares the JSON of transactions and metadata with what their binary forms are written as, so that a change
// which the roots cannot see, as a letter's case or a name that is not serialised, is found too.
func (in *inspection) texts() (string, error) {
	for i := range in.txs {
		t := &in.txs[i]
		if t.form != nil {
			if err := sameText(t.where, t.form, t.tx.Object().ToJSON()); err != nil {
				return "", err
			}
		}
		if err := in.besides(t); err != nil {
			return "", err
		}
		if t.meta != nil {
			m, err := protocol.ParseMetadata(t.raw)
			if err != nil {
				return "", err
			}
			if err := sameText(t.where+".metaData", t.meta, m.Object.ToJSON()); err != nil {
				return "", err
			}
			if err := t.delivered(m); err != nil {
				return "", err
			}
		}
	}
	return "equal", nil
}

// notSerialised are names beside the fields of an object; those that can be checked are checked elsewhere.
var notSerialised = set("hash", "index", "date", "ledger_index", "inLedger", "ledger_hash", "validated", "meta",
	"metaData", "delivered_amount", "DeliverMax", "owner_funds", "close_time_iso", "ctid", "tx_json", "nftoken_id",
	"nftoken_ids", "offer_id", "mpt_issuance_id", "urlgravatar")

// sameText compares an object as the file writes it with the way its bytes are written.
func sameText(where string, file, ours map[string]any) error {
	for _, name := range sorted(file) {
		if _, ok := ours[name]; !ok && !notSerialised[name] {
			if strings.HasPrefix(name, "_") {
				continue // a comment, seen in made-up examples
			}
			return &Difference{Where: where, Found: fmt.Sprintf("the name %q", clip(name)), Expected: "no such name"}
		}
	}
	for _, name := range sorted(ours) {
		if err := sameValue(where+"."+name, name, file[name], ours[name]); err != nil {
			return err
		}
	}
	return nil
}

func sorted(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func sameValue(where, name string, file, ours any) error {
	switch o := ours.(type) {
	case map[string]any:
		f, ok := file.(map[string]any)
		if !ok {
			return differs(where, file, o)
		}
		return sameText(where, f, o)
	case []any:
		f, ok := file.([]any)
		if !ok || len(f) != len(o) {
			return differs(where, file, o)
		}
		for i := range o {
			if err := sameElement(fmt.Sprintf("%s[%d]", where, i), name, f[i], o[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if sameScalar(name, file, fmt.Sprint(ours)) {
		return nil
	}
	return differs(where, file, ours)
}

// sameElement is sameValue for elements of arrays; the steps of paths state their type or do not.
func sameElement(where, name string, file, ours any) error {
	f, ok1 := file.(map[string]any)
	o, ok2 := ours.(map[string]any)
	if !ok1 || !ok2 {
		return sameValue(where, name, file, ours)
	}
	if _, isStep := o["type_hex"]; isStep {
		step := map[string]any{}
		for k, v := range o {
			if _, stated := f[k]; stated || k != "type" && k != "type_hex" {
				step[k] = v
			}
		}
		o = step
	}
	return sameText(where, f, o)
}

// sameScalar compares a number or a text. 64-bit fields are written with and without zeros in front and in both cases,
// depending on the server's version; results and types are names.
func sameScalar(name string, file any, ours string) bool {
	var text string
	switch v := file.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	default:
		return false
	}
	if text == ours {
		return true
	}
	f, known := protocol.FieldByName(name)
	if known && f.Type() == protocol.TypeUint64 {
		a, err1 := strconv.ParseUint(text, 16, 64)
		b, err2 := strconv.ParseUint(ours, 16, 64)
		return err1 == nil && err2 == nil && a == b && len(text) == 16 && (text == strings.ToUpper(text) || text == strings.ToLower(text))
	}
	if name == "type_hex" {
		return len(text) <= 16 && strings.TrimLeft(text, "0") == strings.TrimLeft(ours, "0")
	}
	return false
}

// besidesNames are the names around tx_json or tx_blob.
var besidesNames = set("hash", "tx_json", "tx_blob", "meta", "metaData", "meta_blob", "ledger_hash", "ledger_index",
	"validated", "close_time_iso", "date", "ctid")

// besides checks what servers write beside the fields of a transaction.
func (in *inspection) besides(t *transaction) error {
	if _, own := t.outer["TransactionType"]; !own {
		for name := range t.outer {
			if !besidesNames[name] {
				return &Difference{Where: t.where, Found: fmt.Sprintf("the name %q", clip(name)), Expected: "no such name"}
			}
		}
	}
	for _, m := range []map[string]any{t.outer, t.form} {
		if v, ok := m["DeliverMax"]; ok {
			if err := sameAmount(t.where+".DeliverMax", v, t.tx.Object().Amount(protocol.FieldAmount)); err != nil {
				return err
			}
		}
		for name, want := range map[string]string{
			"date":           strconv.FormatUint(uint64(in.header.CloseTime), 10),
			"ledger_index":   strconv.FormatUint(uint64(in.header.Sequence), 10),
			"inLedger":       strconv.FormatUint(uint64(in.header.Sequence), 10),
			"ledger_hash":    in.hash.String(),
			"close_time_iso": in.closeTime().Format("2006-01-02T15:04:05Z"),
		} {
			if v, ok := m[name]; ok && !sameScalar("", v, want) {
				return differs(t.where+"."+name, v, want)
			}
		}
		if v, ok := m["validated"]; ok && v != true {
			return differs(t.where+".validated", v, true)
		}
	}
	return nil
}

// delivered checks delivered_amount, which servers compute.
func (t *transaction) delivered(m *protocol.Metadata) error {
	v, ok := t.meta["delivered_amount"]
	if !ok {
		return nil
	}
	where := t.where + ".metaData.delivered_amount"
	if m.Delivered != nil {
		return sameAmount(where, v, *m.Delivered)
	}
	if v == "unavailable" { // ledgers before 2014-01-20
		return nil
	}
	return sameAmount(where, v, t.tx.Object().Amount(protocol.FieldAmount))
}

func sameAmount(where string, file any, want protocol.Amount) error {
	return sameValue(where, "", file, want.ToJSON())
}
