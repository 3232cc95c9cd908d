package centres

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// certify returns the objective at z, a lower bound of its minimum, and the largest relative violation of the equations
// ∂J/∂a = 0, ∂J/∂b = 0.
//
// With M = ν (K_cc + ρI) the dual is
//
//	max Σ −v_i ℓ*(−δ_i/v_i) − ½ gᵀM⁻¹g,   g = −Σ δ_i k_i,   Σ δ_i = 0
//
// and δ_i = −v_i ∂ℓ/∂f at the optimum. With α = |δ|, −v ℓ*(−δ/v) is α − α²/(4v) for the squared hinge, α ≤ v for the
// hinge, v times the entropy of α/v for the logistic loss, y δ − δ²/(4v) for the squared loss, and y δ − ε α, α ≤ v,
// for the ε-insensitive loss. The slopes at z give a feasible δ once the side with the larger sum is scaled down to the
// other. For any a, with e = M a + g,
//
//	½ gᵀM⁻¹g = −½ aᵀM a − aᵀg + ½ eᵀM⁻¹e ≤ −½ aᵀM a − aᵀg + ‖e‖²/(2νρ)
//
// so that rounding errors in a factor of M do not affect the bound. a is that of z after refinement of M a = −g.
func (c *convex) certify(ctx context.Context, z []float64) (value, dual, violation float64) {
	c.share = [2]float64{1, 1}
	value, ok := c.pass(ctx, z, false)
	if !ok {
		return 0, 0, 0
	}
	sides := c.sums()
	alpha := sides[0].alpha + sides[1].alpha
	violation = RelativeViolation(c.norm, z, c.grad, c.Norm, alpha)
	if c.loss.dual == nil {
		return value, math.NaN(), violation
	}
	value = sides[0].loss + sides[1].loss
	for j := range c.k {
		value += z[j] * dense.Dot(c.norm[j*c.k:(j+1)*c.k], z[:c.k]) / 2
	}
	smallest := min(sides[0].alpha, sides[1].alpha)
	for s := range sides {
		if c.share[s] = 0; sides[s].alpha > 0 {
			c.share[s] = smallest / sides[s].alpha
		}
	}
	if _, ok = c.pass(ctx, z, false); !ok {
		return 0, 0, 0
	}
	g := make([]float64, c.k)
	for s, side := range c.sums() {
		dual += side.dual
		dense.Axpy(c.share[s], side.grad, g)
	}
	return value, dual - ConjugateBound(ctx, c.norm, z[:c.k], g, c.Norm*Ridge), violation
}

// sums adds up the sides over the parts of the last pass.
func (c *convex) sums() (sides [2]side) {
	for s := range sides {
		sides[s].grad = make([]float64, c.k)
		for i := range c.parts {
			p := &c.parts[i].side[s]
			sides[s].alpha, sides[s].loss, sides[s].dual = sides[s].alpha+p.alpha, sides[s].loss+p.loss, sides[s].dual+p.dual
			dense.Axpy(1, p.grad, sides[s].grad)
		}
	}
	return sides
}

// RelativeViolation is the largest component of a gradient at z = (a, b), relative to the sizes of its terms: M a, of
// which m is the matrix, or unit if that is larger, and alpha, the sum of all |v ∂ℓ/∂f|.
func RelativeViolation(m, z, grad []float64, unit, alpha float64) float64 {
	k := len(z) - 1
	var worst, size float64
	for j := range k {
		size = max(size, math.Abs(dense.Dot(m[j*k:(j+1)*k], z)))
		worst = max(worst, math.Abs(grad[j]))
	}
	worst /= max(unit, size, alpha)
	if alpha > 0 {
		worst = max(worst, math.Abs(grad[k])/alpha)
	}
	return worst
}

// ConjugateBound is an upper bound of ½ gᵀM⁻¹g that holds in spite of rounding, from an a near −M⁻¹g. No eigenvalue of
// M may be below least.
func ConjugateBound(ctx context.Context, m, a, g []float64, smallest float64) float64 {
	k, best := len(g), math.Inf(1)
	l, a, e := slices.Clone(m), slices.Clone(a), make([]float64, len(g))
	factored := cholupdate.Cholesky(ctx, l, k, k, 1) == nil
	for range 3 {
		bound := 0.0
		for j := range e {
			ma := dense.Dot(m[j*k:(j+1)*k], a)
			e[j] = ma + g[j]
			bound -= a[j] * (ma/2 + g[j])
		}
		best = min(best, bound+dense.Dot(e, e)/(2*smallest))
		if !factored || SolveFactored(ctx, l, e) != nil {
			break
		}
		dense.Axpy(-1, e, a)
	}
	return best
}

// SolveFactored overwrites x with (L Lᵀ)⁻¹ x for a lower triangular l of order len(x). The error is the context's.
func SolveFactored(ctx context.Context, l, x []float64) error {
	n := len(x)
	lower, b := dense.Of(l, n, n, n), dense.Of(x, n, 1, 1)
	if err := dense.SolveLower(ctx, 1, lower, b); err != nil {
		return err
	}
	return dense.SolveUpper(ctx, 1, lower.T(), b)
}
