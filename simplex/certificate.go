package simplex

import (
	"cmp"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// checkTolerance is what Check allows every residual and the gap, relative.
const checkTolerance = 1e-9

// Check verifies r against lp with nothing but lp's own data: an optimum by its
// residuals and its duality gap, infeasibility by the Farkas ray, unboundedness
// by the ray. It says what fails. Results of other statuses claim nothing. Bounds that cross are a proof themselves.
func Check(lp LP, r *Result) error { return new(Checker).Check(lp, r) }

// Checker checks many results, and keeps the memory that [Check] needs from one to the next. The zero value is ready;
// goroutines need one each.
type Checker struct {
	Tolerance float64 // the largest residual and gap that pass, as that of [Options]; 0 means 1e-9

	scratch  scratch
	validity validity
	filled   LP
	defaults [5][]float64 // of its vectors
	endless  [5][]float64 // those that are bounds, where some are
	result   Result       // consistent
}

// fill fills the vectors that are nil, and makes bounds from 1e20 on infinite.
func (c *Checker) fill() {
	f := &c.filled
	m, n := f.A.Dims()
	counts, values := [5]int{n, n, n, m, m}, [5]float64{0, 0, inf, -inf, inf}
	for k, v := range f.vectors() {
		if *v == nil {
			*v = grow(c.defaults[k], counts[k])
			for i := range *v {
				(*v)[i] = values[k]
			}
			c.defaults[k] = *v
		}
		if k > 0 {
			*v, c.endless[k] = unlimited(*v, c.endless[k])
		}
	}
}

// Validate is [LP.Validate].
func (c *Checker) Validate(lp LP) error {
	c.filled = lp
	if err := checkShape(&c.filled); err != nil {
		return err
	}
	c.fill()
	return c.validity.check(&c.filled)
}

// Check is the function of this name.
func (c *Checker) Check(lp LP, r *Result) error {
	tolerance := cmp.Or(c.Tolerance, checkTolerance)
	if err := c.Validate(lp); err != nil {
		return err
	}
	f := &c.filled
	m, n := f.A.Dims()
	if len(r.X) != n || len(r.Activity) != m || len(r.Y) != m || len(r.ReducedCosts) != n {
		return invalid("result for %d columns and %d rows, the program has %d and %d", len(r.X), len(r.Y), n, m)
	}
	switch r.Status {
	case status.Optimal:
		return c.checkOptimal(f, r, tolerance)
	case status.Infeasible:
		if len(r.Farkas) != m {
			return unproven("Farkas ray of %d elements for %d rows", len(r.Farkas), m)
		}
		if _, crossed := f.crossed(); crossed {
			return nil
		}
		if gap := c.scratch.farkasGap(f, r.Farkas); !(gap > 0) {
			return unproven("the Farkas ray proves nothing (gap %g)", gap)
		}
	case status.Unbounded:
		return c.checkRay(f, r, tolerance)
	}
	return nil
}

func (c *Checker) checkOptimal(lp *LP, r *Result, tolerance float64) error {
	measured := c.scratch.certify(lp, c.consistent(lp, r), 0)
	obj := dense.Dot(lp.C, r.X) + lp.Offset
	switch {
	case !(measured.PrimalResidual <= tolerance):
		return unproven("primal residual %g", measured.PrimalResidual)
	case !(measured.DualResidual <= tolerance):
		return unproven("dual residual %g", measured.DualResidual)
	case !(measured.Gap <= tolerance):
		return unproven("duality gap %g", measured.Gap)
	case !(math.Abs(obj-r.Objective) <= checkTolerance*math.Abs(obj)):
		return unproven("objective %v, cᵀx is %v", r.Objective, obj)
	}
	return nil
}

// completed returns a new result for r whose numbers are all what its X and Y make them.
func completed(lp *LP, r *Result, unit float64) *Result {
	r = new(Checker).consistent(lp, r)
	r.Certificate, r.Objective = new(scratch).certify(lp, r, unit), dense.Dot(lp.C, r.X)+lp.Offset
	return r
}

// consistent returns r with the activities and reduced costs that its X and Y have.
func (c *Checker) consistent(lp *LP, r *Result) *Result {
	m, n := lp.A.Dims()
	activity, reduced := zeros(c.result.Activity, m), grow(c.result.ReducedCosts, n)
	c.result = *r
	c.result.Activity, c.result.ReducedCosts = activity, reduced
	c.scratch.column = grow(c.scratch.column, m)
	mulAdd(lp.A, activity, r.X, c.scratch.column)
	c.scratch.reducedCostsOf(lp, &c.result)
	return &c.result
}

// farkasGap returns by how much the ranges of fᵀAx and fᵀs, x and s within their
// bounds, are apart, relative to the size of their terms; positive means that no
// x is feasible. Entries of Aᵀf that rounding can explain count as 0 where a bound is infinite.
func (w *scratch) farkasGap(lp *LP, f []float64) float64 {
	var lo, up rangeEnd // of fᵀAx − fᵀs
	w.farkasTerms(lp, f, func(b Bound, e float64) {
		l, u := *slot(lp, b.below(e)), *slot(lp, b.below(-e))
		if (math.IsInf(l, 0) || math.IsInf(u, 0)) && w.isRounding(lp, f, b, e) {
			return
		}
		lo.add(e * l)
		up.add(e * u)
	})
	return max(lo.sum-roundingTolerance*lo.terms, -up.sum-roundingTolerance*up.terms)
}

// farkasTerms calls see for the columns and rows that have a term in fᵀAx − fᵀs, with the term's factor.
func (w *scratch) farkasTerms(lp *LP, f []float64, see func(b Bound, factor float64)) {
	_, n := lp.A.Dims()
	w.terms = grow(w.terms, n)
	list(&w.vector, f)
	lp.A.Price(w.terms, w.vector.Index, w.vector.Value)
	for j, e := range w.terms {
		if e != 0 {
			see(Bound{Index: j}, e)
		}
	}
	for t, i := range w.vector.Index {
		see(Bound{Row: true, Index: int(i)}, -w.vector.Value[t])
	}
}

// isRounding reports whether the factor of a term of farkasTerms may be a rounding error.
func (w *scratch) isRounding(lp *LP, f []float64, b Bound, factor float64) bool {
	if b.Row {
		return false
	}
	w.column = grow(w.column, len(f))
	lp.A.Column(w.column, b.Index)
	v, size := doubledDot(w.column, f)
	return math.Abs(v) <= ownRounding*size
}

// below is the bound at which the variable's term with the given factor is least.
func (b Bound) below(factor float64) Bound {
	b.Upper = factor < 0
	return b
}

// roundingTolerance is the size of a rounding error relative to the sum of the sizes of its terms.
const roundingTolerance = 1e-12

// rangeEnd is one end of the range of a sum, and the sum of its terms' sizes.
type rangeEnd struct{ sum, terms float64 }

func (r *rangeEnd) add(v float64) {
	r.sum += v
	r.terms += math.Abs(v)
}

// doubledDot returns Σ x_i·y_i in doubled precision, and Σ |x_i·y_i|.
func doubledDot(x, y []float64) (sum, size float64) {
	var s dense.Doubled
	for i, v := range x {
		s.AddProduct(v, dense.Doubled{Hi: y[i]})
		size += math.Abs(v * y[i])
	}
	return s.Value(), size
}

// sizeOfDot returns Σ |x_i·y_i|.
func sizeOfDot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += math.Abs(v * y[i])
	}
	return sum
}

// checkRay verifies that X is feasible and that Ray keeps it so for ever at falling cost.
func (c *Checker) checkRay(lp *LP, r *Result, tolerance float64) error {
	m, n := lp.A.Dims()
	if len(r.Ray) != n {
		return unproven("ray of %d elements for %d columns", len(r.Ray), n)
	}
	w := &c.scratch
	w.activity, w.column = zeros(w.activity, m), grow(w.column, m)
	ar := w.activity
	mulAdd(lp.A, ar, r.Ray, w.column)
	if !finite(r.Ray, ar) {
		return unproven("the ray or its activities are not finite")
	}
	leaves := func(v, lo, up float64) bool {
		return (v > 0 && !math.IsInf(up, 1)) || (v < 0 && !math.IsInf(lo, -1))
	}
	for j, v := range r.Ray {
		if leaves(v, lp.Lo[j], lp.Up[j]) {
			return unproven("the ray leaves the bounds of column %d", j)
		}
	}
	for i, v := range ar {
		if !leaves(v, lp.RowLo[i], lp.RowUp[i]) {
			continue
		}
		w.unit[0], w.one[0], w.row = int32(i), 1, grow(w.row, n)
		lp.A.Price(w.row, w.unit[:], w.one[:])
		if v, size := doubledDot(w.row, r.Ray); leaves(v, lp.RowLo[i], lp.RowUp[i]) && !(math.Abs(v) <= ownRounding*size) {
			return unproven("the ray leaves the bounds of row %d", i)
		}
	}
	if slope := dense.Dot(lp.C, r.Ray); !(slope < -roundingTolerance*sizeOfDot(lp.C, r.Ray)) {
		return unproven("the cost changes by %g along the ray", slope)
	}
	if point := w.certify(lp, c.consistent(lp, r), 0); !(point.PrimalResidual <= tolerance) {
		return unproven("primal residual %g", point.PrimalResidual)
	}
	return nil
}
