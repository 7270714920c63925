package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ledgerlab/node/folder"
	"ledgerlab/store"
)

// TestFolderThatIsNotOurs: a second node on a folder, another network and another
// format are refused in one line, and nothing in the folder is touched.
func TestFolderThatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	c := historyConfig(t, dir)
	c.Record.File = ""
	r := startNode(t, Options{Config: c})
	next := uint32(1)
	closeLedgers(t, r, &next, 3)
	// What a rotation of the living node may have half made must not be cleaned away.
	half := filepath.Join(dir, "store", "ledgerdb.000099")
	if err := os.Mkdir(half, 0o755); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, change func(o *Options), want error, text string) {
		t.Helper()
		before := listFiles(t, dir)
		o := Options{Config: historyConfig(t, dir), Control: loopback(t)}
		o.Config.Record.File = ""
		change(&o)
		n, err := New(o)
		if n != nil {
			_ = n.Close()
		}
		if !errors.Is(err, want) || !strings.Contains(err.Error(), text) || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%s: %v", what, err)
		}
		if after := listFiles(t, dir); after != before {
			t.Errorf("%s changed the folder:\n%s\n%s", what, before, after)
		}
	}
	refused("a second node", func(*Options) {}, folder.ErrInUse, dir)
	if err := os.Remove(half); err != nil {
		t.Fatal(err)
	}
	r.end(t)
	refused("another network", func(o *Options) { o.Config.NetworkID = 20101 }, store.ErrForeign, "20100")
	state := filepath.Join(dir, "store", "state")
	data, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, []byte(strings.Replace(string(data), "ledgerlab store ", "ledgerlab store 9", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	refused("another format", func(*Options) {}, store.ErrForeign, "format")
}

// listFiles names the folders and files of the store.
func listFiles(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	entries, err := os.ReadDir(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}
