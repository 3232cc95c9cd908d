package direct

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

const (
	large     = 2_000_000 // feature values; larger sets start with a part of the samples
	fewer     = 500_000
	moreSteps = 10 // least number of steps on all samples after those on a part

	// A search for a comparison ends when pause steps gain less than this share of the objective. The first level of
	// Tune, which has most of the settings, ends sooner.
	pause, gain           = 20, 0.003
	firstPause, firstGain = 10, 0.005
)

// fit is a model with its problem.
type fit struct {
	q      *centres.Problem
	fitter *centres.Fitter
	m      *centres.Model
	result centres.Result
	wanted int // number of vectors
	left   int // coded features that are left out
	job    *job
}

// begin makes a model of k vectors with optimal coefficients. It takes the vectors of last, if not nil, and new ones by
// k-means++ in proportion to the classes: anywhere at first, later where the last model has its loss.
func (j *job) begin(ctx context.Context, q *centres.Problem, last *centres.Model, k int,
	rng *rand.Rand) (*fit, error) {
	startLevels(q, j.problem.Coded, last, j.Seed)
	fitter, err := centres.NewFitter(ctx, q)
	if ctx.Err() != nil {
		return nil, learn.Nothing(ctx, j.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("direct: %w", err)
	}
	f := &fit{q: q, fitter: fitter, job: j, wanted: k}
	if last != nil {
		k -= last.Units()
	}
	start := centres.Start{Last: last, Class: j.classesOf(q), Classes: j.classes, Chance: slices.Clone(q.Weight[:q.N]),
		Rand: rng, Solve: func(m *centres.Model) error { return j.solve(ctx, q, m) }}
	if start.Vectors, start.Steps = j.setting.Shape.split(k); last != nil {
		for i, m := range j.misses(last, q) {
			start.Chance[i] *= m
		}
	}
	if f.m, err = fitter.Begin(ctx, start); err != nil {
		return nil, learn.Nothing(ctx, j.Name())
	}
	return f, nil
}

// solve makes the coefficients optimal: roughly for a comparison, whose search comes close to the optimum anyway.
func (j *job) solve(ctx context.Context, q *centres.Problem, m *centres.Model) error {
	if j.Tune {
		n, err := centres.Solve(ctx, q, m)
		j.inner += n
		return err
	}
	certs, err := centres.Refit(ctx, q, m)
	for i := range certs {
		j.inner += certs[i].Steps
	}
	return err
}

// classesOf returns each sample's class: the output whose target is 1; for one output 0 for 1 and 1 for −1; 0 in
// regression.
func (j *job) classesOf(q *centres.Problem) []int {
	class := make([]int, q.N)
	for i := range class {
		if j.Loss == soft {
			class[i] = likeliest(q, i)
			continue
		}
		for j.classes > 1 && class[i] < q.Outputs && q.Target[class[i]*q.N+i] < 0 {
			class[i]++
		}
	}
	return class
}

// likeliest is the class of the largest probability, as classesOf numbers them.
func likeliest(q *centres.Problem, i int) (class int) {
	if q.Outputs == 1 {
		if q.Target[i] <= 0.5 {
			class = 1
		}
		return class
	}
	for o := range q.Outputs {
		if q.Target[o*q.N+i] > q.Target[class*q.N+i] {
			class = o
		}
	}
	return class
}

// misses are the samples' slacks, summed over the outputs; in regression the absolute errors, and with probabilities in
// place of labels those of the probabilities.
func (j *job) misses(m *centres.Model, q *centres.Problem) []float64 {
	sum := make([]float64, q.N)
	for o := range q.Outputs {
		for i, f := range m.Decisions(q, o) {
			if j.Loss == soft {
				sum[i] += math.Abs(q.Target[o*q.N+i] - 1/(1+math.Exp(-f)))
				continue
			}
			if j.classes == 1 {
				sum[i] += math.Abs(q.Target[i] - f)
				continue
			}
			sum[i] += math.Max(0, 1-q.Target[o*q.N+i]*f)
		}
	}
	return sum
}

// search optimises all variables as long as every so many steps gain the share least of the objective.
func (f *fit) search(ctx context.Context, steps, every int, smallest float64) {
	progress := f.job.progress
	past := make([]float64, every)
	f.result = f.fitter.Fit(ctx, f.m, steps, f.job.Tolerance, func(step int, objective float64) bool {
		progress(func() learn.Event {
			return learn.Event{Phase: "move", Done: float64(step) / float64(steps), Step: step, Vectors: f.m.Units()}
		})
		then := &past[step%every]
		stalled := step > every && !(*then-objective > smallest*objective)
		*then = objective
		return !stalled
	})
	f.job.evals += f.result.Evaluations
}

// message says how far the search of the vectors went, which the certificate does not cover.
func (f *fit) message() string {
	s := "the " + f.job.setting.Shape.units()
	if f.result.Status == status.Optimal {
		s += " are a local optimum"
	} else {
		s += fmt.Sprintf(" stopped after %d steps, not at a local optimum yet", f.result.Steps)
	}
	s += fmt.Sprintf(", gradient norm %.2g", f.result.Gradient)
	if f.m.Units() < f.wanted {
		s += fmt.Sprintf("; there are only %d distinct samples for %d "+f.job.setting.Shape.units(), f.m.Units(), f.wanted)
	}
	if f.left > 0 {
		s += fmt.Sprintf("; %d of %d features of categories say no more than chance and are left out", f.left,
			len(f.q.Levels.Features))
	}
	return s + f.job.chosen
}

// fixed trains k vectors on all samples. A large set starts from the vectors found on a part of it, and then needs
// fewer steps.
func (j *job) fixed(ctx context.Context, all *centres.Problem, k int, rng *rand.Rand) (*fit, error) {
	var last *centres.Model
	steps := j.MaxIter
	if n := partOf(all, k); n < all.N {
		q, err := j.part(all, n, rng)
		if err != nil {
			return nil, err
		}
		if err = j.budget.Take(centres.Bytes(q, k)); err != nil {
			return nil, err
		}
		f, err := j.fixed(ctx, q, k, rng)
		if err != nil || ctx.Err() != nil {
			return f, err
		}
		last, k, steps = f.m, f.m.Units(), max(moreSteps, steps/4)
	}
	f, err := j.begin(ctx, all, last, k, rng)
	if err == nil {
		f.search(ctx, steps, pause, 0)
	}
	return f, err
}

// partOf is the number of samples with which a training of k vectors starts: all of a small set, else at least 8 per
// vector. Many classes count like so many more features, since even the fewest vectors are as many as they.
func partOf(all *centres.Problem, k int) int {
	d := max(all.D, 20) * max(1, all.Outputs/4) // with fewer features the exponential dominates
	if n := max(fewer/d, 8*k); all.N > large/d && n < all.N/2 {
		return n
	}
	return all.N
}

// part is the problem restricted to n random samples, whose weights are scaled up to all.
func (j *job) part(all *centres.Problem, n int, rng *rand.Rand) (*centres.Problem, error) {
	if err := j.budget.Take(8*int64(n)*int64(all.D+2*all.Outputs+2) + 8*int64(all.N)); err != nil {
		return nil, err
	}
	rows := rng.Perm(all.N)[:n]
	slices.Sort(rows)
	q := all.Subset(rows)
	for i := range q.Weight { // over all outputs
		q.Weight[i] *= float64(all.N) / float64(n)
	}
	return q, nil
}

// best trains with the chosen setting from the model of each fold, and returns the fit with the least objective.
func (j *job) best(ctx context.Context, all *centres.Problem, c *choice, rng *rand.Rand) (*fit, error) {
	if len(c.tried) == 0 {
		return nil, learn.Nothing(ctx, j.Name())
	}
	t := j.pick(c.tried)
	j.chose(c.tried, t)
	j.edges = c.edges(t)
	for _, e := range j.edges {
		j.chosen += fmt.Sprintf(", %s at the end of what was tried", e.Name)
	}
	all = j.at(all, t.setting)
	t.folds = slices.DeleteFunc(t.folds, func(o outcome) bool { return o.fit == nil }) // those whose distances overflow
	if ctx.Err() != nil && len(t.folds) > 0 {
		f := t.folds[0].fit
		f.q, f.job = all, j
		return f, nil
	}
	if err := j.budget.Take(max(0, centres.Bytes(all, t.k)-c.taken)); err != nil {
		return nil, err
	}
	steps := j.MaxIter
	if partOf(all, t.k) < all.N {
		steps = max(moreSteps, steps/4)
	}
	var smallest *fit
	for _, o := range t.folds {
		f, err := j.begin(ctx, all, o.fit.m, o.fit.m.Units(), rng)
		if err != nil {
			break // the context has ended
		}
		if f.search(ctx, steps, pause, gain); smallest == nil || f.result.Objective < smallest.result.Objective {
			smallest = f
		}
	}
	if smallest != nil {
		smallest.search(ctx, steps, pause, 0)
	}
	if smallest == nil && ctx.Err() == nil { // no fold has a model
		return j.fixed(ctx, all, t.k, rng)
	}
	if smallest == nil {
		return nil, learn.Nothing(ctx, j.Name())
	}
	return smallest, nil
}

// chose records the choice for the report.
func (j *job) chose(tried []*trial, t *trial) {
	j.setting = t.setting
	for _, t := range tried {
		j.heldOut = append(j.heldOut, HeldOut{C: t.C, Gamma: t.Gamma, FeatureWidths: t.Widths == centres.Each, SV: t.k,
			Units: t.Shape.String(), Error: t.errors, Loss: t.mean})
	}
	j.chosen = fmt.Sprintf("; %d "+t.Shape.units()+", C = %.4g, gamma = %.4g", t.k, t.C, t.Gamma)
	if t.Widths == centres.Each {
		j.chosen += " and a width for each feature"
	}
	j.chosen += fmt.Sprintf(" chosen among %d settings by held-out loss", len(tried))
}
