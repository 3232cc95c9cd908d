package skm

import (
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// linear is what the comparators share: programs with margin 1 whose prices follow from the last α.
type linear struct {
	name           string
	c, threshold   float64
	shape          kernellp.Shape
	price          func(alpha float64) float64 // price of the next α; nil means always 1
	linearisations int
	dump           func(*simplex.LP) error
}

// LinearFigures are those of l1svm, l0svm and lpsvc in a report.
type LinearFigures struct {
	Solves      int `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int `json:"working_rows"` // rows of the dual that the last program held
	SVCounted   int `json:"sv_counted"`   // support vectors in the sense of Peleg & Meir (2009), section 3.1: |α_i| ≥ 0.01 max |α|
}

func (l linear) train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	m, err := l.prepare(p)
	if err != nil {
		return nil, err
	}
	return l.run(ctx, m)
}

func (l linear) prepare(p *learn.Problem) (*machine, error) {
	return newMachine(l.name, p, l.c, l.shape, l.dump)
}

// run solves, linearises and reports.
func (l linear) run(ctx context.Context, m *machine) (*learn.Result, error) {
	start := time.Now()
	alpha := make([]float64, len(m.y))
	for i := range alpha {
		alpha[i] = 1
	}
	var sol *kernellp.Solution
	var prices kernellp.Prices
	var rounds []learn.Round
	var solves, pivots int
	for converged := false; !converged && len(rounds) < l.linearisations; {
		var err error
		prices = l.prices(alpha)
		if sol, err = m.lp.Solve(ctx, prices); err != nil {
			return nil, err
		}
		solves += sol.Solves
		pivots += sol.Iterations
		rounds = append(rounds, learn.Round{Objective: sol.Objective, Hinge: sol.Hinge, Nonzeros: nonzeros(sol.A),
			KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations})
		converged = sol.Status != status.Optimal || !moved(alpha, sol.A)
	}
	sol, err := m.prune(ctx, prices, sol, l.threshold)
	if err != nil {
		return nil, err
	}
	r := m.result(ctx, sol, 1, 0)
	if len(r.Support) == 0 && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, l.name)
	}
	r.Report.Iterations, r.Report.InnerIterations, r.Report.Rounds = len(rounds), pivots, rounds
	r.Report.Seconds.Solve = time.Since(start).Seconds()
	r.Report.Figures = LinearFigures{Solves: solves, WorkingRows: sol.Rows, SVCounted: counted(sol.A)}
	return r, nil
}

// path is run at every C, warm.
func (l linear) path(ctx context.Context, p *learn.Problem, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	m, err := l.prepare(p)
	if err != nil {
		return err
	}
	for _, c := range cs {
		if l.c = c; !learn.Positive.Has(c) {
			return &learn.ParamError{Method: l.name, Param: "c", Value: c, Want: learn.Positive.Text}
		}
		if err := p.ValidateCost(l.name, c); err != nil {
			return err
		}
		price := make([]float64, len(m.rows))
		for r, i := range m.rows {
			price[r] = c * p.WeightOf(i)
		}
		m.hinge = c
		if err := m.lp.SetCap(price); err != nil {
			return err
		}
		if l.shape.Ceiling > 0 {
			m.lp.SetCeiling(c)
		}
		r, err := l.run(ctx, m)
		if err != nil {
			return err
		}
		if !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
	}
	return nil
}

// prices returns the program after coefficients alpha ≥ 0.
func (l linear) prices(alpha []float64) kernellp.Prices {
	p := kernellp.Prices{Margin: 1, Coef: make([]float64, len(alpha))}
	for i, a := range alpha {
		p.Coef[i] = 1
		if l.price != nil {
			p.Coef[i] = l.price(a)
		}
	}
	return p
}

// moved stores |a| in alpha and reports whether that changed alpha.
func moved(alpha, a []float64) bool {
	var change, largest float64
	for i, v := range a {
		v = math.Abs(v)
		change = math.Max(change, math.Abs(v-alpha[i]))
		largest = math.Max(largest, v)
		alpha[i] = v
	}
	return change > 1e-6*largest
}
