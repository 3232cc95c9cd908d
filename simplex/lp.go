package simplex

import (
	"cmp"
	"math"
)

var inf = math.Inf(1)

// LP is a linear program, min cᵀx + Offset subject to RowLo ≤ Ax ≤ RowUp and Lo ≤ x ≤ Up, with m rows and n columns.
// Solvers copy the vectors and keep the matrix, which must not change while they live.
type LP struct {
	C            []float64 // n costs; nil means 0
	Lo, Up       []float64 // n bounds of x; nil means 0 and +Inf
	RowLo, RowUp []float64 // m bounds of Ax; nil means −Inf and +Inf
	A            Columns   // m×n
	Offset       float64   // constant term of the objective
}

// orFill returns v, or n copies of def when v is nil.
func orFill(v []float64, n int, def float64) []float64 {
	if v != nil {
		return v
	}
	v = make([]float64, n)
	for i := range v {
		v[i] = def
	}
	return v
}

// filled returns lp with every nil vector replaced by its default.
func (lp *LP) filled() LP {
	m, n := lp.A.Dims()
	f := *lp
	f.C = orFill(lp.C, n, 0)
	f.Lo, f.Up = orFill(lp.Lo, n, 0), orFill(lp.Up, n, math.Inf(1))
	f.RowLo, f.RowUp = orFill(lp.RowLo, m, math.Inf(-1)), orFill(lp.RowUp, m, math.Inf(1))
	return f
}

// Validate reports vectors that disagree in length, numbers that are not finite where they must be, and lower bounds
// above upper ones, each with its index. It checks the entries of [Dense] and [Sparse] matrices too.
func (lp *LP) Validate() error {
	if err := checkShape(lp); err != nil {
		return err
	}
	f := lp.filled()
	return new(validity).check(&f)
}

// checkShape is the part of Validate that everything else relies on.
func checkShape(lp *LP) error {
	if lp.A == nil {
		return invalid("the matrix is missing")
	}
	if math.IsNaN(lp.Offset) || math.IsInf(lp.Offset, 0) {
		return invalid("objective constant is %v", lp.Offset)
	}
	if m, n := lp.A.Dims(); m < 0 || n < 0 {
		return invalid("matrix of %d rows and %d columns", m, n)
	}
	return nil
}

// check is the rest of Validate, of a program whose vectors are filled in.
func (v *validity) check(f *LP) error {
	m, n := f.A.Dims()
	err := cmp.Or(checkCosts(f.C, n), checkBounds("column", f.Lo, f.Up, n), checkBounds("row", f.RowLo, f.RowUp, m))
	if err != nil {
		return err
	}
	return checkEntries(f.A, v)
}

func checkCosts(c []float64, n int) error {
	if len(c) != n {
		return invalid("%d costs for %d columns", len(c), n)
	}
	for j, v := range c {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return invalid("cost of column %d is %v", j, v)
		}
	}
	return nil
}

// checkBounds names what (column or row) in its errors.
func checkBounds(what string, lo, up []float64, n int) error {
	if len(lo) != n || len(up) != n {
		return invalid("%d lower and %d upper bounds for %d %ss", len(lo), len(up), n, what)
	}
	for i := range lo {
		if lo[i] <= up[i] && lo[i] <= math.MaxFloat64 && up[i] >= -math.MaxFloat64 {
			continue
		}
		return checkBoundsOf(what, i, lo[i], up[i])
	}
	return nil
}

// checkBoundsOf checks those of column or row i, as what says.
func checkBoundsOf(what string, i int, lo, up float64) error {
	switch {
	case math.IsNaN(lo) || math.IsNaN(up):
		return invalid("bounds of %s %d are [%v, %v]", what, i, lo, up)
	case lo > up:
		return invalid("lower bound %v of %s %d is above its upper bound %v", lo, what, i, up)
	case math.IsInf(lo, 1) || math.IsInf(up, -1):
		return invalid("bounds of %s %d are [%v, %v], which no number meets", what, i, lo, up)
	}
	return nil
}
