package pooled

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// certify bounds the least value of (1) from below, by the dual
//
//	max Σ_i y_i β_i − β_i²/(4 C v_i) − ½ gᵀM⁻¹g,   g = −Σ_i β_i k_i,   Σ_i β_i = 0,   M = K_zz + ρI
//
// at β_i = −C v_i ∂ℓ/∂f, once the side of larger sum is scaled down to that of the other; y_i β_i ≥ 0 holds for the
// squared hinge. All of it is in the sums of the model.
func (t *training) certify(ctx context.Context, out *output) *learn.Duality {
	k, z, sides := t.m.K, out.best, &out.at.side
	least := t.C * min(*sides[0].beta, -*sides[1].beta)
	g, dual := make([]float64, k), 0.0
	for i := range sides {
		s, share := &sides[i], 0.0
		if sum := t.C * math.Abs(*s.beta); sum > 0 {
			share = least / sum
		}
		dual += t.C * (share**s.betaY - share*share**s.loss)
		dense.Axpy(-t.C*share, s.grad, g)
	}
	d := &learn.Duality{Objective: dual - t.conjugate(ctx, z[:k], g), KKT: t.violation(out)}
	d.Gap = (out.value - d.Objective) / max(1, math.Abs(out.value))
	return d
}

// violation is the largest component of the gradient, relative to its terms: M a, and the sum of all |β|.
func (t *training) violation(out *output) float64 {
	k, size := t.m.K, t.C*(*out.at.side[0].beta-*out.at.side[1].beta)
	left := out.at.downhill(out.best, t.norm, t.C)
	var worst, terms float64
	for j := range k {
		terms = max(terms, math.Abs(dense.Dot(t.norm[j*k:(j+1)*k], out.best[:k])))
		worst = max(worst, math.Abs(left[j]))
	}
	worst /= max(1, terms, size)
	if size > 0 {
		worst = max(worst, math.Abs(left[k])/size)
	}
	return worst
}

// conjugate is an upper bound of ½ gᵀM⁻¹g that no rounding in a factor of M reaches: for any a, with e = M a + g, it is
// at most −½ aᵀM a − aᵀg + ‖e‖²/(2ρ).
func (t *training) conjugate(ctx context.Context, a, g []float64) float64 {
	k, best := t.m.K, math.Inf(1)
	l, a, e := slices.Clone(t.norm), slices.Clone(a), make([]float64, t.m.K)
	factored := cholupdate.Cholesky(ctx, l, k, k, 1) == nil
	for range 3 {
		bound := 0.0
		for j := range e {
			ma := dense.Dot(t.norm[j*k:(j+1)*k], a)
			e[j] = ma + g[j]
			bound -= a[j] * (ma/2 + g[j])
		}
		best = min(best, bound+dense.Dot(e, e)/(2*ridge))
		if !factored || back(ctx, l, e) != nil {
			break
		}
		dense.Axpy(-1, e, a)
	}
	return best
}
