package smo

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/smo/internal/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// Box is the quadratic program
//
//	min Q(b) = ½ bᵀHb + pᵀb   subject to   lo ≤ b ≤ hi
//
// with H = ZZᵀ positive semidefinite. Bounds may be infinite. The dual (11) of Huang et al. (2010) is the case p = −1,
// lo = 0, hi = C; in signed variables b_i = y_i β_i it is p = −y with bounds [0, C] or [−C, 0].
type Box struct {
	H      *Factor
	P      []float64
	Lo, Hi []float64
	// Start is the first iterate, moved into the box; nil means zero.
	Start []float64
	// Image is a guess of the solution's image u = Zᵀb, the primal variable.
	// It need not be the image of Start. Nil means the image of Start.
	Image []float64
}

// BoxResult is the last iterate of [Box.Solve], with its certificate.
type BoxResult struct {
	Status status.Status
	B      []float64
	// G is the gradient Zu + p with the primal variable u, computed afresh.
	G []float64
	// U is the primal variable u of min ½‖u‖² + Σ max{−b_i (Zu + p)_i : lo_i ≤ b_i ≤ hi_i}. At
	// the optimum it is Zᵀb, but more accurate than Zᵀb as computed from B: it does not carry the rounding errors of B.
	U []float64
	// KKT is the largest |G_i| of a variable that is free to move downhill.
	KKT float64
	// Objective is Q(B).
	Objective float64
	// Gap is Objective minus the value of the Lagrangian dual: ½‖U − ZᵀB‖² plus
	// Σ G_i (B_i − lo_i) over G_i > 0 plus Σ −G_i (hi_i − B_i) over G_i < 0.
	// The optimum lies in [Objective−Gap, Objective]. Gap is infinite when
	// a bound on the downhill side of G_i is infinite, and when ctx ended before a certificate was computed.
	Gap    float64
	Passes int // products with the whole of H
	Steps  int // single-variable steps (12)
	Newton int // steps in all free variables at once
}

// Solve minimises Q to a KKT violation of at most Tolerance (default 1e-6). MaxIter limits the products with the
// whole of H (default 300; ordinary problems take 5 to 30). Status is Unbounded when a variable with h_ii = 0 has no
// bound on its downhill side; any other unbounded problem ends at the limit. Solve panics when the shapes disagree.
//
// A proximal point method with semismooth Newton steps comes near the active set. A parametric
// active-set method then ends at the optimum exactly, however ill-conditioned H is. Optimal means that KKT is within
// Tolerance and Gap within 5e-7 max(1, −Objective+Gap). Numerical means that rounding errors leave more than that;
// KKT and Gap tell how much. The result is judged as the pair (U, B): see BoxResult.
func (p *Box) Solve(ctx context.Context, opt Options) *BoxResult {
	q := &boxqp.Problem{H: &p.H.factor, P: p.P, Lo: p.Lo, Hi: p.Hi, Start: p.Start, Image: p.Image}
	r := (*BoxResult)(q.Solve(ctx, boxqp.Options(opt)))
	if r.Status == status.Optimal && (!finite(r.KKT, r.Objective) || math.IsNaN(r.Gap)) { // see Gap for infinite ones
		r.Status = status.Numerical
	}
	return r
}

// BoxScratch returns the bytes that [Box.Solve] takes at most, or nearly, for a [Factor] of n rows in r dimensions.
func BoxScratch(n, r int) int64 { return boxqp.Scratch(n, r) }

// Factor is the matrix H = Z Zᵀ, given by the n rows z_i of Z. H is never formed:
// the solver works with the image u = Zᵀb, so one product costs n·r.
type Factor struct{ factor boxqp.Factor }

// NewFactor wraps z, which is n×r, row-major with row stride ld, and keeps a reference to it. It panics
// when z is too short. A Factor serves one solve at a time.
func NewFactor(z []float64, n, r, ld int) *Factor { return &Factor{boxqp.NewFactor(z, n, r, ld)} }

// Narrow makes f the factor of the first r columns with row stride ld, after the caller has rearranged z.
// Both may only fall. The scratch memory of earlier solves stays in use.
func (f *Factor) Narrow(r, ld int) { f.factor.Narrow(r, ld) }
