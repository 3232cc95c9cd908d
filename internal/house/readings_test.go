package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestReadings wants every test that docs/design/readings.md and the page on torture name to be there.
func TestReadings(t *testing.T) {
	var text []byte
	for _, page := range []string{"design/readings.md", "performance/torture.md"} {
		part, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	have := make(map[string]bool)
	eachFile(t, parser.SkipObjectResolution, func(file string, _ *token.FileSet, parsed *ast.File) {
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(file, "_test.go") {
				have[strings.TrimSuffix(parsed.Name.Name, "_test")+"."+f.Name.Name] = true
			}
		}
	})
	named := regexp.MustCompile("`([a-z]+\\.Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 40 {
		t.Errorf("only %d tests named", len(named))
	}
	for _, m := range named {
		if !have[m[1]] {
			t.Errorf("there is no %s", m[1])
		}
	}
}
