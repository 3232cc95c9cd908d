package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// Rates are the derivatives of a program's vectors by the parameter t of a path. Nil vectors are 0, and infinite bounds
// have the rate 0.
type Rates struct{ C, Lo, Up, RowLo, RowUp []float64 }

// bounds reports whether bounds change.
func (r *Rates) bounds() bool { return r.Lo != nil || r.Up != nil || r.RowLo != nil || r.RowUp != nil }

// Segment is an interval of a parametric path on which one basis, or one active set, is optimal. It is valid until the
// visit returns.
type Segment struct {
	From, To float64 // of the parameter t
	Value    float64 // the optimum at From, without the offset; in linear programs only
	Slope    float64 // its derivative by t
	Optimum
}

// Optimum tells the optima of a segment, which are linear in t.
type Optimum interface {
	// X writes the n columns at From to x, and their derivatives by t to rates, which may be nil if they are 0.
	X(x, rates []float64)
	// At is column j at From.
	At(j int) float64
	// Duals writes the m duals at From to y, and their derivatives by t to rates, which may be nil if they are 0.
	Duals(y, rates []float64)
}

// PathEnd is where a path ended.
type PathEnd struct {
	// Status is Optimal if t reached the end or the visit stopped the path, Unbounded or Infeasible if the
	// programs are so from T on, Numerical if the path cannot go on, or the limit that stopped it.
	Status     status.Status
	T          float64 // the last t that was reached
	Iterations int     // pivots and bound flips, or constraints added and dropped, with those of solves on the way
	Solves     int     // number of solves, including one at t = 0 if it was necessary
}

// Parametric follows the optima of the programs whose costs, or bounds, are the present ones + t·rates, from t = 0 to
// until. visit gets every segment of positive length in the order of t, and ends the path by returning false. Where
// costs change, the columns stay as they are in a segment and the duals move, and the other way round.
//
// A change of costs takes primal steps (Gass and Saaty, 1955): the entering variable is the first whose reduced cost
// changes its sign. A change of bounds takes dual steps: the leaving variable is the first that reaches one of its
// bounds. The path starts from the present basis, after a solve if that is not optimal. Afterwards the program has the
// costs or bounds of the last t. If a pivot cannot be trusted, or steps are degenerate for too long, a solve continues
// 1e-10·until further on. A path also begins there if two equal bounds become different. Two segments may be that far
// apart.
//
// It is an [ErrInvalid] if costs and bounds change together (see [Solver.Steady]), lengths differ, a rate is not
// finite, an infinite bound has a rate other than 0, costs or bounds overflow or bounds cross before until, or until is
// outside (0, +Inf).
func (s *Solver) Parametric(ctx context.Context, rates Rates, until float64,
	visit func(Segment) bool) (PathEnd, error) {
	if rates.C != nil && !rates.bounds() {
		w, err := newCostPath(s, rates.C, until)
		if err != nil {
			return PathEnd{}, err
		}
		return w.follow(ctx, w.solve, w, visit), nil
	}
	if rates.C != nil {
		return PathEnd{}, invalid("a path of costs and bounds that change together")
	}
	w, err := newBoundPath(s, rates, until)
	if err != nil {
		return PathEnd{}, err
	}
	start := w.solve
	if w.separates() {
		start = w.skip
	}
	return w.follow(ctx, start, w, visit), nil
}

// path follows the optima of programs that change with a parameter t: in their costs ([costPath]) or in their
// bounds ([boundPath]). The solver's state is that of the present t.
type path struct {
	*Solver
	motion       motion
	t, until     float64
	value, slope float64 // the optimum at t and its derivative, scaled
	degenerate   int     // steps in a row that left t where it was
	result       PathEnd
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

// outcome says how a step ended.
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
func (p *path) follow(ctx context.Context, start func(context.Context) status.Status, o Optimum,
	visit func(Segment) bool) PathEnd {
	p.iterations = 0
	st := status.Infeasible
	if !p.program.anyCrossed {
		st = start(ctx)
	}
	if st == status.Optimal {
		st = p.segments(ctx, o, visit)
	}
	p.result.Status, p.result.T = st, p.t
	p.result.Iterations += p.iterations
	p.motion.apply()
	return p.result
}

// segments goes from an optimum at t to the end.
func (p *path) segments(ctx context.Context, o Optimum, visit func(Segment) bool) status.Status {
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
			more := visit(Segment{p.t, to, p.value / p.program.costScale, p.slope / p.program.costScale, o})
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

// Steady returns the segment [0, To] on which the optimal basis of t = 0 stays optimal while costs and bounds change
// together, by t·rates. Columns and duals are linear in t there, and the optimum is quadratic; Value and Slope are not
// set. The segment is valid until the solver's next call. A status other than Optimal says why the program of t = 0 has
// no optimum.
//
// It solves the program first if it is not at an optimum. The program keeps its costs and bounds; the caller sets those
// of a later t. Errors are those of [Solver.Parametric].
func (s *Solver) Steady(ctx context.Context, rates Rates, until float64) (Segment, status.Status, error) {
	costs, err := newCostPath(s, rates.C, until)
	if err != nil {
		return Segment{}, 0, err
	}
	bounds, err := newBoundPath(s, rates, until)
	if err != nil {
		return Segment{}, 0, err
	}
	s.iterations = 0
	g := Segment{Optimum: steady{bounds, costs}}
	if st := costs.solve(ctx); st != status.Optimal {
		return g, st, nil
	}
	bounds.measure()
	if bounds.separates() { // only a solve can tell which of two formerly equal bounds is active
		return g, status.Optimal, nil
	}
	_, _, cost := costs.breakpoint()
	_, _, bound := bounds.breakpoint()
	g.To = min(cost, bound)
	return g, status.Optimal, nil
}

// steady is the optimum while costs and bounds change: columns move with the bounds, and duals with the costs.
type steady struct {
	*boundPath
	costs *costPath
}

// Duals implements [Optimum].
func (s steady) Duals(y, rates []float64) { s.costs.Duals(y, rates) }
