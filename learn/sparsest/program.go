package sparsest

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// program is the problem without the bound on the number of vectors, in units in which no kernel value exceeds 1:
//
//	min ½ ‖β‖² + Σ_i cost_i max(0, 1 − (Aβ)_i − y_i b),   A_ij = y_i k(x_i, x_j)/unit of candidate j.
//
// The method's coefficients are β/unit, and its objective is that of the program over unit².
type program struct {
	n, m    int
	a       []float64 // candidate by candidate: n values each
	y, cost []float64
	unit    float64
}

// maxCost bounds the sum of the costs in units of the program: their squares are no infinities.
const maxCost = 1e150

// newProgram evaluates the kernel between the samples with a cost and the candidates, which are numbers of columns.
// The error is the context's, or of numbers that are not finite or too large.
func newProgram(ctx context.Context, s *samples.Merged, pts *gram.Samples[float64], candidates []int) (*program,
	error) {
	var rows []int
	for r, c := range s.Cost {
		if c > 0 {
			rows = append(rows, r)
		}
	}
	n, m := len(rows), len(candidates)
	p := &program{n: n, m: m, a: dense.New(ctx, n*m), y: make([]float64, n), cost: make([]float64, n), unit: 1}
	if p.a == nil {
		return nil, ctx.Err()
	}
	all := make([]float64, pts.Len())
	var largest float64
	for q, j := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pts.Row(all, j)
		column := p.column(int32(q))
		for i, r := range rows {
			v := all[s.Row[r]]
			if v-v != 0 {
				return nil, fmt.Errorf("the kernel of samples %d and %d is %v", s.First[s.Row[r]], s.First[j], v)
			}
			column[i] = s.Y[r] * v
			largest = max(largest, math.Abs(v))
		}
	}
	if largest > 0 {
		p.unit = largest
		for i := range p.a {
			p.a[i] /= largest
		}
	}
	for i, r := range rows {
		p.y[i], p.cost[i] = s.Y[r], s.Cost[r]*p.unit*p.unit
	}
	if sum := dense.Sum(p.cost); !(sum <= maxCost) {
		return nil, fmt.Errorf("the cost C times the weights and the square of the largest kernel value, %.3g, is %.3g "+
			"in sum, want at most %v: scale the features", largest, sum, maxCost)
	}
	return p, nil
}

// column has the values of a candidate.
func (p *program) column(j int32) []float64 { return p.a[int(j)*p.n : (int(j)+1)*p.n] }

// balance moves α into its bounds and scales the class with the larger sum down, so that yᵀα = 0. It returns Σ α.
func (p *program) balance(alpha []float64) float64 {
	var up, low float64
	for i, v := range alpha {
		alpha[i] = min(max(v, 0), p.cost[i])
		if p.y[i] > 0 {
			up += alpha[i]
		} else {
			low += alpha[i]
		}
	}
	smallest := min(up, low)
	for i, v := range alpha {
		if sum := up; p.y[i] > 0 && sum > smallest {
			alpha[i] = v * (smallest / sum)
		} else if sum := low; p.y[i] < 0 && sum > smallest {
			alpha[i] = v * (smallest / sum)
		}
	}
	return 2 * smallest
}

// loss is the sum of hinge losses with f = Aβ at the best b, and that b.
func (p *program) loss(f []float64) (value, bias float64) {
	bias = samples.Bias(p.y, p.cost, func(i int) float64 { return p.y[i] * (1 - f[i]) })
	for i, c := range p.cost {
		value += c * max(0, 1-f[i]-p.y[i]*bias)
	}
	return value, bias
}

// objective evaluates the objective for coefficients of candidates, at the best bias.
func (p *program) objective(chosen []int32, beta []float64) (value, bias float64) {
	f := make([]float64, p.n)
	for k, j := range chosen {
		dense.Axpy(beta[k], p.column(j), f)
	}
	value, bias = p.loss(f)
	return value + dense.Dot(beta, beta)/2, bias
}

// distance is the squared distance of two candidates' columns.
func (p *program) distance(i, j int32) (d float64) {
	b := p.column(j)
	for k, v := range p.column(i) {
		d += (v - b[k]) * (v - b[k])
	}
	return d
}
