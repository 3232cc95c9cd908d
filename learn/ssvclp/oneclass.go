package ssvclp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/reweight"
)

// OneClass is the method "sparse-one-class". It estimates the region of the training samples, by the reweighting of
// [B]:
//
//	min Σ λ_i |α_i| + Σ C_i ξ_i   subject to   g(x_i) = Σ_j α_j k(x_i, x_j) ≥ 1 − ξ_i,  ξ ≥ 0,   λ_i = 1/|ᾱ_i|,
//
// a cover of the samples by few kernels. It is the one-class model of Schölkopf et al. (2001) in units of its ρ, with
// Σ log|α_i| instead of ½‖w‖². (In ρ itself this sum has no lower bound.) The model is f = g − ρ. The threshold ρ is
// the largest, halfway between two values of g, for which at most the share ν of the samples' weight has f < 0.
type OneClass struct {
	learn.Named[OneClass]
	C       float64 // cost of a unit of slack; 0 means 1
	Nu      float64 // 0 means 0.5
	MaxIter int     // limits the rounds; 0 means 50
	learn.Subset
}

// EstimateMemory implements [learn.Trainer].
func (t OneClass) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// Train implements [learn.Trainer] for samples without targets. Objective, certificate and [LinearFigures] belong to
// the last linear program, whose model is g.
func (t OneClass) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return reweight.Train(ctx, p, t, OneClass.linear)
}

func (t OneClass) linear() linear {
	return linear{Parameters: reweight.Parameters{Method: t.Name(), Task: learn.OneClass, C: t.C, Subset: t.Subset},
		rounds: t.MaxIter, nu: t.Nu}
}

// sameValue is the largest relative difference of two values of g that count as equal. The values at the support
// vectors are 1 up to rounding.
const sameValue = 1e-7

// threshold returns ρ for the values g of the samples.
func (m *reweighted) threshold(g []float64) float64 {
	order := make([]int, 0, len(m.samples.First))
	var total, largest float64
	for r := range m.samples.First {
		if m.Cost[r] == 0 { // an external candidate
			continue
		}
		order = append(order, r)
		total += m.Cost[r]
		largest = max(largest, math.Abs(g[r]))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g[a], g[b]) })
	rho := g[order[0]] - sameValue*largest
	below := 0.0
	for k, r := range order[:len(order)-1] {
		if below += m.Cost[r]; !(below <= m.nu*total*(1+1e-12)) {
			break
		}
		if next := g[order[k+1]]; next-g[r] > sameValue*largest {
			rho = (g[r] + next) / 2
		}
	}
	return rho
}
