package smo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// hingeCase is the dual of a round of SSVC-A: an RBF kernel matrix with a column of ones,
// its columns scaled by up to 10^decades, and signed variables with a cost of c.
func hingeCase(rng *rand.Rand, n int, gamma, decades, c float64) (rows [][]float64, p *boxqp.Problem) {
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	scale := make([]float64, n+1)
	for k := range scale {
		scale[k] = math.Pow(10, decades*rng.Float64())
	}
	p = &boxqp.Problem{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	var z []float64
	for i := range n {
		row := make([]float64, n+1)
		for k := range n {
			dx, dy := x[2*i]-x[2*k], x[2*i+1]-x[2*k+1]
			row[k] = scale[k] * math.Exp(-gamma*(dx*dx+dy*dy))
		}
		row[n] = scale[n]
		rows = append(rows, row)
		z = append(z, row...)
		p.P[i] = 1
		p.Lo[i] = -c
		if x[2*i]*x[2*i+1]+0.3*rng.NormFloat64() > 0 {
			p.P[i] = -1
			p.Lo[i], p.Hi[i] = 0, c
		}
	}
	p.H = boxqp.NewFactor(z, n, n+1, n+1)
	return rows, p
}

// What a solve at a Factor says of its pair is so, and optimal is within the tolerances:
// from kernels of every width, at every cost, with columns of sizes apart.
func TestBoxCertificate(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(41, 42))
		rough, total := 0, 0
		for _, gamma := range []float64{0.05, 0.5, 5} {
			for _, decades := range []float64{0, 4} {
				for _, c := range []float64{0.01, 1, 100, 1e4, 1e5} {
					rows, p := hingeCase(rng, 45, gamma, decades, c)
					r := boxqp.Solve(t.Context(), p, boxqp.Options{})
					kkt, primal, gap := ref.SSVCCertificate(rows, p.P, p.Lo, p.Hi, r.U, r.B)
					what := fmt.Sprintf("γ = %v, 10^%v, C = %v, %v", gamma, decades, c, r.Status)
					testutil.Near(t, what+": gap", r.Gap, gap, 1e-7*max(1, primal))
					testutil.Near(t, what+": violation", r.KKT, kkt, 1e-7)
					if total++; r.Status == status.Optimal {
						testutil.AtMost(t, what+": gap", gap, 1.1e-6*max(1, primal))
						testutil.AtMost(t, what+": violation", kkt, 1.1e-6)
					} else if rough++; r.Status != status.Numerical || !(gap <= 1e-3*primal) {
						t.Errorf("%s: gap %v of %v", what, gap, primal)
					}
				}
			}
		}
		if rough > total/10 {
			t.Errorf("%d of %d end at the rounding limit", rough, total)
		}
	})
}

// Small problems against the enumeration of all active sets in 400 bits: cold, and warm from the
// solution of a problem with other columns.
func TestBoxAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for trial := range 30 {
		c := math.Pow(10, 7*rng.Float64()-2)
		_, before := hingeCase(rng, 5, 0.5, 2, c)
		rows, p := hingeCase(rng, 5, 0.5, 4*rng.Float64(), c)
		want := ref.SSVCBoxOptimum(rows, p.P, p.Lo, p.Hi)
		for _, start := range [][]float64{nil, boxqp.Solve(t.Context(), before, boxqp.Options{}).B} {
			p.Start = start
			r := boxqp.Solve(t.Context(), p, boxqp.Options{Exact: trial%2 == 0})
			if r.Status != status.Optimal {
				t.Fatalf("trial %d: %v", trial, r.Status)
			}
			testutil.Near(t, fmt.Sprintf("trial %d, C = %v", trial, c), r.Objective, want, 1.1e-6*max(1, math.Abs(want)+r.Gap))
		}
	}
}
