package direct

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// trial is a setting and a number of vectors with its held-out losses.
type trial struct {
	setting
	k      int
	loss   []float64 // of each held-out sample times its weight, summed over repetitions
	mean   float64
	errors float64   // weighted error rate; in regression the root mean square error
	folds  []outcome // one per fold
}

// outcome is a fit to the training samples of a fold.
type outcome struct {
	fit    *fit
	weight float64   // of the held-out samples
	wrong  float64   // of the misclassified ones; in regression the weighted sum of squares
	rows   []int     // of the held-out samples
	loss   []float64 // of each held-out sample times its weight
}

// level tries k vectors with every remaining setting, and returns the branches worth continuing.
func (c *choice) level(ctx context.Context, k int) (live []*branch, err error) {
	workers, err := c.workers(k, len(c.branches)*c.used)
	if err != nil {
		return nil, err
	}
	trials := make([]*trial, len(c.branches))
	for i, b := range c.branches {
		trials[i] = &trial{setting: b.setting, k: k, loss: make([]float64, c.all.N), folds: make([]outcome, c.used)}
		if c.held != nil {
			trials[i].loss = make([]float64, c.held.N)
		}
	}
	tasks := len(c.branches) * c.used
	parallel.For(workers, tasks, func(_, i int) {
		if ctx.Err() == nil {
			c.task(ctx, c.branches[i/c.used], trials[i/c.used], i%c.used, workers)
			c.report(float64(i)/float64(tasks), k)
		}
	})
	return c.sift(ctx, trials), nil
}

// sift evaluates the trials of a level. It returns the branches whose loss still falls, by more than a standard error,
// and is not far behind the best.
func (c *choice) sift(ctx context.Context, trials []*trial) (live []*branch) {
	full := make([]bool, len(trials))
	for i, t := range trials {
		full[i] = c.branches[i].grow(c, t)
		t.settle(c.classes)
	}
	if ctx.Err() != nil { // the losses are incomplete, but any model is better than none
		for _, t := range trials {
			if len(c.tried) == 0 && t.folds[0].fit != nil {
				c.tried = append(c.tried, t)
			}
		}
		return nil
	}
	best := least(trials)
	for i, t := range trials {
		b := c.branches[i]
		if b.worse++; b.best == nil || !b.best.within(t, near) {
			b.best, b.worse = t, 0
		}
		if full[i] && b.worse < patience && t.within(best, behind) {
			live = append(live, b)
		}
	}
	c.tried = append(c.tried, trials...)
	return live
}

// grow stores a trial's models in the branch, and reports whether there are samples for more vectors.
func (b *branch) grow(c *choice, t *trial) bool {
	full := true
	for i := range t.folds {
		f := t.folds[i].fit
		if f == nil {
			return false
		}
		b.last[i] = f.m
		c.evals, c.inner = c.evals+f.job.evals, c.inner+f.job.inner
		full = full && f.m.Units() == t.k && t.k < f.q.N
		f.q, f.fitter = nil, nil
	}
	return full
}

// task fits a branch's setting to a fold, starting from its last model there, and evaluates the held-out samples.
// Surplus vectors of the last model are dropped first.
func (c *choice) task(ctx context.Context, b *branch, t *trial, fold, workers int) {
	q, out, rows := c.split(fold, b.setting)
	q.Threads = max(1, parallel.Workers(c.problem.Threads)/workers)
	held := *out
	held.Threads = q.Threads
	own := *c.job
	own.progress, own.evals, own.inner, own.setting = func(func() learn.Event) {}, 0, 0, b.setting
	last := b.last[fold]
	if last != nil && last.Units() > t.k {
		last = pruned(ctx, q, last, t.k)
	}
	f, err := own.begin(ctx, q, last, t.k, rand.New(rand.NewPCG(c.Seed, uint64(fold+folds*t.k))))
	if err != nil {
		return // the context has ended
	}
	f.search(ctx, c.MaxIter, gain)
	o := &t.folds[fold]
	o.fit, o.rows, o.loss = f, rows, make([]float64, len(rows))
	if c.classes == 1 {
		for i, f := range f.m.Decisions(&held, 0) {
			w, off := held.Weight[i], held.Target[i]-f
			o.loss[i] = w * held.Loss.At(held.Target[i], f)
			o.weight, o.wrong = o.weight+w, o.wrong+w*off*off
		}
		return
	}
	class := c.classesOf(&held)
	for i, at := range predict(f.m, &held, func(i int, loss float64) { o.loss[i] += held.Weight[i] * loss }) {
		o.weight += held.Weight[i]
		if at != class[i] {
			o.wrong += held.Weight[i]
		}
	}
}

// predict returns each sample's class: the sign of one output, the largest of several. It calls loss with the loss of
// every output.
func predict(m *centres.Model, q *centres.Problem, loss func(i int, loss float64)) []int {
	largest, at := make([]float64, q.N), make([]int, q.N)
	for o := range q.Outputs {
		for i, f := range m.Decisions(q, o) {
			loss(i, q.Loss.At(q.Target[o*q.N+i], f))
			switch {
			case q.Outputs == 1 && !(f > 0):
				at[i] = 1
			case o == 0 || f > largest[i]:
				largest[i], at[i] = f, o
			}
		}
	}
	return at
}

// settle sums over the folds.
func (t *trial) settle(classes int) {
	var weight, wrong float64
	for i := range t.folds {
		o := &t.folds[i]
		weight, wrong = weight+o.weight, wrong+o.wrong
		for k, l := range o.loss {
			t.loss[o.rows[k]] += l
		}
		o.rows, o.loss = nil, nil
	}
	for _, l := range t.loss {
		t.mean += l
	}
	if t.mean, t.errors = t.mean/weight, wrong/weight; classes == 1 {
		t.errors = math.Sqrt(t.errors)
	}
	if !(t.mean <= math.MaxFloat64) {
		t.mean = math.Inf(1)
	}
}

func least(tried []*trial) *trial {
	return slices.MinFunc(tried, func(a, b *trial) int { return cmp.Compare(a.mean, b.mean) })
}

// pick is the simplest trial whose loss is within one standard error of the least (Breiman, Friedman, Olshen and Stone,
// Classification and Regression Trees, 1984, section 3.4.3). A simpler one within two standard errors is preferred if
// it makes no more held-out errors.
func pick(tried []*trial) *trial {
	least := least(tried)
	simplest := func(good func(t *trial) bool) *trial {
		best := least
		for _, t := range tried {
			if t.simpler(best) < 0 && good(t) {
				best = t
			}
		}
		return best
	}
	first := simplest(func(t *trial) bool { return t.within(least, near) })
	return simplest(func(t *trial) bool { return t.errors <= first.errors && t.within(least, far) })
}

// simpler compares by units, then by learned widths, then by γ (a small one gives a smoother function), then by loss;
// trials with units of different kinds by loss instead of γ.
func (t *trial) simpler(other *trial) int {
	if t.k == other.k && t.Widths == other.Widths && t.Shape != other.Shape {
		return cmp.Compare(t.mean, other.mean)
	}
	return cmp.Or(cmp.Compare(t.k, other.k), cmp.Compare(t.Widths, other.Widths), cmp.Compare(t.Gamma, other.Gamma),
		cmp.Compare(t.mean, other.mean))
}

// within reports whether the loss is at most `errors` standard errors above another's. The standard error is that of
// the differences sample by sample.
func (t *trial) within(other *trial, errors float64) bool {
	var sum, square float64
	for i, l := range t.loss {
		d := l - other.loss[i]
		sum, square = sum+d, square+d*d
	}
	return sum <= errors*math.Sqrt(math.Max(0, square-sum*sum/float64(len(t.loss))))
}
