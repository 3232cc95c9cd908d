package pooled

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// certify bounds the minimum of (1) from below by the dual
//
//	max Σ_i y_i β_i − β_i²/(4 C v_i) − ½ gᵀM⁻¹g,   g = −Σ_i β_i k_i,   Σ_i β_i = 0,   M = K_zz + ρI
//
// at β_i = −C v_i ∂ℓ/∂f, once the side with the larger sum is scaled down to the other; y_i β_i ≥ 0 holds for the
// squared hinge. It needs only the sums of the model.
func (t *training) certify(ctx context.Context, out *output) *learn.Duality {
	k, z, sides := t.m.K, out.best, &out.sums.side
	smallest := t.C * min(*sides[0].beta, -*sides[1].beta)
	g, dual := make([]float64, k), 0.0
	for i := range sides {
		s, share := &sides[i], 0.0
		if sum := t.C * math.Abs(*s.beta); sum > 0 {
			share = smallest / sum
		}
		dual += t.C * (share**s.betaY - share*share**s.loss)
		dense.Axpy(-t.C*share, s.grad, g)
	}
	d := &learn.Duality{Objective: dual - centres.ConjugateBound(ctx, t.norm, z[:k], g, centres.Ridge), KKT: t.violation(out)}
	d.Gap = (out.value - d.Objective) / max(1, math.Abs(out.value))
	return d
}

// violation is the largest component of the gradient relative to the sizes of its terms.
func (t *training) violation(out *output) float64 {
	size := t.C * (*out.sums.side[0].beta - *out.sums.side[1].beta)
	return centres.RelativeViolation(t.norm, out.best, out.sums.downhill(out.best, t.norm, t.C), 1, size)
}
