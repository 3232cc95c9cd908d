package pooled

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// Candidates are the candidates of [TrainClassifier]: support vectors of the models trained on shards of the samples.
type Candidates struct {
	Kernel  gram.Kernel // with its γ; the shards' models should have the same
	Vectors []float64   // row-major, D features each, in the units of the samples; duplicates are ignored
	D       int
	Labels  []string // of the classes; of two the positive one last; nil for regression
}

// Model is the model over the candidates with coefficients 0, for [Train].
func (c *Candidates) Model() (*Model, error) {
	if err := c.Kernel.Validate(c.D); err != nil {
		return nil, err
	}
	if c.D < 1 || len(c.Vectors)%c.D != 0 || len(c.Labels) == 1 {
		return nil, fmt.Errorf("sparsekm: %d values of candidates of %d features, %d classes", len(c.Vectors), c.D,
			len(c.Labels))
	}
	for i, v := range c.Vectors {
		if v-v != 0 {
			return nil, fmt.Errorf("sparsekm: feature %d of candidate %d is %v", i%c.D+1, i/c.D, v)
		}
	}
	m := &Model{Kernel: c.Kernel, D: c.D, Task: learn.Classify, Bias: make([]float64, max(1, len(c.Labels)))}
	switch len(c.Labels) {
	case 0:
		m.Task = learn.Regress
	case 2:
		m.Bias = m.Bias[:1]
	}
	seen := make(map[string]bool)
	for pos := 0; pos < len(c.Vectors); pos += c.D {
		row := c.Vectors[pos : pos+c.D]
		if key := fmt.Sprint(row); !seen[key] {
			seen[key] = true
			m.Vectors = append(m.Vectors, row...)
		}
	}
	m.K = len(m.Vectors) / c.D
	m.Coef = make([]float64, m.K*len(m.Bias))
	return m, nil
}

// TrainClassifier selects vectors from the candidates and makes a classifier, or a regression model, by [Train], over
// samples that only sum sees. The report's message has the number of passes. Errors are those of sum, of invalid
// candidates and options, and the context's if it ends before there is a model.
func TrainClassifier(ctx context.Context, c *Candidates, o Options,
	sum func(context.Context, *Model) ([]float64, error)) (*sparsekm.Classifier, *sparsekm.Report, error) {
	m, err := c.Model()
	if err != nil {
		return nil, nil, err
	}
	trained, err := Train(ctx, m, o, sum)
	if err != nil {
		return nil, nil, err
	}
	p := model.Parts{Kernel: c.Kernel, Vectors: trained.Vectors, N: trained.K, D: c.D, Features: c.D, Task: m.Task,
		Labels: c.Labels, Method: "pooled", Trained: trained.Samples}
	if len(c.Labels) > 2 {
		p.Scheme = model.OneVsRest
	}
	r := &sparsekm.Report{Method: p.Method, N: trained.Samples, D: c.D, Task: m.Task, Labels: p.Labels, Kernel: p.Kernel,
		Scheme: p.Scheme, Vectors: p.Vectors, NumVectors: p.N, Constant: p.N == 0, Status: status.Optimal}
	for i, report := range trained.Reports {
		t := learn.Trained{Report: report, Submodel: learn.Submodel{Pos: i, Neg: learn.Rest, Expansion: learn.Expansion{
			Support: make([]int, p.N), Coef: slices.Clone(trained.Coef[i*p.N : (i+1)*p.N]), Bias: trained.Bias[i]}}}
		if len(c.Labels) == 2 {
			t.Pos, t.Neg = 1, 0
		}
		for s := range t.Support {
			t.Support[s] = s
		}
		if report.Status != status.Optimal && r.Status == status.Optimal { // all are convex
			r.Status = report.Status
		}
		p.Submodels = append(p.Submodels, t.Submodel)
		r.Submodels = append(r.Submodels, t)
	}
	clf, err := model.New(p)
	return clf, r, err
}
