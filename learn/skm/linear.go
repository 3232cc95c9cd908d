package skm

import (
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// linear is what the comparators share: programs with margin 1 whose prices follow from the last α.
type linear struct {
	name           string
	c, threshold   float64
	shape          kernellp.Shape
	price          func(alpha float64) float64 // price of the next α; nil means always 1
	linearisations int
	few            kernellp.Choice // of samples that may be vectors
	task           learn.Task
	epsilon        float64 // of learn.Regress
}

// LinearFigures are those of l1svm, l0svm, lpsvc and l1svr in a report.
type LinearFigures struct {
	Solves      int `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int `json:"working_rows"` // rows of the dual that the last program held
	// Candidates is the number of samples that could be vectors, and Margins that of those whose margins were columns of
	// the last program; 0 where all samples can be vectors.
	Candidates int `json:"candidates,omitempty"`
	Margins    int `json:"margins,omitempty"`
	SVCounted  int `json:"sv_counted"` // support vectors in the sense of Peleg & Meir (2009), section 3.1: |α_i| ≥ 0.01 max |α|
}

// loss is what a sample pays.
func (l linear) loss() learn.Loss {
	if l.task == learn.Regress {
		return learn.Insensitive(l.epsilon)
	}
	return learn.Hinge(1)
}

// comparator is a method of that kind.
type comparator interface {
	Name() string
	declare(p *learn.Params)
	linear() linear
}

// train is Train of a comparator.
func train(ctx context.Context, p *learn.Problem, t comparator) (*learn.Result, error) {
	l, m, err := prepare(p, t)
	if err != nil {
		return nil, err
	}
	defer m.k.Release()
	return l.run(ctx, m)
}

// prepare completes the comparator's parameters and makes the model of its programs.
func prepare(p *learn.Problem, t comparator) (l linear, m *machine, err error) {
	if err = learn.Complete(t.Name(), t.declare); err != nil {
		return l, nil, err
	}
	l = t.linear()
	m, err = newMachine(p, l)
	return l, m, err
}

// run solves, linearises and reports.
func (l linear) run(ctx context.Context, m *machine) (*learn.Result, error) {
	start := time.Now()
	alpha := make([]float64, len(m.y))
	for i := range alpha {
		alpha[i] = 1
	}
	var sol *kernellp.Solution
	var prices kernellp.Costs
	var rounds []learn.Round
	var solves, pivots int
	converged := false
	for !converged && len(rounds) < l.linearisations {
		var err error
		prices = l.prices(alpha)
		m.exclude(prices)
		if sol, err = m.lp.Solve(ctx, prices); err != nil {
			return nil, err
		}
		solves += sol.Solves
		pivots += sol.Iterations
		rounds = append(rounds, learn.Round{Objective: sol.Objective, Hinge: sol.Hinge, Nonzeros: nonzeros(sol.A),
			KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations})
		converged = sol.Status != status.Optimal || !moved(alpha, sol.A)
	}
	if l.price != nil && !converged {
		sol.Status = status.IterationLimit // the program's prices are those of another model
	}
	sol, err := m.prune(ctx, prices, sol, l.threshold)
	if err != nil {
		return nil, err
	}
	r := m.result(ctx, sol, l.loss(), 0)
	if len(r.Support) == 0 && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, l.name)
	}
	r.Report.Iterations, r.Report.InnerIterations, r.Report.Rounds = len(rounds), pivots, rounds
	r.Report.Seconds.Solve = time.Since(start).Seconds()
	figures := LinearFigures{Solves: solves, WorkingRows: sol.Rows, SVCounted: counted(sol.A)}
	if m.few != nil {
		figures.Candidates, figures.Margins = len(m.few.Columns()), sol.Margins
		r.Report.Say(m.choice.Over(figures.Candidates, m.margins))
	}
	r.Report.Figures = figures
	return r, nil
}

// path is Path of a comparator: run at every C, warm.
func path(ctx context.Context, p *learn.Problem, t comparator, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	l, m, err := prepare(p, t)
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
func (l linear) prices(alpha []float64) kernellp.Costs {
	p := kernellp.Costs{Margin: 1, Coef: make([]float64, len(alpha))}
	for i, a := range alpha {
		p.Coef[i] = 1
		if l.task == learn.Regress && i >= len(alpha)/2 { // the samples once more, for the other side of the tube
			p.Coef[i] = math.Inf(1)
		}
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
