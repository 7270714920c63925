package inspect

import (
	"errors"
	"fmt"
	"os"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// maxFileBytes bounds the file that is read into memory.
const maxFileBytes = 1 << 30

// File inspects a file.
func File(name string) (*Report, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if st.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes are above %d", name, st.Size(), maxFileBytes)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Ledger(name, data)
}

// Ledger inspects the text of a ledger; name is only for messages.
func Ledger(name string, data []byte) (*Report, error) {
	v, err := protocol.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	ledger, outer, err := find(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	heap, err := payload.NewHeap("go")
	if err != nil {
		return nil, err
	}
	in := &inspection{rep: &Report{File: name}, l: ledger, outer: outer, env: &shamap.Env{Heap: heap}}
	var d *Difference
	if err := in.run(); err != nil && !errors.As(err, &d) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in.rep.Difference = d
	return in.rep, nil
}

// find takes the ledger out of a reply; outer are the objects around it, from the outside in.
func find(v any) (ledger map[string]any, outer []map[string]any, err error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, nil, errors.New("a ledger is a JSON object")
	}
	for _, name := range []string{"result", "ledger"} {
		if inner, ok := m[name].(map[string]any); ok {
			outer = append(outer, m)
			m = inner
		}
	}
	for _, name := range []string{"account_hash", "ledger_data", "parent_hash", "header"} {
		if _, ok := m[name]; ok {
			return m, outer, nil
		}
	}
	return nil, nil, errors.New("no ledger in it: neither account_hash, parent_hash nor ledger_data")
}

// inspection is one ledger on its way.
type inspection struct {
	rep    *Report
	l      map[string]any
	outer  []map[string]any
	env    *shamap.Env
	header protocol.Header
	hash   protocol.Hash
	txs    []transaction
}

// run compares in the order in which things depend on one another and stops at the first difference.
func (in *inspection) run() error {
	for _, step := range []struct {
		what string
		fn   func() (string, error)
	}{
		{"names", in.names},
		{"header fields", in.headerFields},
		{"transaction ids", in.transactions},
		{"transaction root", in.txRoot},
		{"state entries", in.state},
		{"ledger hash", in.ledgerHash},
		{"what is said twice", in.twice},
		{"text of transactions", in.texts},
	} {
		result, err := step.fn()
		if err != nil {
			in.rep.Checks = append(in.rep.Checks, Check{step.what, "differs"})
			return err
		}
		in.rep.Checks = append(in.rep.Checks, Check{step.what, result})
	}
	return nil
}

// ledgerNames are the names that a ledger has in replies of any version.
var ledgerNames = set("accepted", "accountState", "account_hash", "close_flags", "close_time", "close_time_human",
	"close_time_iso", "close_time_resolution", "closed", "hash", "ledger_hash", "ledger_index", "parent_close_time",
	"parent_hash", "seqNum", "totalCoins", "total_coins", "transaction_hash", "transactions", "state", "ledger_data",
	"close_time_estimated", "ledger")

// outerNames are the names around a ledger.
var outerNames = set("id", "status", "type", "result", "ledger", "ledger_hash", "ledger_index", "validated", "warning",
	"warnings", "api_version", "forwarded", "ledger_current_index", "queue_data", "closed", "accepted")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// names refuses what the inspection knows nothing about: it could not notice a change there.
func (in *inspection) names() (string, error) {
	for name := range in.l {
		if !ledgerNames[name] {
			return "", &Difference{Where: "ledger", Found: fmt.Sprintf("the name %q", clip(name)), Expected: "a name that ledgers have"}
		}
	}
	for _, m := range in.outer {
		for name := range m {
			if !outerNames[name] {
				return "", &Difference{Where: "reply", Found: fmt.Sprintf("the name %q", clip(name)), Expected: "a name that replies have"}
			}
		}
	}
	return "equal", nil
}

// tree builds a tree of the leaves and returns its root.
func (in *inspection) tree(kind shamap.Kind, leaves []shamap.Change) (protocol.Hash, error) {
	m := shamap.New(in.env, kind)
	defer m.Release()
	if err := m.Apply(leaves); err != nil {
		return protocol.Hash{}, err
	}
	h, err := m.Hash()
	return h, err
}
