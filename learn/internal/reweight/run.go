package reweight

import (
	"context"
	"runtime/pprof"
	"strconv"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// Rule says how the costs of a program follow from the solution before it.
type Rule struct {
	Rounds int            // programs at most
	Start  kernellp.Costs // of the first program
	// Next returns the costs after a solution at some costs, and whether the training has settled there.
	Next func(sol *kernellp.Solution, at kernellp.Costs) (next kernellp.Costs, settled bool)
	// Counts returns Σξ and the number of coefficients of a round, for the report.
	Counts func(sol *kernellp.Solution) (hinge float64, nonzeros int)
	// Finished leaves the model of the round before where a limit ends a round.
	Finished bool
	Idle     float64           // a first round that the context ends has learnt nothing from this objective on
	Progress func(learn.Event) // receives every round; may be nil
}

// Run is how a sequence of programs went.
type Run struct {
	Solution *kernellp.Solution // the last one, whose status is that of the run
	Costs    kernellp.Costs     // of its program
	Rounds   []learn.Round
	Solves   int // linear programs, one for each batch of working rows
	Pivots   int
}

// Run solves and reweights until the training settles, or until a limit.
func (t *Training) Run(ctx context.Context, rule Rule) (*Run, error) {
	r := &Run{}
	st, costs := status.Unknown, rule.Start
	for st == status.Unknown {
		var sol *kernellp.Solution
		var err error
		Labelled(ctx, len(r.Rounds), func(ctx context.Context) { sol, err = t.LP.Solve(ctx, costs) })
		if err != nil {
			return nil, err
		}
		r.Solves += sol.Solves
		if sol.Status != status.Optimal {
			if st = sol.Status; r.Solution != nil && rule.Finished {
				break
			}
			if ctx.Err() != nil && r.Solution == nil && sol.Objective >= rule.Idle {
				return nil, learn.Nothing(ctx, t.Method)
			}
		}
		next, settled := rule.Next(sol, costs)
		r.record(sol, costs, rule)
		switch {
		case st != status.Unknown:
		case settled:
			st = status.Optimal
		case len(r.Rounds) == rule.Rounds:
			st = status.IterationLimit // the costs are those of another model
		}
		costs = next
	}
	r.Solution.Status = st
	return r, nil
}

// record takes in a round.
func (r *Run) record(sol *kernellp.Solution, costs kernellp.Costs, rule Rule) {
	r.Solution, r.Costs = sol, costs
	r.Pivots += sol.Iterations
	round := learn.Round{Objective: sol.Objective, KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations}
	round.Hinge, round.Nonzeros = rule.Counts(sol)
	r.Rounds = append(r.Rounds, round)
	if rule.Progress != nil {
		rule.Progress(learn.OfRound("round", len(r.Rounds), round))
	}
}

// Report puts the rounds into a report.
func (r *Run) Report(to *learn.Report) {
	to.Iterations, to.InnerIterations, to.Rounds = len(r.Rounds), r.Pivots, r.Rounds
}

// Labelled calls solve for the round after so many, which is its label in a profile.
func Labelled(ctx context.Context, rounds int, solve func(ctx context.Context)) {
	pprof.Do(ctx, pprof.Labels("round", strconv.Itoa(rounds+1)), solve)
}
