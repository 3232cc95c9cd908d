package direct

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/moving"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// trial is a setting and a number of vectors with what the held-out points say.
type trial struct {
	setting
	k      int
	loss   []float64 // of each held-out point, times its weight
	mean   float64
	errors float64   // share of the weights that get another class
	folds  []outcome // one a fold
}

// outcome is a fit to the training points of a fold.
type outcome struct {
	fit    *fit
	weight float64 // of the held-out points
	wrong  float64 // of that
}

// level tries k vectors with every setting that is left, and returns those that are worth more.
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
			c.told(float64(i)/float64(tasks), k)
		}
	})
	return c.sift(ctx, trials), nil
}

// sift takes the trials of a level, and returns the branches whose loss still falls, by more than pick would give for
// fewer vectors, and is not far from the best.
func (c *choice) sift(ctx context.Context, trials []*trial) (live []*branch) {
	full := make([]bool, len(trials))
	for i, t := range trials {
		full[i] = c.branches[i].grow(c, t)
		t.settle()
	}
	if ctx.Err() != nil { // what is known of the losses is not all, but a machine is a machine
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

// grow takes a trial's machines as the branch's last, and reports whether there are points for more vectors.
func (b *branch) grow(c *choice, t *trial) bool {
	full := true
	for i := range t.folds {
		f := t.folds[i].fit
		if f == nil {
			return false
		}
		b.last[i] = f.m
		c.evals, c.inner = c.evals+f.job.evals, c.inner+f.job.inner
		full = full && f.m.K == t.k && t.k < f.q.N
		f.q, f.fitter = nil, nil
	}
	return full
}

// task fits a branch's setting to a fold, from its last machine there, and looks at the held-out points.
func (c *choice) task(ctx context.Context, b *branch, t *trial, fold, workers int) {
	q, held, rows := c.split(fold, b.setting)
	q.Threads = max(1, parallel.Workers(c.problem.Threads)/workers)
	own := *c.job
	own.progress, own.evals, own.inner = func(func() learn.Event) {}, 0, 0
	f, err := own.begin(ctx, q, b.last[fold], t.k, rand.New(rand.NewPCG(c.Seed, uint64(fold+folds*t.k))))
	if err != nil {
		return // the context has ended
	}
	f.search(ctx, c.MaxIter)
	o := &t.folds[fold]
	o.fit = f
	class := classes(held)
	for i, at := range predict(f.m, held, func(i int, loss float64) { t.loss[rows[i]] += held.Weight[i] * loss }) {
		o.weight += held.Weight[i]
		if at != class[i] {
			o.wrong += held.Weight[i]
		}
	}
}

// predict returns each point's class: the sign of one output, the largest of several. It tells the loss of each output.
func predict(m *moving.Machine, q *moving.Problem, loss func(i int, loss float64)) []int {
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

// settle sums up the folds.
func (t *trial) settle() {
	var weight, wrong float64
	for _, o := range t.folds {
		weight, wrong = weight+o.weight, wrong+o.wrong
	}
	for _, l := range t.loss {
		t.mean += l
	}
	t.mean, t.errors = t.mean/weight, wrong/weight
	if !(t.mean <= math.MaxFloat64) {
		t.mean = math.Inf(1)
	}
}

func least(tried []*trial) *trial {
	return slices.MinFunc(tried, func(a, b *trial) int { return cmp.Compare(a.mean, b.mean) })
}

// pick is the fewest vectors whose loss is near the least. Of those with as many vectors it is the one of least loss.
func pick(tried []*trial) *trial {
	best := least(tried)
	target := best
	for _, t := range tried {
		if (t.k < best.k || t.k == best.k && t.mean < best.mean) && t.within(target, near) {
			best = t
		}
	}
	return best
}

// within reports whether the loss is at most so many standard errors above another's: those of the differences point by
// point.
func (t *trial) within(other *trial, errors float64) bool {
	var sum, square float64
	for i, l := range t.loss {
		d := l - other.loss[i]
		sum, square = sum+d, square+d*d
	}
	return sum <= errors*math.Sqrt(math.Max(0, square-sum*sum/float64(len(t.loss))))
}
