package ledger

import (
	"bytes"
	"fmt"
	"slices"

	"ledgerlab/node/protocol"
)

// Rules are the amendments in force. They are immutable and shared between the
// ledgers that have the same list.
type Rules struct {
	ids []protocol.Hash // sorted

	// The amendments that the engine asks for on the hot path.
	DeletableAccounts        bool
	DepositAuth              bool
	DepositPreauth           bool
	DisallowIncoming         bool
	FixMasterKeyAsRegularKey bool
	MultiSign                bool
	MultiSignReserve         bool
	NFTokens                 bool
	TicketBatch              bool
	XRPFees                  bool
	Did                      bool
	FixPreviousTxnID         bool
}

// Amendment returns the identifier of an amendment by its name.
// rippled: Feature.cpp, the half SHA-512 of the name.
func Amendment(name string) protocol.Hash { return protocol.SHA512Half([]byte(name)) }

// NewRules makes the rules for a list of amendments. The list is copied.
func NewRules(ids []protocol.Hash) *Rules {
	r := &Rules{ids: slices.Clone(ids)}
	slices.SortFunc(r.ids, compareHash)
	for name, flag := range map[string]*bool{
		"DeletableAccounts":        &r.DeletableAccounts,
		"DepositAuth":              &r.DepositAuth,
		"DepositPreauth":           &r.DepositPreauth,
		"DisallowIncoming":         &r.DisallowIncoming,
		"fixMasterKeyAsRegularKey": &r.FixMasterKeyAsRegularKey,
		"MultiSign":                &r.MultiSign,
		"MultiSignReserve":         &r.MultiSignReserve,
		"NonFungibleTokensV1":      &r.NFTokens,
		"TicketBatch":              &r.TicketBatch,
		"XRPFees":                  &r.XRPFees,
		"DID":                      &r.Did,
		"fixPreviousTxnID":         &r.FixPreviousTxnID,
	} {
		*flag = r.Enabled(Amendment(name))
	}
	// The V1_1 bundle enables what it contains.
	// rippled: Rules.cpp does the same for featureNonFungibleTokensV1.
	if r.Enabled(Amendment("NonFungibleTokensV1_1")) {
		r.NFTokens = true
	}
	return r
}

// Enabled says whether the amendment is in force.
func (r *Rules) Enabled(id protocol.Hash) bool {
	_, ok := slices.BinarySearchFunc(r.ids, id, compareHash)
	return ok
}

// Amendments returns the list, sorted; it must not be changed.
func (r *Rules) Amendments() []protocol.Hash { return r.ids }

// same says whether the rules are those of the list.
func (r *Rules) same(ids []protocol.Hash) bool {
	if len(ids) != len(r.ids) {
		return false
	}
	for _, id := range ids {
		if !r.Enabled(id) {
			return false
		}
	}
	return true
}

// entryReader is the least of a view.
type entryReader interface {
	Read(key protocol.Hash) (protocol.Entry, error)
}

func compareHash(a, b protocol.Hash) int { return bytes.Compare(a[:], b[:]) }

// LabAmendments are the amendments in force in a network of our own: all that the
// engine has code for.
func LabAmendments() []protocol.Hash {
	names := []string{
		"DeletableAccounts", "DepositAuth", "DepositPreauth", "DisallowIncoming",
		"fixMasterKeyAsRegularKey", "MultiSign", "MultiSignReserve", "TicketBatch",
		"XRPFees", "DID",
	}
	ids := make([]protocol.Hash, len(names))
	for i, n := range names {
		ids[i] = Amendment(n)
	}
	slices.SortFunc(ids, compareHash)
	return ids
}

// readFees reads the settings from the FeeSettings entry, in either form; f holds
// where it states none.
func readFees(v entryReader, f Fees) (Fees, error) {
	e, err := v.Read(protocol.FeeSettingsKey())
	if err != nil || e == nil {
		return f, err
	}
	o, ok := e.(*protocol.Object)
	if !ok {
		return f, &TypeError{Key: protocol.FeeSettingsKey(), Got: e.Type()}
	}
	legacy32 := func(field protocol.Field, to *protocol.Drops) {
		if n, ok := o.GetUint32(field); ok {
			*to = protocol.Drops(n)
		}
	}
	if n, ok := o.GetUint64(protocol.FieldBaseFee); ok {
		f.Base = protocol.Drops(n)
	}
	legacy32(protocol.FieldReserveBase, &f.Reserve)
	legacy32(protocol.FieldReserveIncrement, &f.Increment)
	for _, p := range []struct {
		field protocol.Field
		to    *protocol.Drops
	}{
		{protocol.FieldBaseFeeDrops, &f.Base},
		{protocol.FieldReserveBaseDrops, &f.Reserve},
		{protocol.FieldReserveIncrementDrops, &f.Increment},
	} {
		if a, ok := o.GetAmount(p.field); ok && a.IsXRP() {
			*p.to = a.Drops()
		}
	}
	return f, nil
}

// readRules reads the amendments in force; known, when it has the same list, is
// returned instead of a new set.
func readRules(v entryReader, known *Rules) (*Rules, error) {
	e, err := v.Read(protocol.AmendmentsKey())
	if err != nil {
		return nil, fmt.Errorf("ledger: amendments: %w", err)
	}
	var ids []protocol.Hash
	if o, ok := e.(*protocol.Object); ok {
		ids, _ = o.GetHashes(protocol.FieldAmendments)
	}
	if known != nil && known.same(ids) {
		return known, nil
	}
	return NewRules(ids), nil
}
