package skm

import (
	"math"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn"
)

// machine is a problem made ready for linear programs: the points that count, their
// kernel matrix and a solver that stays warm.
type machine struct {
	problem *learn.Problem
	rows    []int // points with weight > 0
	y       []float64
	k       *blocked.Matrix[float64]
	lp      *kernellp.Solver
}

// newMachine prepares p for programs of one shape in which a unit of slack costs
// hinge times the point's weight.
func newMachine(method string, p *learn.Problem, hinge float64, shape kernellp.Shape, opt kernellp.Options) (*machine, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	rows := p.Present()
	n := len(rows)
	spare, err := p.Spare(method, estimateMemory(n, p.D))
	if err != nil {
		return nil, err
	}
	y, price := make([]float64, n), make([]float64, n)
	for r, i := range rows {
		y[r], price[r] = p.Y[i], hinge*p.WeightOf(i)
	}
	k := blocked.New(gram.Pack[float64](p.Kernel, p.Points(rows), n, p.D), spare, p.Threads)
	return &machine{problem: p, rows: rows, y: y, k: k, lp: kernellp.New(k, y, price, shape, opt)}, nil
}

// expectedRows is the number of working rows that the memory estimate counts on.
const expectedRows = 256

// estimateMemory counts the packed and the gathered points, the working rows, the
// smallest cache and the vectors of the solver.
func estimateMemory(n, d int) int64 {
	const vectors = 40 * 8
	working := int64(min(n, expectedRows)) * int64(n) * 8
	return gram.Bytes[float64](n, d) + int64(n)*int64(d)*8 + working + int64(n)*vectors +
		blocked.MinRows*blocked.RowBytes[float64](n)
}

// expansion keeps the coefficients with |a_i| ≥ threshold·max|a|, the support
// vectors in the sense of Peleg & Meir (2009), section 3.1.
func (m *machine) expansion(a []float64, bias, threshold float64) learn.Expansion {
	var largest float64
	for _, v := range a {
		largest = math.Max(largest, math.Abs(v))
	}
	e := learn.Expansion{Bias: bias}
	for r, v := range a {
		if v != 0 && math.Abs(v) >= threshold*largest {
			e.Support, e.Coef = append(e.Support, m.rows[r]), append(e.Coef, v)
		}
	}
	return e
}

// report fills what every method of this package reports from its last program.
func (m *machine) report(sol *kernellp.Solution) learn.Report {
	return learn.Report{
		Status:        sol.Status,
		Objective:     sol.Objective,
		DualObjective: sol.Dual,
		Gap:           sol.Gap(),
		KKT:           sol.Violation,
		KernelEvals:   m.k.Stats().KernelEvals,
	}
}
