package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// clockFuncs are the functions of package time that read a clock or start a
// timer. The consensus core may name time.Time and time.Duration only.
var clockFuncs = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "AfterFunc": true,
	"NewTimer": true, "NewTicker": true, "Tick": true,
}

func TestConsensusReadsNoClock(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "consensus", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of consensus found: %v", err)
	}
	fset := token.NewFileSet()
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(fset, f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && clockFuncs[n.Sel.Name] {
					t.Errorf("%s: consensus calls time.%s", fset.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.GoStmt:
				t.Errorf("%s: consensus starts a goroutine", fset.Position(n.Pos()))
			}
			return true
		})
	}
}
