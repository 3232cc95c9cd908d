package ssvclp

import (
	"context"
	"math"
	"time"

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
// Features, units and models are those of [Features].
type FeaturesB struct {
	learn.Named[FeaturesB]
	C float64 // cost of a unit of slack; 0 means 1
	// Squares gives every feature its square as a companion, as in [Features]: λ_k = 1/(|w̄_k| + |ū_k|) is the cost of
	// both.
	Squares bool
	MaxIter int // limits the rounds; 0 means 50
}

// FeatureFigures are those of ssvc-features-b in a report.
type FeatureFigures = samples.FeatureFigures

// EstimateMemory implements [learn.Trainer]: the features with their squares, twice while they are turned, the
// inverse of a basis and vectors.
func (t FeaturesB) EstimateMemory(n, d int) int64 {
	const vectors = 300 // bytes a row or column
	rows, cols := int64(n), int64(samples.FeatureColumns(d, t.Squares))
	return 16*rows*cols + 8*cols*cols + vectors*(rows+cols)
}

// Train implements [learn.Trainer]. The report is that of [B.Train], with the features instead of kernel columns;
// its Figures are a [FeatureFigures].
func (t FeaturesB) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, err := samples.NewFeatures(p, t, t.C, t.Squares)
	if err != nil {
		return nil, err
	}
	m := &linearFeatures{FeaturesB: t, FeatureSpace: s, begin: time.Now(), column: s.Values(), group: s.Groups()}
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	return m.result(ctx), nil
}

// linearFeatures is a training in progress.
type linearFeatures struct {
	FeaturesB
	*samples.FeatureSpace
	column []float64 // of every row, as in [samples.FeatureSpace.Values]
	group  []int
	begin  time.Time

	lambda []float64 // column → λ, infinite for coefficients that are 0
	coef   []float64 // column → α of the last round
	size   float64   // Σ λ|α| of it
	live   []int     // coefficients that entered each round
	settle float64   // certificate
	report learn.Report
}

// program is the dual (15) in signed variables b = yβ, a row a column of the features:
//
//	min −Σ y_i b_i   subject to   |Σ_i b_i z_ik| ≤ λ_k,   0 ≤ y_i b_i ≤ C_i.
//
// The duals of its rows are −α.
func (m *linearFeatures) program() simplex.LP {
	n, cols := len(m.At), m.Columns()
	turned := make([]float64, cols*n)
	for r := range n {
		for k, v := range m.column[r*cols : (r+1)*cols] {
			turned[k*n+r] = v
		}
	}
	lp := simplex.LP{A: simplex.NewDense(cols, n, turned), C: make([]float64, n), Lo: make([]float64, n),
		Up: make([]float64, n)}
	for r, y := range m.Y {
		if lp.C[r] = -y; y > 0 {
			lp.Up[r] = m.Cost[r]
		} else {
			lp.Lo[r] = -m.Cost[r]
		}
	}
	return lp
}

// run solves and reweights until the fixed point. The last basis stays dual feasible.
func (m *linearFeatures) run(ctx context.Context) error {
	lp := m.program()
	m.lambda, m.coef = make([]float64, m.Columns()), make([]float64, m.Columns())
	for k := range m.lambda {
		m.lambda[k], m.coef[k] = 1, 1
	}
	var solver *simplex.Solver
	for m.report.Status == status.Unknown {
		lp.RowLo, lp.RowUp = make([]float64, len(m.lambda)), m.lambda
		for k, v := range m.lambda {
			lp.RowLo[k] = -v
		}
		if dump := simplex.Trace(ctx); dump != nil {
			if err := dump(&lp); err != nil {
				return err
			}
		}
		var err error
		if solver == nil {
			solver, err = simplex.New(lp, simplex.Options{Method: simplex.Dual, Unit: 1})
		} else {
			err = solver.SetRowBounds(lp.RowLo, lp.RowUp)
		}
		if err != nil {
			return err
		}
		var sol *simplex.Result
		kernellp.Labelled(ctx, len(m.report.Rounds), func(ctx context.Context) { sol = solver.Solve(ctx) })
		if ctx.Err() != nil && sol.Status != status.Optimal {
			if len(m.report.Rounds) == 0 {
				return learn.Nothing(ctx, m.Name())
			}
			m.report.Status = sol.Status // the last finished round's model stands
			return nil
		}
		m.round(sol)
	}
	return nil
}

// round takes over a solution, and the costs that follow from it.
func (m *linearFeatures) round(sol *simplex.Result) {
	entered := 0
	for k, a := range m.coef {
		if a != 0 {
			entered++
		}
		if m.coef[k] = 0; !math.IsInf(m.lambda[k], 1) && sol.Y[k] != 0 {
			m.coef[k] = -sol.Y[k]
		}
	}
	m.live = append(m.live, entered)
	m.record(sol)
	if d := m.report.Duality; sol.Status == status.Numerical && max(d.Gap, d.KKT) <= samples.OptimalGap {
		sol.Status = status.Optimal // by weak duality, however the pivots ended
	}
	next := m.weights()
	m.settle = 0
	for k, a := range m.coef {
		if a != 0 {
			m.settle = max(m.settle, math.Abs(m.lambda[k]/next[k]-1))
		}
	}
	switch {
	case sol.Status != status.Optimal:
		m.report.Status = sol.Status
	case m.settle <= samples.FixedPoint:
		m.report.Status = status.Optimal
	case len(m.report.Rounds) == m.MaxIter:
		m.report.Status = status.IterationLimit
	default:
		m.lambda = next
	}
}

// weights are λ_k = 1/Σ|α| over the columns of a group, infinite where that is 0. As log is concave, Σ|α|/Σ|ᾱ|
// majorises log Σ|α| of a group, and each round lowers the sum of these and the losses.
func (m *linearFeatures) weights() []float64 {
	size, lambda := make([]float64, len(m.coef)), make([]float64, len(m.coef))
	for k, a := range m.coef {
		size[m.group[k]] += math.Abs(a)
	}
	for k := range lambda {
		lambda[k] = 1 / size[m.group[k]]
	}
	return lambda
}

// record adds the round to the report, its objectives evaluated from coefficients and multipliers.
func (m *linearFeatures) record(sol *simplex.Result) {
	hinge, loss, cols := 0.0, 0.0, m.Columns()
	for r, y := range m.Y {
		f := 0.0
		for k, v := range m.column[r*cols : (r+1)*cols] {
			f += m.coef[k] * v
		}
		short := max(0, 1-y*f)
		hinge, loss = hinge+m.Cost[r]/m.C*short, loss+m.Cost[r]*short
	}
	m.size = 0
	nonzeros := 0
	for k, a := range m.coef {
		if a != 0 {
			nonzeros++
			m.size += m.lambda[k] * math.Abs(a)
		}
	}
	dual, over := 0.0, 0.0 // by how much a row exceeds its cost, relative
	for k, v := range sol.Activity {
		over = max(over, math.Abs(v)/m.lambda[k]-1)
	}
	for r, y := range m.Y {
		dual += y * sol.X[r] / (1 + over) // multipliers that are feasible
	}
	r := &m.report
	r.Objective = m.size + loss
	r.Duality = &learn.Duality{Objective: dual, Gap: (r.Objective - dual) / max(1, r.Objective), KKT: over}
	r.Iterations++
	r.InnerIterations += sol.Iterations
	round := learn.Round{Objective: r.Objective, Hinge: hinge, Nonzeros: nonzeros, KKT: over, Gap: r.Duality.Gap,
		InnerIterations: sol.Iterations}
	r.Rounds = append(r.Rounds, round)
	if m.Problem.Progress != nil {
		m.Problem.Progress(learn.OfRound("round", r.Iterations, round))
	}
}

func (m *linearFeatures) result(ctx context.Context) *learn.Result {
	r := &learn.Result{Report: m.report}
	last := len(m.coef) - 1
	r.Bias = m.coef[last]
	for k, a := range m.coef[:last] {
		if a != 0 {
			r.Support = append(r.Support, k)
			r.Coef = append(r.Coef, a)
		}
	}
	r.Report.Message = m.Message(len(r.Support) == 0 && r.Bias == 0)
	r.Report.Figures = FeatureFigures{Features: m.Expand(r), Certificate: &m.settle, Live: m.live, Merged: m.Repeats}
	m.Recompute(ctx, r, m.size)
	r.Report.Settle(samples.OptimalGap, samples.OptimalGap)
	r.Report.Seconds = learn.Seconds{Solve: time.Since(m.begin).Seconds()}
	return r
}
