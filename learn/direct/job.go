package direct

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
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
	held     []HeldOut
	chosen   string // text: how setting and number of vectors were chosen
	evals    int    // evaluations of objective and gradient
	inner    int    // Newton steps
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
		Loss: j.loss(), Norm: 1, Widths: j.widths(), Penalty: j.WidthPenalty, Threads: p.Threads}
	y := make([]float64, len(rows))
	q.Weight = make([]float64, 0, len(rows)*j.outputs)
	for k, i := range rows {
		y[k] = p.Y[i]
	}
	q.Target = j.targets(y)
	if p.Group != nil {
		for _, i := range rows {
			q.Group = append(q.Group, p.Group[i])
		}
	}
	for range j.outputs {
		for _, i := range rows {
			q.Weight = append(q.Weight, j.C*p.WeightOf(i))
		}
	}
	return q, nil
}

func (j *job) train(ctx context.Context) ([]learn.Result, error) {
	start := time.Now()
	q, err := j.task()
	if err != nil {
		return nil, err
	}
	if err = j.budget.Take(centres.Bytes(q, j.least(j.classes))); err != nil {
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
		f, err = j.fixed(ctx, q, j.least(j.classes), rng)
	}
	if f == nil {
		return nil, err
	}
	r := j.results(ctx, f)
	r[0].Report.Seconds.Solve = time.Since(start).Seconds()
	return r, nil
}

// results solves for the coefficients and makes the reports.
func (j *job) results(ctx context.Context, f *fit) []learn.Result {
	m := f.m
	certs, err := centres.Refit(ctx, f.q, m)
	results := make([]learn.Result, j.outputs)
	figures := Figures{GradientNorm: f.result.Gradient, Steps: f.result.Steps, Evaluations: j.evals, HeldOut: j.held}
	var kernel *gram.Kernel
	if j.Tune {
		figures.C, figures.Gamma = j.setting.C, j.setting.Gamma
	}
	if k := m.Kernel; j.setting.Gamma != j.problem.Kernel.Gamma || j.setting.Widths != centres.Fixed {
		kernel = &k
	}
	if j.setting.Widths == centres.Each {
		figures.Weights = kernel.Weights
	}
	for o := range results {
		r := &results[o]
		r.Vectors, r.Coef, r.Bias, r.Kernel = m.Vectors, m.Coef[o*m.K:(o+1)*m.K:(o+1)*m.K], m.Bias[o], kernel
		r.Report = learn.Report{Status: status.FromContext(ctx), Objective: f.result.Objective / float64(j.outputs),
			Message: f.message()}
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

// certify puts a model's certificate into its report.
func (f *fit) certify(r *learn.Report, cert *centres.Certificate) {
	widths := f.fitter.WidthPenalty(f.m) / float64(f.q.Outputs)
	r.Status, r.Objective = cert.Status, cert.Objective+widths
	r.InnerIterations += cert.Steps
	r.KernelEvals += cert.Evals
	r.Duality = &learn.Duality{Objective: cert.Dual + widths, KKT: cert.Gradient,
		Gap: (cert.Objective - cert.Dual) / max(1, r.Objective)}
	r.Settle(optimalGap, optimalViolation)
	if r.Status == status.Optimal {
		r.Message = fmt.Sprintf("the coefficients are optimal for the %d vectors; %s", f.m.K, r.Message)
	}
}
