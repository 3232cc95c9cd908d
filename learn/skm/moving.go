package skm

import (
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/reweight"
	"github.com/sparsekm/sparsekm/status"
)

// Where the bound α ≤ C of l1svm binds, costs and bounds of its program turn together with C, and a basis that is
// optimal for some C is so for a stretch of them ([kernellp.Solver.Steady]), on which α and b are linear in C. The
// path there is the models at both ends of such stretches.

// moving is the part of an exact path on which the model moves.
type moving struct {
	*exactPath
	program *reweight.Training
	costs   kernellp.Costs
	weight  []float64 // of a variable's point, 0 for a vector that has no margin
	budget  *learn.Budget
}

// newMoving makes the solver of the programs with a ceiling, on the matrix of the path.
func newMoving(e *exactPath, weight []float64, budget *learn.Budget) *moving {
	own := &moving{exactPath: e, weight: weight, budget: budget}
	own.costs = kernellp.Costs{Margin: 1, Coef: make([]float64, len(e.coef))}
	for i, v := range e.coef {
		own.costs.Coef[i] = 1 + v // +Inf for what cannot be a vector
	}
	of := reweight.Program{Method: e.name, Loss: learn.Hinge(1), Samples: e.row, Y: e.y}
	own.program = &reweight.Training{Program: of, Problem: e.problem, Matrix: e.k}
	own.renew()
	return own
}

// renew begins with no rows in the program.
func (m *moving) renew() {
	m.program.LP = kernellp.New(m.k, m.y, make([]float64, len(m.y)), m.shape,
		kernellp.Options{Budget: m.budget, SiftFrom: len(m.y) + 1})
}

// firstStep is the share of C by which the path goes on from the end of a stretch, and again four times as far each
// time where a basis is optimal for a moment only: several end there, or rounding hides where the next one begins.
// From visibleStep on these models are visited too.
const firstStep, visibleStep = 1e-11, 1e-9

// idle is the number of rows that may be in the program, besides as many again as there are vectors, before the path
// goes on with a new one.
const idle = 64

// fill visits the models between from and to.
func (m *moving) fill(from, to float64) error {
	for c, step := from, firstStep; c < to; {
		begin, err := m.solve(c)
		if err != nil || m.done {
			return err
		}
		by, err := m.program.LP.Steady(m.ctx, m.costs, m.weight, to-c)
		if err != nil {
			return m.failed(err)
		}
		moment := by <= step*c
		if !moment || step > visibleStep {
			m.show(c, begin)
		}
		if c += by; !moment && !m.done {
			end, err := m.solve(c)
			if err != nil || m.done {
				return err
			}
			m.show(c, end)
			step = firstStep
			if end.Rows > idle+2*reweight.Nonzeros(end.A) { // rows join and never leave
				m.renew()
			}
		}
		if m.done {
			return nil
		}
		c += step * c
		step *= 4
	}
	return nil
}

// solve finds the model at c.
func (m *moving) solve(c float64) (*kernellp.Solution, error) {
	cost := make([]float64, len(m.weight))
	for i, w := range m.weight {
		cost[i] = c * w
	}
	if err := m.program.LP.SetCap(cost); err != nil {
		return nil, err
	}
	m.program.LP.SetCeiling(c)
	sol, err := m.program.LP.Solve(m.ctx, m.costs)
	switch {
	case err != nil:
		return nil, m.failed(err)
	case sol.Status.Limit():
		m.done = true
	case sol.Status != status.Optimal:
		return nil, fmt.Errorf("%s: the path along C ended at C = %v: %v", m.name, c, sol.Status)
	}
	return sol, nil
}

// failed is err, or nothing where it is the context's: the models visited stand.
func (m *moving) failed(err error) error {
	if m.ctx.Err() != nil {
		m.done = true
		return nil
	}
	return err
}

// show visits the model at c.
func (m *moving) show(c float64, sol *kernellp.Solution) {
	m.program.C = c
	r := m.program.Result(m.ctx, sol)
	r.Report.Iterations, r.Report.InnerIterations = 1, sol.Iterations
	r.Report.Figures = LinearFigures{Solves: sol.Solves, WorkingRows: sol.Rows, SVCounted: counted(sol.A)}
	r.Report.Seconds.Solve = time.Since(m.begin).Seconds()
	m.done = !m.visit(c, c, r)
}

// bound is the least C at which a model keeps to the ceiling; −Inf without one.
func (l linear) bound(r *learn.Result) float64 {
	if l.shape.Ceiling > 0 {
		return dense.Largest(r.Coef)
	}
	return math.Inf(-1)
}
