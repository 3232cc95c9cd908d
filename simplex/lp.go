package simplex

import (
	"cmp"
	"math"
	"slices"
)

var inf = math.Inf(1)

// LP is a linear program, min cᵀx + Offset subject to RowLo ≤ Ax ≤ RowUp and Lo ≤ x ≤ Up, with m rows and n columns.
// A bound of 1e20 or more in size is infinite. Bounds that cross make an infeasible program.
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
	if v == nil {
		v = slices.Repeat([]float64{def}, n)
	}
	return v
}

// vectors returns costs, bounds of columns and bounds of rows, in the order of the fields.
func (lp *LP) vectors() [5]*[]float64 {
	return [5]*[]float64{&lp.C, &lp.Lo, &lp.Up, &lp.RowLo, &lp.RowUp}
}

// filled returns lp with every nil vector replaced by its default, and bounds from 1e20 on by infinite ones.
func (lp *LP) filled() LP {
	c := Checker{filled: *lp}
	c.fill()
	return c.filled
}

// endless is the size from which on a bound is infinite.
const endless = 1e20

// infinite returns v, infinite from endless on.
func infinite(v float64) float64 {
	if math.Abs(v) >= endless {
		return math.Copysign(inf, v)
	}
	return v
}

// unlimited returns bounds with infinite ones where they are endless: themselves, or a copy in the memory of own.
func unlimited(bounds, own []float64) (all, memory []float64) {
	if !slices.ContainsFunc(bounds, func(v float64) bool { return v != infinite(v) && v == v }) {
		return bounds, own
	}
	own = append(own[:0], bounds...)
	for i, v := range own {
		own[i] = infinite(v)
	}
	return own, own
}

// crossed returns a column, else a row, whose lower bound is above its upper one, of a program whose vectors are
// filled in.
func (lp *LP) crossed() (which Bound, found bool) {
	for _, b := range [2]struct {
		row    bool
		lo, up []float64
	}{{false, lp.Lo, lp.Up}, {true, lp.RowLo, lp.RowUp}} {
		for i, lo := range b.lo {
			if lo > b.up[i] {
				return Bound{Row: b.row, Index: i}, true
			}
		}
	}
	return Bound{}, false
}

// Validate reports vectors that disagree in length, numbers that are not finite where they must be, and bounds that no
// number meets because they are +∞ or −∞ on the wrong side, each with its index. Bounds that cross are no mistake but
// infeasible. It checks the entries of [Dense] and [Sparse] matrices too.
func (lp *LP) Validate() error {
	return new(Checker).Validate(*lp)
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
		if lo[i] <= up[i] && lo[i] < endless && up[i] > -endless {
			continue
		}
		if err := checkBoundsOf(what, i, lo[i], up[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkBoundsOf checks those of column or row i, as what says.
func checkBoundsOf(what string, i int, lo, up float64) error {
	switch {
	case math.IsNaN(lo) || math.IsNaN(up):
		return invalid("bounds of %s %d are [%v, %v]", what, i, lo, up)
	case lo >= endless || up <= -endless:
		return invalid("bounds of %s %d are [%v, %v], which no number meets", what, i, lo, up)
	}
	return nil
}
