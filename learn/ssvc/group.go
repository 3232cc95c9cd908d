package ssvc

import (
	"context"
	"math"
)

// grouped is [diagonal] of the zero norm for columns that are kept or dropped together: with one λ for a group, the
// size of whose coefficients ᾱ_g is ‖ᾱ_g‖, λ_g = 1/‖ᾱ_g‖². Since log t² is concave, ½‖α_g‖²/‖ᾱ_g‖² majorises
// log‖α_g‖ as ½ α²/ᾱ² does log|α|, and each round lowers Σ_g log‖α_g‖ + Σ C_i ξ_i. Groups of one column are
// [diagonal]'s.
type grouped struct {
	*diagonal
	group []int     // live column → its group
	sum   []float64 // group → scratch
	norm  []float64 // live column → ‖α_g‖ of the round's solution
	image []float64 // live column → ‖u_g‖ of it
	bound []float64 // live column → bound of ‖(K̄β)_g‖
}

// newGrouped is a penalty for columns of the given groups, from 0.
func newGrouped(d *diagonal, group []int) *grouped {
	g := &grouped{diagonal: d, group: group, sum: make([]float64, len(group))}
	g.bound = g.norms(d.reach)
	return g
}

// norms gives every column the norm of its group's values.
func (g *grouped) norms(v []float64) []float64 {
	clear(g.sum)
	for i, x := range v {
		g.sum[g.group[i]] = math.Hypot(g.sum[g.group[i]], x)
	}
	norms := make([]float64, len(v))
	for i := range v {
		norms[i] = g.sum[g.group[i]]
	}
	return norms
}

func (g *grouped) coefficients(alpha, u []float64) {
	g.diagonal.coefficients(alpha, u)
	g.norm, g.image = g.norms(alpha), g.norms(u)
}

// residual is that of the group: ‖u_g‖² = Σ α_i (K̄β)_i over it is 1 at a fixed point.
func (g *grouped) residual(_, _ []float64, i int) float64 { return math.Abs(g.image[i]*g.image[i] - 1) }

// doomed: the group's next coefficients are ‖α_g‖² (K̄β)_g.
func (g *grouped) doomed(_ float64, i int) bool { return g.norm[i]*g.bound[i] < 1 }

// level is not needed: features are in units of their largest size.
func (g *grouped) level(context.Context) (again bool, err error) { return false, nil }

func (g *grouped) reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error) {
	for j, i := range keep {
		g.group[j], g.bound[j] = g.group[i], g.bound[i]
	}
	g.group, g.bound = g.group[:len(keep)], g.bound[:len(keep)]
	return g.diagonal.reweight(ctx, keep, alpha, g.norms(size))
}
