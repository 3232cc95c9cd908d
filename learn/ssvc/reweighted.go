package ssvc

import (
	"cmp"
	"context"
	"math"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// linear is what ssvc-b and ssvc-w share: linear programs reweighted by their own solutions.
type linear struct {
	name    string
	c       float64
	maxIter int
	task    learn.Task
	epsilon float64 // of learn.Regress

	candidates kernellp.Choice // of samples that may be vectors; all where their number is not positive
}

// bytes is what a training takes at least.
func (l linear) bytes(n, d int) int64 { return kernellp.ChosenBytes(n, d, l.candidates) }

// samples are those of a problem of the method's task.
func (l linear) points(p *learn.Problem) *points {
	switch l.task {
	case learn.Regress:
		return regression(l.name, p, l.c, l.epsilon)
	case learn.OneClass:
		return oneClass(l.name, p, l.c)
	}
	return classifier(l.name, p, l.c)
}

// shape gives programs of rows that are not margins of 1 their edges.
func (s *points) shape() kernellp.Shape {
	if s.classes {
		return kernellp.Shape{}
	}
	return kernellp.Shape{Edge: s.edge}
}

// LinearFigures are those of the methods by linear programs in a report.
type LinearFigures struct {
	// Certificate is the largest |α_i (K̄β)_i − 1| over the coefficients left, the bias among them.
	Certificate float64 `json:"certificate"`
	// Readout is the largest difference, relative, between the coefficients read from the
	// program's duals and those that solve K̄ᵀ_{I1,I2} α = 1 (section 3.4.2); nil where
	// the optimum is degenerate and that system does not determine them.
	Readout     *float64 `json:"readout,omitempty"`
	Solves      int      `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int      `json:"working_rows"` // rows of the dual that the last program held
	Merged      int      `json:"merged"`       // as in [Figures]
	// Candidates is the number of samples that could be vectors, and Margins that of those whose margins were columns of
	// the last program; all others' are on the side of 1 that it took them for. 0 where all samples can be vectors.
	Candidates int `json:"candidates,omitempty"`
	Margins    int `json:"margins,omitempty"`
}

// reweighted is a training in progress.
type reweighted struct {
	linear
	*points
	problem  *learn.Problem
	k        kernellp.Rows
	few      *kernellp.Candidates // k where few samples may be vectors
	lp       *kernellp.Solver
	progress func(learn.Event)
	begin    time.Time

	sol    *kernellp.Solution
	report learn.Report
	solves int
	settle float64 // the certificate's residual
}

// reweighting is a method of that kind.
type reweighting interface {
	Name() string
	declare(p *learn.Params)
	linear() linear
}

// trainReweighting is Train of such a method.
func trainReweighting(ctx context.Context, p *learn.Problem, t reweighting) (*learn.Result, error) {
	m, err := prepare(p, t)
	if err != nil {
		return nil, err
	}
	defer m.k.Release()
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	return m.result(ctx), nil
}

// prepare completes the method's parameters and merges the samples.
func prepare(p *learn.Problem, t reweighting) (*reweighted, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	l := t.linear()
	if err := p.Validate(l.task); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(l.name, l.c); err != nil {
		return nil, err
	}
	s := l.points(p)
	index := make([]int, len(s.row))
	for r, col := range s.row {
		index[r] = s.first[col]
	}
	l.candidates.At = s.only
	m := &reweighted{linear: l, points: s, problem: p, progress: p.Progress, begin: time.Now()}
	var budget *learn.Budget
	var err error
	if m.k, m.few, budget, err = kernellp.RowsOf(l.name, p, index, len(s.first), l.candidates); err != nil {
		return nil, err
	}
	m.lp = kernellp.New(m.k, s.y, s.cost, s.shape(), kernellp.Options{Budget: budget, Threads: p.Threads})
	return m, nil
}

// run solves and reweights until the fixed point.
func (m *reweighted) run(ctx context.Context) error {
	prices := m.start()
	for m.report.Status == status.Unknown {
		sol, err := m.solve(ctx, prices)
		if err != nil {
			return err
		}
		m.solves += sol.Solves
		if sol.Status != status.Optimal {
			m.report.Status = sol.Status
			if m.sol != nil { // keep the last finished round
				return nil
			}
			if ctx.Err() != nil && sol.Objective >= m.idle() {
				return learn.Nothing(ctx, m.name)
			}
		}
		settled := m.residual(sol, prices)
		m.record(sol)
		switch {
		case m.report.Status != status.Unknown:
		case settled:
			m.report.Status = status.Optimal
		case len(m.report.Rounds) == m.maxIter:
			m.report.Status = status.IterationLimit
		default:
			prices = m.reweight(sol)
		}
	}
	return nil
}

// solve solves the round's program.
func (m *reweighted) solve(ctx context.Context, prices kernellp.Costs) (sol *kernellp.Solution, err error) {
	labelled(ctx, &m.report, func(ctx context.Context) { sol, err = m.lp.Solve(ctx, prices) })
	return sol, err
}

// labelled calls solve of the next round, which profiles have as a label.
func labelled(ctx context.Context, r *learn.Report, solve func(ctx context.Context)) {
	pprof.Do(ctx, pprof.Labels("round", strconv.Itoa(len(r.Rounds)+1)), solve)
}

// start returns λ = 1. The rows beyond the columns' own are samples seen before, whose
// coefficient is that of the first.
func (m *reweighted) start() kernellp.Costs {
	p := kernellp.Costs{Margin: 1, Bias: 1, Coef: make([]float64, len(m.row))}
	if !m.biased {
		p.Bias = math.Inf(1)
	}
	for r := range p.Coef {
		p.Coef[r] = 1
		if r >= len(m.first) {
			p.Coef[r] = math.Inf(1)
		}
	}
	if m.few != nil {
		for r := range p.Coef {
			p.Coef[r] = math.Inf(1)
		}
		for _, r := range m.few.Columns() {
			p.Coef[r] = 1
		}
	}
	return p
}

// reweight returns λ_i = 1/|ᾱ_i|, infinite for the coefficients that are 0: without
// the paper's ε (section 3.4.2). In the units of ssvc-w it is 1 and z_i = ᾱ_i.
func (m *reweighted) reweight(sol *kernellp.Solution) kernellp.Costs {
	p := kernellp.Costs{Margin: 1, Bias: 1 / math.Abs(sol.Bias), Coef: make([]float64, len(m.row))}
	for r, a := range sol.A {
		p.Coef[r] = 1 / math.Abs(a)
	}
	return p
}

// residual evaluates the fixed-point certificate: at an optimum of (10)
// |(K̄β)_i| = λ_i wherever α_i ≠ 0, so that α_i (K̄β)_i = |α_i| λ_i.
func (m *reweighted) residual(sol *kernellp.Solution, p kernellp.Costs) (settled bool) {
	m.settle = 0
	if sol.Bias != 0 {
		m.settle = math.Abs(math.Abs(sol.Bias)*p.Bias - 1)
	}
	for r, a := range sol.A {
		if a != 0 {
			m.settle = math.Max(m.settle, math.Abs(math.Abs(a)*p.Coef[r]-1))
		}
	}
	return m.settle <= fixedPoint
}

func (m *reweighted) record(sol *kernellp.Solution) {
	m.sol = sol
	r := &m.report
	r.Objective = sol.Objective
	r.Duality = &learn.Duality{Objective: sol.Dual, Gap: sol.Gap(), KKT: sol.Violation}
	r.Iterations++
	r.InnerIterations += sol.Iterations
	live := 0
	for _, a := range sol.A {
		if a != 0 {
			live++
		}
	}
	if sol.Bias != 0 {
		live++
	}
	round := learn.Round{Objective: sol.Objective, Hinge: sol.Loss / m.c, Nonzeros: live,
		KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations}
	r.Rounds = append(r.Rounds, round)
	if m.progress != nil {
		m.progress(learn.OfRound("round", r.Iterations, round))
	}
}

func (m *reweighted) result(ctx context.Context) *learn.Result {
	res := &learn.Result{Report: m.report}
	res.Bias = m.sol.Bias
	for r, a := range m.sol.A {
		if a != 0 {
			res.Support, res.Coef = append(res.Support, m.first[r]), append(res.Coef, a)
		}
	}
	r := &res.Report
	r.KernelEvals = m.k.KernelEvals()
	figures := LinearFigures{Certificate: m.settle, Readout: m.readout(ctx), Solves: m.solves,
		WorkingRows: m.sol.Rows, Merged: m.merged}
	if m.few != nil {
		figures.Candidates, figures.Margins = len(m.few.Columns()), m.sol.Margins
	}
	r.Seconds.Solve = time.Since(m.begin).Seconds()
	r.Figures = figures
	r.Message = cmp.Or(m.lp.Spent(), m.message(len(res.Support) == 0 && res.Bias == 0))
	r.Say(m.over())
	res.Recompute(ctx, m.problem, m.sol.Objective-m.sol.Loss, m.loss, m.c)
	r.Settle(kernellp.OptimalGap, kernellp.OptimalViolation)
	return res
}

// over is [kernellp.Choice.Over] where there are candidates.
func (m *reweighted) over() string {
	if m.few == nil {
		return ""
	}
	return m.candidates.Over(len(m.few.Columns()), len(m.first))
}

// pathReweighting trains at every C from λ = 1 again, as a training does: its models are those
// of single trainings.
func pathReweighting(ctx context.Context, p *learn.Problem, t reweighting, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	m, err := prepare(p, t)
	if err != nil {
		return err
	}
	l, unit := m.linear, make([]float64, len(m.cost))
	for r, c := range m.cost {
		unit[r] = c / l.c
	}
	for _, c := range cs {
		if l.c = c; !learn.Positive.Has(c) {
			return &learn.ParamError{Method: l.name, Param: "c", Value: c, Want: learn.Positive.Text}
		}
		if err := p.ValidateCost(l.name, c); err != nil {
			return err
		}
		cost := make([]float64, len(unit))
		for r, u := range unit {
			cost[r] = c * u
		}
		if err := m.lp.SetCap(cost); err != nil {
			return err
		}
		scaled := *m.points
		scaled.cost = cost
		next := &reweighted{linear: l, points: &scaled, problem: p, k: m.k, few: m.few, lp: m.lp,
			progress: m.progress, begin: time.Now()}
		if err := next.run(ctx); err != nil {
			return err
		}
		r := next.result(ctx)
		if !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
	}
	return nil
}
