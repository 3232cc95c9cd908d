package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// oldNames are words that the glossary has others for; fieldNames are names of the field with such a word.
var (
	oldNames   = regexp.MustCompile(`(?i)machine|price|points`)
	fieldNames = regexp.MustCompile(`(?i)(end|break|fixed|float|floating|grid|inducing|path|interior)_?points`)
)

// earlierKeys are keys of files and reports that readers go on taking.
var earlierKeys = []string{"modelselect/ledger.go", "cmd/sparsekm/cli/plot.go"}

// TestHouseWordsOfNames wants no old word in a public name: exported identifiers and keys of JSON, what C's header
// declares, what exported programs are called.
func TestHouseWordsOfNames(t *testing.T) {
	report := func(file, name string) {
		if oldNames.MatchString(fieldNames.ReplaceAllString(name, "")) {
			t.Errorf("%s: the name %s; the glossary has the field's word", file, name)
		}
	}
	eachFile(t, parser.SkipObjectResolution, func(file string, _ *token.FileSet, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains("/"+file, "/internal/") || under(file, "bench") {
			return
		}
		exported := func(names ...*ast.Ident) {
			for _, n := range names {
				if n.IsExported() && n.Name != "Price" { // of simplex.Columns: the simplex method prices columns
					report(file, n.Name)
				}
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				exported(n.Name)
			case *ast.TypeSpec:
				exported(n.Name)
			case *ast.ValueSpec:
				exported(n.Names...)
			case *ast.Field:
				if n.Tag == nil {
					exported(n.Names...)
				} else if tag, err := strconv.Unquote(n.Tag.Value); err == nil && !under(file, earlierKeys...) {
					key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
					report(file, key)
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING && under(file, "export") {
					report(file, strings.Join(regexp.MustCompile(`\w+_\w+`).FindAllString(n.Value, -1), " "))
				}
			}
			return true
		})
	})
	comment := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	eachFileOf(t, func(file, text string) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(comment.ReplaceAllString(text, ""), -1) {
			report(file, name)
		}
	}, ".h")
}
