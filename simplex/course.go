package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

// course is a path of programs that turn with a parameter t, on its way: along their costs ([walk]) or their bounds
// ([slide]). What the solver has is of the present t.
type course struct {
	*Solver
	t, until     float64
	value, slope float64 // the optimum at t and what it gains by t, scaled
	still        int     // steps in a row that left t where it was
	result       ParametricResult

	turn    func() // makes what turns that of the present t
	measure func() // computes afresh what follows from values and costs
}

// outcome is what came of a step.
type outcome uint8

const (
	stepped outcome = iota
	stuck           // the pivot cannot be trusted, or steps get nowhere
	endless         // nothing stops the entering variable, or none can enter
)

// manyStill is how many steps in a row may leave t where it is before they pass for a cycle.
const manyStill = 1000

// rounding is the share of the whole way within which two values of t are the same.
const rounding = 1e-14

// finish is the result of a path that has come to its end.
func (c *course) finish() *ParametricResult {
	c.result.T = c.t
	c.result.Iterations += c.iterations
	c.turn()
	return &c.result
}

// ready reports whether the path can go on, with a fresh inverse where the old one is worn; else why not.
func (c *course) ready(ctx context.Context) (why status.Status, ok bool) {
	if st := c.limit(ctx); st != status.Unknown {
		return st, false
	}
	if c.basis.worn() && !c.refresh(ctx) {
		if st := c.solve(ctx); st != status.Optimal {
			return st, false
		}
	}
	return status.Unknown, true
}

// solve finds an optimum at t from the present basis.
func (c *course) solve(ctx context.Context) status.Status {
	c.turn()
	c.result.Iterations += c.iterations
	c.begin(ctx)
	st := status.Optimal
	if c.basis.broken || !c.values.feasible() || !c.costs.feasible() {
		c.result.Solves++
		st = c.run(ctx)
	}
	c.cold, c.dualWeights.valid = false, false
	if st == status.Optimal {
		c.measure()
	}
	return st
}

// again makes another choice possible by a fresh inverse; with one, or where that is not optimal, it is otherwise.
func (c *course) again(ctx context.Context, otherwise outcome) outcome {
	switch {
	case c.basis.updates == 0:
		return otherwise
	case c.refresh(ctx):
		return stepped
	}
	return stuck
}

// refresh computes everything afresh, and reports whether the basis is still optimal at t.
func (c *course) refresh(ctx context.Context) bool {
	c.turn()
	if c.refactor(ctx); c.basis.broken {
		return false
	}
	c.measure()
	return c.values.feasible() && c.costs.feasible()
}

// jump passes over a t where steps get no further: a solve finds an optimum a little further on.
func (c *course) jump(ctx context.Context) status.Status {
	c.still = 0
	if c.repairs++; c.repairs > maxRepairs {
		return status.Numerical
	}
	repairs := c.repairs
	c.t = min(c.until, c.t+1e-10*c.until)
	st := c.solve(ctx)
	c.repairs += repairs
	return st
}
