package inspect

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"ledgerlab/node/protocol"
)

// epoch is the beginning of ledger time.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// headerFields reads the header from its fields, or from its binary form.
func (in *inspection) headerFields() (string, error) {
	if text, ok := in.l["ledger_data"].(string); ok {
		raw, err := hex.DecodeString(text)
		if err != nil {
			return "", fmt.Errorf("ledger_data: %w", err)
		}
		if in.header, err = protocol.ParseHeader(raw); err != nil {
			return "", fmt.Errorf("ledger_data: %w", err)
		}
		return "equal", nil
	}
	h := &in.header
	for _, f := range []struct {
		name string
		to   *protocol.Hash
	}{{"parent_hash", &h.ParentHash}, {"transaction_hash", &h.TxHash}, {"account_hash", &h.AccountHash}} {
		v, err := in.hashOf(f.name)
		if err != nil {
			return "", err
		}
		*f.to = v
	}
	var err error
	if h.Drops, err = in.numberOf(64, "total_coins", "totalCoins"); err != nil {
		return "", err
	}
	for _, f := range []struct {
		bits  int
		set   func(uint64)
		must  bool
		names []string
	}{
		{32, func(v uint64) { h.Sequence = uint32(v) }, true, []string{"ledger_index", "seqNum"}},
		{32, func(v uint64) { h.CloseTime = uint32(v) }, true, []string{"close_time"}},
		{8, func(v uint64) { h.CloseTimeResolution = uint8(v) }, true, []string{"close_time_resolution"}},
		{32, func(v uint64) { h.ParentCloseTime = uint32(v) }, false, []string{"parent_close_time"}},
		{8, func(v uint64) { h.CloseFlags = uint8(v) }, false, []string{"close_flags"}},
	} {
		if !f.must && !in.has(f.names...) {
			continue
		}
		v, err := in.numberOf(f.bits, f.names...)
		if err != nil {
			return "", err
		}
		f.set(v)
	}
	in.rep.Sequence = h.Sequence
	return "equal", nil
}

func (in *inspection) has(names ...string) bool {
	for _, n := range names {
		if _, ok := in.l[n]; ok {
			return true
		}
	}
	return false
}

func (in *inspection) hashOf(name string) (protocol.Hash, error) {
	s, ok := in.l[name].(string)
	if !ok {
		return protocol.Hash{}, &Difference{Where: name, Found: "nothing", Expected: "a hash"}
	}
	return parseHash(name, s)
}

// parseHash reads a hash as servers write it, in upper case.
func parseHash(where, s string) (protocol.Hash, error) {
	h, err := protocol.ParseHash(s)
	if err != nil {
		return h, &Difference{Where: where, Found: clip(s), Expected: "a hash", Hint: err.Error()}
	}
	if h.String() != s {
		return h, differs(where, s, h.String())
	}
	return h, nil
}

// numberOf reads a number under any of its names; all that are there must say the same.
func (in *inspection) numberOf(bits int, names ...string) (uint64, error) {
	found := false
	var value uint64
	for _, name := range names {
		raw, ok := in.l[name]
		if !ok {
			continue
		}
		v, err := wholeNumber(raw, bits)
		if err != nil {
			return 0, &Difference{Where: name, Found: clip(fmt.Sprint(raw)), Expected: fmt.Sprintf("a whole number of %d bits", bits)}
		}
		if found && v != value {
			return 0, differs(name, v, value)
		}
		found, value = true, v
	}
	if !found {
		return 0, &Difference{Where: names[0], Found: "nothing", Expected: "a number"}
	}
	return value, nil
}

func wholeNumber(v any, bits int) (uint64, error) {
	var s string
	switch x := v.(type) {
	case json.Number:
		s = x.String()
	case string:
		s = x
	default:
		return 0, fmt.Errorf("no number")
	}
	n, err := strconv.ParseUint(s, 10, bits)
	if err == nil && strconv.FormatUint(n, 10) != s {
		err = fmt.Errorf("written otherwise than servers write it")
	}
	return n, err
}

// maxSearchSeconds bounds the search for a parent close time that old replies do not state.
const maxSearchSeconds = 7 * 24 * 3600

// ledgerHash compares the hash of the header. Old replies leave out the close time of the parent and the flags; they
// are searched for then.
func (in *inspection) ledgerHash() (string, error) {
	stated, ok := in.l["ledger_hash"].(string)
	where := "ledger_hash"
	if !ok {
		if stated, ok = in.l["hash"].(string); !ok {
			if stated, ok = in.outerString("ledger_hash"); !ok {
				return "", &Difference{Where: where, Found: "nothing", Expected: in.header.Hash().String()}
			}
		}
	}
	want, err := parseHash(where, stated)
	if err != nil {
		return "", err
	}
	in.hash, in.rep.Hash = want, want.String()
	if in.header.Hash() == want {
		return "equal", nil
	}
	given := in.has("parent_close_time", "ledger_data")
	found, ok := search(in.header, want, given, in.has("close_flags", "ledger_data"))
	switch {
	case ok && !given:
		in.rep.Notes = append(in.rep.Notes, fmt.Sprintf("parent_close_time is not in the file; with %d the ledger hashes as stated",
			found.ParentCloseTime))
		in.header = found
		return "equal", nil
	case ok:
		d := differs(where, want, in.header.Hash())
		d.Hint = fmt.Sprintf("with parent_close_time %d instead of %d and close_flags %d it would hash as stated",
			found.ParentCloseTime, in.header.ParentCloseTime, found.CloseFlags)
		return "", d
	case !given:
		d := differs(where, want, in.header.Hash())
		d.Hint = "no parent close time within a week gives the stated hash"
		return "", d
	}
	return "", differs(where, want, in.header.Hash())
}

// search tries other parent close times and flags. near limits it to a few minutes, for a hint only.
func search(h protocol.Header, want protocol.Hash, near, flagsGiven bool) (protocol.Header, bool) {
	limit := uint32(maxSearchSeconds)
	if near {
		limit = 600
	}
	flags := []uint8{h.CloseFlags}
	if near || !flagsGiven {
		flags = []uint8{0, protocol.CloseFlagNoConsensus}
	}
	for d := range limit {
		if d > h.CloseTime {
			break
		}
		for _, f := range flags {
			h.ParentCloseTime, h.CloseFlags = h.CloseTime-d, f
			if h.Hash() == want {
				return h, true
			}
		}
	}
	return h, false
}

func (in *inspection) outerString(name string) (string, bool) {
	for _, m := range in.outer {
		if s, ok := m[name].(string); ok {
			return s, true
		}
	}
	return "", false
}

// twice compares what the ledger and the reply around it say again in another place or form.
func (in *inspection) twice() (string, error) {
	for i, m := range append([]map[string]any{in.l}, in.outer...) {
		place := ""
		if i > 0 {
			place = "reply."
		}
		for _, name := range []string{"hash", "ledger_hash"} {
			if v, ok := m[name]; ok && v != in.hash.String() {
				return "", differs(place+name, v, in.hash)
			}
		}
		if v, ok := m["ledger_index"]; ok {
			if n, err := wholeNumber(v, 32); err != nil || uint32(n) != in.header.Sequence {
				return "", differs(place+"ledger_index", v, in.header.Sequence)
			}
		}
		for _, name := range []string{"accepted", "closed", "validated"} {
			if v, ok := m[name]; ok && v != true {
				return "", differs(place+name, v, true)
			}
		}
		if v, ok := m["status"]; ok && v != "success" {
			return "", differs(place+"status", v, "success")
		}
		if v, ok := m["type"]; ok && v != "response" {
			return "", differs(place+"type", v, "response")
		}
	}
	return "equal", in.closeTimes()
}

func (in *inspection) closeTime() time.Time {
	return epoch.Add(time.Duration(in.header.CloseTime) * time.Second)
}

// closeTimes compares the close time with its forms for people.
func (in *inspection) closeTimes() error {
	at := in.closeTime()
	forms := map[string][]string{
		"close_time_human": {"2006-Jan-02 15:04:05", "2006-Jan-02 15:04:05.000000000 UTC"},
		"close_time_iso":   {"2006-01-02T15:04:05Z", "2006-01-02T15:04.05Z"}, // the second occurs in published replies
	}
	for name, layouts := range forms {
		v, ok := in.l[name]
		if !ok {
			continue
		}
		equal := false
		for _, layout := range layouts {
			equal = equal || v == at.Format(layout)
		}
		if !equal {
			return differs(name, v, at.Format(layouts[0]))
		}
	}
	if v, ok := in.l["close_time_estimated"]; ok && v != true {
		return differs("close_time_estimated", v, true)
	}
	return nil
}
