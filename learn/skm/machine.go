package skm

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// model is a problem made ready for linear programs: the samples that count, their
// kernel matrix and a solver that stays warm.
type machine struct {
	problem *learn.Problem
	hinge   float64 // price of a unit of slack of weight 1
	rows    []int   // samples with weight > 0, and candidates
	margins int     // of these, those with weight
	y       []float64
	k       kernellp.Rows
	few     *kernellp.Candidates // k where few samples may be vectors
	choice  kernellp.Choice      // of these
	lp      *kernellp.Solver
}

// newMachine prepares p for programs of one shape in which a unit of slack costs l.c times the
// sample's weight. Of real values every sample comes twice: f ≥ t − ε − ξ, then −f ≥ −t − ε − ξ*.
func newMachine(p *learn.Problem, l linear) (*machine, error) {
	if err := p.Validate(l.task); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(l.name, l.c); err != nil {
		return nil, err
	}
	rows := p.Rows()
	points := len(rows)
	l.few.At = places(rows, p.Candidates)
	y := make([]float64, len(rows))
	for r, i := range rows {
		y[r] = p.Y[i]
	}
	if l.task == learn.Regress {
		n := len(rows)
		rows, y = slices.Repeat(rows, 2), slices.Repeat(y, 2)
		l.shape.Edge = make([]float64, 2*n)
		for r := range n {
			l.shape.Edge[r], l.shape.Edge[n+r] = y[r]-l.epsilon, -y[r]-l.epsilon
			y[r], y[n+r] = 1, -1
		}
	}
	k, few, budget, err := kernellp.RowsOf(l.name, p, rows, points, l.few)
	if err != nil {
		return nil, err
	}
	price := make([]float64, len(rows))
	for r, i := range rows {
		price[r] = l.c * p.WeightOf(i)
	}
	lp := kernellp.New(k, y, price, l.shape, kernellp.Options{Budget: budget, Threads: p.Threads})
	return &machine{problem: p, hinge: l.c, rows: rows, margins: len(p.Present()), y: y, k: k, few: few, choice: l.few, lp: lp}, nil
}

// places are where the candidates are among the rows, nil for none.
func places(rows, candidates []int) (at []int) {
	for _, i := range candidates {
		k, _ := slices.BinarySearch(rows, i)
		at = append(at, k)
	}
	return at
}

// exclude leaves coefficients to candidates alone, where there are any.
func (m *machine) exclude(p kernellp.Costs) {
	if m.few == nil {
		return
	}
	columns := m.few.Columns()
	for r := range p.Coef {
		if _, found := slices.BinarySearch(columns, r); !found {
			p.Coef[r] = math.Inf(1)
		}
	}
}

// prune drops the coefficients of sol, the optimum at p, that are below threshold times the
// largest and solves the program again over the rest: without that, the bias and the
// coefficients left are those of another model. A limit on the way leaves sol whole, with that status.
func (m *machine) prune(ctx context.Context, p kernellp.Costs, sol *kernellp.Solution,
	threshold float64) (*kernellp.Solution, error) {
	least := threshold * largest(sol.A)
	if sol.Status != status.Optimal || least == 0 {
		return sol, nil
	}
	dropped := false
	p.Coef = slices.Clone(p.Coef)
	for i, a := range sol.A {
		if math.Abs(a) < least {
			dropped = dropped || a != 0
			p.Coef[i] = math.Inf(1)
		}
	}
	if !dropped {
		return sol, nil
	}
	fitted, err := m.lp.Solve(ctx, p)
	if err != nil {
		return nil, err
	}
	if fitted.Status == status.Optimal {
		return fitted, nil
	}
	whole := *sol
	whole.Status = fitted.Status
	return &whole, nil
}

func largest(a []float64) (most float64) {
	for _, v := range a {
		most = math.Max(most, math.Abs(v))
	}
	return most
}

// counted is the number of support vectors in the sense of Peleg & Meir (2009), section 3.1.
func counted(a []float64) (k int) {
	least := 0.01 * largest(a)
	for _, v := range a {
		if v != 0 && math.Abs(v) >= least {
			k++
		}
	}
	return k
}

// expansion keeps the coefficients that are not zero.
func (m *machine) expansion(sol *kernellp.Solution) learn.Expansion {
	e := learn.Expansion{Bias: sol.Bias}
	for r, v := range sol.A {
		if v != 0 {
			e.Support, e.Coef = append(e.Support, m.rows[r]), append(e.Coef, v)
		}
	}
	return e
}

// result is what every method of this package reports of its last program, with the loss that
// the model itself has. The gap counts beside the program's objective and the
// constant that the method adds to it.
func (m *machine) result(ctx context.Context, sol *kernellp.Solution, loss learn.Loss, constant float64) *learn.Result {
	e := m.expansion(sol)
	return m.resultOf(ctx, sol, e, m.problem.Loss(ctx, &e, loss, m.hinge), loss, constant)
}

// resultOf is result where the expansion and what it loses are known.
func (m *machine) resultOf(ctx context.Context, sol *kernellp.Solution, e learn.Expansion, lost float64,
	loss learn.Loss, constant float64) *learn.Result {
	r := &learn.Result{Expansion: e, Report: learn.Report{
		Status:      sol.Status,
		Objective:   sol.Objective,
		Duality:     &learn.Duality{Objective: sol.Dual, Gap: sol.Gap(), KKT: sol.Violation},
		KernelEvals: m.k.KernelEvals(),
		Message:     m.lp.Spent(),
	}}
	r.Recomputed(ctx, m.problem, sol.Objective-sol.Loss, lost, loss, m.hinge)
	gap := kernellp.OptimalGap
	if constant > 0 {
		gap *= 1 + constant/math.Abs(r.Report.Objective)
	}
	r.Report.Settle(gap, kernellp.OptimalViolation)
	return r
}
