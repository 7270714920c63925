package crypto

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func loadCase(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(casesDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func upper(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }
