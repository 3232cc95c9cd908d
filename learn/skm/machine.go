package skm

import (
	"math"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/simplex"
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
func newMachine(method string, p *learn.Problem, hinge float64,
	shape kernellp.Shape, dump func(*simplex.LP) error) (*machine, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	rows := p.Present()
	n := len(rows)
	k, budget, err := kernellp.Matrix(method, p, rows)
	if err != nil {
		return nil, err
	}
	y, price := make([]float64, n), make([]float64, n)
	for r, i := range rows {
		y[r], price[r] = p.Y[i], hinge*p.WeightOf(i)
	}
	lp := kernellp.New(k, y, price, shape, kernellp.Options{Dump: dump, Budget: budget})
	return &machine{problem: p, rows: rows, y: y, k: k, lp: lp}, nil
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
		Status:      sol.Status,
		Objective:   sol.Objective,
		Duality:     &learn.Duality{Objective: sol.Dual, Gap: sol.Gap(), KKT: sol.Violation},
		KernelEvals: m.k.Stats().KernelEvals,
	}
}
