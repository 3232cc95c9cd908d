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

// FeaturesB is the method "ssvc-features-b": what [Features] is to [A] it is to [B], Implementation B of Huang et al.
// (2010) on the features themselves. With f(x) = wᵀx + b it solves the linear program
//
//	min Σ λ_k |w_k| + λ_0 |b| + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0
//
// again and again with λ_k = 1/|w̄_k|, through its dual (15), which has a row a feature and a column a sample.
// It has the features, units and models of [Features].
type FeaturesB struct {
	learn.Named[FeaturesB]
	C float64 // cost of a unit of slack; 0 means 1
	// Squares gives every feature its square as a companion, as in [Features]: λ_k = 1/(|w̄_k| + |ū_k|) is the cost of
	// both.
	Squares bool
	MaxIter int // limits the rounds; 0 means 50
}

// FeatureFigures are the figures of ssvc-features-b in a report.
type FeatureFigures = samples.FeatureFigures

// EstimateMemory implements [learn.Trainer]: the features with their squares, twice while they are turned, the
// inverse of a basis and vectors.
func (t FeaturesB) EstimateMemory(n, d int) int64 {
	const vectors = 300 // bytes a row or column
	rows, cols := int64(n), int64(samples.FeatureColumns(d, t.Squares))
	return 16*rows*cols + 8*cols*cols + vectors*(rows+cols)
}

// Train implements [learn.Trainer]. The report is as for [B.Train], with the features instead of kernel columns;
// its Figures are a [FeatureFigures].
func (t FeaturesB) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, err := samples.NewFeatures(p, t, t.C, t.Squares)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	m := &linearFeatures{FeatureSpace: s, column: s.Values(), group: s.Groups()}
	m.lp = m.program()
	ones := slices.Repeat([]float64{1}, m.Columns()-1)
	run, err := kernellp.Rule{
		Rounds: t.MaxIter, Start: kernellp.Costs{Margin: 1, Coef: ones, Bias: 1}, Next: m.next, Counts: counts(t.C),
		Finished: true, Idle: math.Inf(-1), Progress: p.Progress,
	}.Run(ctx, t.Name(), m.solve)
	if err != nil {
		return nil, err
	}
	r := m.result(run.Solution)
	run.Report(&r.Report)
	live := []int{m.Columns()}
	for _, round := range run.Rounds[:len(run.Rounds)-1] {
		live = append(live, round.Nonzeros)
	}
	r.Report.Figures = FeatureFigures{Features: m.Expand(r), Certificate: &m.residual, Live: live, Merged: m.Repeats}
	m.Recompute(ctx, r, run.Solution.Objective-run.Solution.Loss)
	r.Report.Settle(samples.OptimalGap, samples.OptimalGap)
	r.Report.EndAt(status.FixedPoint)
	r.Report.Seconds = learn.Seconds{Solve: time.Since(begin).Seconds()}
	return r, nil
}

// linearFeatures is a training in progress.
type linearFeatures struct {
	*samples.FeatureSpace
	column   []float64 // of every row, as in [samples.FeatureSpace.Values]
	group    []int
	lp       simplex.LP
	solver   *simplex.Solver
	residual float64 // certificate
}

// program is the dual (15) in signed variables b = yβ, a row a column of the features:
//
//	min −Σ y_i b_i   subject to   |Σ_i b_i z_ik| ≤ λ_k,   0 ≤ y_i b_i ≤ C_i.
//
// The duals of its rows are −α.
func (m *linearFeatures) program() simplex.LP {
	n, cols := len(m.At), m.Columns()
	turned := make([]float64, cols*n)
	dense.Transpose(turned, m.column, cols, n)
	lp := simplex.LP{A: simplex.NewDense(cols, n, turned), C: make([]float64, n)}
	lp.Lo, lp.Up = samples.Bounds(m.Y, m.Cost)
	for r, y := range m.Y {
		lp.C[r] = -y
	}
	return lp
}

// solve solves the program at the costs. The last basis stays dual feasible.
func (m *linearFeatures) solve(ctx context.Context, costs kernellp.Costs) (*kernellp.Solution, error) {
	m.lp.RowLo, m.lp.RowUp = nil, append(slices.Clone(costs.Coef), costs.Bias)
	for _, v := range m.lp.RowUp {
		m.lp.RowLo = append(m.lp.RowLo, -v)
	}
	if dump := simplex.Trace(ctx); dump != nil {
		if err := dump(&m.lp); err != nil {
			return nil, err
		}
	}
	var err error
	if m.solver == nil {
		m.solver, err = simplex.New(m.lp, simplex.Options{Method: simplex.Dual, Unit: 1})
	} else {
		err = m.solver.SetRowBounds(m.lp.RowLo, m.lp.RowUp)
	}
	if err != nil {
		return nil, err
	}
	res := m.solver.Solve(ctx)
	if ctx.Err() != nil && res.Status != status.Optimal {
		return &kernellp.Solution{Status: res.Status}, nil
	}
	return m.evaluate(res), nil
}

// evaluate makes the solution of a result, with objectives evaluated from coefficients and multipliers.
func (m *linearFeatures) evaluate(res *simplex.Result) *kernellp.Solution {
	cols, lambda := m.Columns(), m.lp.RowUp
	coef := make([]float64, cols)
	sol := &kernellp.Solution{Status: res.Status, A: coef[:cols-1], Iterations: res.Iterations}
	for k, v := range lambda {
		if !math.IsInf(v, 1) && res.Y[k] != 0 {
			coef[k] = -res.Y[k]
			sol.Objective += v * math.Abs(coef[k])
		}
		sol.Violation = max(sol.Violation, math.Abs(res.Activity[k])/v-1)
	}
	sol.Bias = coef[cols-1]
	for r, y := range m.Y {
		f := 0.0
		for k, v := range m.column[r*cols : (r+1)*cols] {
			f += coef[k] * v
		}
		sol.Loss += m.Cost[r] * max(0, 1-y*f)
		sol.Dual += y * res.X[r] / (1 + sol.Violation) // multipliers that are feasible
	}
	sol.Objective += sol.Loss
	if sol.Status == status.Numerical && max(sol.Gap(), sol.Violation) <= samples.OptimalGap {
		sol.Status = status.Optimal // by weak duality, however the pivots ended
	}
	return sol
}

// next returns λ_k = 1/Σ|α| over the columns of a group, infinite where that is 0. As log is concave, Σ|α|/Σ|ᾱ|
// majorises log Σ|α| of a group, and each round lowers the sum of these and the losses.
func (m *linearFeatures) next(sol *kernellp.Solution, costs kernellp.Costs) (next kernellp.Costs, settled bool) {
	size, coef := make([]float64, m.Columns()), append(slices.Clone(sol.A), sol.Bias)
	for k, a := range coef {
		size[m.group[k]] += math.Abs(a)
	}
	m.residual = 0
	var lambda []float64
	for k, old := range append(slices.Clone(costs.Coef), costs.Bias) {
		lambda = append(lambda, 1/size[m.group[k]])
		if coef[k] != 0 {
			m.residual = max(m.residual, math.Abs(old/lambda[k]-1))
		}
	}
	last := len(lambda) - 1
	return kernellp.Costs{Margin: 1, Coef: lambda[:last], Bias: lambda[last]}, m.residual <= samples.FixedPoint
}

// result makes the model of columns.
func (m *linearFeatures) result(sol *kernellp.Solution) *learn.Result {
	r := &learn.Result{Expansion: learn.Expansion{Bias: sol.Bias}, Report: learn.Report{Status: sol.Status,
		Objective: sol.Objective, Duality: &learn.Duality{Objective: sol.Dual, Gap: sol.Gap(), KKT: sol.Violation}}}
	r.Support, r.Coef = kernellp.Nonzero(sol.A)
	r.Report.Message = m.Message(len(r.Support) == 0 && r.Bias == 0)
	return r
}
