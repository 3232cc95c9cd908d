package svc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// OneClass is the method "one-class": the model of Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001),
//
//	min ½‖w‖² − ρ ν Σw_i + Σ w_i ξ_i   subject to   wᵀφ(x_i) ≥ ρ − ξ_i,  ξ ≥ 0,
//
// with f(x) = wᵀφ(x) − ρ, which is positive for inliers. At most a share ν of the training samples has f < 0, and at
// least that share are support vectors. (The paper's model is this one divided by ν Σw; LIBSVM's is this one.)
type OneClass struct {
	learn.Named[OneClass]
	stop
	Nu        float64 // 0 means 0.5
	Tolerance float64 // as in [Trainer]
	MaxIter   int     // limit of two-variable steps; 0 means max(10⁷, 100 N)
}

// EstimateMemory implements [learn.Trainer].
func (t OneClass) EstimateMemory(n, d int) int64 { return minMemory[float64](n, d, 1) }

// Train implements [learn.Trainer] for samples without targets. The report's Objective is the primal value, its dual
// objective is −½ aᵀKa.
func (t OneClass) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	p, err := validated(p, &t, learn.OneClass)
	if err != nil {
		return nil, err
	}
	m := &program{method: t.Name(), c: 1, nu: t.Nu, tolerance: t.Tolerance, libsvm: t.libsvm, maxIter: t.MaxIter, each: 1,
		dual: t.dual}
	return m.train(ctx, p)
}

// dual starts with the first samples at their upper bounds, up to a share ν of the total weight.
func (t OneClass) dual(p *learn.Problem, rows []int, q *smo.Pair) {
	left := 0.0
	for r, i := range rows {
		q.Hi[r] = p.WeightOf(i)
		left += t.Nu * q.Hi[r]
	}
	q.Start = make([]float64, len(rows))
	for r, w := range q.Hi {
		q.Start[r] = min(w, max(left, 0))
		left -= w
	}
}
