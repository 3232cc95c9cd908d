package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// A violation counts relative to the terms whose rounding it may be: for a row its bound and Σ_j |a_ij·x_j|, for a
// reduced cost its cost and Σ_i |a_ij·y_i|. So coefficients of 1e-9 are held as closely as those of 1e8.

// list makes v the nonzero elements of x, in its own memory where that suffices.
func list(v *lu.Entries, x []float64) {
	v.Index, v.Value = v.Index[:0], v.Value[:0]
	for i, e := range x {
		if e != 0 {
			v.Push(int32(i), e)
		}
	}
}

// scratch is memory for certificates, which one after the other can use.
type scratch struct {
	row, column []float64 // of the matrix
	terms       []float64 // n, Aᵀf
	activity    []float64 // m, of a ray
	vector      lu.Entries
	unit        [1]int32
	one         [1]float64
	sums        []dense.Doubled // m, of rows
	sizes       []float64       // of their terms
}

// certify measures the residuals and the gap of a primal and dual pair whose
// activities and reduced costs are consistent, relative to sizes of unit at least.
func (w *scratch) certify(lp *LP, r *Result, unit float64) Certificate {
	c, gap, primal, size := measure(lp, r, unit, func(i int) float64 { return w.sizeOfRow(lp, i, r.X) },
		func(j int) float64 { return w.sizeOfColumn(lp, j, r.Y) })
	if c.Gap > checkTolerance {
		switch rounded := w.roundedTerms(lp, r); {
		case unit > 0:
			c.Gap = relative(gap, primal+dualShare*rounded)
		case gap <= gapRounding*rounded && !math.IsInf(rounded, 1):
			c.Gap = 0
		}
	}
	if unit == 0 && c.worst() <= checkTolerance {
		value := dense.Dot(lp.C, r.X)
		c.Gap = max(c.Gap, w.hidden(lp, r, max(math.Abs(value), math.Abs(value+lp.Offset)), size))
	}
	return c
}

// measure returns residuals and gap, given the sizes of the terms of rows and of reduced costs; the gap itself, the
// size of the objective's terms, and the size that the gap is relative to.
func measure(lp *LP, r *Result, unit float64, row, column func(i int) float64) (c Certificate,
	gap, primal, size float64) {
	if !finite(r.X, r.Activity, r.Y, r.ReducedCosts) {
		return Certificate{PrimalResidual: math.NaN(), DualResidual: math.NaN(), Gap: math.NaN()}, 0, 0, 0
	}
	c.PrimalResidual, c.DualResidual = primalResidual(lp, r, unit, row), dualResidual(lp, r, unit, column)
	dual, terms := dualValue(lp, r)
	primal = max(unit, sizeOfDot(lp.C, r.X)+math.Abs(lp.Offset))
	gap, size = math.Abs(dense.Dot(lp.C, r.X)-dual), primal+dualShare*terms
	if gap != 0 {
		c.Gap = relative(gap, size)
	}
	return c, gap, primal, size
}

// cancelling is how many times the objective its terms are where a gap relative to the terms says little. Then it is
// relative to that multiple of the objective, and to minObjective of the terms at least.
const (
	cancelling   = 100
	minObjective = 1e-12
)

// hidden is the gap relative to the objective where sizes of terms hide it: terms of the objective that cancel, and
// reduced costs that no bound takes up, of columns that rows let move far.
func (w *scratch) hidden(lp *LP, r *Result, objective, size float64) float64 {
	smallest, gap := cancelling*objective, 0.0
	if size > smallest {
		gap = w.unexplained(lp, r)
	}
	if gap > 0 {
		gap = relative(gap, max(smallest, minObjective*size))
	}
	if moved, sizes := w.untakenCosts(lp, r); moved > 0 {
		gap = max(gap, relative(moved, max(smallest, dualShare*sizes)))
	}
	return gap
}

// untakenCosts is by how much the objective may fall because of reduced costs that no bound takes up and rounding does
// not explain, as far as rows bound their columns, and the same with whole costs.
func (w *scratch) untakenCosts(lp *LP, r *Result) (moved, sizes float64) {
	for j, d := range r.ReducedCosts {
		c := lp.C[j]
		if untaken(d, lp.Lo[j], lp.Up[j]) <= ownRounding*max(math.Abs(c), math.Abs(c-d)) {
			continue
		}
		w.column = grow(w.column, len(r.Y))
		lp.A.Column(w.column, j)
		exact, terms := dense.Doubled{Hi: c}, math.Abs(c)
		for i, y := range r.Y {
			exact.AddProduct(-w.column[i], dense.Doubled{Hi: y})
			terms += math.Abs(w.column[i] * y)
		}
		d = exact.Value()
		if v := untaken(d, lp.Lo[j], lp.Up[j]); v > ownRounding*terms {
			if end := w.reach(lp, j, d < 0); !math.IsInf(end, 0) {
				moved += v * math.Abs(end)
				sizes += math.Abs(c * end)
			}
		}
	}
	return moved, sizes
}

// reach is the largest value of column j, or the least, that a row alone and the bounds of its other columns allow.
// w.column has the column.
func (w *scratch) reach(lp *LP, j int, up bool) float64 {
	end := inf
	for i, a := range w.column {
		if a == 0 {
			continue
		}
		w.row, w.unit[0], w.one[0] = grow(w.row, len(lp.C)), int32(i), 1
		lp.A.Price(w.row, w.unit[:], w.one[:])
		if !up {
			a = -a
		}
		// a·x ≤ top, or ≥ for a negative one, where x is the column, turned if it falls
		top := lp.RowUp[i]
		if a < 0 {
			top = -lp.RowLo[i]
		}
		for k, e := range w.row {
			if a < 0 {
				e = -e
			}
			switch {
			case k == j:
			case e > 0:
				top -= e * lp.Lo[k]
			case e < 0:
				top -= e * lp.Up[k]
			}
		}
		end = min(end, top/math.Abs(a))
	}
	return end
}

// ownRounding is by how much a sum may be off because the numbers of a solution have been rounded to float64, relative
// to its terms: less than 2^-53 of an exact one, and more after some operations.
const ownRounding = 0x1p-49

// unexplained is the sum of |dual · distance to its bound| over rows and columns, in doubled precision, without those
// of which one factor is 0 within the rounding of x and y. Of a pair that meets its constraints the gap is that sum.
func (w *scratch) unexplained(lp *LP, r *Result) (gap float64) {
	m, _ := lp.A.Dims()
	w.sums, w.column, w.sizes = zeros(w.sums, m), grow(w.column, m), zeros(w.sizes, m)
	sparse, _ := lp.A.(*Sparse)
	for j, x := range r.X {
		d, size := dense.Doubled{Hi: lp.C[j]}, math.Abs(lp.C[j])
		see := func(i int, a float64) {
			d.AddProduct(-a, dense.Doubled{Hi: r.Y[i]})
			size += math.Abs(a * r.Y[i])
			w.sums[i].AddProduct(a, dense.Doubled{Hi: x})
			w.sizes[i] += math.Abs(a * x)
		}
		if sparse != nil {
			index, value := sparse.Entries(j)
			for t, i := range index {
				see(int(i), value[t])
			}
		} else {
			lp.A.Column(w.column, j)
			for i, a := range w.column {
				if a != 0 {
					see(i, a)
				}
			}
		}
		cost := d.Value()
		if b := restingBound(cost, lp.Lo[j], lp.Up[j]); math.Abs(cost) > ownRounding*size &&
			math.Abs(x-b) > ownRounding*math.Abs(b) {
			gap += math.Abs(cost * (x - b))
		}
	}
	for i, y := range r.Y {
		b := restingBound(y, lp.RowLo[i], lp.RowUp[i])
		w.sums[i].Add(-b)
		if e := math.Abs(w.sums[i].Value()); e > ownRounding*max(math.Abs(b), w.sizes[i]) {
			gap += math.Abs(y) * e
		}
	}
	return gap
}

// estimate returns upper bounds of what certify measures, without a look at the matrix: no sum is larger than the sum
// of its terms' sizes.
func estimate(lp *LP, r *Result, unit float64) Certificate {
	c, _, _, _ := measure(lp, r, unit, func(i int) float64 { return math.Abs(r.Activity[i]) },
		func(j int) float64 { return math.Abs(lp.C[j] - r.ReducedCosts[j]) })
	return c
}

// worst returns the largest of residuals and gap.
func (c *Certificate) worst() float64 { return max(c.PrimalResidual, c.DualResidual, c.Gap) }

// finite reports whether all numbers of the vectors are.
func finite(vectors ...[]float64) bool {
	var sum float64 // 0 as long as they are, then NaN
	for _, v := range vectors {
		for _, x := range v {
			sum += x - x
		}
	}
	return sum == 0
}

// relative returns v relative to a size, NaN where that has overflowed: no error would count.
func relative(v, size float64) float64 {
	if math.IsInf(size, 1) {
		return math.NaN()
	}
	return v / size
}

// dualShare is the share of the sizes of the dual's terms that is added to the size of the objective, so
// that terms which cancel up to rounding give an optimum of 0.
const dualShare = 1e-4

// gapRounding is the share of roundedTerms that counts as rounding error of the gap.
const gapRounding = 1e-15

// dualValue returns the dual objective and the sum of the sizes of its terms, d·b or
// c_j·b where that is the larger: d is a difference from c_j.
//
// For any y and d = c − Aᵀy every feasible x has cᵀx = dᵀx + yᵀs, s = Ax, so that
// the sum of each term's least value within bounds bounds the optimum from below.
func dualValue(lp *LP, r *Result) (value, terms float64) {
	for j, d := range r.ReducedCosts {
		b := restingBound(d, lp.Lo[j], lp.Up[j])
		value += d * b
		terms += max(math.Abs(d), math.Abs(lp.C[j])) * math.Abs(b)
	}
	for i, y := range r.Y {
		v := y * restingBound(y, lp.RowLo[i], lp.RowUp[i])
		value += v
		terms += math.Abs(v)
	}
	return value, terms
}

// restingBound returns the bound at which a variable of reduced cost d is cheapest, 0 if
// it is infinite or the cost has no say.
func restingBound(d, lo, up float64) float64 {
	switch {
	case d > 0:
		return finiteOr0(lo)
	case d < 0:
		return finiteOr0(up)
	}
	return 0
}

// roundedTerms is the sum of sizes of dualValue, with all terms of d_j: c_j and
// every a_ij·y_i. It reads the whole matrix, so it is computed only when the gap is in question. Only Options.Unit
// allows it: it would hide the gap of optima that are smaller than the rounding errors of such terms.
func (w *scratch) roundedTerms(lp *LP, r *Result) (terms float64) {
	for j, d := range r.ReducedCosts {
		if b := restingBound(d, lp.Lo[j], lp.Up[j]); b != 0 {
			terms += (math.Abs(lp.C[j]) + w.sizeOfColumn(lp, j, r.Y)) * math.Abs(b)
		}
	}
	for i, y := range r.Y {
		terms += math.Abs(y * restingBound(y, lp.RowLo[i], lp.RowUp[i]))
	}
	return terms
}

// primalResidual returns the largest violation of a bound, of columns and rows, by the sizes of the rows' terms.
func primalResidual(lp *LP, r *Result, unit float64, size func(i int) float64) (largest float64) {
	for j, x := range r.X {
		if v, b := outside(x, lp.Lo[j], lp.Up[j]); v > 0 {
			largest = max(largest, relative(v, max(unit, math.Abs(b), math.Abs(x))))
		}
	}
	for i, s := range r.Activity {
		v, b := outside(s, lp.RowLo[i], lp.RowUp[i])
		if v <= largest*max(unit, math.Abs(b)) { // it cannot be the largest
			continue
		}
		largest = max(largest, relative(v, max(unit, math.Abs(b), size(i))))
	}
	return largest
}

// outside returns how far x is outside its bounds and the bound that it violates.
func outside(x, lo, up float64) (by, bound float64) {
	switch {
	case x < lo:
		return lo - x, lo
	case x > up:
		return x - up, up
	}
	return 0, 0
}

// dualResidual returns the largest part of a reduced cost that no finite bound takes up, by the sizes of the columns'
// terms.
func dualResidual(lp *LP, r *Result, unit float64, size func(j int) float64) (largest float64) {
	for i, y := range r.Y {
		if v := untaken(y, lp.RowLo[i], lp.RowUp[i]); v != 0 {
			largest = max(largest, v/max(unit, v))
		}
	}
	for j, d := range r.ReducedCosts {
		v := untaken(d, lp.Lo[j], lp.Up[j])
		if v <= largest*max(unit, math.Abs(lp.C[j])) {
			continue
		}
		largest = max(largest, relative(v, max(unit, math.Abs(lp.C[j]), size(j))))
	}
	return largest
}

// untaken returns |d| where the bound is infinite on which a variable of reduced cost d would rest.
func untaken(d, lo, up float64) float64 {
	if d > 0 && math.IsInf(lo, -1) || d < 0 && math.IsInf(up, 1) {
		return math.Abs(d)
	}
	return 0
}

// sizeOfRow returns Σ_j |a_ij·x_j|.
func (w *scratch) sizeOfRow(lp *LP, i int, x []float64) float64 {
	w.row, w.unit[0], w.one[0] = grow(w.row, len(x)), int32(i), 1
	lp.A.Price(w.row, w.unit[:], w.one[:])
	return sizeOfDot(w.row, x)
}

// sizeOfColumn returns Σ_i |a_ij·y_i|.
func (w *scratch) sizeOfColumn(lp *LP, j int, y []float64) float64 {
	w.column = grow(w.column, len(y))
	lp.A.Column(w.column, j)
	return sizeOfDot(w.column, y)
}
