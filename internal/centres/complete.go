package centres

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// factors converts P of a pass to P of (2): a_j if there is one output, else 1.
func (o *objective) factors(v variables) []float64 {
	if o.Outputs == 1 {
		return v.coef
	}
	return o.one
}

// complete computes the gradient of the loss from the sums of the passes, by (2). With P_j = Σ_i P_ij it needs no
// samples:
//
//	Σ_i P_ij (z_i − c_j) = Σ_i P_ij z_i − P_j c_j,   P_j = Σ_o a_oj Σ_i r_oi k_ij
//	Σ_ij P_ij (z_ik − c_jk)² = Σ_ij P_ij z_ik² − 2 Σ_j c_jk Σ_i P_ij z_ik + Σ_j P_j c_jk²
func (o *objective) complete(v, g variables, sq []float64) {
	factor := o.factors(v)
	for k := range g.log {
		g.log[k] = -2 * o.width[k] * sq[k]
	}
	for j := range o.k {
		var total float64
		for out := range o.Outputs {
			total += v.coef[out*o.k+j] * g.coef[out*o.k+j]
		}
		c, gc := v.vec[j*o.d:(j+1)*o.d], g.vec[j*o.d:(j+1)*o.d]
		for k, w := range o.width {
			pz := factor[j] * gc[k]
			if o.Widths != Fixed {
				g.log[o.Widths.of(k)] -= 2 * w * c[k] * (total*c[k] - 2*pz)
			}
			gc[k] = 2 * w * (pz - total*c[k])
		}
	}
}

// norm is the Euclidean norm.
func norm(x []float64) float64 { return math.Sqrt(dense.Dot(x, x)) }
