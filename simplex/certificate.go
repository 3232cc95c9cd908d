package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// checkTolerance is what Check allows every residual and the gap, relative.
const checkTolerance = 1e-9

// Check verifies r against lp with nothing but lp's own data: an optimum by its
// residuals and its duality gap, infeasibility by the Farkas ray, unboundedness
// by the ray. It says what fails. Results of other statuses claim nothing.
func Check(lp LP, r *Result) error { return CheckWithin(lp, r, checkTolerance) }

// CheckWithin is [Check] with the largest residual and gap that are to pass, the Tolerance of
// [Options]; Check's is 1e-9.
func CheckWithin(lp LP, r *Result, tolerance float64) error {
	if err := lp.Validate(); err != nil {
		return err
	}
	f := lp.filled()
	m, n := f.A.Dims()
	if len(r.X) != n || len(r.Activity) != m || len(r.Y) != m || len(r.ReducedCosts) != n {
		return invalid("result for %d columns and %d rows, the program has %d and %d", len(r.X), len(r.Y), n, m)
	}
	switch r.Status {
	case status.Optimal:
		return checkOptimal(&f, r, tolerance)
	case status.Infeasible:
		if len(r.Farkas) != m {
			return unproven("Farkas ray of %d elements for %d rows", len(r.Farkas), m)
		}
		if gap := farkasGap(&f, r.Farkas); !(gap > 0) {
			return unproven("the Farkas ray proves nothing (gap %g)", gap)
		}
	case status.Unbounded:
		return checkRay(&f, r, tolerance)
	}
	return nil
}

func checkOptimal(lp *LP, r *Result, tolerance float64) error {
	c := certify(lp, consistent(lp, r), 0)
	obj := dense.Dot(lp.C, r.X) + lp.Offset
	switch {
	case !(c.PrimalResidual <= tolerance):
		return unproven("primal residual %g", c.PrimalResidual)
	case !(c.DualResidual <= tolerance):
		return unproven("dual residual %g", c.DualResidual)
	case !(c.Gap <= tolerance):
		return unproven("duality gap %g", c.Gap)
	case !(math.Abs(obj-r.Objective) <= checkTolerance*math.Abs(obj)):
		return unproven("objective %v, cᵀx is %v", r.Objective, obj)
	}
	return nil
}

// consistent returns r with the activities and reduced costs that its X and Y have.
func consistent(lp *LP, r *Result) *Result {
	m, n := lp.A.Dims()
	c := *r
	c.Activity, c.ReducedCosts = make([]float64, m), make([]float64, n)
	mulAdd(lp.A, c.Activity, r.X, make([]float64, m))
	reducedCostsOf(lp, &c)
	return &c
}

// farkasGap returns by how much the ranges of fᵀAx and fᵀs, x and s within their
// bounds, are apart, relative to the size of their terms; positive means that no
// x is feasible. Entries of Aᵀf that rounding can explain count as 0 where a bound is infinite.
func farkasGap(lp *LP, f []float64) float64 {
	var lo, up rangeEnd // of fᵀAx − fᵀs
	farkasTerms(lp, f, func(b Bound, e float64, rounding func() bool) {
		l, u := *slot(lp, b.below(e)), *slot(lp, b.below(-e))
		if (math.IsInf(l, 0) || math.IsInf(u, 0)) && rounding() {
			return
		}
		lo.add(e * l)
		up.add(e * u)
	})
	return max(lo.sum-roundingTolerance*lo.terms, -up.sum-roundingTolerance*up.terms)
}

// farkasTerms calls see for the columns and rows that have a term in fᵀAx − fᵀs, with the term's factor and whether it
// may be a rounding error.
func farkasTerms(lp *LP, f []float64, see func(b Bound, factor float64, rounding func() bool)) {
	m, n := lp.A.Dims()
	z, column := make([]float64, n), make([]float64, m)
	v := newVector(f)
	lp.A.Price(z, v.Index, v.Value)
	for j, e := range z {
		if e != 0 {
			see(Bound{Index: j}, e, func() bool {
				lp.A.Column(column, j)
				return math.Abs(e) <= roundingTolerance*sizeOfDot(column, f)
			})
		}
	}
	for t, i := range v.Index {
		see(Bound{Row: true, Index: int(i)}, -v.Value[t], func() bool { return false })
	}
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

// sizeOfDot returns Σ |x_i·y_i|.
func sizeOfDot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += math.Abs(v * y[i])
	}
	return sum
}

// checkRay verifies that X is feasible and that Ray keeps it so for ever at falling cost.
func checkRay(lp *LP, r *Result, tolerance float64) error {
	m, n := lp.A.Dims()
	if len(r.Ray) != n {
		return unproven("ray of %d elements for %d columns", len(r.Ray), n)
	}
	ar := make([]float64, m)
	mulAdd(lp.A, ar, r.Ray, make([]float64, m))
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
	row := make([]float64, n)
	for i, v := range ar {
		if !leaves(v, lp.RowLo[i], lp.RowUp[i]) {
			continue
		}
		if !(relative(math.Abs(v), sizeOfRow(lp, i, r.Ray, row)) <= roundingTolerance) {
			return unproven("the ray leaves the bounds of row %d", i)
		}
	}
	if slope := dense.Dot(lp.C, r.Ray); !(slope < -roundingTolerance*sizeOfDot(lp.C, r.Ray)) {
		return unproven("the cost changes by %g along the ray", slope)
	}
	if c := certify(lp, consistent(lp, r), 0); !(c.PrimalResidual <= tolerance) {
		return unproven("primal residual %g", c.PrimalResidual)
	}
	return nil
}

// sizeOfRow returns Σ_j |a_ij·x_j|, with scratch for the n entries of the row.
func sizeOfRow(lp *LP, i int, x, row []float64) float64 {
	lp.A.Price(row, []int32{int32(i)}, []float64{1})
	return sizeOfDot(row, x)
}
