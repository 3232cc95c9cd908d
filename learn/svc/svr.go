package svc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// SVR is the method "svr" with its parameters: ε-insensitive regression,
//
//	min ½‖w‖² + Σ C_i (ξ_i + ξ*_i)   subject to   f(x_i) − y_i ≤ ε + ξ_i,  y_i − f(x_i) ≤ ε + ξ*_i,  ξ, ξ* ≥ 0
//
// for f(x) = wᵀφ(x) + b (Vapnik 1995; Smola & Schölkopf 2004, eq. (3)). Samples inside the tube are no support vectors.
type SVR struct {
	learn.Named[SVR]
	stop
	C         float64 // cost of a unit of slack; 0 means 1
	Epsilon   float64 // half the width of the tube; 0 means 0.1, a negative number 0
	Tolerance float64 // as in [Trainer], the violation in units of y; 0 means 1e-3
	MaxIter   int     // limit of two-variable steps; 0 means max(10⁷, 200 N)
}

// EstimateMemory implements [learn.Trainer].
func (t SVR) EstimateMemory(n, d int) int64 { return minMemory[float64](n, d, 2) }

// Train implements [learn.Trainer] for regression. The report's Objective is the primal value, its dual objective
// is −½ aᵀKa − ε Σ|a| + yᵀa, and its Figures are a [Figures].
func (t SVR) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	p, err := validated(p, &t, learn.Regress)
	if err != nil {
		return nil, err
	}
	p, _ = p.Merge() // first, since the costs of repeated samples add up
	return t.program().train(ctx, p)
}

// DecideAll implements [learn.Deciding].
func (t SVR) DecideAll(ctx context.Context, p *learn.Problem, rows, of []int, alone bool) *learn.Decided {
	wrong := learn.Complete(&t)
	return t.program().decide(ctx, t, wrong, p, rows, of, alone)
}

func (t SVR) program() *program {
	return &program{method: t.Name(), c: t.C, tolerance: t.Tolerance, libsvm: t.libsvm, maxIter: t.MaxIter, each: 2, dual: t.dual}
}

// dual states the dual in α_i − α*_i, Smola & Schölkopf (2004), eq. (10): α_i is variable i and −α*_i variable n+i.
func (t SVR) dual(p *learn.Problem, rows []int, q *smo.Pair) {
	n := len(rows)
	for r, i := range rows {
		c := t.C * p.WeightOf(i)
		q.P[r], q.Hi[r] = t.Epsilon-p.Y[i], c
		q.P[n+r], q.Lo[n+r] = -t.Epsilon-p.Y[i], -c
	}
}

// NuSVR is the method "nu-svr": ε-SVR with the ε for which Σ|a| = ν C Σw, where w are the sample weights, or with ε = 0
// if that already has fewer errors. At most a share ν of the samples lies outside the tube, and at least that share are
// support vectors (Schölkopf et al. 2000).
type NuSVR struct {
	learn.Named[NuSVR]
	stop
	C         float64 // cost of a unit of slack; 0 means 1
	Nu        float64 // 0 means 0.5
	Tolerance float64 // as in [SVR]
	MaxIter   int     // limit of two-variable steps, over all solves together; 0 means max(10⁷, 200 N) for each
}

// EstimateMemory implements [learn.Trainer].
func (t NuSVR) EstimateMemory(n, d int) int64 {
	return minMemory[float64](n, d, 2) + searchMemory(2*n)
}

// Train implements [learn.Trainer] for regression. The report is as for [SVR] with ε = Figures.Cost.
func (t NuSVR) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	p, err := validated(p, &t, learn.Regress)
	if err != nil {
		return nil, err
	}
	p, _ = p.Merge() // first, since the costs of repeated samples add up
	return t.program().train(ctx, p)
}

// DecideAll implements [learn.Deciding].
func (t NuSVR) DecideAll(ctx context.Context, p *learn.Problem, rows, of []int, alone bool) *learn.Decided {
	wrong := learn.Complete(&t)
	return t.program().decide(ctx, t, wrong, p, rows, of, alone)
}

func (t NuSVR) program() *program {
	m := &program{method: t.Name(), c: t.C, tolerance: t.Tolerance, libsvm: t.libsvm, maxIter: t.MaxIter, each: 2}
	m.dual = func(p *learn.Problem, rows []int, q *smo.Pair) { SVR{C: t.C}.dual(p, rows, q) }
	m.share = func(p *learn.Problem, rows []int) (u []float64, want float64) {
		n := len(rows)
		u = make([]float64, 2*n)
		for r, i := range rows {
			u[r], u[n+r] = 1, -1
			want += t.Nu * t.C * p.WeightOf(i)
		}
		return u, want
	}
	return m
}
