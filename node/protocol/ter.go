package protocol

import "fmt"

// TER is the result of a transaction. Ranges: tel -399..-300 (local, not relayed), tem -299..-200 (malformed),
// tef -199..-100 (cannot apply now), ter -99..-1 (may apply later), tes 0, tec 100..255 (fee claimed).
type TER int16

type terInfo struct{ name, message string }

// String returns the token, as tesSUCCESS.
func (t TER) String() string {
	if i, ok := terTable[t]; ok {
		return i.name
	}
	return fmt.Sprintf("TER(%d)", int16(t))
}

// Message returns the sentence rippled gives with the token.
func (t TER) Message() string {
	if i, ok := terTable[t]; ok && i.message != "" {
		return i.message
	}
	return t.String()
}

// Known reports whether the code is in the table.
func (t TER) Known() bool { _, ok := terTable[t]; return ok }

// IsTel reports a local error: not relayed, no fee.
func (t TER) IsTel() bool { return t >= -399 && t <= -300 }

// IsTem reports a malformed transaction.
func (t TER) IsTem() bool { return t >= -299 && t <= -200 }

// IsTef reports a failure that cannot be applied now.
func (t TER) IsTef() bool { return t >= -199 && t <= -100 }

// IsTer reports that a retry may succeed.
func (t TER) IsTer() bool { return t >= -99 && t <= -1 }

// IsTes reports success.
func (t TER) IsTes() bool { return t == 0 }

// IsTec reports that only the fee was claimed.
func (t TER) IsTec() bool { return t >= 100 }

var terByName = func() map[string]TER {
	m := make(map[string]TER, len(terTable))
	for k, v := range terTable {
		m[v.name] = k
	}
	return m
}()

// ParseTER finds a code by its token.
func ParseTER(s string) (TER, bool) { t, ok := terByName[s]; return t, ok }
