package ssvc

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// A first round that ctx ends has a dual iterate. Its image u may be far too long, with an objective above that of
// f = 0. So the model is the best multiple of u. If that is hardly better than f = 0, one pass of single-variable steps
// from f = 0 gives another image. The model is the better of both. If neither is better than f = 0, a step of steepest
// descent always is.

// firstModel returns a pair that is better than f = 0 for a first round that ctx has ended, nil if there is none.
func (m *quadratic) firstModel(pen penalty, q *boxqp.Problem, sol *boxqp.Result) *boxqp.Result {
	const hardly = 0.5 // of the objective of f = 0
	objective := func(r *boxqp.Result) float64 { return r.Gap - r.Objective }
	var best *boxqp.Result
	smallest := m.Idle()
	take := func(r *boxqp.Result) {
		if v := objective(r); v < smallest {
			best, smallest = r, v
		}
	}
	if !math.IsInf(sol.Gap, 1) && len(sol.U) > 0 {
		take(shortened(q, sol))
	}
	if z, ld := pen.features(); z != nil && !(smallest < hardly*m.Idle()) {
		take(shortened(q, m.onePass(q, z, ld)))
		if best == nil {
			take(shortened(q, m.steepest(q, z, ld)))
		}
	}
	return best
}

// steepest returns the image of the bounds on the downhill side at f = 0, with multipliers 0. It is a direction of
// descent of the objective, unless it is 0.
func (m *quadratic) steepest(q *boxqp.Problem, z []float64, ld int) *boxqp.Result {
	n := len(q.P)
	r := &boxqp.Result{B: make([]float64, n), G: make([]float64, n), U: make([]float64, ld)}
	for i, g := range q.P {
		dense.Axpy(side(q, i, g), z[i*ld:(i+1)*ld], r.U)
	}
	m.gradient(r, q, z, ld)
	return r
}

// gradient fills in the gradient of an image.
func (m *quadratic) gradient(r *boxqp.Result, q *boxqp.Problem, z []float64, ld int) {
	parallel.Chunks(m.Threads, len(q.P), 256, func(_, lo, hi int) { dense.MulVec(r.G[lo:hi], z[lo*ld:], ld, r.U) })
	dense.Axpy(1, q.P, r.G)
}

// onePass returns the pair after a step in each variable, from 0, to the minimum along it.
func (m *quadratic) onePass(q *boxqp.Problem, z []float64, ld int) *boxqp.Result {
	n := len(q.P)
	r := &boxqp.Result{B: make([]float64, n), G: make([]float64, n), U: make([]float64, ld)}
	for i := range n {
		row := z[i*ld : (i+1)*ld]
		if h := dense.Dot(row, row); h > 0 {
			r.B[i] = min(max(-(dense.Dot(row, r.U)+q.P[i])/h, q.Lo[i]), q.Hi[i])
			dense.Axpy(r.B[i], row, r.U)
		}
	}
	r.Objective = dense.Dot(r.U, r.U)/2 + dense.Dot(q.P, r.B)
	m.gradient(r, q, z, ld)
	return r
}

// shortened returns the best multiple t u, 0 ≤ t ≤ 1, of the image of a pair, with the gap to its multipliers.
func shortened(q *boxqp.Problem, sol *boxqp.Result) *boxqp.Result {
	t := search(q, make([]float64, len(sol.U)), q.P, sol.U, sol.G)
	r := *sol
	r.U, r.G, r.KKT = make([]float64, len(sol.U)), make([]float64, len(sol.G)), 0
	dense.Axpy(t, sol.U, r.U)
	r.Gap = dense.Dot(r.U, r.U)/2 + sol.Objective
	for i, p := range q.P {
		g := p + t*(sol.G[i]-p)
		r.G[i] = g
		bound := side(q, i, g)
		if r.Gap -= bound * g; sol.B[i] != bound {
			r.KKT = max(r.KKT, math.Abs(g))
		}
	}
	return &r
}
