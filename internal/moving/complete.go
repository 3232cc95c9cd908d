package moving

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// factors is what the P of a pass lacks of that of (2): a_j if there is one output.
func (o *objective) factors(v variables) []float64 {
	if o.Outputs == 1 {
		return v.coef
	}
	return o.one
}

// complete makes the gradient of the sum over the points from the sums of the passes, by (2). With P_j = Σ_i P_ij
// it needs no points:
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

// penalty returns ν/2 Σ_o a_oᵀ(K_cc + ρI)a_o + η/2 ‖log w‖² and adds its gradient; a vector's part of K_cc
// is by differences, exact where vectors are near to one another.
func (o *objective) penalty(ctx context.Context, v, g variables) (value float64) {
	for _, log := range v.log {
		value += o.Penalty / 2 * log * log
	}
	for k, log := range v.log {
		g.log[k] += o.Penalty * log
	}
	for i, a := range v.coef {
		value += o.Norm / 2 * (1 + Ridge) * a * a
		g.coef[i] += o.Norm * (1 + Ridge) * a
	}
	for j := range o.k {
		if ctx.Err() != nil {
			return 0
		}
		for l := range j {
			value += o.pairPenalty(v, g, j, l)
		}
	}
	return value
}

// pairPenalty is the part of two vectors: ν k(c_j, c_l) Σ_o a_oj a_ol.
func (o *objective) pairPenalty(v, g variables, j, l int) float64 {
	x, z := v.vec[j*o.d:(j+1)*o.d], v.vec[l*o.d:(l+1)*o.d]
	gx, gz := g.vec[j*o.d:(j+1)*o.d], g.vec[l*o.d:(l+1)*o.d]
	var s float64
	for k, w := range o.width {
		t := x[k] - z[k]
		s += w * t * t
	}
	kernel := o.Norm * math.Exp(-s)
	var aa float64
	for at := 0; at < len(v.coef); at += o.k {
		aa += v.coef[at+j] * v.coef[at+l]
		g.coef[at+j] += kernel * v.coef[at+l]
		g.coef[at+l] += kernel * v.coef[at+j]
	}
	for k, w := range o.width {
		t := x[k] - z[k]
		step := 2 * kernel * aa * w * t
		gx[k] -= step
		gz[k] += step
		if o.Widths != Fixed {
			g.log[o.Widths.of(k)] -= step * t
		}
	}
	return kernel * aa
}

// norm is the Euclidean norm, without overflow where the squares have none.
func norm(x []float64) float64 { return math.Sqrt(dense.Dot(x, x)) }
