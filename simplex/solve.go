package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

// Limits on how often the two methods take turns; perturbations end with the first of them.
const (
	perturbedTurns = 8
	maxTurns       = 24
)

// Solve is one solve of one program; an error says what in lp or in the options is wrong ([ErrInvalid]).
func Solve(ctx context.Context, lp LP, opt Options) (*Result, error) {
	s, err := New(lp, opt)
	if err != nil {
		return nil, err
	}
	return s.Solve(ctx), nil
}

// Solve finds an optimum, or a proof that there is none, from the present basis. The
// result's vectors belong to the caller. After a limit, another Solve continues.
//
// Where pivots end without a proof, another scaling and then a bounded number of pivots in exact arithmetic have a try,
// unless the options ask for a Unit.
func (s *Solver) Solve(ctx context.Context) *Result {
	r := new(Result)
	s.SolveInto(ctx, r)
	return r
}

// SolveInto is Solve into a result of the caller, whose vectors it uses again: Farkas and Ray are empty where they
// prove nothing. Small programs allocate nothing from the third solve on, unless a tableau proves nothing.
func (s *Solver) SolveInto(ctx context.Context, r *Result) {
	switch {
	case s.program.anyCrossed:
		*r = *s.contradiction()
	case !s.solveSmall(ctx, r):
		*r = *s.solve(ctx)
	}
}

// contradiction is the result of a program with bounds that cross, which no multipliers of rows need to prove.
func (s *Solver) contradiction() *Result {
	s.ranged, s.iterations = false, 0
	m, n := s.matrix.m, s.matrix.n
	lp, x := &s.program.lp, make([]float64, n)
	for j := range x {
		x[j] = max(lp.Lo[j], min(lp.Up[j], 0))
	}
	r := &Result{Status: status.Infeasible, Basis: s.Basis(Basis{}), X: x, Y: make([]float64, m)}
	r = completed(lp, r, s.opt.Unit)
	r.Farkas = make([]float64, m)
	return r
}

// solve is Solve for programs that are not small, and for what a tableau does not solve.
func (s *Solver) solve(ctx context.Context) *Result {
	s.begin(ctx)
	st := s.run(ctx)
	r := s.result(st)
	for k := 0; k < sharpenings && s.doubtful(r, k); k++ {
		s.program.sharpen()
		st = s.run(ctx)
		if sharp := s.result(st); r.Status == status.Numerical || claims(sharp.Status) {
			r = sharp
		}
	}
	s.ranged = st == status.Optimal && r.Status == status.Optimal
	return s.decide(ctx, r)
}

// sharpenings is how often tolerances become a thousand times smaller if the certificate of an optimum is not good
// enough. The solver's tolerances are absolute, and 1e-9 is large for the small numbers of some programs.
const sharpenings = 3

// doubtful reports whether smaller tolerances may give a better answer. An optimum whose residuals are within the
// tolerance but no rounding errors is in doubt too: the program may be infeasible by as much.
func (s *Solver) doubtful(r *Result, sharpened int) bool {
	if r.Status == status.Optimal {
		if s.basis.sparse() && sharpened > 0 { // what is left is the rounding of long sums
			return false
		}
		return s.opt.Unit == 0 && r.worst() > 1e-3*s.program.tolerance
	}
	return r.Status == status.Numerical
}

// claims reports whether a result of status st has a certificate.
func claims(st status.Status) bool {
	return st == status.Optimal || st == status.Infeasible || st == status.Unbounded
}

// begin readies the working program for the present bounds, costs and basis.
func (s *Solver) begin(ctx context.Context) {
	s.iterations, s.before, s.repairs, s.maxIterations = s.reduced, s.reduced, 0, s.opt.MaxIter
	s.reduced = 0
	if s.maxIterations == 0 {
		s.maxIterations = 100*s.program.variables() + 10000
	}
	s.farkas, s.ray = nil, nil
	s.leaveTableau()
	s.settleMatrix()
	s.program.settleScales()
	s.perturbation.begin()
	s.program.restoreBounds()
	s.program.restoreCosts()
	s.program.restoreTolerances()
	if !s.loaded {
		s.basis.load(ctx, s.values.position)
		s.loaded = !s.basis.broken
	}
	s.excluded.clear()
	s.values.settle()
	if s.basis.broken {
		return
	}
	if s.cold {
		if s.enterFree(ctx); s.basis.broken { // ctx has ended
			return
		}
	}
	s.regroup()
	s.values.compute()
	s.costs.compute()
}

// run lets the primal and the dual method take turns: whichever has the other's
// feasibility to start from. Each turn can end with perturbations to remove, which the next repairs.
func (s *Solver) run(ctx context.Context) status.Status {
	if s.basis.broken {
		return status.FromContext(ctx)
	}
	idle := 0 // turns in a row without a pivot
	for turn := 0; turn < maxTurns && idle < 3; turn++ {
		before := s.iterations
		s.perturbation.off = turn >= perturbedTurns
		st := s.turn(ctx, turn == 0)
		if st == status.Infeasible || st == status.Unbounded {
			if s.program.boundsMoved {
				s.ownBounds()
				s.values.compute()
			}
			return st
		}
		if interrupted(st) {
			s.halt()
			return st
		}
		optimal := s.cleanUp(ctx)
		switch {
		case st.Limit():
			return st
		case optimal:
			return status.Optimal
		}
		idle++
		if s.iterations > before {
			idle = 0
		}
	}
	return status.Numerical
}

// turn runs one of the methods, if there is anything to do for it. What it says of
// a program with perturbed bounds is true of the given one too but for Unbounded.
func (s *Solver) turn(ctx context.Context, first bool) status.Status {
	useDual := s.wantsDual(first)
	cold := s.cold
	if useDual && cold {
		s.boxDualInfeasible()
	}
	s.cold = false
	if useDual {
		s.makeDualFeasible(true)
		if s.starts.after = 0; cold {
			s.starts.prepare(s)
		}
		if st := s.dual(ctx); st != status.Unknown {
			return st
		}
		if s.startAtZero(ctx); s.basis.broken {
			return status.FromContext(ctx)
		}
	}
	if s.costs.feasible() {
		return status.Optimal
	}
	st := s.primal(ctx)
	if st == status.Unbounded && s.program.boundsMoved {
		return status.Numerical
	}
	return st
}

// wantsDual chooses the method for a turn.
func (s *Solver) wantsDual(first bool) bool {
	if !s.values.feasible() {
		return true
	}
	switch {
	case !first:
		return false
	case s.opt.Method == Dual:
		return true
	case s.opt.Method == Primal || !s.cold:
		return false
	}
	return s.costs.feasibleByFlips()
}

// ownBounds ends perturbations of the bounds and artificial ones: variables rest on those of the program.
func (s *Solver) ownBounds() {
	s.program.restoreBounds()
	s.values.settle()
}

// cleanUp removes perturbations and shifts, recomputes afresh what is not fresh, and reports whether the
// basis is optimal for the true program.
func (s *Solver) cleanUp(ctx context.Context) bool {
	refined := s.values.refined && !s.program.boundsMoved // a method's last look was at these values
	switch {
	case refined && !s.program.costsMoved:
	case refined:
		s.program.restoreCosts()
		s.renewCosts(ctx)
	case s.program.boundsMoved || s.program.costsMoved || s.basis.updates > 0:
		s.program.restoreCosts()
		s.ownBounds()
		s.renew(ctx)
	}
	if s.basis.broken {
		return false
	}
	if !s.values.refined {
		s.values.refine()
	}
	return s.values.feasible() && s.costs.feasible()
}

// interrupted reports whether a status is that of a context that has ended. Passes over the matrix that only make
// a result more accurate, or its residuals smaller, are left out then.
func interrupted(st status.Status) bool { return st == status.Cancelled || st == status.TimeLimit }

// halt is cleanUp after the end of the context: what is known of the true program, by the factors that there are.
func (s *Solver) halt() {
	if s.basis.broken || !s.program.boundsMoved && !s.program.costsMoved && s.basis.updates == 0 {
		return
	}
	s.program.restoreCosts()
	s.ownBounds()
	s.values.compute()
	s.costs.compute()
	s.excluded.clear()
	s.violations.stale, s.attractive.stale = true, true
}

// maxRepairs limits the singular bases of a solve. A repair goes back to an earlier basis,
// which could repeat without end if pivots and factorisations judge a number differently.
const maxRepairs = 50

// limit returns the limit that is reached, Unknown if none is.
func (s *Solver) limit(ctx context.Context) status.Status {
	if s.repairs >= maxRepairs {
		return status.Numerical
	}
	if s.iterations >= s.maxIterations {
		return status.IterationLimit
	}
	return status.FromContext(ctx)
}
