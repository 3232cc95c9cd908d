package density

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/ipm"
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

// interior is an iterate: β > 0 with the multipliers of β ≥ 0.
type interior struct {
	*program
	ipm.Method
	beta           ipm.Side
	unit, gradient []float64
	h, b           []float64 // the factor of H + Z/β, and its solution for unit
	dp             []float64 // Φᵀ Δβ
}

// solve goes from β > 0 to the solution by [ipm.Method]. The error is the context's, or errStuck if rounding prevents a
// solution.
func (q *program) solve(ctx context.Context, unit, beta []float64) (steps int, err error) {
	const maxSteps = 200
	m := len(beta)
	x := &interior{program: q, unit: unit, gradient: make([]float64, m), h: q.h[:m*m], b: make([]float64, m),
		dp: make([]float64, q.n)}
	x.beta.Resize(m)
	x.beta.X = beta
	x.Method = ipm.Method{Parts: []*ipm.Side{&x.beta}, Center: 0.1, Within: x.positive}
	var total float64
	for _, w := range q.weight {
		total += q.c * w
	}
	for s := range x.beta.Z {
		x.beta.Z[s] = max(total/float64(m), 1e-3)
	}
	for steps = 0; ; steps++ {
		objective, ended := x.slopes(ctx)
		size := max(1, math.Abs(objective))
		if gap := x.gap(); ended != nil || gap <= 1e-10*size {
			return steps, ended
		} else if steps == maxSteps || x.Step(ctx, x) != nil { // only rounding is left
			if !(gap <= 1e-7*size) {
				err = errStuck
			}
			return steps, cmp.Or(ctx.Err(), err)
		}
	}
}

// inStrips calls part for strips of the m rows, one after the other, and checks the context between them.
func inStrips(ctx context.Context, m int, part func(lo, hi int)) error {
	for lo := 0; lo < m && ctx.Err() == nil; lo += strip {
		part(lo, min(lo+strip, m))
	}
	return ctx.Err()
}

// slopes computes p, curvatures and gradient, and returns the objective. The error is the context's.
func (x *interior) slopes(ctx context.Context) (v float64, err error) {
	q, beta := x.program, x.beta.X
	m := len(beta)
	clear(q.p)
	err = inStrips(ctx, m, func(lo, hi int) { dense.AddRows(q.p, beta[lo:hi], q.phi[lo*q.n:hi*q.n], q.n) })
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
	for s, b := range beta {
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
	return dense.Dot(x.gradient, x.beta.X) - lowest
}

// Factor implements [ipm.Newton] for
//
//	(H + Z/β) Δβ + ν unit = −g + Z + what Z is to gain,   unitᵀΔβ = 1 − unitᵀβ.
func (x *interior) Factor(ctx context.Context) error {
	m := len(x.unit)
	if err := dense.MulWeighted(ctx, x.threads, x.h, x.phi, m, x.n, x.curvature, x.scratch); err != nil {
		return err
	}
	for s, ratio := range x.beta.Ratio {
		x.h[s*m+s] += 2 + ratio
	}
	if err := cholupdate.Cholesky(ctx, x.h, m, m, x.threads); err != nil {
		return err
	}
	copy(x.b, x.unit)
	cholupdate.Solve(x.h, m, m, x.b)
	return nil
}

// Direction implements [ipm.Newton].
func (x *interior) Direction(bool) {
	m := len(x.unit)
	beta := &x.beta
	for s, z := range beta.Z {
		beta.DX[s] = beta.DZ[s] + z - x.gradient[s]
	}
	cholupdate.Solve(x.h, m, m, beta.DX)
	nu := (dense.Dot(x.unit, beta.DX) + dense.Dot(x.unit, beta.X) - 1) / dense.Dot(x.unit, x.b)
	dense.Axpy(-nu, x.b, beta.DX)
	for s, dx := range beta.DX {
		beta.DZ[s] -= beta.Ratio[s] * dx
	}
	clear(x.dp)
	dense.AddRows(x.dp, beta.DX, x.phi[:m*x.n], x.n)
}

// positive is the longest step up to the given one that leaves a tenth of every density.
func (x *interior) positive(step float64) float64 {
	for i, d := range x.dp {
		if d < 0 {
			step = min(step, -0.9*x.p[i]/d)
		}
	}
	return step
}

// Move implements [ipm.Newton].
func (x *interior) Move(float64, float64) {}
