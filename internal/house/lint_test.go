package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestNoComparisonPassesNaN forbids the assertion that a NaN slips through: every comparison
// with a NaN is false, so `if math.Abs(got-want) > tol { t.Error }` says nothing about one.
// Tests ask whether a value is good instead: testutil.Near and its kin, or `!(x <= tol)`.
func TestNoComparisonPassesNaN(t *testing.T) {
	eachFile(t, parser.SkipObjectResolution, func(file string, fset *token.FileSet, parsed *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, pos := range nanBlind(parsed) {
			t.Errorf("%s:%d: a NaN passes this comparison; use internal/testing/testutil or !(x <= bound)", file,
				fset.Position(pos).Line)
		}
	})
}

// TestNaNBlind holds the lint against lines it must report, marked BAD, and others it must not.
func TestNaNBlind(t *testing.T) {
	const source = `package p
func f() {
	if math.Abs(a-b) > tol {} // BAD
	if ok && (math.Abs(a-b)/size >= tol) {} // BAD
	if tol < math.Abs(a) {} // BAD
	if d := math.Abs(a - b); d > tol {} // BAD
	if r.Status != 0 || r.Report.Gap > 1e-6 {} // BAD
	if sol.Gap() > 1e-9 {} // BAD
	if 1e-9 <= r.DualResidual {} // BAD
	if maxDiff > tol {} // BAD
	if d > worst { worst, at = d, i } // BAD
	if worst < d { worst = d } // BAD
	ok = float64(slowKKT(b)) > tol // BAD
	if !(math.Abs(a-b) <= tol) {}
	if !ok || !(r.Gap <= 1e-6 && maxDiff <= tol) {}
	if d := math.Abs(a - b); !(d <= tol) {}
	if d <= tol*math.Abs(a) || math.Abs(a) < 1 {}
	if s.Gap < 1e-8 {}
	if d := len(a); d > 2 {}
	if n > most { most = n }
	worst = max(worst, d)
}
`
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "p_test.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []int
	for _, pos := range nanBlind(parsed) {
		got = append(got, fset.Position(pos).Line)
	}
	for i, line := range strings.Split(source, "\n") {
		if strings.HasSuffix(line, "// BAD") {
			want = append(want, i+1)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines %v are reported, want %v", got, want)
	}
}

// nanBlind returns where the file asks whether an error is large, which is false for a NaN.
func nanBlind(file *ast.File) []token.Pos {
	var found []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			return n.Op != token.NOT // below a negation the question is the right one
		case *ast.IfStmt:
			if blindIf(n) {
				found = append(found, n.Cond.Pos())
			}
		case *ast.BinaryExpr:
			if large, _ := sides(n); large != nil && isError(large) {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

// blindIf reports the two forms that take more than the comparison to see:
// `if d := math.Abs(x); d > tol` and `if d > worst { worst = d }`, which forgets a NaN.
func blindIf(s *ast.IfStmt) bool {
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	large, small := sides(cond)
	if large == nil {
		return false
	}
	if init, isDecl := s.Init.(*ast.AssignStmt); isDecl && len(init.Lhs) == 1 && len(init.Rhs) == 1 && isAbs(init.Rhs[0]) {
		return name(large) != "" && name(large) == name(init.Lhs[0])
	}
	if len(s.Body.List) == 0 || !isError(small) {
		return false
	}
	keep, ok := s.Body.List[0].(*ast.AssignStmt)
	return ok && name(keep.Lhs[0]) == name(small)
}

// sides returns the side of a comparison that is asked to be the larger one, and the other.
func sides(e *ast.BinaryExpr) (large, small ast.Expr) {
	switch e.Op {
	case token.GTR, token.GEQ:
		return e.X, e.Y
	case token.LSS, token.LEQ:
		return e.Y, e.X
	}
	return nil, nil
}

// isError reports whether an expression measures an error: an absolute value or a telling name.
func isError(e ast.Expr) bool {
	word := strings.ToLower(name(e))
	return isAbs(e) || slices.ContainsFunc([]string{
		"gap", "kkt", "violation", "residual", "drift", "diff", "worst", "certificate", "errorrate", "relerr", "deviation",
	}, func(end string) bool { return strings.HasSuffix(word, end) })
}

// isAbs reports whether an expression is a call of math.Abs, perhaps divided by a size.
func isAbs(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isAbs(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.QUO && isAbs(e.X)
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Abs" && name(s.X) == "math"
	}
	return false
}

// name returns the last name of a variable, a field or a call; conversions are looked through.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return name(e.X)
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		if f := name(e.Fun); f != "float64" || len(e.Args) != 1 {
			return f
		}
		return name(e.Args[0])
	}
	return ""
}
