package qp

import (
	"cmp"
	"math"

	"github.com/sparsekm/sparsekm/simplex"
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

// Certificate is what proves a result; see [Check]. It is computed in doubled precision where terms cancel.
//
// With Q semidefinite, every y and every point u prove a lower bound of the objective: that of the Lagrangian dual at
// (u, y), whose reduced costs are w = Qu + c − Aᵀy. Here u is X + XLow and y is Y + YLow.
type Certificate struct {
	// PrimalResidual is the largest violation of a bound b: of a row relative to |b| or a millionth of Σ_j |a_ij·x_j|, of
	// a variable to |b| or a millionth of |x_j|. Four roundings of these terms are no violation of a row.
	PrimalResidual float64
	// DualResidual is the largest |w_j − BoundDuals_j| relative to |c_j| + Σ_k |q_jk·u_k| + Σ_i |a_ij·y_i|; 1 if a dual
	// has the sign of an infinite bound. What it costs the objective is a part of the gap.
	DualResidual float64
	// Gap is how far the objective is above the bound that (u, y) prove, and what violated rows may hide: the sum of
	// |y_i·(distance of (AX)_i to its bound)|, of |w_j·(distance of x_j to the bound that w_j pushes it to)| and of
	// ½XLowᵀQXLow. It is relative to the largest of |v| for v = ½XᵀQX + cᵀX, a thousandth of |v| + Σ |c_j·x_j|, and, for
	// an objective of 0, 1e-20 of the sizes of all that cancels. A w_j that pushes to an infinite bound counts as
	// |w_j·x_j|; where it is more than 2⁻⁴⁰ of its sums and four roundings of its terms, also a million times relative
	// to these. Sums that are not finite and an X from 1e20 on make the gap 1.
	Gap float64
	// XLow and YLow are what X and Y lack to be a dual point in doubled precision; empty where that is not needed.
	XLow, YLow []float64
	// Shift is the share of Q's diagonal that is added to it, in the objective too: 0, or, where its entries are so
	// rounded that it is not semidefinite, at most 1e-12.
	Shift float64
	// Farkas (status Infeasible): m multipliers f with fᵀAx ≠ fᵀs for all x and s within their bounds.
	Farkas []float64
	// Ray (status Unbounded): a direction of n components that keeps X feasible and lowers the objective for ever.
	Ray []float64
}

// Linear returns what r has in common with a result of package simplex; reduced costs are the duals of the bounds.
func (r *Result) Linear() *simplex.Result {
	c := simplex.Certificate{PrimalResidual: r.PrimalResidual, DualResidual: r.DualResidual, Gap: r.Gap, Farkas: r.Farkas,
		Ray: r.Ray}
	return &simplex.Result{Status: r.Status, Objective: r.Objective, X: r.X, Activity: r.Activity, Y: r.Y,
		ReducedCosts: r.BoundDuals, Iterations: r.Iterations, Certificate: c}
}

func (c *Certificate) worst() float64 { return max(c.PrimalResidual, c.DualResidual, c.Gap) }

// checkTolerance is what Check allows every residual and the gap, relative.
const checkTolerance = 1e-9

// Check verifies r against p with nothing but p's own data: an optimum by its residuals and its gap, infeasibility by
// the Farkas ray, unboundedness by the ray and a feasible X. It says what fails. Results of other statuses claim
// nothing.
// Where X and Y are too rounded to be a dual point, Check looks for one near them.
// That Q is positive semidefinite, without which an optimum is a stationary value, is for the solver to say.
func Check(p QP, r *Result) error { return new(Checker).Check(p, r) }

// Checker checks many results, and keeps the memory that [Check] needs from one to the next. The zero value is ready;
// goroutines need one each.
type Checker struct {
	Tolerance float64 // the largest residual and gap that pass, as that of [Options]; 0 means 1e-9

	problem  problem
	kept     kept
	activity []float64
}

// Check is the function of this name.
func (k *Checker) Check(p QP, r *Result) error {
	s, tolerance := &k.problem, cmp.Or(k.Tolerance, checkTolerance)
	if err := s.read(&p, &k.kept); err != nil {
		return err
	}
	if len(r.XLow) != 0 && len(r.XLow) != s.n || len(r.YLow) != 0 && len(r.YLow) != s.m {
		return invalid("%d and %d low parts for %d variables and %d rows", len(r.XLow), len(r.YLow), s.n, s.m)
	}
	if len(r.X) != s.n || len(r.Activity) != s.m || len(r.Y) != s.m || len(r.BoundDuals) != s.n {
		return invalid("result for %d variables and %d rows, the program has %d and %d", len(r.X), len(r.Y), s.n, s.m)
	}
	if r.Shift != 0 {
		if !(r.Shift > 0 && r.Shift <= shifts[len(shifts)-1]) || !s.rounded() {
			return unproven("Q needs no shift of %g", r.Shift)
		}
		defer s.add(r.Shift)()
	}
	s.tolerance = tolerance
	c := *r
	k.activity = resized(k.activity, s.m)
	c.Activity = k.activity
	s.certify(&c, nil)
	switch r.Status {
	case status.Optimal:
		if c.PrimalResidual <= tolerance && !(max(c.DualResidual, c.Gap) <= tolerance) && s.dualPoint(&c) {
			s.certify(&c, nil)
		}
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
		if gap := s.farkasGap(r.Farkas, 0); !(gap > 0) {
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
