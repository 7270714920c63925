package verify

import (
	"fmt"
	"slices"
	"sort"

	"ledgerlab/node/protocol"
)

// Difference is the first thing that differs.
type Difference struct {
	Line   int    // of the chain file
	Ledger uint32 // that was being made
	Tx     protocol.Hash
	What   string // "submit result", "transaction", "metadata", "state", "header"
	Field  string // path of the field
	Want   string // recorded
	Got    string // ours
}

// String is one sentence.
func (d *Difference) String() string {
	s := fmt.Sprintf("line %d, ledger %d: %s", d.Line, d.Ledger, d.What)
	if !d.Tx.IsZero() {
		s += " of " + d.Tx.String()
	}
	if d.Field != "" {
		s += ", field " + d.Field
	}
	return fmt.Sprintf("%s: recorded %s, ours %s", s, d.Want, d.Got)
}

// diffObjects finds the first field in which two serialized objects differ.
func diffObjects(want, got []byte) (field, w, g string) {
	a, errA := protocol.ParseObject(want)
	b, errB := protocol.ParseObject(got)
	if errA != nil || errB != nil {
		return "", fmt.Sprintf("%X", want), fmt.Sprintf("%X", got)
	}
	if f, w, g, ok := diffValues("", a.ToJSON(), b.ToJSON()); ok {
		return f, w, g
	}
	return "", fmt.Sprintf("%X", want), fmt.Sprintf("%X", got)
}

// diffValues walks two JSON values in step; ok is true when a difference was found.
func diffValues(path string, want, got any) (field, w, g string, ok bool) {
	switch x := want.(type) {
	case map[string]any:
		if y, same := got.(map[string]any); same {
			return diffMaps(path, x, y)
		}
	case []any:
		if y, same := got.([]any); same {
			return diffLists(path, x, y)
		}
	}
	if w, g = show(want), show(got); w != g {
		return path, w, g, true
	}
	return "", "", "", false
}

func diffMaps(path string, x, y map[string]any) (field, w, g string, ok bool) {
	names := make([]string, 0, len(x)+len(y))
	for k := range x {
		names = append(names, k)
	}
	for k := range y {
		if _, both := x[k]; !both {
			names = append(names, k)
		}
	}
	sort.Strings(names)
	for _, k := range names {
		a, inA := x[k]
		b, inB := y[k]
		at := path + "." + k
		if path == "" {
			at = k
		}
		switch {
		case !inA:
			return at, "absent", show(b), true
		case !inB:
			return at, show(a), "absent", true
		}
		if field, w, g, ok = diffValues(at, a, b); ok {
			return field, w, g, true
		}
	}
	return "", "", "", false
}

func diffLists(path string, x, y []any) (field, w, g string, ok bool) {
	for i := range min(len(x), len(y)) {
		if field, w, g, ok = diffValues(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); ok {
			return field, w, g, true
		}
	}
	if len(x) != len(y) {
		return path, fmt.Sprintf("%d elements", len(x)), fmt.Sprintf("%d elements", len(y)), true
	}
	return "", "", "", false
}

func show(v any) string { return fmt.Sprint(v) }

// headerFields compares headers in the order in which a reader wants to know.
func headerFields(want, got *protocol.Header) (field, w, g string, differs bool) {
	for _, f := range []struct {
		name      string
		want, got any
	}{
		{"ledger_index", want.Sequence, got.Sequence},
		{"parent_hash", want.ParentHash, got.ParentHash},
		{"total_coins", want.Drops, got.Drops},
		{"parent_close_time", want.ParentCloseTime, got.ParentCloseTime},
		{"close_time", want.CloseTime, got.CloseTime},
		{"close_time_resolution", want.CloseTimeResolution, got.CloseTimeResolution},
		{"close_flags", want.CloseFlags, got.CloseFlags},
		{"transaction_hash", want.TxHash, got.TxHash},
		{"account_hash", want.AccountHash, got.AccountHash},
		{"ledger_hash", want.Hash(), got.Hash()},
	} {
		if f.want != f.got {
			return f.name, show(f.want), show(f.got), true
		}
	}
	return "", "", "", false
}

// pair is a recorded transaction with its parsed parts.
type pair struct {
	id    protocol.Hash
	blob  []byte
	meta  []byte
	index uint32
	tx    *protocol.Transaction
}

func parsePairs(txs []recordedTx) ([]pair, error) {
	out := make([]pair, 0, len(txs))
	for i, r := range txs {
		blob, err := unhex("tx_blob", r.TxBlob)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		meta, err := unhex("meta", r.Meta)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		t, err := protocol.ParseTransaction(blob)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		m, err := protocol.ParseMetadata(meta)
		if err != nil {
			return nil, fmt.Errorf("metadata of %s: %w", t.ID(), err)
		}
		out = append(out, pair{t.ID(), blob, meta, m.Index, t})
	}
	slices.SortFunc(out, func(a, b pair) int { return int(a.index) - int(b.index) })
	return out, nil
}
