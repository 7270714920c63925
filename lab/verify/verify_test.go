package verify

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
			t.Logf("%d submissions, %d ledgers, %d transactions, %d state entries, %d fee replies in %v: all equal",
				rep.Submits, rep.Ledgers, rep.Transactions, rep.StateEntries, rep.FeeReplies, rep.Elapsed)
		})
	}
}

// TestChangesAreNamed alters one thing of a chain; the replay must name it.
func TestChangesAreNamed(t *testing.T) {
	lines := readLines(t, filepath.Join(cases(t), "xrp-1.jsonl.gz"))
	nth := func(n int, parts ...string) int {
		for i, l := range lines {
			has := true
			for _, p := range parts {
				has = has && strings.Contains(l, p)
			}
			if has {
				if n--; n < 0 {
					return i
				}
			}
		}
		t.Fatalf("no line with %q", parts)
		return 0
	}
	for _, c := range []struct {
		name        string
		line        int
		old, new    string
		what, field string
		fails       bool // the file itself is refused
	}{
		{"result", nth(50, `"submit"`, `"tesSUCCESS"`), `"tesSUCCESS"`, `"tecDST_TAG_NEEDED"`, "submit result", "result", false},
		{"code", nth(60, `"submit"`, `"tesSUCCESS"`), `"result_code":0`, `"result_code":1`, "submit result", "result_code", false},
		{"applied", nth(9, `"submit"`, `"applied":false`), `"applied":false`, `"applied":true`, "submit result", "applied", false},
		{"metadata balance", nth(3, `"ledger"`, "68400000000000000A"), "62400000003B9ACA00", "62400000003B9ACA01", "metadata", "AffectedNodes", false},
		{"header", nth(5, `"ledger"`), `"close_flags":0`, `"close_flags":1`, "", "", true},
		{"no JSON", 7, `{"kind"`, `"kind"`, "", "", true},
		{"lost submission", nth(80, `"submit"`, `"tesSUCCESS"`), "", "", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Clone(lines[c.line])
			if c.old != "" && !strings.Contains(text, c.old) {
				t.Skipf("line %d does not hold %s", c.line+1, c.old)
			}
			changed := slices.Clone(lines)
			if c.old == "" {
				changed = slices.Delete(changed, c.line, c.line+1)
			} else {
				changed[c.line] = strings.Replace(text, c.old, c.new, 1)
			}
			name := filepath.Join(t.TempDir(), "chain.jsonl")
			if err := os.WriteFile(name, []byte(strings.Join(changed, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			rep, err := File(name, Options{})
			if c.fails {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d", c.line+1)) {
					t.Fatalf("error %v does not name line %d", err, c.line+1)
				}
				t.Log(err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			d := rep.Difference
			if d == nil {
				t.Fatal("nothing was found")
			}
			if c.what != "" && (d.What != c.what || !strings.HasPrefix(d.Field, c.field) || d.Line != c.line+1) {
				t.Fatalf("want line %d, %s, %s; got %s", c.line+1, c.what, c.field, d)
			}
			t.Log(d)
		})
	}
}

func readLines(t *testing.T, name string) []string {
	t.Helper()
	r, err := openChain(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	var out []string
	for r.s.Scan() {
		out = append(out, r.s.Text())
	}
	if r.s.Err() != nil {
		t.Fatal(r.s.Err())
	}
	return out
}

func TestNothingToStartFrom(t *testing.T) {
	name := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(name, []byte(`{"kind":"about"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := File(name, Options{}); err == nil {
		t.Error("an empty chain was accepted")
	}
	if _, err := File(name+".none", Options{}); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
}

// TestUnreadableLines: each says where, what was found and what a chain has.
func TestUnreadableLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("a", 5<<20), "line 1 is longer than 4 MiB"},
		{"{\"kind\":\"about\"}\n" + strings.Repeat("a", 5<<20), "line 2 is longer than 4 MiB"},
		{"hello\n", "line 1 is no record of a chain"},
		{"{\"kind\":\"about\"}\n[1,2", "line 2 is no record of a chain"},
		{"{}", "no \"kind\""},
	} {
		r := &reader{}
		r.scan(strings.NewReader(c.text), 4<<20)
		err := error(nil)
		for err == nil {
			_, err = r.next()
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v; want %s", c.text, err, c.want)
		}
	}
	// a compressed file that was cut
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte("{\"kind\":\"about\"}\n")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "cut.jsonl.gz")
	if err := os.WriteFile(name, b.Bytes()[:b.Len()-6], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := File(name, Options{}); err == nil || !strings.Contains(err.Error(), "ends in the middle") {
		t.Error(err)
	}
}
