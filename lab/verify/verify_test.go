package verify

import (
	"os"
	"path/filepath"
	"testing"
)

// cases returns the folder of recorded chains; see the environment variable.
func cases(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LEDGERLAB_CASES")
	if dir == "" {
		t.Skip("LEDGERLAB_CASES is not set: no recorded chains to replay")
	}
	dir = filepath.Join(dir, "replay")
	if _, err := os.ReadDir(dir); err != nil {
		t.Fatalf("LEDGERLAB_CASES is set but its chains cannot be read: %v", err)
	}
	return dir
}

func TestRecordedChains(t *testing.T) {
	dir := cases(t)
	for _, name := range []string{"xrp-1", "xrp-2", "account-1", "queue-1"} {
		t.Run(name, func(t *testing.T) {
			rep, err := File(filepath.Join(dir, name+".jsonl.gz"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Difference != nil {
				t.Fatal(rep.Difference)
			}
			t.Logf("%d submissions, %d ledgers, %d transactions, %d state entries in %v: all equal",
				rep.Submits, rep.Ledgers, rep.Transactions, rep.StateEntries, rep.Elapsed)
		})
	}
}
