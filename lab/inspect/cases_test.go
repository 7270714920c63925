package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/node/casetest"
)

// casesDir is the folder of real data that LEDGERLAB_CASES names. Unset is a skip; set but unreadable is a failure.
func casesDir(t testing.TB) string {
	t.Helper()
	dir, ok := os.LookupEnv("LEDGERLAB_CASES")
	if !ok {
		t.Skip("LEDGERLAB_CASES is not set: the cases are not checked")
	}
	if _, err := os.ReadDir(dir); err != nil {
		t.Fatalf("LEDGERLAB_CASES: %v", err)
	}
	return dir
}

// TestCases inspects every ledger of the cases. Those that do not agree with themselves are named in the cases' own
// description: a reply that states a wrong parent close time, and some whose metadata lost something on the way.
func TestCases(t *testing.T) {
	dir := casesDir(t)
	n := 0
	for _, pattern := range []string{
		"ledgers-mainnet/*.json", "binary-codec/ledger-full-38129.json",
		"ledgers-xrpl4j/*.json", "ledgers-xrpljs/ledger.json", "ledgers-xrpljs/hashLedger.json",
	} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range files {
			rep, err := File(f)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			want := ""
			switch base := filepath.Base(f); {
			case base == "ledger.json":
				want = "ledger_hash"
			case strings.Contains(base, "87704323"):
				want = "transaction_hash"
			case strings.Contains(base, "13037843"):
				want = "transactions[0].hash"
			}
			switch {
			case want == "" && rep.Difference != nil:
				t.Errorf("%s: %s", f, rep.Difference)
			case want != "" && (rep.Difference == nil || rep.Difference.Where != want):
				t.Errorf("%s: difference %v, want one at %s", f, rep.Difference, want)
			}
			n++
		}
	}
	casetest.Checked("ledgers-*, binary-codec/ledger-full-38129.json", n, "ledgers inspected")
}
