package simplex

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// rowsOf is a small program written by rows.
type rowsOf struct {
	c            []float64
	a            [][]float64
	rowLo, rowUp []float64
	lo, up       []float64
}

// lp returns the program with a sparse or dense matrix.
func (p *rowsOf) lp(dense bool) LP {
	m, n := len(p.a), len(p.c)
	lp := LP{C: p.c, Lo: p.lo, Up: p.up, RowLo: p.rowLo, RowUp: p.rowUp}
	if dense {
		data := make([]float64, 0, m*n)
		for _, row := range p.a {
			data = append(data, row...)
		}
		lp.A = NewDense(m, n, data)
		return lp
	}
	sp := &Sparse{Rows: m, Start: []int{0}}
	for j := range n {
		var rows []int32
		var values []float64
		for i := range m {
			if v := p.a[i][j]; v != 0 {
				rows = append(rows, int32(i))
				values = append(values, v)
			}
		}
		sp.Append(rows, values)
	}
	lp.A = sp
	return lp
}

// atMost is min cᵀx, Ax ≤ b, x ≥ 0.
func atMost(c []float64, a [][]float64, b []float64) *rowsOf {
	return &rowsOf{c: c, a: a, rowUp: b}
}

// kleeMinty is Klee and Minty (1972) as in Chvátal (1983), p. 47:
// max Σ 10^(n−j) x_j, 2 Σ_{j<i} 10^(i−j) x_j + x_i ≤ 100^(i−1).
func kleeMinty(n int) *rowsOf {
	p := &rowsOf{}
	for i := range n {
		row := make([]float64, n)
		for j := range i {
			row[j] = 2 * math.Pow(10, float64(i-j))
		}
		row[i] = 1
		p.a = append(p.a, row)
		p.rowUp = append(p.rowUp, math.Pow(100, float64(i)))
		p.c = append(p.c, -math.Pow(10, float64(n-1-i)))
	}
	return p
}

// hoffman is Hoffman's cycling example (1953) as in Gass (1985), p. 214 (θ = 2π/5, ω > (1−cos θ)/(1−2cos θ)).
func hoffman() *rowsOf {
	th := 2 * math.Pi / 5
	w, c, s, c2, s2, t := 3.0, math.Cos(th), math.Sin(th), math.Cos(2*th), math.Sin(2*th), math.Tan(th)
	return &rowsOf{
		c: []float64{0, 0, 0, -(1 - c) / c, w, 0, 2 * w, 4 * s * s, -2 * w * c2, 4 * s * s, -2 * w * c2},
		a: [][]float64{
			{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
			{0, 1, 0, c, -w * c, c2, -2 * w * c * c, c2, 2 * w * s * s, c, w * c},
			{0, 0, 1, t * s / w, c, t * s2 / w, c2, -2 * s * s / w, c2, -t * s / w, c},
		},
		rowLo: []float64{1, 0, 0}, rowUp: []float64{1, 0, 0},
	}
}

// transport is a degenerate transportation problem: n suppliers and n customers of one unit each.
func transport(n int) *rowsOf {
	p := &rowsOf{rowLo: ones(2 * n), rowUp: ones(2 * n)}
	p.a = make([][]float64, 2*n)
	for i := range p.a {
		p.a[i] = make([]float64, n*n)
	}
	for i := range n {
		for j := range n {
			p.c = append(p.c, float64((i*i+3*j*j+i*j)%11))
			p.a[i][i*n+j], p.a[n+j][i*n+j] = 1, 1
		}
	}
	return p
}

// hard are programs with known answers: where opt is NaN the exact reference gives it.
var hard = []struct {
	name string
	p    *rowsOf
	st   status.Status
	opt  float64
}{
	{"no rows", &rowsOf{c: []float64{1, -1}, lo: []float64{-2, 0}, up: []float64{5, 3}}, status.Optimal, -5},
	{"no columns", &rowsOf{a: [][]float64{{}}, rowLo: []float64{-1}, rowUp: []float64{1}}, status.Optimal, 0},
	{"no columns, infeasible", &rowsOf{a: [][]float64{{}}, rowLo: []float64{1}, rowUp: []float64{2}}, status.Infeasible, 0},
	{"no rows, unbounded", &rowsOf{c: []float64{-1}}, status.Unbounded, 0},
	// Beale (1955), in the form of Chvátal (1983), p. 31.
	{"Beale", &rowsOf{c: []float64{-0.75, 150, -0.02, 6}, a: [][]float64{{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}}, rowUp: []float64{0, 0, 1}}, status.Optimal, -0.05},
	// Kuhn's example, in Balinski and Tucker (1969).
	{"Kuhn", &rowsOf{c: []float64{-2, -3, 1, 12}, a: [][]float64{{-2, -9, 1, 9}, {1.0 / 3, 1, -1.0 / 3, -2}, {2, 3, -1, -12}}, rowUp: []float64{0, 0, 2}}, status.Optimal, -2},
	{"Kuhn without its last row", &rowsOf{c: []float64{-2, -3, 1, 12}, a: [][]float64{{-2, -9, 1, 9}, {1.0 / 3, 1, -1.0 / 3, -2}}, rowUp: []float64{0, 0}}, status.Unbounded, 0},
	// Marshall and Suurballe (1969).
	{"Marshall-Suurballe", atMost([]float64{-10, 57, 9, 24}, [][]float64{{0.5, -5.5, -2.5, 9}, {0.5, -1.5, -0.5, 1}, {1, 0, 0, 0}}, []float64{0, 0, 1}), status.Optimal, -1},
	{"Marshall-Suurballe, unbounded", atMost([]float64{-0.4, -0.4, 1.8, 0}, [][]float64{{0.6, -6.4, 4.8, 0}, {0.2, -1.8, 0.6, 0}}, []float64{0, 0}), status.Unbounded, 0},
	{"Hoffman", hoffman(), status.Optimal, 0},
	// Yudin and Golshtein (1965).
	{"Yudin-Golshtein", atMost([]float64{-1, 1, -1, 1}, [][]float64{{1, -2, -3, 4}, {4, -3, -2, 1}, {1, 1, 1, 1}}, []float64{0, 0, 1}), status.Optimal, math.NaN()},
	{"Klee-Minty 3", kleeMinty(3), status.Optimal, -10000},
	{"Klee-Minty 6", kleeMinty(6), status.Optimal, -1e10},
	{"Chvátal 2.1a", atMost([]float64{-3, -2, -4}, [][]float64{{1, 1, 2}, {2, 0, 3}, {2, 1, 3}}, []float64{4, 5, 7}), status.Optimal, -10.5},
	{"Chvátal p. 39, infeasible origin", atMost([]float64{-1, 1, -1}, [][]float64{{2, -1, 2}, {2, -3, 1}, {-1, 1, -2}}, []float64{4, -5, -1}), status.Optimal, -0.6},
	{"infeasible rows", &rowsOf{c: []float64{1, 1}, a: [][]float64{{1, 1}, {1, 1}}, rowLo: []float64{3, -inf}, rowUp: []float64{inf, 2}}, status.Infeasible, 0},
	{"infeasible bounds against a row", &rowsOf{c: []float64{0, 0}, a: [][]float64{{1, 1}}, rowLo: []float64{5}, up: []float64{2, 2}}, status.Infeasible, 0},
	{"infeasible by 1e-5", &rowsOf{c: []float64{1}, a: [][]float64{{1}, {1}}, rowLo: []float64{1.00001, -inf}, rowUp: []float64{inf, 1}}, status.Infeasible, 0},
	{"infeasible and dual infeasible", &rowsOf{c: []float64{-1, -1}, a: [][]float64{{1, -1}, {-1, 1}}, rowUp: []float64{-1, -1}}, status.Infeasible, 0},
	{"unbounded ray in two variables", &rowsOf{c: []float64{-1, -1}, a: [][]float64{{1, -1}}, rowLo: []float64{-1}, rowUp: []float64{1}}, status.Unbounded, 0},
	{"unbounded free variable", &rowsOf{c: []float64{1}, a: [][]float64{{1}}, rowUp: []float64{4}, lo: []float64{-inf}}, status.Unbounded, 0},
	{"all free", &rowsOf{c: []float64{1, 2}, a: [][]float64{{1, 1}, {1, -1}}, rowLo: []float64{2, -3}, rowUp: []float64{inf, 3}, lo: []float64{-inf, -inf}}, status.Optimal, math.NaN()},
	{"free without cost", &rowsOf{c: []float64{0, 1}, a: [][]float64{{1, 1}}, rowLo: []float64{2}, rowUp: []float64{2}, lo: []float64{-inf, 0}}, status.Optimal, 0},
	{"ranges", &rowsOf{c: []float64{-1, -2}, a: [][]float64{{1, 1}, {1, -1}}, rowLo: []float64{1, -1}, rowUp: []float64{3, 1}}, status.Optimal, -5},
	{"fixed variables", &rowsOf{c: []float64{1, -1, 1}, a: [][]float64{{1, 1, 1}}, rowUp: []float64{4}, lo: []float64{2, 0, 1}, up: []float64{2, inf, 1}}, status.Optimal, 2},
	{"fixed variables, infeasible", &rowsOf{c: []float64{1, 1}, a: [][]float64{{1, 1}}, rowLo: []float64{4}, rowUp: []float64{4}, lo: []float64{1, 2}, up: []float64{1, 2}}, status.Infeasible, 0},
	{"negative bounds", &rowsOf{c: []float64{1, -1}, a: [][]float64{{1, 1}}, rowLo: []float64{-8}, rowUp: []float64{-4}, lo: []float64{-5, -inf}, up: []float64{-1, -2}}, status.Optimal, math.NaN()},
	{"upper bounds only", &rowsOf{c: []float64{-1, -1}, a: [][]float64{{1, 2}}, rowUp: []float64{4}, lo: []float64{-inf, -inf}, up: []float64{3, 1}}, status.Optimal, math.NaN()},
	{"empty row and column", &rowsOf{c: []float64{1, -1, 0}, a: [][]float64{{0, 0, 0}, {1, 0, 1}}, rowLo: []float64{-1, 1}, rowUp: []float64{1, inf}, up: []float64{inf, 7, inf}}, status.Optimal, -7},
	{"empty row, infeasible", &rowsOf{c: []float64{1}, a: [][]float64{{0}, {1}}, rowLo: []float64{1, 0}, rowUp: []float64{1, 2}}, status.Infeasible, 0},
	{"empty column, unbounded", &rowsOf{c: []float64{-1, 1}, a: [][]float64{{0, 1}}, rowLo: []float64{1}}, status.Unbounded, 0},
	{"equal rows", &rowsOf{c: []float64{1, 1}, a: [][]float64{{1, 2}, {1, 2}, {2, 4}}, rowLo: []float64{4, 4, 8}, rowUp: []float64{4, 4, 8}}, status.Optimal, 2},
	{"equal rows, contradictory", &rowsOf{c: []float64{1, 1}, a: [][]float64{{1, 2}, {2, 4}}, rowLo: []float64{4, 9}, rowUp: []float64{4, 9}}, status.Infeasible, 0},
	{"equal columns", &rowsOf{c: []float64{1, 1, 1, 1}, a: [][]float64{{1, 1, 1, 1}, {2, 2, 2, 2}}, rowLo: []float64{3, -inf}, rowUp: []float64{inf, 8}, up: []float64{1, 1, 1, 1}}, status.Optimal, 3},
	{"no cost", &rowsOf{c: []float64{0, 0}, a: [][]float64{{1, 1}, {1, -1}}, rowLo: []float64{1, 0}, rowUp: []float64{1, 0}}, status.Optimal, 0},
	{"assignment 4", transport(4), status.Optimal, math.NaN()},
	{"badly scaled", &rowsOf{c: []float64{-1e-6, -1e4}, a: [][]float64{{1e-5, 1e3}, {1e4, 1e-3}}, rowUp: []float64{1e3, 1e6}}, status.Optimal, math.NaN()},
	{"huge bounds", &rowsOf{c: []float64{1, -1}, a: [][]float64{{1, -1}}, rowLo: []float64{-5}, rowUp: []float64{5}, lo: []float64{-1e9, -1e9}, up: []float64{1e9, 1e9}}, status.Optimal, -5},
	{"singleton columns in one row", &rowsOf{c: []float64{1, 2, -1}, a: [][]float64{{1, 1, 1}, {0, 0, 1}}, rowLo: []float64{5, -inf}, rowUp: []float64{5, 3}, up: []float64{1, inf, inf}}, status.Optimal, math.NaN()},
}

// reference solves p exactly.
func (p *rowsOf) reference() (status.Status, float64) {
	m, n := len(p.a), len(p.c)
	outcome, opt, _ := ref.LPSolve(p.c, p.a, orFill(p.rowLo, m, -inf), orFill(p.rowUp, m, inf),
		orFill(p.lo, n, 0), orFill(p.up, n, inf))
	return map[ref.LPOutcome]status.Status{
		ref.LPOptimal: status.Optimal, ref.LPInfeasible: status.Infeasible, ref.LPUnbounded: status.Unbounded,
	}[outcome], opt
}

// solveEveryWay solves lp by each method, scaled or not, and verifies certificate
// and answer, an optimum within tol relative to 1 + |opt|.
func solveEveryWay(t *testing.T, lp LP, st status.Status, opt, tol float64) {
	t.Helper()
	for _, method := range []Method{Method(0), Primal, Dual} {
		for k := range 4 {
			noScaling, solver := k&1 != 0, New
			if k&2 != 0 {
				solver = newFactoredSolver
			}
			what := fmt.Sprintf("method %d, scaling %v, factored %v", method, !noScaling, k&2 != 0)
			s, err := solver(lp, Options{Method: method, NoScaling: noScaling})
			if err != nil {
				t.Fatal(err)
			}
			if k&2 != 0 && !s.basis.sparse() {
				continue
			}
			r := s.Solve(context.Background())
			if err := Check(lp, r); err != nil {
				t.Errorf("%s: %v (%v)", what, err, r.Status)
			}
			if r.Status != st {
				t.Errorf("%s: status %v, want %v", what, r.Status, st)
			} else if st == status.Optimal && !testutil.Within(r.Objective, opt, tol*(1+math.Abs(opt))) {
				t.Errorf("%s: objective %.15g, want %.15g", what, r.Objective, opt)
			}
		}
	}
}

func TestHard(t *testing.T) {
	for _, c := range hard {
		t.Run(c.name, func(t *testing.T) {
			st, opt := c.p.reference()
			if c.name == "Hoffman" {
				st, opt = c.st, c.opt // cosines make the exact program of the fractions another one
			}
			if st != c.st {
				t.Fatalf("the reference says %v, the table %v", st, c.st)
			}
			if !math.IsNaN(c.opt) && !testutil.Within(opt, c.opt, 1e-12*(1+math.Abs(opt))) {
				t.Fatalf("the reference says %v, the table %v", opt, c.opt)
			}
			solveEveryWay(t, c.p.lp(false), st, opt, 1e-9)
			solveEveryWay(t, c.p.lp(true), st, opt, 1e-9)
		})
	}
}
