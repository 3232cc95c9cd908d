package bayes

import (
	"context"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// task is a problem with its repeated samples merged and every basis function evaluated at them.
type task struct {
	learn.Resources
	p        *learn.Problem
	budget   *learn.Budget
	first    []int     // distinct sample → lowest row of the problem
	pos, neg []float64 // weight of either class at each; in regression pos is the weight and neg 0
	y        []float64 // mean target at each, divided by target
	scatter  float64   // sum of squared distances of the targets from y
	target   float64   // standard deviation of the targets; 1 in classification
	n        int       // distinct samples
	cols     int       // basis functions: one per sample, and the bias
	phi      []float64 // cols×n: basis function j at every sample, divided by scale[j]
	scale    []float64 // largest value of each; 0 for one that is 0 everywhere
	merged   int
	clock
}

// clock measures a training.
type clock struct {
	begin time.Time
	gram  time.Duration // spent on kernel values
}

// seconds is the time since the beginning.
func (c clock) seconds() learn.Seconds {
	return learn.Seconds{Gram: c.gram.Seconds(), Solve: (time.Since(c.begin) - c.gram).Seconds()}
}

// taskBytes is the memory of a task, with some vectors of length n and `matrices` more n×n matrices.
func taskBytes(n, d, matrices, threads int) int64 {
	m := int64(n) + 1
	values := m*m*int64(1+matrices) + (24+strip)*m + dense.Packed(n, parallel.Workers(threads)) + int64(n)*int64(d)
	return gram.Bytes[float64](n, d) + 8*values
}

// newTask checks the problem and evaluates its kernel. The error is the context's, the budget's, or says what is
// invalid.
func newTask(
	ctx context.Context, p *learn.Problem, method string, bias bool, matrices int, tasks ...learn.Task,
) (*task, error) {
	if err := p.Validate(tasks...); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(method, 1); err != nil {
		return nil, err
	}
	t := &task{Resources: p.Resources, p: p, budget: p.Budget(method, p.N, p.D), target: 1, clock: clock{begin: time.Now()}}
	t.merge()
	if err := t.budget.Take(taskBytes(t.n, p.D, matrices, p.Threads)); err != nil {
		return nil, err
	}
	t.cols = t.n
	if bias {
		t.cols++
	}
	if err := t.evaluate(ctx); err != nil {
		return nil, learn.Nothing(ctx, method)
	}
	return t, nil
}

// merge lists the distinct samples of positive weight, with their weights in either class.
func (t *task) merge() {
	present := t.p.Present()
	first, index := learn.Distinct(t.p.Samples(present), len(present), t.p.D)
	t.first, t.n, t.merged = deal.Pick(present, first), len(first), len(present)-len(first)
	t.pos, t.neg = make([]float64, t.n), make([]float64, t.n)
	if t.p.Task == learn.Regress {
		t.values(present, index)
		return
	}
	for k, sample := range index {
		if i := present[k]; t.p.Y[i] > 0 {
			t.pos[sample] += t.p.WeightOf(i)
		} else {
			t.neg[sample] += t.p.WeightOf(i)
		}
	}
}

// evaluate fills phi. The error is the context's.
func (t *task) evaluate(ctx context.Context) error {
	start := time.Now()
	defer func() { t.gram = time.Since(start) }()
	pts, err := gram.PackContext[float64](ctx, t.p.Kernel, t.p.Samples(t.first), t.n, t.p.D)
	if err != nil {
		return err
	}
	if t.phi, t.scale = dense.New(ctx, t.cols*t.n), make([]float64, t.cols); t.phi == nil {
		return ctx.Err()
	}
	if err = learn.FullMatrix(ctx, pts, t.phi, t.n, t.Threads); err != nil {
		return err
	}
	if t.cols > t.n {
		for i := range t.n {
			t.phi[t.n*t.n+i] = 1
		}
	}
	for j := range t.cols {
		if j%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t.scale[j] = unit(t.column(j))
	}
	return ctx.Err()
}

// unit divides x by its largest absolute value and returns that; 0 if its square underflows.
func unit(x []float64) float64 {
	size := dense.Largest(x)
	if size < 1e-140 {
		return 0
	}
	if size != 1 {
		for i := range x {
			x[i] /= size
		}
	}
	return size
}

// column is basis function j at every sample.
func (t *task) column(j int) []float64 { return t.phi[j*t.n : (j+1)*t.n] }

// expansion converts the coefficients w of the basis functions to a model. It returns the precisions alpha in units
// of these coefficients, and the precision of the bias.
func (t *task) expansion(basis []int, w, alpha []float64) (e learn.Expansion, precisions []float64, ofBias float64) {
	e = learn.Expansion{Support: []int{}, Coef: []float64{}}
	for _, s := range deal.Ascending(basis) { // by row, the bias last
		j := basis[s]
		size := t.scale[j]
		switch {
		case w[s] == 0:
		case j == t.n:
			e.Bias, ofBias = w[s]*t.target, alpha[s]/(t.target*t.target)
		default:
			e.Support = append(e.Support, t.first[j])
			e.Coef = append(e.Coef, w[s]/size*t.target)
			size /= t.target
			precisions = append(precisions, alpha[s]*size*size)
		}
	}
	return e, precisions, ofBias
}

// certainty is the posterior of the coefficients, Tipping (2001), eq. (12), in the units of the expansion; nil if the
// context has ended or the memory does not suffice.
func (t *task) certainty(ctx context.Context, c *climber) *learn.Posterior {
	m := c.size()
	if t.budget.Take(12*int64(m)*int64(m)) != nil {
		return nil
	}
	inverse := dense.New(ctx, m*m)
	if inverse == nil || c.invert(ctx, inverse, m) != nil {
		return nil
	}
	var order []int
	for _, s := range deal.Ascending(c.basis) {
		if c.w[s] != 0 && c.basis[s] < t.n {
			order = append(order, s)
		}
	}
	order = append(order, slices.Index(c.basis, t.n)) // −1 without a bias: its variance is 0
	p := &learn.Posterior{Noise: t.target * t.target / c.noise.beta}
	for k, a := range order {
		for _, b := range order[:k+1] {
			v := 0.0
			if a >= 0 {
				v = inverse[a*m+b] * (t.target / t.scale[c.basis[a]]) * (t.target / t.scale[c.basis[b]])
			}
			p.Covariance = append(p.Covariance, v)
		}
	}
	return p
}

// evals is the number of kernel values that a task evaluates.
func (t *task) evals() int64 { return int64(t.n) * int64(t.n+1) / 2 }

// slopeOf returns the a for which σ(a f) is nearest in cross entropy to the probabilities p at the decision values f.
// It is the root of Σ w (p − σ(a f)) f, which decreases in a.
func (t *task) slopeOf(f, p []float64) float64 {
	lo, hi := 0.0, 4.0
	for range 60 {
		a := (lo + hi) / 2
		var sum float64
		for i, v := range f {
			sum += (t.pos[i] + t.neg[i]) * (p[i] - sigmoid(a*v)) * v
		}
		if sum > 0 {
			lo = a
		} else {
			hi = a
		}
	}
	return (lo + hi) / 2
}

// strip is the number of columns processed at a time if there is no memory for another whole matrix.
const strip = dense.Strip
