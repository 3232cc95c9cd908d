package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestBenchmarkNames wants every part of a row's name to be key=value, so that benchstat can join and split rows, and
// rows of each package that can be embedded alone.
func TestBenchmarkNames(t *testing.T) {
	core := []string{"blocked", "cholupdate", "gram", "qp", "reduce", "simplex", "smo", "smo/boxqp"}
	eachFile(t, parser.SkipObjectResolution, func(file string, fset *token.FileSet, parsed *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if strings.HasPrefix(f.Name.Name, "Benchmark") {
				core = slices.DeleteFunc(core, func(dir string) bool { return dir == path.Dir(file) })
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 2 {
					return true
				}
				of, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || of.Sel.Name != "Run" {
					return true
				}
				if x, ok := of.X.(*ast.Ident); !ok || x.Name != "b" {
					return true
				}
				if row := rowName(f, call.Args[0]); !keyed(row) {
					t.Errorf("%s:%d: a row named %q, want key=value/key=value", file, fset.Position(call.Pos()).Line, row)
				}
				return true
			})
		}
	})
	if len(core) > 0 {
		t.Errorf("no benchmark in %v", core)
	}
}

// keyed reports whether every part of a name is key=value.
func keyed(row string) bool {
	for part := range strings.SplitSeq(row, "/") {
		if key, value, ok := strings.Cut(part, "="); !ok || key == "" || value == "" || strings.Contains(row, " ") {
			return false
		}
	}
	return true
}

var verb = regexp.MustCompile(`%[^a-z%]*[a-z]`)

// rowName is the text of an expression of f, with x for what it does not know, and x=x for a parameter called name.
func rowName(f *ast.FuncDecl, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return rowName(f, e.X) + rowName(f, e.Y)
	case *ast.CallExpr:
		if of, ok := e.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Sprintf" {
			args := e.Args[1:]
			return verb.ReplaceAllStringFunc(rowName(f, e.Args[0]), func(string) string {
				next := args[0]
				args = args[1:]
				return rowName(f, next)
			})
		}
	case *ast.Ident:
		return assigned(f, e.Name)
	}
	return "x"
}

// assigned is the text that f gives a variable first.
func assigned(f *ast.FuncDecl, name string) string {
	text := "x"
	for _, param := range f.Type.Params.List {
		for _, ident := range param.Names {
			if ident.Name == "name" && name == "name" {
				text = "x=x"
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok && a.Tok == token.DEFINE && len(a.Lhs) == 1 && len(a.Rhs) == 1 && text == "x" {
			if ident, ok := a.Lhs[0].(*ast.Ident); ok && ident.Name == name {
				text = rowName(f, a.Rhs[0])
			}
		}
		return text == "x"
	})
	return text
}
