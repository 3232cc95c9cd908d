package direct

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// job is the state of one training.
type job struct {
	Trainer
	problem  *learn.Problem
	classes  int // 1 in regression
	outputs  int // number of models over the same vectors
	budget   *learn.Budget
	progress func(func() learn.Event)
	setting  setting // of the training
	heldOut  []HeldOut
	chosen   string       // text: how setting and number of vectors were chosen
	edges    []learn.Edge // of what was tried, at which the setting lies
	evals    int          // evaluations of objective and gradient
	inner    int          // Newton steps
}

// targets are the labels of the samples, model by model.
func (j *job) targets(y []float64) (t []float64) {
	if j.outputs == 1 {
		return slices.Clone(y)
	}
	for o := range j.outputs {
		t = append(t, signs(y, o)...)
	}
	return t
}

// signs is 1 for class c and −1 for the rest.
func signs(classes []float64, c int) []float64 {
	y := make([]float64, len(classes))
	for i, class := range classes {
		if y[i] = -1; class == float64(c) {
			y[i] = 1
		}
	}
	return y
}

// task is the problem over the samples of positive weight.
func (j *job) task() (*centres.Problem, error) {
	p := j.problem
	rows := p.Present()
	n := int64(len(rows))
	bytes := 8*n + 24*n*int64(j.outputs)
	if len(rows) < p.N {
		bytes += 8 * n * int64(p.D)
	}
	if err := j.budget.Take(bytes); err != nil {
		return nil, err
	}
	q := &centres.Problem{X: p.Samples(rows), N: len(rows), D: p.D, Kernel: p.Kernel, Outputs: j.outputs,
		Loss: j.loss(), Norm: 1, Widths: j.widths(), Penalty: j.WidthPenalty, Threads: p.Threads,
		Levels: levelsOf(p), Group: deal.Pick(p.Group, rows)}
	j.setting.Shape.apply(q)
	for o := range j.outputs {
		for _, i := range rows {
			q.Weight = append(q.Weight, j.C*p.WeightOf(i))
			if p.Soft != nil {
				q.Target = append(q.Target, p.Soft[i*j.outputs+o])
			}
		}
	}
	if p.Soft == nil {
		q.Target = j.targets(deal.Pick(p.Y, rows))
	}
	return q, nil
}

func (j *job) train(ctx context.Context) ([]learn.Result, error) {
	start := time.Now()
	q, err := j.task()
	if err != nil {
		return nil, err
	}
	if err = j.budget.Take(centres.Bytes(q, j.min(j.classes))); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(j.Seed, 0))
	c, err := j.choose(ctx, q, rng)
	if err != nil {
		return nil, err
	}
	var f *fit
	if c != nil {
		f, err = j.best(ctx, q, c, rng)
	} else {
		f, err = j.fixed(ctx, q, max(j.MaxSV, j.min(j.classes)), rng)
	}
	if f == nil {
		return nil, err
	}
	for k := 1; k < j.Starts && ctx.Err() == nil; k++ {
		if g, _ := j.fixed(ctx, f.q, f.wanted, rng); g != nil && g.result.Objective < f.result.Objective {
			f = g
		}
	}
	f.trim(ctx, j.MaxIter)
	r := j.results(ctx, f)
	r[0].Report.Seconds.Solve = time.Since(start).Seconds()
	return r, nil
}

// results solves for the coefficients and makes the reports.
func (j *job) results(ctx context.Context, f *fit) []learn.Result {
	m := f.m
	certs, err := centres.Refit(ctx, f.q, m)
	results := make([]learn.Result, j.outputs)
	figures := Figures{GradientNorm: f.result.Gradient, Steps: f.result.Steps, Evaluations: j.evals, HeldOut: j.heldOut}
	var kernel *gram.Kernel
	if j.Tune {
		figures.C, figures.Gamma, figures.Units = j.setting.C, j.setting.Gamma, j.setting.Shape.String()
		figures.Edges = j.edges
	}
	if k := m.Kernel; f.q.Levels != nil || j.setting.Gamma != j.problem.Kernel.Gamma || j.setting.Widths != centres.Fixed {
		kernel = &k
	}
	if j.setting.Widths == centres.Each {
		figures.Weights = kernel.Weights
	}
	for o := range results {
		r := &results[o]
		r.Expansion, r.Kernel, r.Values = expansion(m, o, f.q.D), kernel, m.Values
		r.Report = learn.Report{Status: status.FromContext(ctx), Objective: f.result.Objective / float64(j.outputs),
			Message: f.message()}
		if j.Loss == soft {
			r.Report.Slope = new(1.0) // decision values are log odds
		}
		if o == 0 {
			r.Report.Figures, r.Report.Iterations, r.Report.InnerIterations = figures, f.result.Steps, j.inner
			r.Report.KernelEvals = int64(j.evals) * int64(f.q.N) * int64(m.K)
		}
		if err == nil {
			f.certify(&r.Report, &certs[o])
		}
	}
	return results
}

// expansion is the decision function of an output.
func expansion(m *centres.Model, o, d int) (e learn.Expansion) {
	coef := m.Coef[o*m.Units() : (o+1)*m.Units()]
	e = learn.Expansion{Vectors: m.Vectors, Coef: coef[:m.K:m.K], Bias: m.Bias[o]}
	if m.Plane != nil {
		e.Plane = m.Plane[o*d : (o+1)*d]
	}
	for s := range m.S {
		u := m.Steps[s*(d+1) : (s+1)*(d+1)]
		e.Steps = append(e.Steps, learn.Step{Turn: u[:d:d], Move: u[d], Coef: coef[m.K+s]})
	}
	return e
}

// certify puts a model's certificate into its report.
func (f *fit) certify(r *learn.Report, cert *centres.Certificate) {
	widths := f.fitter.Penalty(f.m) / float64(f.q.Outputs)
	r.Status, r.Objective = cert.Status, cert.Objective+widths
	r.InnerIterations, r.KernelEvals = r.InnerIterations+cert.Steps, r.KernelEvals+cert.Evals
	r.Duality = &learn.Duality{Objective: cert.Dual + widths, KKT: cert.Gradient,
		Gap: (cert.Objective - cert.Dual) / max(1, r.Objective)}
	r.Idle(dense.Sum(f.q.Weight)) // about: a unit of loss for each sample
	if r.Settle(centres.OptimalGap, centres.OptimalViolation); r.Status == status.Optimal {
		r.Message = fmt.Sprintf("the coefficients are optimal for the %d %s; %s", f.m.Units(),
			f.job.setting.Shape.units(), r.Message)
	}
	if r.Status == status.Numerical && r.RelativeGap() <= 100*centres.OptimalGap {
		r.Status = status.FixedPoint // of use, and the message says how far it is from an optimum
	}
	if f.result.Status == status.Optimal {
		r.EndAt(status.LocalOptimum)
	}
	r.EndAt(status.FixedPoint) // of the coefficients: the search of the vectors has stopped
}
