package ssvc

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Linear is the method "ssvc-b", Implementation B of the paper: the linear program
//
//	min Σ λ_i |α_i| + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0         (10), (14)
//
// again and again with λ_i = 1/|ᾱ_i|, solved through its dual (15). Only the bounds of
// the dual's rows change from round to round, so that the last basis stays dual
// feasible. A coefficient that is 0 stays 0. (A coefficient with |ᾱ_i| times the
// largest |(K̄β)_i| below 1 cannot return either; its row is never violated, so that
// it costs nothing to keep.)
type Linear struct {
	// C is the cost of a unit of slack; 0 means 1.
	C float64
	// Weston names the method "ssvc-w", the zero-norm machine of Weston et al. (2003),
	// eq. (16): the kernel columns are multiplied by z and z by the solution. Its
	// programs are those of ssvc-b in other units: the machines are the same (section 3.5.1).
	Weston bool
	// MaxIter limits the rounds; 0 means 50 as in section 4.2.
	MaxIter int
	// Dump receives every linear program of the training, whole, in the statement (15).
	// An error stops the training.
	Dump func(lp *simplex.LP) error
}

var _ learn.PathTrainer = Linear{}

const defaultLinearRounds = 50

// Name implements [learn.Trainer].
func (t Linear) Name() string {
	if t.Weston {
		return "ssvc-w"
	}
	return "ssvc-b"
}

// Train implements [learn.Trainer]. The report's Objective is (10) in the last round.
//
// Extra holds "certificate", the largest |α_i (K̄β)_i − 1| over the coefficients
// left, the bias among them; "readout", the largest difference, relative, between
// the coefficients read from the program's duals and those that solve
// K̄ᵀ_{I1,I2} α = 1 (section 3.4.2); "solves", "working_rows" and "merged".
func (t Linear) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	m, err := t.prepare(p)
	if err != nil {
		return nil, err
	}
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	return m.result(), nil
}

func (t Linear) validate() error {
	switch {
	case !(t.C >= 0) || math.IsInf(t.C, 0):
		return fmt.Errorf("%s: C is %v, want a finite number > 0", t.Name(), t.C)
	case t.MaxIter < 0:
		return fmt.Errorf("%s: round limit is %d, want at least 1", t.Name(), t.MaxIter)
	}
	return nil
}

func (t Linear) c() float64 {
	if t.C == 0 {
		return 1
	}
	return t.C
}

// expectedRows is the number of working rows that the memory estimate counts on.
const expectedRows = 256

// EstimateMemory implements [learn.Trainer]: the packed and the gathered points, the
// working rows, the smallest cache and the solver's vectors.
func (t Linear) EstimateMemory(n, d int) int64 {
	const vectors = 40 * 8
	working := int64(min(n, expectedRows)) * int64(n) * 8
	return gram.Bytes[float64](n, d) + int64(n)*int64(d)*8 + working + int64(n)*vectors +
		blocked.MinRows*blocked.RowBytes[float64](n)
}

// reweighted is a training of Linear in progress.
type reweighted struct {
	Linear
	*points
	k        *blocked.Matrix[float64]
	lp       *kernellp.Solver
	progress func(learn.Event)
	begin    time.Time

	sol    *kernellp.Solution
	report learn.Report
	solves int
	settle float64 // the certificate's residual
}

func (t Linear) prepare(p *learn.Problem) (*reweighted, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := merge(p, t.c())
	spare, err := p.Spare(t.Name(), t.EstimateMemory(len(s.row), p.D))
	if err != nil {
		return nil, err
	}
	index := make([]int, len(s.row))
	for r, col := range s.row {
		index[r] = s.first[col]
	}
	k := blocked.New(gram.Pack[float64](p.Kernel, p.Points(index), len(index), p.D), spare, p.Threads)
	lp := kernellp.New(k, s.y, s.cost, kernellp.Shape{}, kernellp.Options{Dump: t.Dump})
	return &reweighted{Linear: t, points: s, k: k, lp: lp, progress: p.Progress, begin: time.Now()}, nil
}

// run solves and reweights until the fixed point.
func (m *reweighted) run(ctx context.Context) error {
	limit := m.MaxIter
	if limit == 0 {
		limit = defaultLinearRounds
	}
	prices := m.start()
	for m.report.Status == status.Unknown {
		sol, err := m.lp.Solve(ctx, prices)
		if err != nil {
			return err
		}
		m.solves += sol.Solves
		if sol.Status != status.Optimal {
			m.report.Status = sol.Status
			if m.sol != nil { // keep the last finished round
				return nil
			}
		}
		settled := m.residual(sol, prices)
		m.record(sol)
		switch {
		case m.report.Status != status.Unknown:
		case settled:
			m.report.Status = status.Optimal
		case len(m.report.Rounds) == limit:
			m.report.Status = status.IterationLimit
		default:
			prices = m.reweight(sol)
		}
	}
	return nil
}

// start returns λ = 1. The rows beyond the columns' own are points seen before, whose
// coefficient is that of the first.
func (m *reweighted) start() kernellp.Prices {
	p := kernellp.Prices{Margin: 1, Bias: 1, Coef: make([]float64, len(m.row))}
	for r := range p.Coef {
		p.Coef[r] = 1
		if r >= len(m.first) {
			p.Coef[r] = math.Inf(1)
		}
	}
	return p
}

// reweight returns λ_i = 1/|ᾱ_i|, infinite for the coefficients that are 0: without
// the paper's ε (section 3.4.2). In the units of ssvc-w it is 1 and z_i = ᾱ_i.
func (m *reweighted) reweight(sol *kernellp.Solution) kernellp.Prices {
	p := kernellp.Prices{Margin: 1, Bias: 1 / math.Abs(sol.Bias), Coef: make([]float64, len(m.row))}
	for r, a := range sol.A {
		p.Coef[r] = 1 / math.Abs(a)
	}
	return p
}

// residual evaluates the fixed-point certificate: at an optimum of (10)
// |(K̄β)_i| = λ_i wherever α_i ≠ 0, so that α_i (K̄β)_i = |α_i| λ_i.
func (m *reweighted) residual(sol *kernellp.Solution, p kernellp.Prices) (settled bool) {
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
	r.Objective, r.DualObjective, r.Gap, r.KKT = sol.Objective, sol.Dual, sol.Gap(), sol.Violation
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
	r.Rounds = append(r.Rounds, learn.Round{Objective: sol.Objective, Hinge: sol.Loss / m.c(), Nonzeros: live,
		KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations})
	if m.progress != nil {
		m.progress(learn.Event{Phase: "round", Done: -1, Text: fmt.Sprintf("round %d: %d coefficients left", r.Iterations, live)})
	}
}

func (m *reweighted) result() *learn.Result {
	res := &learn.Result{Report: m.report}
	res.Bias = m.sol.Bias
	for r, a := range m.sol.A {
		if a != 0 {
			res.Support, res.Coef = append(res.Support, m.first[r]), append(res.Coef, a)
		}
	}
	r := &res.Report
	r.KernelEvals = m.k.Stats().KernelEvals
	r.Seconds.Solve = time.Since(m.begin).Seconds()
	r.Extra = map[string]any{"certificate": m.settle, "readout": m.readout(), "solves": m.solves,
		"working_rows": m.sol.Rows, "merged": m.merged}
	switch {
	case len(res.Support) == 0 && res.Bias == 0:
		r.Message = "collapsed to f = 0: no coefficient can earn its penalty back at this C; raise C"
	case m.merged > 0:
		r.Message = fmt.Sprintf("%d points repeat another's features and were merged with it", m.merged)
	}
	return res
}

// readout solves K̄ᵀ_{I1,I2} α = 1 for the coefficients I1 that are not 0 over the
// points I2 with 0 < β < C, and returns the largest difference from the program's
// duals relative to the largest coefficient.
func (m *reweighted) readout() float64 {
	var live []int // −1 is the bias
	var want []float64
	var largest float64
	for r, a := range m.sol.A {
		if a != 0 {
			live, want = append(live, r), append(want, a)
			largest = math.Max(largest, math.Abs(a))
		}
	}
	if m.sol.Bias != 0 {
		live, want = append(live, -1), append(want, m.sol.Bias)
		largest = math.Max(largest, math.Abs(m.sol.Bias))
	}
	var inner []int
	for r, b := range m.sol.M {
		if b != 0 && math.Abs(b) != m.cost[r] {
			inner = append(inner, r)
		}
	}
	if len(live) == 0 || len(inner) < len(live) {
		return 0 // degenerate: the system does not determine the coefficients
	}
	a, y := mat.NewDense(len(inner), len(live), nil), mat.NewVecDense(len(inner), nil)
	for t, r := range inner {
		y.SetVec(t, m.y[r]) // y_r f(x_r) = 1
		row := m.k.Rows([]int{r})[0]
		for c, l := range live {
			v := 1.0
			if l >= 0 {
				v = row[l]
			}
			a.Set(t, c, v)
		}
	}
	var got mat.VecDense
	if err := got.SolveVec(a, y); err != nil && got.Len() != len(want) {
		return math.Inf(1)
	}
	var worst float64
	for c, v := range want {
		worst = math.Max(worst, math.Abs(got.AtVec(c)-v)/largest)
	}
	return worst
}

// Path implements [learn.PathTrainer]. Every C starts from λ = 1 again, as a training
// does: its machines are those of single trainings.
func (t Linear) Path(ctx context.Context, p *learn.Problem, cs []float64, visit func(float64, *learn.Result) bool) error {
	m, err := t.prepare(p)
	if err != nil {
		return err
	}
	unit := make([]float64, len(m.cost))
	for r, c := range m.cost {
		unit[r] = c / t.c()
	}
	for _, c := range cs {
		if t.C = c; c == 0 {
			return fmt.Errorf("%s: C is 0 on a path, want a finite number > 0", t.Name())
		} else if err := t.validate(); err != nil {
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
		next := &reweighted{Linear: t, points: &scaled, k: m.k, lp: m.lp, progress: m.progress, begin: time.Now()}
		if err := next.run(ctx); err != nil {
			return err
		}
		r := next.result()
		if !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
	}
	return nil
}
