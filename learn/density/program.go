package density

import (
	"context"
	"errors"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// program is one convex program,
//
//	min −C Σ w_i ln (Φᵀβ)_i + Σ β²   subject to   Σ unit_j β_j = 1, β ≥ 0,
//
// where a row of Φ has a Gaussian's values at the n samples times its unit.
type program struct {
	n, threads   int
	c            float64
	weight       []float64
	phi          []float64 // one row per coefficient
	h, scratch   []float64
	p, curvature []float64 // Φᵀβ and C w/p²
}

const strip = dense.Strip

// newProgram returns a program of n samples. After the end of ctx, when nothing reads them, it may have no matrices.
func newProgram(ctx context.Context, n, threads int, c float64, weight []float64) *program {
	return &program{n: n, threads: threads, c: c, weight: weight, phi: dense.New(ctx, n*n), h: dense.New(ctx, n*n),
		scratch: make([]float64, n*strip), p: make([]float64, n), curvature: make([]float64, n)}
}

var errStuck = errors.New("density: rounding keeps the steps from the solution")

// interior is an iterate: β > 0 with multipliers z > 0 of β ≥ 0.
type interior struct {
	unit, beta, z []float64
	gradient      []float64
	da, dz        []float64 // the step
}

// solve goes from β > 0 to the solution by a primal-dual interior-point method. The error is the context's, or errStuck
// if rounding prevents a solution.
func (q *program) solve(ctx context.Context, unit, beta []float64) (steps int, err error) {
	const most = 200
	m := len(beta)
	x := &interior{unit: unit, beta: beta, z: make([]float64, m), gradient: make([]float64, m), da: make([]float64, m),
		dz: make([]float64, m)}
	var total float64
	for _, w := range q.weight {
		total += q.c * w
	}
	for s := range x.z {
		x.z[s] = max(total/float64(m), 1e-3)
	}
	for steps = range most {
		var objective float64
		if objective, err = q.slopes(ctx, x); err != nil {
			return steps, err
		}
		if x.gap() <= 1e-10*max(1, math.Abs(objective)) {
			return steps, nil
		}
		if err = q.step(ctx, x); err != nil {
			return steps, err
		}
		t := q.longest(x)
		for s := range beta {
			beta[s] += t * x.da[s]
			x.z[s] += t * x.dz[s]
		}
	}
	objective, err := q.slopes(ctx, x)
	if err == nil && !(x.gap() <= 1e-7*max(1, math.Abs(objective))) {
		err = errStuck
	}
	return most, err
}

// inStrips calls part for strips of the m rows, one after the other, and checks the context between them.
func inStrips(ctx context.Context, m int, part func(lo, hi int)) error {
	for lo := 0; lo < m && ctx.Err() == nil; lo += strip {
		part(lo, min(lo+strip, m))
	}
	return ctx.Err()
}

// slopes computes p, curvatures and gradient, and returns the objective. The error is the context's.
func (q *program) slopes(ctx context.Context, x *interior) (v float64, err error) {
	m := len(x.beta)
	clear(q.p)
	err = inStrips(ctx, m, func(lo, hi int) { dense.AddRows(q.p, x.beta[lo:hi], q.phi[lo*q.n:hi*q.n], q.n) })
	if err != nil {
		return 0, err
	}
	over := make([]float64, q.n)
	for i, p := range q.p {
		v -= q.c * q.weight[i] * math.Log(p)
		over[i] = q.c * q.weight[i] / p
		q.curvature[i] = over[i] / p
	}
	err = inStrips(ctx, m, func(lo, hi int) { dense.MulVec(x.gradient[lo:hi], q.phi[lo*q.n:hi*q.n], q.n, over) })
	for s, b := range x.beta {
		x.gradient[s] = 2*b - x.gradient[s]
		v += b * b
	}
	return v, err
}

// gap is the decrease of the linearised objective to the best corner of the simplex. It bounds the distance of the
// objective from its minimum.
func (x *interior) gap() float64 {
	lowest := math.Inf(1)
	for s, g := range x.gradient {
		lowest = min(lowest, g/x.unit[s])
	}
	return dense.Dot(x.gradient, x.beta) - lowest
}

// step computes the Newton step towards a tenth of the present complementarity,
//
//	(H + z/β) Δβ + ν unit = −g + μ/β,   unitᵀΔβ = 1 − unitᵀβ,   Δz = μ/β − z − (z/β) Δβ.
func (q *program) step(ctx context.Context, x *interior) error {
	m := len(x.beta)
	h := q.h[:m*m]
	if err := inStrips(ctx, m, func(lo, hi int) { clear(h[lo*m : hi*m]) }); err != nil {
		return err
	}
	if err := dense.MulWeighted(ctx, q.threads, h, q.phi, m, q.n, q.curvature, q.scratch); err != nil {
		return err
	}
	mu := dense.Dot(x.beta, x.z) / float64(m) / 10
	b := make([]float64, m)
	for s := range m {
		h[s*m+s] += 2 + x.z[s]/x.beta[s]
		x.da[s] = mu/x.beta[s] - x.gradient[s]
		b[s] = x.unit[s]
	}
	if err := cholupdate.Cholesky(ctx, h, m, m, q.threads); err != nil {
		return errors.Join(errStuck, err)
	}
	cholupdate.Solve(h, m, m, x.da)
	cholupdate.Solve(h, m, m, b)
	nu := (dense.Dot(x.unit, x.da) + dense.Dot(x.unit, x.beta) - 1) / dense.Dot(x.unit, b)
	for s := range m {
		x.da[s] -= nu * b[s]
		x.dz[s] = mu/x.beta[s] - x.z[s] - x.z[s]/x.beta[s]*x.da[s]
	}
	return nil
}

// longest is the largest step length that keeps β, z and every density positive.
func (q *program) longest(x *interior) float64 {
	t := 1.0
	keep := func(v, d []float64, share float64) {
		for s, by := range d {
			if by < 0 {
				t = min(t, -share*v[s]/by)
			}
		}
	}
	keep(x.beta, x.da, 0.995)
	keep(x.z, x.dz, 0.995)
	dp := make([]float64, q.n)
	dense.AddRows(dp, x.da, q.phi[:len(x.da)*q.n], q.n)
	keep(q.p, dp, 0.9)
	return t
}
