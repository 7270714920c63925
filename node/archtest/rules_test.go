package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rule forbids imports: every package for which from is true must not import
// anything for which to is true. One reason a rule.
type rule struct {
	why  string
	from func(p string) bool
	to   func(imp string) bool
}

// under is true for a package path at or below one of the folders.
func under(folders ...string) func(string) bool {
	return func(p string) bool {
		for _, f := range folders {
			if p == f || strings.HasPrefix(p, f+"/") {
				return true
			}
		}
		return false
	}
}

// exactly is true for one of the paths.
func exactly(paths ...string) func(string) bool {
	return func(p string) bool {
		for _, q := range paths {
			if p == q {
				return true
			}
		}
		return false
	}
}

func not(f func(string) bool) func(string) bool { return func(p string) bool { return !f(p) } }

func both(f, g func(string) bool) func(string) bool {
	return func(p string) bool { return f(p) && g(p) }
}

// own turns a predicate on our short paths into one on import paths.
func own(f func(string) bool) func(string) bool {
	return func(imp string) bool {
		rest, ok := strings.CutPrefix(imp, module+"/")
		return ok && f(rest)
	}
}

func rules() []rule {
	rs := []rule{
		{
			"the pillars import nothing of node, api or lab: they must be usable without it",
			under("shamap", "cache", "store", "consensus"), own(under("node", "api", "lab", "proto")),
		},
		{"shamap knows no cache, store or consensus", under("shamap"), own(under("cache", "store", "consensus"))},
		{"cache knows no tree, store or consensus", under("cache"), own(under("shamap", "store", "consensus"))},
		{"store knows no tree, cache or consensus", under("store"), own(under("shamap", "cache", "consensus"))},
		{"consensus knows no tree, cache or store", under("consensus"), own(under("shamap", "cache", "store"))},
		{
			"consensus is pure: no random source, network, synchronisation, context or file",
			exactly("consensus"),
			func(i string) bool {
				return under("math/rand", "crypto/rand", "net", "sync", "context", "os", "log")(i)
			},
		},
		{
			"Pebble has one door", not(under("store/pebbledb")),
			under("github.com/cockroachdb/pebble", "github.com/cockroachdb/pebble/v2"),
		},
		{
			"client_golang has two doors: the registry and its handler", not(exactly("node/metrics", "api/web")),
			under("github.com/prometheus/client_golang"),
		},
		{
			"only the edges speak protobuf", not(under("node/peer", "node/record", "api", "lab", "proto")),
			own(under("proto")),
		},
		{"nobody imports the lab", not(under("lab")), own(under("lab"))},
		{
			"api has no logic: it decodes, calls the backend it declares, encodes",
			under("api"), own(both(under("node"), not(exactly("node/record", "node/config")))),
		},
	}
	return append(rs, levelRules()...)
}

// levels orders the packages of node: a package may import those of lower
// levels only, and node itself joins them.
var levels = [][]string{
	{"node/protocol", "node/build", "node/casetest"},
	{"node/crypto", "node/config", "node/metrics", "node/record", "node/jobs", "node/memory", "node/family", "node/folder"},
	{"node/ledger", "node/sweep", "node/rotate", "node/peer"},
	{"node/history"},
	{"node/tx", "node/query"},
	{"node/txq"},
	{"node/chain", "node/ingest"},
	{"node/rcl"},
	{"node"},
	{"node/ledgerd"},
}

func levelRules() []rule {
	var rs []rule
	for i, level := range levels {
		var upper []string
		for _, l := range levels[i:] {
			upper = append(upper, l...)
		}
		for _, p := range level {
			forbidden := exactly(upper...)
			rs = append(rs, rule{
				"node's levels: " + p + " imports lower levels only; node.New joins equals through funcs",
				exactly(p), own(both(forbidden, not(exactly(p)))),
			})
		}
	}
	return rs
}

func TestImportRules(t *testing.T) {
	all := listPackages(t)
	for _, r := range rules() {
		for _, p := range all {
			if !r.from(p.short()) {
				continue
			}
			for _, imp := range p.Imports {
				if r.to(imp) {
					t.Errorf("%s imports %s: %s", p.short(), imp, r.why)
				}
			}
		}
	}
}

// TestEveryNodePackageHasALevel keeps the level table complete.
func TestEveryNodePackageHasALevel(t *testing.T) {
	known := map[string]bool{"node/archtest": true}
	for _, l := range levels {
		for _, p := range l {
			known[p] = true
		}
	}
	for _, p := range listPackages(t) {
		if s := p.short(); under("node")(s) && !known[s] && !strings.Contains(s, "/internal/") {
			t.Errorf("%s has no level in the table", s)
		}
	}
}

func TestCgoStandsInTwoPackages(t *testing.T) {
	for _, p := range listPackages(t) {
		if len(p.CgoFiles) > 0 && !exactly("shamap/payload", "node/memory")(p.short()) {
			t.Errorf("%s uses cgo; only shamap/payload and node/memory may, each with a twin without", p.short())
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range listPackages(t) {
		if under("proto")(p.short()) || p.Name == "main" {
			continue
		}
		if _, err := os.Stat(filepath.Join(p.Dir, "doc.go")); err != nil {
			t.Errorf("%s has no doc.go", p.short())
		}
	}
}
