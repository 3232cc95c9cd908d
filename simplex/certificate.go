package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// checkTolerance is what Check allows every residual, relative.
const checkTolerance = 1e-7

// Check verifies r against lp with nothing but lp's own data: an optimum by its
// residuals and its duality gap, infeasibility by the Farkas ray, unboundedness
// by the ray. It says what fails. Results of other statuses claim nothing.
func Check(lp LP, r *Result) error {
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
		return checkOptimal(&f, r)
	case status.Infeasible:
		if len(r.Farkas) != m {
			return unproven("Farkas ray of %d elements for %d rows", len(r.Farkas), m)
		}
		if gap := farkasGap(&f, r.Farkas); !(gap > 0) {
			return unproven("the Farkas ray proves nothing (gap %g)", gap)
		}
	case status.Unbounded:
		return checkRay(&f, r)
	}
	return nil
}

func checkOptimal(lp *LP, r *Result) error {
	m, n := lp.A.Dims()
	honest := *r
	honest.Activity, honest.ReducedCosts = make([]float64, m), make([]float64, n)
	mulAdd(lp.A, honest.Activity, r.X, make([]float64, m))
	priceOut(lp, &honest)
	c := certify(lp, &honest)
	obj := dense.Dot(lp.C, r.X) + lp.Offset
	switch {
	case !(c.PrimalResidual <= checkTolerance):
		return unproven("primal residual %g", c.PrimalResidual)
	case !(c.DualResidual <= checkTolerance):
		return unproven("dual residual %g", c.DualResidual)
	case !(c.Gap <= checkTolerance):
		return unproven("duality gap %g", c.Gap)
	case !(math.Abs(obj-r.Objective) <= checkTolerance*(1+math.Abs(obj))):
		return unproven("objective %v, the point has %v", r.Objective, obj)
	}
	return nil
}

// newVector lists the nonzero elements of x.
func newVector(x []float64) (v sparse) {
	for i, e := range x {
		if e != 0 {
			v.index, v.value = append(v.index, int32(i)), append(v.value, e)
		}
	}
	return v
}

// certify measures the residuals and the gap of a primal and dual pair.
//
// For any y and d = c − Aᵀy every feasible x has cᵀx = dᵀx + yᵀs, s = Ax, so that
// the sum of each term's least value within bounds bounds the optimum from below.
func certify(lp *LP, r *Result) (c Certificate) {
	var dual, primal float64
	see := func(x, d, lo, up, scale float64) {
		if x < lo {
			c.PrimalResidual = max(c.PrimalResidual, (lo-x)/max(1, math.Abs(lo)))
		} else if x > up {
			c.PrimalResidual = max(c.PrimalResidual, (x-up)/max(1, math.Abs(up)))
		}
		switch {
		case d > 0 && !math.IsInf(lo, -1):
			dual += d * lo
		case d < 0 && !math.IsInf(up, 1):
			dual += d * up
		default:
			c.DualResidual = max(c.DualResidual, math.Abs(d)/max(1, math.Abs(scale)))
		}
	}
	for j, x := range r.X {
		see(x, r.ReducedCosts[j], lp.Lo[j], lp.Up[j], lp.C[j])
		primal += lp.C[j] * x
	}
	for i, s := range r.Activity {
		see(s, r.Y[i], lp.RowLo[i], lp.RowUp[i], 1)
	}
	c.Gap = math.Abs(primal-dual) / (1 + math.Abs(primal+lp.Offset))
	return c
}

// farkasGap returns by how much the ranges of fᵀAx and fᵀs, x and s within their
// bounds, are apart, relative to the size of their terms; positive means that no
// x is feasible. Entries of Aᵀf that rounding can explain count as 0.
func farkasGap(lp *LP, f []float64) float64 {
	_, n := lp.A.Dims()
	z, size := make([]float64, n), 0.0
	v := newVector(f)
	lp.A.Price(z, v.index, v.value)
	for _, e := range v.value {
		size = max(size, math.Abs(e))
	}
	var lo, up, terms float64 // of fᵀAx − fᵀs
	see := func(e, l, u float64) {
		if math.Abs(e) <= 1e-9*size && (math.IsInf(l, -1) || math.IsInf(u, 1)) {
			return
		}
		if e < 0 {
			l, u = u, l
		}
		if e != 0 {
			lo += e * l
			up += e * u
			terms = max(terms, math.Abs(finiteOr0(e*l)), math.Abs(finiteOr0(e*u)))
		}
	}
	for j, e := range z {
		see(e, lp.Lo[j], lp.Up[j])
	}
	for i, e := range f {
		see(-e, lp.RowLo[i], lp.RowUp[i])
	}
	gap := max(lo, -up)
	if math.IsNaN(gap) {
		return math.Inf(-1)
	}
	return gap - 1e-12*terms
}

// checkRay verifies that X is feasible and that Ray keeps it so for ever at falling cost.
func checkRay(lp *LP, r *Result) error {
	m, n := lp.A.Dims()
	if len(r.Ray) != n {
		return unproven("ray of %d elements for %d columns", len(r.Ray), n)
	}
	ar, size := make([]float64, m), 0.0
	mulAdd(lp.A, ar, r.Ray, make([]float64, m))
	for _, v := range r.Ray {
		size = max(size, math.Abs(v))
	}
	leaves := func(v, lo, up float64) bool {
		return (v > checkTolerance*size && !math.IsInf(up, 1)) || (v < -checkTolerance*size && !math.IsInf(lo, -1))
	}
	for j, v := range r.Ray {
		if leaves(v, lp.Lo[j], lp.Up[j]) {
			return unproven("the ray leaves the bounds of column %d", j)
		}
	}
	for i, v := range ar {
		if leaves(v, lp.RowLo[i], lp.RowUp[i]) {
			return unproven("the ray leaves the bounds of row %d", i)
		}
	}
	if slope := dense.Dot(lp.C, r.Ray); !(slope < 0) {
		return unproven("the cost changes by %g along the ray", slope)
	}
	if c := certify(lp, r); !(c.PrimalResidual <= checkTolerance) {
		return unproven("primal residual %g", c.PrimalResidual)
	}
	return nil
}
