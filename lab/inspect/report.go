package inspect

import "fmt"

// Report is what an inspection found.
type Report struct {
	File         string      `json:"file"`
	Sequence     uint32      `json:"ledger_index"`
	Hash         string      `json:"ledger_hash"`
	Transactions int         `json:"transactions"`  // ids computed again
	StateEntries int         `json:"state_entries"` // entries in the computed root
	Checks       []Check     `json:"checks"`
	Notes        []string    `json:"notes,omitempty"`
	Difference   *Difference `json:"difference,omitempty"`
}

// Check is one thing that was compared, or could not be.
type Check struct {
	What   string `json:"what"`
	Result string `json:"result"` // equal, differs, or why it was not compared
}

// Difference is the first thing that differs.
type Difference struct {
	Where    string `json:"where"`
	Found    string `json:"found"`    // what the file says
	Expected string `json:"expected"` // what follows from its other parts
	Hint     string `json:"hint,omitempty"`
}

// String is the difference in one line.
func (d *Difference) String() string {
	s := fmt.Sprintf("%s: the file says %s, computed is %s", d.Where, d.Found, d.Expected)
	if d.Hint != "" {
		s += " (" + d.Hint + ")"
	}
	return s
}

// Error makes a difference usable where checks return errors.
func (d *Difference) Error() string { return d.String() }

func differs(where string, found, expected any) *Difference {
	return &Difference{Where: where, Found: clip(fmt.Sprint(found)), Expected: clip(fmt.Sprint(expected))}
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}
