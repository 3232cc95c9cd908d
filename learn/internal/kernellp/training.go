package kernellp

import (
	"context"
	"fmt"
	"math"
	"runtime/pprof"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Training is a family of linear programs over the samples of one problem, with its kernel matrix and a solver that
// stays warm. A row is one constraint of a sample.
type Training struct {
	samples.Parameters
	*samples.Merged
	Shape   Shape
	Samples []int     // row → sample of the problem
	weight  []float64 // row → cost at C = 1
	Problem *learn.Problem
	Matrix  Rows
	LP      *Solver
}

// Method is a method whose models come from a sequence of programs.
type Method interface {
	// Prepare validates the problem and makes its programs.
	Prepare(p *learn.Problem) (Sequence, error)
}

// Sequence is the programs of one problem, as a method solves them.
type Sequence interface {
	// Train begins with the first program, at the present C.
	Train(ctx context.Context) (*learn.Result, error)
	// Programs returns what the programs share.
	Programs() *Training
}

// Programs returns t, for a [Sequence] that embeds it.
func (t *Training) Programs() *Training { return t }

// Train completes a trainer's parameters and trains with the method that follows from them.
func Train[T learn.Trainer, M Method](ctx context.Context, p *learn.Problem, t T,
	method func(T) M) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, err := method(t).Prepare(p)
	if err != nil {
		return nil, err
	}
	defer s.Programs().Matrix.Release()
	return s.Train(ctx)
}

// Path is [Train] at every C in turn, each solver warm from the last, until visit returns false.
func Path[T learn.Trainer, M Method](ctx context.Context, p *learn.Problem, t T, method func(T) M, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	if err := learn.Complete(&t); err != nil {
		return err
	}
	s, err := method(t).Prepare(p)
	if err != nil {
		return err
	}
	for _, c := range cs {
		if err := s.Programs().recost(c); err != nil {
			return err
		}
		r, err := s.Train(ctx)
		if err != nil {
			return err
		}
		if !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
	}
	return nil
}

// NewTraining validates p and makes its programs. It evaluates nothing yet. The caller releases the matrix.
func NewTraining(p *learn.Problem, q samples.Parameters, shape Shape) (*Training, error) {
	s, err := q.Samples(p)
	if err != nil {
		return nil, err
	}
	if q.Task == learn.Regress {
		shape.Edge = s.Edge
	}
	t := &Training{Parameters: q, Merged: s, Shape: shape, Problem: p}
	for r, col := range s.Row {
		i := s.First[col]
		t.Samples = append(t.Samples, i)
		if t.weight = append(t.weight, s.Cost[r]/q.C); q.Apart {
			t.weight[r] = p.WeightOf(i)
		}
	}
	var budget *learn.Budget
	t.Matrix, budget, err = RowsOf(q.Method, p, t.Samples, len(s.First), t.choice())
	if err != nil {
		return nil, err
	}
	t.LP = New(t.Matrix, s.Y, s.Cost, shape, Options{Budget: budget, Threads: p.Threads})
	return t, nil
}

// choice is that of candidates among the first rows.
func (t *Training) choice() samples.Choice { return samples.Choice{At: t.Only, Subset: t.Subset} }

// Costs returns the costs of a program: coef of the rows that may have coefficients, +Inf of all others.
func (t *Training) Costs(margin, bias float64, coef func(row int) float64) Costs {
	c := Costs{Margin: margin, Bias: bias, Coef: slices.Repeat([]float64{math.Inf(1)}, len(t.Samples))}
	for _, r := range t.Matrix.Columns() {
		c.Coef[r] = coef(r)
	}
	return c
}

// Prune drops the coefficients of sol, the optimum at the costs, that are below threshold times the largest and solves
// the program again over the rest: without that, the bias and the coefficients left belong to another model. A limit
// on the way leaves sol whole, with that status.
func (t *Training) Prune(ctx context.Context, c Costs, sol *Solution,
	threshold float64) (*Solution, error) {
	smallest := threshold * dense.Largest(sol.A)
	if sol.Status != status.Optimal || smallest == 0 {
		return sol, nil
	}
	dropped := false
	c.Coef = slices.Clone(c.Coef)
	for i, a := range sol.A {
		if math.Abs(a) < smallest {
			dropped = dropped || a != 0
			c.Coef[i] = math.Inf(1)
		}
	}
	if !dropped {
		return sol, nil
	}
	fitted, err := t.LP.Solve(ctx, c)
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

// Nonzeros is the number of values that are not 0.
func Nonzeros(a []float64) (k int) {
	for _, v := range a {
		if v != 0 {
			k++
		}
	}
	return k
}

// Nonzero returns the places of the values that are not 0, and these.
func Nonzero(a []float64) (places []int, values []float64) {
	for k, v := range a {
		if v != 0 {
			places = append(places, k)
			values = append(values, v)
		}
	}
	return places, values
}

// Expansion returns the coefficients of a solution that are not 0.
func (t *Training) Expansion(sol *Solution) learn.Expansion {
	rows, coef := Nonzero(sol.A)
	e := learn.Expansion{Bias: sol.Bias, Coef: coef}
	for _, r := range rows {
		e.Support = append(e.Support, t.Samples[r])
	}
	return e
}

// Result judges the model of the last solution by its own loss. The messages follow what the solver has to say.
func (t *Training) Result(ctx context.Context, sol *Solution, messages ...string) *learn.Result {
	e := t.Expansion(sol)
	return t.ResultOf(ctx, sol, e, t.Problem.Loss(ctx, &e, t.Loss, t.C), t.Loss, 0, messages...)
}

// ResultOf is [Training.Result] of an expansion whose loss is known. The gap counts relative to the program's
// objective and the constant that the method adds to it.
func (t *Training) ResultOf(ctx context.Context, sol *Solution, e learn.Expansion, lost float64,
	loss learn.Loss, constant float64, messages ...string) *learn.Result {
	r := &learn.Result{Expansion: e, Report: learn.Report{
		Status:      sol.Status,
		Objective:   sol.Objective,
		Duality:     &learn.Duality{Objective: sol.Dual, Gap: sol.Gap(), KKT: sol.Violation},
		KernelEvals: t.Matrix.KernelEvals(),
		Message:     t.LP.Spent(),
	}}
	for _, m := range messages {
		r.Report.AddMessage(m)
	}
	r.Recomputed(ctx, t.Problem, sol.Objective-sol.Loss, lost, loss, t.C)
	gap := OptimalGap
	if constant > 0 {
		gap *= 1 + constant/math.Abs(r.Report.Objective)
	}
	r.Report.Settle(gap, OptimalViolation)
	return r
}

// Limits counts the candidates, and the margins in the last program of a solution, and says so for a report; it is
// nothing where all of the samples may have coefficients.
func (t *Training) Limits(sol *Solution, samples int) (candidates, margins int, message string) {
	if !t.Matrix.limited() {
		return 0, 0, ""
	}
	candidates = len(t.Matrix.Columns())
	return candidates, sol.Margins, t.choice().Over(candidates, samples)
}

// recost makes C that of the programs.
func (t *Training) recost(c float64) error {
	if !learn.Positive.Has(c) {
		return &learn.ParamError{Method: t.Parameters.Method, Param: "c", Value: c, Want: learn.Positive.Text}
	}
	if err := t.Problem.ValidateCost(t.Parameters.Method, c); err != nil {
		return err
	}
	t.C, t.Cost = c, make([]float64, len(t.weight))
	for r, w := range t.weight {
		t.Cost[r] = c * w
	}
	if t.Shape.Ceiling > 0 {
		t.LP.SetCeiling(c)
	}
	return t.LP.SetCap(t.Cost)
}

// Rule says how the costs of a program follow from the solution before it.
type Rule struct {
	Rounds int   // programs at most
	Start  Costs // of the first program
	// Next returns the costs after a solution at some costs, and whether the training has settled there.
	Next func(sol *Solution, costs Costs) (next Costs, settled bool)
	// Counts returns Σξ and the number of coefficients of a round, for the report.
	Counts func(sol *Solution) (hinge float64, nonzeros int)
	// Finished leaves the model of the round before where a limit ends a round.
	Finished bool
	Idle     float64           // a first round that the context ends has learnt nothing from this objective on
	Progress func(learn.Event) // receives every round; may be nil
}

// Run is how a sequence of programs went.
type Run struct {
	Solution *Solution // the last one, with the status of the run
	Costs    Costs     // of its program
	Rounds   []learn.Round
	Solves   int // linear programs, one for each batch of working rows
	Pivots   int
}

// Run solves and reweights until the training settles, or until a limit.
func (t *Training) Run(ctx context.Context, rule Rule) (*Run, error) {
	return t.Watched(rule).Run(ctx, t.Parameters.Method, t.LP.Solve)
}

// Watched returns the rule, whose progress hears of every program too.
func (t *Training) Watched(rule Rule) Rule {
	done, each, show := 0.0, rule.Progress, t.Problem.Throttle()
	if each != nil {
		rule.Progress = func(e learn.Event) { done = e.Done; each(e) }
		t.LP.opt.tell = func(program int) {
			show(func() learn.Event { return learn.Event{Phase: "program", Done: done, Step: program} })
		}
	}
	return rule
}

// Run is [Training.Run] of any programs.
func (rule Rule) Run(ctx context.Context, method string,
	solve func(ctx context.Context, costs Costs) (*Solution, error)) (*Run, error) {
	r := &Run{}
	st, costs := status.Unknown, rule.Start
	for st == status.Unknown {
		var sol *Solution
		var err error
		label := pprof.Labels("round", strconv.Itoa(len(r.Rounds)+1))
		pprof.Do(ctx, label, func(ctx context.Context) { sol, err = solve(ctx, costs) })
		if err != nil {
			return nil, err
		}
		r.Solves += sol.Solves
		if sol.Status != status.Optimal {
			if st = sol.Status; r.Solution != nil && rule.Finished {
				break
			}
			if ctx.Err() != nil && r.Solution == nil && sol.Objective >= rule.Idle {
				return nil, learn.Nothing(ctx, method)
			}
		}
		next, settled := rule.Next(sol, costs)
		r.record(sol, costs, rule)
		switch {
		case st != status.Unknown:
		case settled:
			st = status.Optimal
		case len(r.Rounds) == rule.Rounds:
			st = status.IterationLimit // the costs belong to another model
		}
		costs = next
	}
	r.Solution.Status = st
	return r, nil
}

// record takes in a round.
func (r *Run) record(sol *Solution, costs Costs, rule Rule) {
	r.Solution, r.Costs = sol, costs
	r.Pivots += sol.Iterations
	round := learn.Round{Objective: sol.Objective, KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations}
	round.Hinge, round.Nonzeros = rule.Counts(sol)
	r.Rounds = append(r.Rounds, round)
	if rule.Progress != nil {
		e := learn.OfRound("round", len(r.Rounds), 0, round)
		e.Text = fmt.Sprintf("%d programs", r.Solves)
		rule.Progress(e)
	}
}

// Report puts the rounds into a report.
func (r *Run) Report(to *learn.Report) {
	to.Iterations, to.InnerIterations, to.Rounds = len(r.Rounds), r.Pivots, r.Rounds
}
