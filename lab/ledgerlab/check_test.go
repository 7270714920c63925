package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/node/folder"
	"ledgerlab/store"
)

// TestCheckVerb checks a prepared state: sound, in use, of another network, damaged.
func TestCheckVerb(t *testing.T) {
	net := t.TempDir()
	dir := filepath.Join(net, "n0", "data")
	if code, out, errOut := cli(t, "state", "make", "--accounts", "50", "--seed", "3", "--out", dir); code != 0 || strings.TrimSpace(out) != dir {
		t.Fatalf("state make: %d %q %q", code, out, errOut)
	}
	expect := func(what string, wantCode int, want string, args ...string) string {
		t.Helper()
		code, out, errOut := cli(t, append([]string{"check"}, args...)...)
		if code != wantCode || !strings.Contains(out+errOut, want) || wantCode > 1 && strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: exit %d, want %d with %q\n%s%s", what, code, wantCode, want, out, errOut)
		}
		return out
	}
	expect("sound", 0, "nothing is missing, nothing is wrong", dir)
	expect("a network's folder", 0, dir, net)
	out := expect("json", 0, "", dir, "--json")
	var rep struct {
		Folders []struct {
			Sound    bool
			Findings []any
			Ledgers  int
			Objects  struct {
				StateLeaves int `json:"state_leaves"`
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &rep); err != nil || len(rep.Folders) != 1 || !rep.Folders[0].Sound ||
		rep.Folders[0].Findings == nil || rep.Folders[0].Ledgers != 1 || rep.Folders[0].Objects.StateLeaves < 51 {
		t.Errorf("%v %s", err, out)
	}
	expect("another network", 65, "not 7", dir, "--network-id", "7")
	held, err := folder.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	expect("in use", 75, "in use", dir)
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	st, _, err := store.ReadState(store.OS, filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "store", st.Archive)); err != nil {
		t.Fatal(err)
	}
	expect("a generation gone", 1, "missing generation "+st.Archive, dir)
	if err := os.Remove(filepath.Join(dir, "store", "state")); err != nil {
		t.Fatal(err)
	}
	expect("the state file gone", 1, `"state file"`, dir, "--json")
	expect("the state file gone", 1, "missing state file", dir)
}
