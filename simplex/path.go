package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// path follows the optima of programs that change with a parameter t: in their costs ([costPath]) or in their
// bounds ([boundPath]). The solver's state is that of the present t.
type path struct {
	*Solver
	motion       motion
	t, until     float64
	value, slope float64 // the optimum at t and its derivative, scaled
	degenerate   int     // steps in a row that left t where it was
	result       ParametricResult
}

// motion is what changes with t.
type motion interface {
	// apply gives the program the costs or bounds of the present t.
	apply()
	// measure computes value, slope and the rates from the present basis.
	measure()
	// breakpoint returns the variable that ends the segment, the direction of its change and the distance to its t; or
	// −1 and the distance to the end of the path.
	breakpoint() (v int32, side, length float64)
	// advance moves the solver's state along t.
	advance(length float64)
	// step changes the basis at the breakpoint of v.
	step(ctx context.Context, v int32, side float64) outcome
	// unpivoted is the status of the programs beyond t when no pivot exists for a step.
	unpivoted() status.Status
}

// outcome is that of a step.
type outcome uint8

const (
	stepped outcome = iota
	stuck           // no pivot can be trusted, or too many degenerate steps
	noPivot         // nothing stops the entering variable, or none can enter
)

const (
	// maxDegenerate is the number of steps in a row without progress that count as a cycle.
	maxDegenerate = 1000
	// rounding is the distance, relative to the whole path, within which two values of t are the same.
	rounding = 1e-14
)

// checkEnd returns an error unless 0 < until < ∞.
func checkEnd(until float64) error {
	if !(until > 0) || math.IsInf(until, 1) {
		return invalid("a parametric path until %v", until)
	}
	return nil
}

// follow finds the first optimum by start and calls visit for each segment of positive length. The program has the
// costs and bounds of the last t afterwards.
func (p *path) follow(ctx context.Context, start func(context.Context) status.Status,
	visit func(from, to float64) bool) *ParametricResult {
	p.iterations = 0
	st := status.Infeasible
	if !p.program.anyCrossed {
		st = start(ctx)
	}
	if st == status.Optimal {
		st = p.segments(ctx, visit)
	}
	p.result.Status, p.result.T = st, p.t
	p.result.Iterations += p.iterations
	p.motion.apply()
	return &p.result
}

// segments goes from an optimum at t to the end.
func (p *path) segments(ctx context.Context, visit func(from, to float64) bool) status.Status {
	for {
		if why, ok := p.ready(ctx); !ok {
			return why
		}
		v, side, length := p.motion.breakpoint()
		if length > 0 {
			p.degenerate = 0
			to := p.t + length
			if v < 0 {
				to = p.until
			}
			more := visit(p.t, to)
			p.t = to
			p.value += length * p.slope
			if p.motion.advance(length); !more {
				return status.Optimal
			}
		}
		if v < 0 {
			return status.Optimal
		}
		result := stuck
		if p.degenerate++; p.degenerate <= maxDegenerate {
			result = p.motion.step(ctx, v, side)
		}
		switch result {
		case noPivot:
			return p.motion.unpivoted()
		case stuck:
			if st := p.skip(ctx); st != status.Optimal || p.t >= p.until {
				return st
			}
		}
	}
}

// ready reports whether the path can go on, after a new factorisation where one is due; else why not.
func (p *path) ready(ctx context.Context) (why status.Status, ok bool) {
	if st := p.limit(ctx); st != status.Unknown {
		return st, false
	}
	if p.basis.worn() && !p.refresh(ctx) {
		if st := p.solve(ctx); st != status.Optimal {
			return st, false
		}
	}
	return status.Unknown, true
}

// solve finds an optimum at t from the present basis.
func (p *path) solve(ctx context.Context) status.Status {
	p.motion.apply()
	p.result.Iterations += p.iterations
	p.begin(ctx)
	st := status.Optimal
	if p.basis.broken || !p.values.feasible() || !p.costs.feasible() {
		p.result.Solves++
		st = p.run(ctx)
	}
	p.cold, p.dualWeights.valid = false, false
	if st == status.Optimal {
		p.motion.measure()
	}
	return st
}

// retry refactors the basis so that the step can choose again. It returns otherwise if the factors were fresh already.
func (p *path) retry(ctx context.Context, otherwise outcome) outcome {
	switch {
	case p.basis.updates == 0:
		return otherwise
	case p.refresh(ctx):
		return stepped
	}
	return stuck
}

// refresh refactors the basis, recomputes everything, and reports whether the basis is still optimal at t.
func (p *path) refresh(ctx context.Context) bool {
	p.motion.apply()
	if p.refactor(ctx); p.basis.broken {
		return false
	}
	p.motion.measure()
	return p.values.feasible() && p.costs.feasible()
}

// skip leaves a t at which steps fail: it solves the program a little further on.
func (p *path) skip(ctx context.Context) status.Status {
	p.degenerate = 0
	if p.repairs++; p.repairs > maxRepairs {
		return status.Numerical
	}
	repairs := p.repairs
	p.t = min(p.until, p.t+1e-10*p.until)
	st := p.solve(ctx)
	p.repairs += repairs
	return st
}
