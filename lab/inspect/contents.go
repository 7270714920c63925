package inspect

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// transaction is one of the file's transactions, read.
type transaction struct {
	where string
	outer map[string]any // around it: its own form, or the object that holds tx_json or tx_blob
	form  map[string]any // of the transaction; nil if given in binary
	meta  map[string]any // of its metadata; nil if given in binary
	tx    *protocol.Transaction
	raw   []byte // of the metadata
	id    protocol.Hash
}

// transactions reads every transaction and compares its id.
func (in *inspection) transactions() (string, error) {
	v, ok := in.l["transactions"]
	if !ok {
		return "not in the file", nil
	}
	list, ok := v.([]any)
	if !ok {
		return "", &Difference{Where: "transactions", Found: clip(fmt.Sprint(v)), Expected: "an array"}
	}
	seen := map[protocol.Hash]string{}
	for i, e := range list {
		where := fmt.Sprintf("transactions[%d]", i)
		t, idOnly, err := in.transaction(where, e)
		if err != nil {
			return "", err
		}
		if other, twice := seen[t.id]; twice {
			return "", &Difference{Where: where, Found: t.id.String(), Expected: "a transaction of its own", Hint: "it is " + other + " too"}
		}
		seen[t.id] = where
		if !idOnly {
			in.txs = append(in.txs, t)
		}
	}
	in.rep.Transactions = len(in.txs)
	if len(in.txs) < len(list) {
		in.rep.Notes = append(in.rep.Notes, fmt.Sprintf("%d transactions are given by id only", len(list)-len(in.txs)))
		if len(in.txs) > 0 {
			return "", &Difference{Where: "transactions", Found: "some in full and some by id", Expected: "all alike"}
		}
		return "given by id only", nil
	}
	return "equal", nil
}

// transaction reads one transaction in any of the forms of replies.
func (in *inspection) transaction(where string, v any) (t transaction, idOnly bool, err error) {
	t.where = where
	if s, ok := v.(string); ok {
		t.id, err = parseHash(where, s)
		return t, true, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return t, false, &Difference{Where: where, Found: clip(fmt.Sprint(v)), Expected: "a transaction"}
	}
	t.outer = m
	var blob []byte
	if text, ok := m["tx_blob"].(string); ok {
		if blob, err = unhex(where+".tx_blob", text); err != nil {
			return t, false, err
		}
	} else {
		t.form = m
		if inner, ok := m["tx_json"].(map[string]any); ok {
			t.form = inner
		}
		o, err := protocol.ObjectFromMap(t.form)
		if err != nil {
			return t, false, malformed(where, err)
		}
		blob = o.Bytes()
	}
	if t.tx, err = protocol.ParseTransaction(blob); err != nil {
		return t, false, malformed(where, err)
	}
	t.id = t.tx.ID()
	if err := statedID(where, m, t.form, t.id); err != nil {
		return t, false, err
	}
	return t, false, t.metadata(m)
}

// statedID compares the id with the ones that stand beside and in the transaction.
func statedID(where string, outer, form map[string]any, id protocol.Hash) error {
	for _, m := range []map[string]any{outer, form} {
		if h, ok := m["hash"]; ok && h != id.String() {
			return differs(where+".hash", h, id)
		}
	}
	return nil
}

func (t *transaction) metadata(m map[string]any) error {
	for _, name := range []string{"metaData", "meta", "meta_blob"} {
		at := t.where + "." + name
		switch v := m[name].(type) {
		case map[string]any:
			o, err := protocol.ObjectFromMap(v)
			if err != nil {
				return malformed(at, err)
			}
			t.meta, t.raw = v, o.Bytes()
		case string:
			raw, err := unhex(at, v)
			if err != nil {
				return err
			}
			t.raw = raw
		default:
			continue
		}
		if _, err := protocol.ParseMetadata(t.raw); err != nil {
			return malformed(at, err)
		}
		return nil
	}
	return nil
}

func malformed(where string, err error) error {
	return &Difference{Where: where, Found: clip(err.Error()), Expected: "a well-formed object"}
}

// unhex reads hexadecimal digits as servers write them, in upper case.
func unhex(where, s string) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, malformed(where, err)
	}
	if up := fmt.Sprintf("%X", b); up != s {
		return nil, differs(where, s, up)
	}
	return b, nil
}

// txRoot compares the root of the transaction tree.
func (in *inspection) txRoot() (string, error) {
	list, ok := in.l["transactions"].([]any)
	if !ok || len(in.txs) < len(list) {
		return "not compared: transactions are not given in full", nil
	}
	leaves := make([]shamap.Change, 0, len(in.txs))
	for _, t := range in.txs {
		if t.raw == nil {
			return "not compared: metadata is missing", nil
		}
		leaves = append(leaves, shamap.Change{Key: t.id, Data: protocol.AppendTxNode(nil, t.tx.Blob(), t.raw)})
	}
	root, err := in.tree(shamap.KindTxMeta, leaves)
	if err != nil {
		return "", err
	}
	if root != in.header.TxHash {
		d := differs("transaction_hash", in.header.TxHash, root)
		d.Hint = "a transaction, its metadata or the root itself was changed"
		return "", d
	}
	return "equal", nil
}

// state compares the root of the state tree, where the state is given.
func (in *inspection) state() (string, error) {
	v, ok := in.l["accountState"]
	if !ok {
		if v, ok = in.l["state"]; !ok {
			return "not in the file", nil
		}
	}
	list, ok := v.([]any)
	if !ok {
		return "", &Difference{Where: "accountState", Found: clip(fmt.Sprint(v)), Expected: "an array"}
	}
	leaves := make([]shamap.Change, 0, len(list))
	for i, e := range list {
		c, err := stateEntry(fmt.Sprintf("accountState[%d]", i), e)
		if err != nil {
			return "", err
		}
		leaves = append(leaves, c)
	}
	slices.SortFunc(leaves, func(a, b shamap.Change) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	for i := 1; i < len(leaves); i++ {
		if leaves[i].Key == leaves[i-1].Key {
			return "", &Difference{Where: "accountState", Found: protocol.Hash(leaves[i].Key).String() + " twice", Expected: "each entry once"}
		}
	}
	root, err := in.tree(shamap.KindState, leaves)
	if err != nil {
		return "", err
	}
	in.rep.StateEntries = len(leaves)
	if root != in.header.AccountHash {
		d := differs("account_hash", in.header.AccountHash, root)
		d.Hint = "an entry of the state or the root itself was changed"
		return "", d
	}
	return "equal", nil
}

// stateEntry reads an entry: an object with its index, binary data with its index, or a pair of both.
func stateEntry(where string, v any) (shamap.Change, error) {
	var index, data string
	switch x := v.(type) {
	case []any:
		if len(x) != 2 {
			return shamap.Change{}, &Difference{Where: where, Found: clip(fmt.Sprint(v)), Expected: "index and data"}
		}
		index, _ = x[0].(string)
		data, _ = x[1].(string)
	case map[string]any:
		index, _ = x["index"].(string)
		if index == "" {
			index, _ = x["hash"].(string)
		}
		data, _ = x["data"].(string)
		if data == "" {
			return objectEntry(where, index, x)
		}
	}
	key, err := parseHash(where+".index", index)
	if err != nil {
		return shamap.Change{}, err
	}
	raw, err := unhex(where+".data", data)
	if err != nil {
		return shamap.Change{}, err
	}
	if _, err := protocol.ParseEntry(raw); err != nil {
		return shamap.Change{}, malformed(where+".data", err)
	}
	return shamap.Change{Key: key, Data: raw}, nil
}

func objectEntry(where, index string, m map[string]any) (shamap.Change, error) {
	key, err := parseHash(where+".index", index)
	if err != nil {
		return shamap.Change{}, err
	}
	m = maps.Clone(m)
	delete(m, "hash")
	o, err := protocol.ObjectFromMap(m)
	if err != nil {
		return shamap.Change{}, malformed(where, err)
	}
	if err := sameText(where, m, o.ToJSON()); err != nil {
		return shamap.Change{}, err
	}
	return shamap.Change{Key: key, Data: o.Bytes()}, nil
}
