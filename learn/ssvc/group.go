package ssvc

import (
	"context"
	"math"
)

// grouped is the penalty [diagonal] of the zero norm for columns that are kept or dropped together. A group g has one
// λ_g = 1/‖ᾱ_g‖², where ᾱ_g are its coefficients. Since log t is concave, ½‖α_g‖²/‖ᾱ_g‖² majorises log‖α_g‖, as ½ α²/ᾱ²
// majorises log|α|. So each round lowers Σ_g log‖α_g‖ + Σ C_i ξ_i. Groups of one column behave as in [diagonal].
type grouped struct {
	*diagonal
	group []int     // live column → its group
	sum   []float64 // group → scratch
	norm  []float64 // live column → ‖α_g‖ of the round's solution
	image []float64 // live column → ‖u_g‖ of it
	bound []float64 // live column → bound of ‖(K̄β)_g‖
}

// newGrouped returns a penalty for columns of the given groups, numbered from 0.
func newGrouped(d *diagonal, group []int) *grouped {
	g := &grouped{diagonal: d, group: group, sum: make([]float64, len(group))}
	g.bound = g.norms(d.reach)
	return g
}

// norms returns for every column the norm of v over its group.
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

// residual is the residual of the group: at a fixed point ‖u_g‖² = Σ α_i (K̄β)_i over the group is 1.
func (g *grouped) residual(_, _ []float64, i int) float64 { return math.Abs(g.image[i]*g.image[i] - 1) }

// doomed uses that the group's next coefficients are ‖α_g‖² (K̄β)_g.
func (g *grouped) doomed(_ float64, i int) bool { return g.norm[i]*g.bound[i] < 1 }

// level does nothing, because features are in units of their largest size.
func (g *grouped) level(context.Context) (again bool, err error) { return false, nil }

func (g *grouped) reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error) {
	for j, i := range keep {
		g.group[j], g.bound[j] = g.group[i], g.bound[i]
	}
	g.group, g.bound = g.group[:len(keep)], g.bound[:len(keep)]
	return g.diagonal.reweight(ctx, keep, alpha, g.norms(size))
}
