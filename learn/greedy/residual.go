package greedy

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// recompute computes objective and residual of the returned model, a fit of all of s with C = c, from the model alone.
// A model that is not optimal by sums in float64 is refined with sums in doubled precision.
//
// If the context ends first, the objective is that of the fit, and the model is not called optimal.
func recompute(
	ctx context.Context, t *samples.LeastSquares, s *Selection, m *solution, result *learn.Result, c float64,
) {
	e, r := &result.Expansion, &result.Report
	objective, residual := figures(ctx, t, s, e, c)
	if r.Unjudged(ctx) {
		return
	}
	if !(residual <= samples.OptimalResidual) {
		better, left := newEquations(t, s, e, c).refine(ctx, m)
		if r.Unjudged(ctx) {
			return
		}
		if !(left >= residual) {
			e.Coef, e.Bias, objective, residual = better.coef, better.bias, better.objective, left
		}
	}
	samples.SettleLeastSquares(r, objective, residual)
}

// figures returns the objective and the residual of e, a fit of all of s with C = c, from e alone. The objective is
// ½‖v‖² + (C/2) Σ w_i ξ_i², eq. (1). With a ridge ρ it is ½ Σ w_i ξ_i² + ½ ρ v'K_SS v, and for C = +Inf half the
// squared error. The residual is ‖r‖/‖b‖ of the normal equations
//
//	r_s = k_s'W(y − f) − ρ (K_SS v)_s − μ v_s,   b_s = k_s'W y,
//
// and with a free bias also r_0 = 1'W(y − f), b_0 = 1'W y. Kernel columns k_s are computed again.
func figures(
	ctx context.Context, t *samples.LeastSquares, s *Selection, e *learn.Expansion, c float64,
) (objective, residual float64) {
	f := t.Problem.Decisions(ctx, e, t.Row)
	wy, we := make([]float64, t.N), make([]float64, t.N) // W y and W (y − f)
	var sumY, sumE, squared, size, norm float64
	for i, y := range t.Y {
		wy[i], we[i] = t.W[i]*y, t.W[i]*(y-f[i])
		sumY, sumE = sumY+wy[i], sumE+we[i]
		squared += we[i] * (y - f[i])
	}
	products := t.Problem.Sums(ctx, t.Row, e.Support, wy, we) // b_s and k_s'W(y − f)
	var left, right float64
	if s.bias {
		left, right = math.Abs(sumE), math.Abs(sumY)
	}
	for k, i := range t.Place(e.Support) {
		v := e.Coef[k]
		left = math.Hypot(left, products[2*k+1]-s.ridge*(f[i]-e.Bias)-s.penalty(c)*v)
		right = math.Hypot(right, products[2*k])
		size += v * v
		norm += v * (f[i] - e.Bias)
	}
	return s.objective(c, squared, size, norm), relative(left, right)
}

// relative is left/right; 0 if left is 0, since there may be no equations.
func relative(left, right float64) float64 {
	if left == 0 {
		return 0
	}
	return left / right
}

// objective is the objective of a fit with C = c, from Σ w_i ξ_i², ‖v‖² and v'K_SS v.
func (s *Selection) objective(c, squared, size, norm float64) float64 {
	switch {
	case s.ridge > 0:
		return (squared + s.ridge*norm) / 2
	case math.IsInf(c, 1):
		return squared / 2
	}
	return (c*squared + size) / 2
}

// equations are the normal equations of a fit, in sums of doubled precision. If kernel columns hardly vary, or labels
// cancel in them, a float64 holds only their rounding errors. For example, two samples 1e-12 apart, of both classes,
// leave 1e-12 of k_s'W y.
type equations struct {
	*samples.LeastSquares
	s      *Selection
	c      float64
	chosen []int     // the selected samples
	mean   []float64 // of each kernel column, weighted
}

func newEquations(t *samples.LeastSquares, s *Selection, e *learn.Expansion, c float64) *equations {
	return &equations{LeastSquares: t, s: s, c: c, chosen: t.Place(e.Support), mean: make([]float64, len(e.Support))}
}

// refine improves m by iterative refinement, with residuals in doubled precision and corrections in float64 (Björck
// 1996, Numerical Methods for Least Squares Problems, section 2.9). It returns the best model and its residual. The
// result is meaningless if the context has ended.
func (q *equations) refine(ctx context.Context, m *solution) (best solution, residual float64) {
	const rounds, enough = 10, 1e-3 * samples.OptimalResidual
	residual = math.Inf(1)
	right, err := q.right(ctx)
	if err != nil {
		return best, residual
	}
	now := &solution{coef: slices.Clone(m.coef), bias: m.bias}
	if right == 0 { // nothing to fit
		clear(now.coef)
		now.bias = 0
	}
	for range rounds {
		left, off, ended := q.left(ctx, now)
		if ended != nil {
			return best, residual
		}
		reached := relative(norm(append(left, off)), right)
		done := !(reached < residual/2) || reached <= enough
		if reached < residual || residual > math.MaxFloat64 {
			best, residual = solution{coef: slices.Clone(now.coef), bias: now.bias, objective: now.objective}, reached
		}
		if done {
			break
		}
		for k, v := range q.mean {
			left[k] -= v * off
		}
		if m.correct(ctx, left) != nil {
			return best, residual
		}
		if q.s.bias {
			now.bias += off / q.Total
		}
		for k, d := range left {
			now.coef[k] += d
			if q.s.bias {
				now.bias -= d * q.mean[k]
			}
		}
	}
	return best, residual
}

// right is ‖b‖, and computes the means. The error is the context's.
func (q *equations) right(ctx context.Context) (float64, error) {
	wy := make([]dense.Doubled, q.N)
	var all dense.Doubled
	for i, y := range q.Y {
		wy[i].Hi = q.W[i] * y
		all.Add(wy[i].Hi)
	}
	b, err := q.Products(ctx, q.chosen, wy)
	if err != nil {
		return 0, err
	}
	var r float64
	if q.s.bias {
		r = math.Abs(all.Value())
		for i, w := range q.W {
			wy[i].Hi = w
		}
		means, ended := q.Products(ctx, q.chosen, wy)
		if ended != nil {
			return 0, ended
		}
		for k, v := range means {
			q.mean[k] = v.Value() / q.Total
		}
	}
	for _, v := range b {
		r = math.Hypot(r, v.Value())
	}
	return r, nil
}

// left is r of m, and r_0, which is 0 without a free bias. It gives m its objective. The error is the context's.
func (q *equations) left(ctx context.Context, m *solution) (r []float64, off float64, err error) {
	f, err := q.Expand(ctx, q.chosen, m.coef)
	if err != nil {
		return nil, 0, err
	}
	sums := make([]dense.Doubled, len(q.chosen))
	var size, norm, squared float64
	for k, i := range q.chosen {
		v := m.coef[k]
		sums[k] = f[i].Times(-q.s.ridge)
		sums[k].AddProduct(-q.s.penalty(q.c), dense.Doubled{Hi: v})
		size += v * v
		norm += v * f[i].Value()
	}
	var total dense.Doubled
	for i, y := range q.Y {
		e := f[i].Times(-1)
		e.Add(-m.bias)
		e.Add(y)
		squared += q.W[i] * e.Value() * e.Value()
		f[i] = e.Times(q.W[i])
		total.AddProduct(1, f[i])
	}
	m.objective = q.s.objective(q.c, squared, size, norm)
	products, err := q.Products(ctx, q.chosen, f)
	if err != nil {
		return nil, 0, err
	}
	r = make([]float64, len(sums), len(sums)+1)
	for k := range sums {
		sums[k].AddProduct(1, products[k])
		r[k] = sums[k].Value()
	}
	if q.s.bias {
		off = total.Value()
	}
	return r, off, nil
}

// norm is ‖x‖ without overflow.
func norm(x []float64) (r float64) {
	for _, v := range x {
		r = math.Hypot(r, v)
	}
	return r
}
