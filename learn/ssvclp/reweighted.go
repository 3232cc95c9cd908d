package ssvclp

import (
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
	"github.com/sparsekm/sparsekm/learn/internal/reweight"
)

// linear is a method by linear programs that are reweighted by their own solutions.
type linear struct {
	reweight.Parameters
	rounds int
	nu     float64 // of [learn.OneClass]
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
	*reweight.Training
	samples  *merged.Samples
	rounds   int
	nu       float64 // of [learn.OneClass]
	residual float64 // of the fixed-point certificate at the last solution
}

// Prepare implements [reweight.Method]. It merges the samples.
func (l linear) Prepare(p *learn.Problem) (reweight.Sequence, error) {
	if err := l.Validate(p); err != nil {
		return nil, err
	}
	m := &reweighted{rounds: l.rounds, nu: l.nu}
	of := reweight.Program{Parameters: l.Parameters}
	switch l.Task {
	case learn.Regress:
		m.samples = merged.Regression(l.Method, p, l.C, l.Epsilon)
		of.Shape.Edge = m.samples.Edge
	case learn.OneClass:
		m.samples = merged.OneClass(l.Method, p, l.C)
	default:
		m.samples = merged.Classifier(l.Method, p, l.C)
	}
	s := m.samples
	of.Loss, of.Y, of.Cost, of.First = s.Loss, s.Y, s.Cost, len(s.First)
	of.Choice = kernellp.Choice{At: s.Only, Subset: l.Subset}
	for r, col := range s.Row {
		of.Samples = append(of.Samples, s.First[col])
		of.Weight = append(of.Weight, s.Cost[r]/l.C)
	}
	var err error
	m.Training, err = reweight.New(p, of)
	return m, err
}

// Train implements [reweight.Sequence]: it solves and reweights from λ = 1 to the fixed point.
func (m *reweighted) Train(ctx context.Context) (*learn.Result, error) {
	begin := time.Now()
	m.samples.Cost = m.Cost
	bias := 1.0
	if !m.samples.Biased {
		bias = math.Inf(1)
	}
	run, err := m.Run(ctx, reweight.Rule{
		Rounds: m.rounds, Start: m.Costs(1, bias, func(int) float64 { return 1 }), Next: m.next, Counts: m.counts,
		Finished: true, Idle: m.samples.Idle(), Progress: m.Problem.Progress,
	})
	if err != nil {
		return nil, err
	}
	sol := run.Solution
	figures := LinearFigures{Certificate: m.residual, Solves: run.Solves, WorkingRows: sol.Rows, Merged: m.samples.Merged}
	seconds := time.Since(begin).Seconds()
	message := ""
	if m.LP.Spent() == "" {
		message = m.samples.Message(sol.Bias == 0 && reweight.Nonzeros(sol.A) == 0)
	}
	var over string
	figures.Candidates, figures.Margins, over = m.Limits(sol, len(m.samples.First))
	r := m.Result(ctx, sol, message, over)
	figures.Readout = m.readout(ctx, sol)
	run.Report(&r.Report)
	r.Report.Seconds.Solve, r.Report.Figures = seconds, figures
	if m.Task == learn.OneClass {
		r.Bias = 0 - m.threshold(sol.Output) // 0 − x avoids −0
	}
	return r, nil
}

// next returns λ_i = 1/|ᾱ_i|, infinite for the coefficients that are 0: without the paper's ε (section 3.4.2). In the
// units of ssvc-w it is 1 and z_i = ᾱ_i. It evaluates the fixed-point certificate: at an optimum of (10)
// |(K̄β)_i| = λ_i wherever α_i ≠ 0, so that α_i (K̄β)_i = |α_i| λ_i, which is 1 where the training has settled.
func (m *reweighted) next(sol *kernellp.Solution, at kernellp.Costs) (next kernellp.Costs, settled bool) {
	m.residual = 0
	if sol.Bias != 0 {
		m.residual = math.Abs(math.Abs(sol.Bias)*at.Bias - 1)
	}
	next = kernellp.Costs{Margin: 1, Bias: 1 / math.Abs(sol.Bias), Coef: make([]float64, len(sol.A))}
	for r, a := range sol.A {
		if next.Coef[r] = 1 / math.Abs(a); a != 0 {
			m.residual = math.Max(m.residual, math.Abs(math.Abs(a)*at.Coef[r]-1))
		}
	}
	return next, m.residual <= merged.FixedPoint
}

// counts has the bias among the coefficients.
func (m *reweighted) counts(sol *kernellp.Solution) (hinge float64, live int) {
	live = reweight.Nonzeros(sol.A)
	if sol.Bias != 0 {
		live++
	}
	return sol.Loss / m.C, live
}
