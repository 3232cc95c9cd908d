package qp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// Result is where a solve ended. X is the best iterate so far, whatever Status says. Its vectors belong to the caller:
// a solve into the same Result uses them again.
type Result struct {
	Status      status.Status
	Objective   float64   // ½xᵀQx + cᵀx + offset
	X           []float64 // n
	Activity    []float64 // m: Ax
	Y           []float64 // m duals of the rows: positive at a lower bound, negative at an upper one
	BoundDuals  []float64 // n duals of the bounds: Qx + c = Aᵀy + BoundDuals
	Iterations  int       // constraints that were added and dropped
	Refactored  int       // fresh factors that a solve needed, proximal steps not counted
	Proximal    int       // proximal steps, if Q is only semidefinite
	Certificate           // what proves it
}

// Certificate is what proves a result; see [Check]. The residuals are relative to the sizes of their own terms, or to a
// thousandth of the largest terms.
type Certificate struct {
	// PrimalResidual is the largest violation of a bound b: for a row relative to max(|b|, Σ_j |a_ij·x_j|) or
	// ‖a_i‖·‖x‖∞/1000, for a variable to max(|b|, |x_j|) or ‖x‖∞/1000.
	PrimalResidual float64
	// DualResidual is the largest |Qx + c − Aᵀy − BoundDuals|, relative to max(|c_j|, Σ_k |q_jk·x_k|, Σ_i |a_ij·y_i|)
	// or a thousandth of the largest |c_j|, |Qx|_j, |Aᵀy|_j; and 1 if a dual has the sign of an infinite bound.
	DualResidual float64
	// Gap is what the objective is above that of the dual program, Σ (dual · distance to its bound), relative to
	// |½xᵀQx| + Σ |c_j·x_j| + |offset| + Σ |dual · bound|; 1 if these are not finite.
	Gap float64
	// Farkas (status Infeasible): m multipliers f with fᵀAx ≠ fᵀs for all x and s within their bounds.
	Farkas []float64
	// Ray (status Unbounded): a direction of n components that keeps X feasible and lowers the objective for ever.
	Ray []float64
}

func (c *Certificate) worst() float64 { return max(c.PrimalResidual, c.DualResidual, c.Gap) }

// bySums is the residual above which the sums of sizes are computed that it is relative to.
const bySums = 1e-12

// ofLargest is the part of the largest terms that every residual may be relative to.
const ofLargest = 1e-3

// certify sets the certificate's residuals, the activities and the objective of x and duals.
func (s *problem) certify(r *Result) {
	n := s.n
	s.mulQ(s.qx, r.X)
	dense.MulVec(r.Activity, s.a, n, r.X)
	clear(s.aty)
	dense.AddRows(s.aty, r.Y, s.a, n)
	half := dense.Dot(s.qx, r.X) / 2
	r.Objective = half + dense.Dot(s.c, r.X) + s.offset
	r.PrimalResidual, r.DualResidual = 0, 0
	largest := ofLargest * dense.Largest(r.X)
	var gap, size float64
	for i, v := range r.Activity {
		lo, up := s.rowLo[i], s.rowUp[i]
		if v < lo || v > up || v != v {
			r.PrimalResidual = max(r.PrimalResidual, s.rowResidual(i, v, largest*s.norms[i], r.X))
		}
		s.complementarity(r, r.Y[i], v, lo, up, &gap, &size)
	}
	terms := ofLargest * max(dense.Largest(s.qx), dense.Largest(s.c), dense.Largest(s.aty))
	for j, x := range r.X {
		lo, up, w := s.lo[j], s.up[j], r.BoundDuals[j]
		if x < lo || x > up || x != x {
			r.PrimalResidual = max(r.PrimalResidual, relative(max(lo-x, x-up), violated(x, lo, up), max(largest, math.Abs(x))))
		}
		s.complementarity(r, w, x, lo, up, &gap, &size)
		size += math.Abs(s.c[j] * x)
		if e := math.Abs(s.qx[j] + s.c[j] - s.aty[j] - w); e != 0 {
			r.DualResidual = max(r.DualResidual, s.dualResidual(j, e, terms, r))
		}
	}
	size += math.Abs(half) + math.Abs(s.offset)
	if r.Gap = relative(math.Abs(gap), size, 0); !finite(r.Objective) || !finite(size) {
		r.Gap = 1
	}
}

// relative is e by the larger size, 0 of 0.
func relative(e, a, b float64) float64 {
	if e == 0 {
		return 0
	}
	return e / max(math.Abs(a), math.Abs(b))
}

// violated is the bound that v is beyond.
func violated(v, lo, up float64) float64 {
	if v < lo {
		return lo
	}
	return up
}

// complementarity adds a constraint's term of the gap.
func (s *problem) complementarity(r *Result, dual, v, lo, up float64, gap, size *float64) {
	if dual == 0 {
		return
	}
	bound := lo
	if dual < 0 {
		bound = up
	}
	if math.IsInf(bound, 0) || dual != dual {
		r.DualResidual = max(r.DualResidual, 1)
		return
	}
	*gap += dual * (v - bound)
	*size += math.Abs(dual * bound)
}

func (s *problem) rowResidual(i int, v, least float64, x []float64) float64 {
	lo, up := s.rowLo[i], s.rowUp[i]
	e, b := max(lo-v, v-up), max(least, math.Abs(violated(v, lo, up)))
	if rel := relative(e, b, v); rel <= bySums {
		return rel
	}
	return relative(e, b, sizeOfDot(s.a[i*s.n:], x))
}

func (s *problem) dualResidual(j int, e, least float64, r *Result) float64 {
	size := max(least, math.Abs(s.c[j]), math.Abs(s.qx[j]), math.Abs(s.aty[j]))
	if rel := relative(e, size, 0); rel <= bySums {
		return rel
	}
	sum := 0.0
	for i, y := range r.Y {
		if y != 0 {
			sum += math.Abs(y * s.a[i*s.n+j])
		}
	}
	return relative(e, max(least, math.Abs(s.c[j]), sum), sizeOfDot(s.q[j*s.n:], r.X))
}

// sizeOfDot returns Σ |a_i·x_i|.
func sizeOfDot(a, x []float64) (sum float64) {
	a = a[:len(x)]
	for i, v := range x {
		sum += math.Abs(v * a[i])
	}
	return sum
}

// rounding is the size of a rounding error relative to the sum of the sizes of its terms.
const rounding = 1e-12

// farkasGap returns by how much the ranges of fᵀAx and fᵀs, x and s within their bounds, are apart, relative to the
// sizes of their terms; positive means that no x is feasible. Entries of Aᵀf that rounding can explain count as 0 where
// a bound is infinite.
func (s *problem) farkasGap(f []float64) float64 {
	clear(s.aty)
	dense.AddRows(s.aty, f, s.a, s.n)
	var least, most rangeEnd
	for j, e := range s.aty {
		lo, up := ends(e, s.lo[j], s.up[j])
		if math.IsInf(lo, 0) || math.IsInf(up, 0) {
			sum := 0.0
			for i, v := range f {
				sum += math.Abs(v * s.a[i*s.n+j])
			}
			if math.Abs(e) <= rounding*sum {
				continue
			}
		}
		least.add(lo)
		most.add(up)
	}
	for i, v := range f {
		lo, up := ends(-v, s.rowLo[i], s.rowUp[i])
		least.add(lo)
		most.add(up)
	}
	return max(least.sum-rounding*least.size, -most.sum-rounding*most.size)
}

// objectiveSize is that of the objective's terms; qx is Qx.
func (s *problem) objectiveSize(x []float64) float64 {
	size := math.Abs(s.offset) + math.Abs(dense.Dot(s.qx, x)/2)
	for j, v := range x {
		size += math.Abs(s.c[j] * v)
	}
	return size
}

// ends are the least and the largest value of e times a number between lo and up.
func ends(e, lo, up float64) (least, most float64) {
	switch {
	case e > 0:
		return e * lo, e * up
	case e < 0:
		return e * up, e * lo
	}
	return 0, 0
}

// rangeEnd is one end of the range of a sum, and the sum of its terms' sizes.
type rangeEnd struct{ sum, size float64 }

func (r *rangeEnd) add(v float64) {
	r.sum += v
	r.size += math.Abs(v)
}

// rayTolerance is the largest part of Q·ray and of a row's change along the ray that counts as rounding.
const rayTolerance = 1e-9

// checkRay verifies that a ray keeps every x feasible and lowers the objective for ever.
func (s *problem) checkRay(ray []float64) error {
	leaves := func(v, lo, up float64) bool { return v > 0 && !math.IsInf(up, 1) || v < 0 && !math.IsInf(lo, -1) }
	slope, size := 0.0, 0.0
	for j, v := range ray {
		if !finite(v) || leaves(v, s.lo[j], s.up[j]) {
			return unproven("the ray leaves the bounds of variable %d", j)
		}
		slope += s.c[j] * v
		size += math.Abs(s.c[j] * v)
		q := s.q[j*s.n:][:s.n]
		if e := dense.Dot(q, ray); !(math.Abs(e) <= rayTolerance*sizeOfDot(q, ray)) {
			return unproven("the objective curves along the ray, at variable %d", j)
		}
	}
	for i := range s.m {
		a := s.a[i*s.n:][:s.n]
		if e := dense.Dot(a, ray); leaves(e, s.rowLo[i], s.rowUp[i]) && !(math.Abs(e) <= rayTolerance*sizeOfDot(a, ray)) {
			return unproven("the ray leaves the bounds of row %d", i)
		}
	}
	if !(slope < -rayTolerance*size) {
		return unproven("the objective changes by %g along the ray", slope)
	}
	return nil
}

// checkTolerance is what Check allows every residual and the gap, relative.
const checkTolerance = 1e-9

// Check verifies r against p with nothing but p's own data: an optimum by its residuals and its gap, infeasibility by
// the Farkas ray, unboundedness by the ray and a feasible X. It says what fails. Results of other statuses claim
// nothing.
// That Q is positive semidefinite, without which an optimum is a stationary value, is for the solver to say.
func Check(p QP, r *Result) error { return new(Checker).Check(p, r) }

// CheckWithin is [Check] with the largest residual and gap that are to pass; Check's is 1e-9.
func CheckWithin(p QP, r *Result, tolerance float64) error {
	return new(Checker).check(&p, r, tolerance)
}

// Checker checks many results, and keeps the memory that [Check] needs from one to the next. The zero value is ready;
// goroutines need one each.
type Checker struct {
	problem  problem
	kept     kept
	activity []float64
}

// Check is the function of this name.
func (k *Checker) Check(p QP, r *Result) error { return k.check(&p, r, checkTolerance) }

func (k *Checker) check(p *QP, r *Result, tolerance float64) error {
	s := &k.problem
	if err := s.read(p, &k.kept); err != nil {
		return err
	}
	if len(r.X) != s.n || len(r.Activity) != s.m || len(r.Y) != s.m || len(r.BoundDuals) != s.n {
		return invalid("result for %d variables and %d rows, the program has %d and %d", len(r.X), len(r.Y), s.n, s.m)
	}
	c := *r
	k.activity = resized(k.activity, s.m)
	c.Activity = k.activity
	s.certify(&c)
	switch r.Status {
	case status.Optimal:
		switch {
		case !(c.PrimalResidual <= tolerance):
			return unproven("primal residual %g", c.PrimalResidual)
		case !(c.DualResidual <= tolerance):
			return unproven("dual residual %g", c.DualResidual)
		case !(c.Gap <= tolerance):
			return unproven("duality gap %g", c.Gap)
		case !(math.Abs(c.Objective-r.Objective) <= tolerance*s.objectiveSize(c.X)):
			return unproven("objective %v, that of x is %v", r.Objective, c.Objective)
		}
	case status.Infeasible:
		if len(r.Farkas) != s.m {
			return unproven("Farkas ray of %d elements for %d rows", len(r.Farkas), s.m)
		}
		if gap := s.farkasGap(r.Farkas); !(gap > 0) {
			return unproven("the Farkas ray proves nothing (gap %g)", gap)
		}
	case status.Unbounded:
		if len(r.Ray) != s.n {
			return unproven("ray of %d elements for %d variables", len(r.Ray), s.n)
		}
		if !(c.PrimalResidual <= tolerance) {
			return unproven("primal residual %g", c.PrimalResidual)
		}
		return s.checkRay(r.Ray)
	}
	return nil
}
