package ssvclp

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// linear is a method by linear programs that are reweighted by their own solutions.
type linear struct {
	samples.Parameters
	rounds int
	nu     float64 // of [learn.OneClass]
	exact  bool    // all rounds are linear programs
	once   bool    // the first program is the model's
}

// LinearFigures are the figures of the methods by linear programs in a report.
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
	*kernellp.Training
	linear   linear
	residual float64 // of the fixed-point certificate at the last solution
}

// Prepare implements [kernellp.Method]. It merges the samples.
func (l linear) Prepare(p *learn.Problem) (kernellp.Sequence, error) {
	t, err := kernellp.NewTraining(p, l.Parameters, kernellp.Shape{})
	return &reweighted{Training: t, linear: l}, err
}

// Train implements [kernellp.Sequence]: it solves and reweights from λ = 1 to the fixed point.
func (m *reweighted) Train(ctx context.Context) (*learn.Result, error) {
	begin := time.Now()
	bias := 1.0
	if !m.Biased {
		bias = math.Inf(1)
	}
	start, solve, err := m.start(ctx, m.Costs(1, bias, func(int) float64 { return 1 }))
	if err != nil {
		return nil, err
	}
	run, err := m.Watched(kernellp.Rule{
		Rounds: m.linear.rounds, Start: start, Next: m.next, Counts: counts(m.C),
		Finished: true, Idle: m.Idle(), Progress: m.Problem.Progress,
	}).Run(ctx, m.Parameters.Method, solve)
	if err != nil {
		return nil, err
	}
	sol := run.Solution
	figures := LinearFigures{Certificate: m.residual, Solves: run.Solves, WorkingRows: sol.Rows, Merged: m.Repeats}
	seconds := time.Since(begin).Seconds()
	message := ""
	if m.LP.Spent() == "" {
		message = m.Message(sol.Bias == 0 && kernellp.Nonzeros(sol.A) == 0)
	}
	var over string
	figures.Candidates, figures.Margins, over = m.Limits(sol, len(m.First))
	r := m.Result(ctx, sol, message, over)
	figures.Readout = m.readout(ctx, sol)
	if run.Report(&r.Report); !m.linear.once {
		r.Report.EndAt(status.FixedPoint)
	}
	r.Report.Seconds.Solve, r.Report.Figures = seconds, figures
	if m.Task == learn.OneClass {
		r.Bias = 0 - m.threshold(sol.Output) // 0 − x avoids −0
	}
	return r, nil
}

// solver solves the program of some costs.
type solver = func(ctx context.Context, costs kernellp.Costs) (*kernellp.Solution, error)

// start returns the costs of the first program and what solves the programs. If the program at the given costs is long,
// the first is that after some quadratic ones.
func (m *reweighted) start(ctx context.Context, costs kernellp.Costs) (kernellp.Costs, solver, error) {
	all := len(m.Matrix.Columns()) == len(m.First)
	if m.linear.once || m.linear.exact || samples.FirstRounds == nil || !all || simplex.Trace(ctx) != nil {
		return costs, m.LP.Solve, nil
	}
	m.LP.Brief(true)
	sol, err := m.LP.Solve(ctx, costs)
	if err != nil {
		return costs, nil, err
	}
	if sol.Status == status.IterationLimit && m.LP.Spent() == "" {
		if next, found, err := m.reduced(ctx); found != nil || err != nil {
			return next, m.after(found), err
		}
		sol = nil // the same program goes on
	}
	m.LP.Brief(false)
	return costs, m.after(sol), nil
}

// reduced solves the program that follows from the first quadratic rounds. The solution is nil if there is none.
func (m *reweighted) reduced(ctx context.Context) (kernellp.Costs, *kernellp.Solution, error) {
	first := samples.FirstRounds(ctx, m.Problem, m.Merged, m.C, m.LP.Room())
	if first == nil {
		return kernellp.Costs{}, nil, nil
	}
	costs := m.begin(first)
	sol, err := m.LP.Solve(ctx, costs)
	if err != nil || !m.LP.Lost() {
		return costs, sol, err
	}
	m.LP.Begin(nil)
	return kernellp.Costs{}, nil, nil
}

// after solves programs of which the first has a solution, if that is not nil.
func (m *reweighted) after(sol *kernellp.Solution) solver {
	return func(ctx context.Context, costs kernellp.Costs) (*kernellp.Solution, error) {
		if found := sol; found != nil {
			sol = nil
			return found, nil
		}
		return m.LP.Solve(ctx, costs)
	}
}

// begin returns the costs that follow from the first rounds. The next program starts from their active rows and
// columns.
func (m *reweighted) begin(s *samples.Start) kernellp.Costs {
	coef, n := make([]float64, len(m.Samples)), len(m.First)
	costs := kernellp.Costs{Margin: 1, Bias: math.Inf(1), Coef: slices.Repeat([]float64{math.Inf(1)}, len(coef))}
	begin := kernellp.Begin{M: s.M, A: coef, Image: make([]float64, len(coef))}
	for k, c := range s.Columns {
		if c == n {
			begin.Bias, costs.Bias = s.Coef[k], 1/math.Abs(s.Coef[k])
		} else {
			coef[c], begin.Image[c], costs.Coef[c] = s.Coef[k], s.Image[k], 1/math.Abs(s.Coef[k])
		}
	}
	m.LP.Begin(&begin)
	return costs
}

// next returns λ_i = 1/|ᾱ_i|, infinite for the coefficients that are 0: without the paper's ε (section 3.4.2). In the
// units of ssvc-w it is 1 and z_i = ᾱ_i. It evaluates the fixed-point certificate: at an optimum of (10)
// |(K̄β)_i| = λ_i wherever α_i ≠ 0, so that α_i (K̄β)_i = |α_i| λ_i, which is 1 where the training has settled.
func (m *reweighted) next(sol *kernellp.Solution, costs kernellp.Costs) (next kernellp.Costs, settled bool) {
	m.residual = 0
	if m.linear.once {
		return next, true
	}
	if sol.Bias != 0 {
		m.residual = math.Abs(math.Abs(sol.Bias)*costs.Bias - 1)
	}
	next = kernellp.Costs{Margin: 1, Bias: 1 / math.Abs(sol.Bias), Coef: make([]float64, len(sol.A))}
	for r, a := range sol.A {
		if next.Coef[r] = 1 / math.Abs(a); a != 0 {
			m.residual = math.Max(m.residual, math.Abs(math.Abs(a)*costs.Coef[r]-1))
		}
	}
	return next, m.residual <= samples.FixedPoint
}

// counts has the bias among the coefficients.
func counts(c float64) func(sol *kernellp.Solution) (hinge float64, live int) {
	return func(sol *kernellp.Solution) (hinge float64, live int) {
		return sol.Loss / c, kernellp.Nonzeros(append(sol.A, sol.Bias))
	}
}

// readout solves K̄ᵀ_{I1,I2} α = 1 for the non-zero coefficients I1 over the samples I2 with 0 < β < C. It returns the
// largest difference from the program's duals, relative to the largest coefficient. It returns nil if there is no such
// solution or ctx has ended.
func (m *reweighted) readout(ctx context.Context, sol *kernellp.Solution) *float64 {
	var inner []int
	var edges []float64
	vectors, want := kernellp.Nonzero(sol.A)
	if sol.Bias != 0 {
		want = append(want, sol.Bias)
	}
	for r, b := range sol.M {
		if b != 0 && math.Abs(b) != m.Cost[r] {
			inner = append(inner, r)
			edges = append(edges, m.Y[r]*m.Edge[r]) // y_r f(x_r) = edge_r
		}
	}
	if ctx.Err() != nil || len(want) == 0 || len(inner) < len(want) {
		return nil // degenerate: the system does not determine the coefficients
	}
	columns, err := m.Matrix.Block(ctx, vectors, inner)
	if err != nil {
		return nil
	}
	if sol.Bias != 0 {
		columns = append(columns, slices.Repeat([]float64{1}, len(inner)))
	}
	got := leastSquares(ctx, columns, edges)
	if got == nil {
		return nil // singular: neither does this; or ctx has ended
	}
	var worst float64
	for c, v := range want {
		worst = math.Max(worst, math.Abs(got[c]-v)/dense.Largest(want))
	}
	return &worst
}

// leastSquares returns the z with the least ‖Σ z_c a_c − b‖ by modified Gram-Schmidt, which with b as one more column
// is as stable as reflections (Björck 1967). It overwrites a and b. It returns nil if a column depends on those before
// it, or if ctx has ended. Gonum's package mat would add a third of a megabyte to every program with this library.
func leastSquares(ctx context.Context, a [][]float64, b []float64) []float64 {
	n := len(a)
	a, r := append(a, b), make([][]float64, n)
	for k, q := range a[:n] {
		norm := math.Sqrt(dense.Dot(q, q))
		if ctx.Err() != nil || !(norm > 0) {
			return nil
		}
		r[k] = make([]float64, n+1)
		r[k][k] = norm
		for i := range q {
			q[i] /= norm
		}
		for c := k + 1; c <= n; c++ {
			r[k][c] = dense.Dot(q, a[c])
			dense.Axpy(-r[k][c], q, a[c])
		}
	}
	z := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		z[k] = (r[k][n] - dense.Dot(r[k][k+1:n], z[k+1:])) / r[k][k]
	}
	return z
}
