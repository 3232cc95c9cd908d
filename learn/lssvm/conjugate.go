package lssvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// The ways to solve the system.
const (
	byInverse   = "inverse"
	byConjugate = "conjugate"
)

// conjugate solves the system as Suykens et al. (1999), "Least squares support vector machine classifiers: a large
// scale algorithm": Aη = 1 and Aν = y by conjugate gradients (Hestenes & Stiefel), then b = 1'ν/1'η and a = ν − bη.
// Memory has what the budget has room for.
type conjugate struct {
	*samples.LeastSquares
	k            *blocked.Matrix[float64]
	all          []int
	ridge        []float64 // 1/(γ w_i)
	steps, limit int
}

// solveConjugate trains without an inverse, and so without leave-one-out figures.
func (t Dual) solveConjugate(ctx context.Context, task *samples.LeastSquares) (*learn.Result, error) {
	n := task.N
	if err := task.Budget.Take(blocked.Bytes[float64](blocked.MinRows, n, 0, 0) + 8*8*int64(n)); err != nil {
		return nil, err
	}
	c := &conjugate{LeastSquares: task, all: deal.All(n), ridge: make([]float64, n), limit: t.MaxIter,
		k: blocked.New(task.Packed, task.Budget.Left(), task.Threads)}
	defer c.k.Release()
	for i, w := range task.W {
		c.ridge[i] = 1 / (t.GammaReg * w)
	}
	eta, st, err := c.solve(ctx, slices.Repeat([]float64{1}, n))
	if err != nil || st != status.Optimal && ctx.Err() != nil { // half of the way, before there is a model
		return nil, cmp.Or(err, ctx.Err())
	}
	nu, last, err := c.solve(ctx, task.Y)
	if err != nil {
		return nil, err
	}
	if st.Done() {
		st = last
	}
	b := dense.Sum(nu) / dense.Sum(eta)
	dense.Axpy(-b, eta, nu)
	r := &learn.Result{Expansion: learn.Expansion{Support: task.Row, Coef: nu, Bias: b}}
	r.Report = learn.Report{Status: st, Iterations: c.steps, KernelEvals: c.k.Stats().KernelEvals}
	return r, nil
}

// solve returns x with Ax = v, or what there is after limit steps, or at the end of ctx. The error says that A is not
// positive definite, or that ctx has ended before the first step: then x = 0 is no model.
func (c *conjugate) solve(ctx context.Context, v []float64) ([]float64, status.Status, error) {
	x, r, p, q := make([]float64, c.N), slices.Clone(v), slices.Clone(v), make([]float64, c.N)
	square := dense.Dot(r, r)
	size := math.Sqrt(square)
	for steps := 0; math.Sqrt(square) > samples.OptimalResidual/100*size; steps++ {
		if steps == c.limit {
			return x, status.IterationLimit, nil
		}
		if err := c.product(ctx, q, p); err != nil {
			if steps == 0 {
				return nil, 0, err
			}
			return x, status.FromContext(ctx), nil
		}
		curvature := dense.Dot(p, q)
		if !(curvature > 0) || math.IsInf(curvature, 1) {
			return nil, 0, fmt.Errorf("lssvm: the kernel matrix is not positive definite with these weights: "+
				"conjugate gradients meet the curvature %.3g; a smaller gamma-reg regularises more", curvature)
		}
		step, before := square/curvature, square
		dense.Axpy(step, p, x)
		dense.Axpy(-step, q, r)
		square = dense.Dot(r, r)
		for i := range p {
			p[i] = r[i] + square/before*p[i]
		}
		c.steps++
		if c.Progress != nil {
			c.Progress(learn.Event{Phase: "step", Done: -1, Step: c.steps, Violation: math.Sqrt(square) / size})
		}
	}
	return x, status.Optimal, nil
}

// product writes Ap to q.
func (c *conjugate) product(ctx context.Context, q, p []float64) error {
	for i, v := range p {
		q[i] = c.ridge[i] * v
	}
	return c.k.AddRows(ctx, q, c.all, p)
}
