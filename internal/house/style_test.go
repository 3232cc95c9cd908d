package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The limits of the house that no linter in use knows; staticcheck, vet and shadow do the rest.
const (
	maxFunction     = 65  // lines of a function
	maxTestFunction = 120 // lines of a function of a test
	maxLine         = 120 // columns outside tables: composite literals and struct tags
	maxFields       = 15  // fields of a struct that keeps state, without those that have tags
)

func TestStyle(t *testing.T) {
	root := testutil.Root(t)
	eachFile(t, parser.ParseComments|parser.SkipObjectResolution, func(file string, fset *token.FileSet,
		parsed *ast.File) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, complaint := range untidy(file, string(text), fset, parsed) {
			t.Error(complaint)
		}
	})
}

// TestUntidy holds the rules against lines they must report, marked BAD, and others they must not.
func TestUntidy(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	source := `package p
func f() error {
	var ` + long + ` int // BAD
	t := []row{
		{"` + long + `"},
	}
	_ = fmt.Errorf("f: %v", err) // BAD
	_ = fmt.Errorf("f: %v, %w", n, err)
	return fmt.Errorf("f: %w", err)
}
func g() { // BAD
` + strings.Repeat("\n", maxFunction) + `}
func h() bool { return cpu.Active() == cpu.AVX2 } // BAD
type wide struct { // BAD
	a, b, c, d, e, f, g, h int
	i, j, k, l, m, n, o, p int
}
type record struct {
	A, B, C, D, E, F, G, H int
	I, J, K, L, M, N, O, P int
}
func two() { a, b = append(a, 1), append(b, 1) } // BAD
func one() { a, b = append(a, 1), c }
`
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(untidy("p.go", source, fset, parsed), "\n")
	for i, line := range strings.Split(source, "\n") {
		at := "p.go:" + strconv.Itoa(i+1) + ":"
		if bad := strings.HasSuffix(line, "// BAD"); bad != strings.Contains(got, at) {
			t.Errorf("line %d: reported is %v, want %v", i+1, !bad, bad)
		}
	}
}

// untidy lists what breaks a rule of the house, as file:line: text.
func untidy(file, text string, fset *token.FileSet, parsed *ast.File) (complaints []string) {
	if ast.IsGenerated(parsed) {
		return nil // a generator's text is held to the generator
	}
	isTest := strings.HasSuffix(file, "_test.go")
	report := func(line int, what string) {
		complaints = append(complaints, file+":"+strconv.Itoa(line)+": "+what)
	}
	at := func(p token.Pos) int { return fset.Position(p).Line }
	table := map[int]bool{} // lines of composite literals and struct tags
	keys := map[token.Pos]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			limit := maxFunction
			if isTest {
				limit = maxTestFunction
			}
			if lines := at(n.End()) - at(n.Pos()) + 1; lines > limit {
				report(at(n.Pos()), n.Name.Name+" has "+strconv.Itoa(lines)+" lines, at most "+strconv.Itoa(limit)+" fit a screen")
			}
		case *ast.KeyValueExpr:
			keys[n.Key.Pos()] = true
		case *ast.CompositeLit:
			for l := at(n.Lbrace); l <= at(n.Rbrace); l++ {
				table[l] = true
			}
		case *ast.Field:
			if n.Tag != nil {
				table[at(n.Pos())] = true
			}
		case *ast.StructType:
			if fields := stateFields(n); fields > maxFields && !isTest {
				report(at(n.Pos()), "a struct of "+strconv.Itoa(fields)+" fields, at most "+strconv.Itoa(maxFields)+
					": group those that belong together")
			}
		case *ast.AssignStmt:
			if appends(n) > 1 {
				report(at(n.Pos()), "more than one append in a statement")
			}
		case *ast.CallExpr:
			if swallows(n) {
				report(at(n.Pos()), "an error is formatted with a verb other than %w: its chain ends here")
			}
		case *ast.SelectorExpr:
			if namesLevel(n) && !isTest && !hasLevels(file) && !keys[n.Pos()] {
				report(at(n.Pos()), "a SIMD level by name outside tables: see cpu.Table, internal/asmgen")
			}
		}
		return true
	})
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > maxLine && !table[i+1] {
			report(i+1, strconv.Itoa(n)+" columns, at most "+strconv.Itoa(maxLine))
		}
	}
	return complaints
}

// stateFields counts the fields without tags of a struct, if one of them is not exported. Others are records: options,
// flags, what a file has.
func stateFields(s *ast.StructType) (count int) {
	state := false
	for _, field := range s.Fields.List {
		if field.Tag != nil {
			continue
		}
		count += max(1, len(field.Names))
		for _, id := range field.Names {
			state = state || !id.IsExported()
		}
	}
	if !state {
		return 0
	}
	return count
}

// appends counts the calls of append that a statement assigns.
func appends(s *ast.AssignStmt) (count int) {
	for _, value := range s.Rhs {
		if call, ok := value.(*ast.CallExpr); ok && name(call.Fun) == "append" {
			count++
		}
	}
	return count
}

// swallows reports whether a call of fmt.Errorf formats err with another verb than %w.
func swallows(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Errorf" || name(f.X) != "fmt" || len(call.Args) < 2 {
		return false
	}
	format, ok := call.Args[0].(*ast.BasicLit)
	if !ok || strings.Contains(format.Value, "%w") {
		return false
	}
	for _, arg := range call.Args[1:] {
		if id, ok := arg.(*ast.Ident); ok && id.Name == "err" {
			return true
		}
	}
	return false
}

// namesLevel reports whether e is one of internal/cpu's levels above the portable one.
func namesLevel(e *ast.SelectorExpr) bool {
	return name(e.X) == "cpu" && (e.Sel.Name == "AVX2" || e.Sel.Name == "AVX512" || e.Sel.Name == "NEON")
}

// hasLevels reports whether a file is where levels are named: the package that chooses them, what runs
// tests at each, and the files of one architecture. Tables may name levels anywhere.
func hasLevels(file string) bool {
	return strings.HasPrefix(file, "internal/cpu/") || strings.HasPrefix(file, "internal/testing/testutil/") ||
		strings.HasSuffix(file, "_amd64.go") || strings.HasSuffix(file, "_arm64.go")
}
