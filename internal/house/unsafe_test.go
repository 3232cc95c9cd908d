package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestUnsafe holds every use of package unsafe to a comment with the rule that allows it.
func TestUnsafe(t *testing.T) {
	eachFile(t, parser.ParseComments|parser.SkipObjectResolution, func(file string, fset *token.FileSet,
		parsed *ast.File) {
		for _, p := range unruly(parsed) {
			t.Errorf("%s: want a comment with the rule of package unsafe that allows this (\"Rule 1\", \"the rule of "+
				"unsafe.Slice\"), and an address as a number for alignment only", fset.Position(p))
		}
	})
}

// TestUnsafeFinds holds the test against lines that it must report, marked BAD, and others that it must not.
func TestUnsafeFinds(t *testing.T) {
	const source = `package p
import "unsafe"
func size() uintptr { return unsafe.Sizeof(x) }
func bare() []byte { return unsafe.Slice(p, 3) } // BAD
// ruled is fine. Rule 1: the layout is the same.
func ruled() *int { return (*int)(unsafe.Pointer(p)) }
func inside() {
	// The rule of unsafe.Slice: there are 3.
	use(unsafe.Slice(p, 3))
}
// kept says Rule 2, and breaks it.
func kept() uintptr { return uintptr(unsafe.Pointer(p)) } // BAD
// aligned says Rule 2.
func aligned() bool { return uintptr(unsafe.Pointer(p))%64 == 0 && -uintptr(first(p))&63 == 0 }
`
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []int
	for i, line := range strings.Split(source, "\n") {
		if strings.HasSuffix(line, "// BAD") {
			want = append(want, i+1)
		}
	}
	for _, p := range unruly(parsed) {
		got = append(got, fset.Position(p).Line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

var ruleOfUnsafe = regexp.MustCompile(`Rule [1-6]\b|[Tt]he rule of\s+unsafe\.|conversion rule\s+of package unsafe`)

// unruly returns the uses of package unsafe, sizes excepted, in functions that name no rule, and the addresses that
// become numbers for something else than their remainder.
func unruly(file *ast.File) (at []token.Pos) {
	if !slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"unsafe"` }) {
		return nil
	}
	for _, d := range file.Decls {
		said := false
		for _, c := range file.Comments {
			if fn, ok := d.(*ast.FuncDecl); ok && (c == fn.Doc || c.Pos() > d.Pos() && c.End() < d.End()) {
				said = said || ruleOfUnsafe.MatchString(c.Text())
			}
		}
		remainders := map[ast.Expr]bool{} // operands of % and &
		ast.Inspect(d, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.BinaryExpr:
				remainders[e.X] = e.Op == token.REM || e.Op == token.AND
			case *ast.UnaryExpr:
				remainders[e.X] = remainders[e]
			case *ast.CallExpr:
				if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "uintptr" && !remainders[e] {
					at = append(at, e.Pos())
				}
				if !said && usesUnsafe(e) {
					at = append(at, e.Pos())
				}
			}
			return true
		})
	}
	return at
}

// usesUnsafe reports whether a call is one of package unsafe that makes a pointer or a slice, or a conversion.
func usesUnsafe(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && name(s.X) == "unsafe" && s.Sel.Name != "Sizeof"
}
