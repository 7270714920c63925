package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/graph.txt from the code as it is")

// module is the import path of the repository's root.
const module = "ledgerlab"

// pkg is what `go list -json` says of one package; only what the rules need.
type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
	Dir        string
}

// short is the import path below the module's root.
func (p pkg) short() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// listPackages walks the whole module with cgo on, so that both twins of a
// package are seen under the build that has more imports.
func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports,GoFiles,CgoFiles,Dir", "./...")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("go list output: %v", err)
		}
		all = append(all, p)
	}
}

// root is the folder that holds go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// ours keeps the imports that are packages of this module, shortened.
func ours(imports []string) []string {
	var own []string
	for _, i := range imports {
		if rest, ok := strings.CutPrefix(i, module+"/"); ok {
			own = append(own, rest)
		}
	}
	slices.Sort(own)
	return own
}

func TestGraphIsCommitted(t *testing.T) {
	var b strings.Builder
	for _, p := range listPackages(t) {
		fmt.Fprintf(&b, "%s: %s\n", p.short(), strings.Join(ours(p.Imports), " "))
	}
	const file = "testdata/graph.txt"
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")
	for _, l := range gotLines {
		if !slices.Contains(wantLines, l) {
			t.Errorf("new in the graph: %q", l)
		}
	}
	for _, l := range wantLines {
		if !slices.Contains(gotLines, l) {
			t.Errorf("gone from the graph: %q", l)
		}
	}
	if t.Failed() {
		t.Log("if the change is meant: go test ./node/archtest -rewrite, and say why in the commit")
	}
}
