package svc

import (
	"context"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// objectiveChunk is how many support vectors are looked at beside as many others at a time, which
// takes a few milliseconds.
const objectiveChunk = 256

// preciseObjective gives sol the objective ½ aᵀKa + pᵀa from kernel values in double precision; the
// gap, a difference, stays. A rounded matrix moves the optimum's value by ½ aᵀδKa, the point itself much less.
// A context that ends leaves sol as it is.
func preciseObjective(ctx context.Context, p *learn.Problem, rows []int, sol *smo.PairResult) {
	e := expansion(rows, sol)
	var linear, squares float64
	f := make([]float64, objectiveChunk)
	for lo := 0; lo < len(e.Support); lo += objectiveChunk {
		x, coef := chunkOf(p, &e, lo)
		for i, a := range coef {
			linear -= a * p.Y[e.Support[lo+i]]
		}
		sum := gram.Pack[float64](p.Kernel, x, len(coef), p.D).Expand(coef)
		for at := lo; at < len(e.Support); at += objectiveChunk {
			if ctx.Err() != nil {
				return
			}
			if at > lo {
				x, coef = chunkOf(p, &e, at)
			}
			sum.Eval(f[:len(coef)], x, len(coef))
			for i, a := range coef {
				if at > lo {
					a *= 2
				}
				squares += a * f[i]
			}
		}
	}
	sol.Objective = 0.5*squares + linear
}

// chunkOf returns a chunk of the expansion's vectors and coefficients.
func chunkOf(p *learn.Problem, e *learn.Expansion, lo int) (x, coef []float64) {
	hi := min(lo+objectiveChunk, len(e.Support))
	return p.Points(e.Support[lo:hi]), e.Coef[lo:hi]
}
