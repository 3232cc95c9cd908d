package direct

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// trial is a setting and a number of vectors with its held-out losses.
type trial struct {
	setting
	branch *branch
	k      int
	loss   []float64 // of each held-out sample times its weight, summed over repetitions
	count  int       // of samples held out, over all repetitions
	weight float64   // of those
	wrong  float64   // weight of the misclassified ones; in regression the weighted sum of squares
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

// level tries k units with every remaining setting, and returns the branches worth continuing. At the first level,
// other settings follow those that do well.
func (c *choice) level(ctx context.Context, k int) (live []*branch, err error) {
	first := len(c.tried) == 0
	trials, err := c.race(ctx, c.branches, k)
	if err != nil {
		return nil, err
	}
	if more := c.followers(slices.Clone(trials)); first && len(more) > 0 && ctx.Err() == nil {
		more, failed := c.race(ctx, more, k)
		if failed != nil {
			return nil, failed
		}
		trials = append(trials, more...)
	}
	return c.sift(ctx, trials), nil
}

// race tries k units with the settings of branches, a few folds at a time. After each, settings fall out whose loss on
// the samples held out so far is clearly larger than that of the best.
func (c *choice) race(ctx context.Context, branches []*branch, k int) ([]*trial, error) {
	workers, err := c.workers(k, branches)
	if err != nil {
		return nil, err
	}
	trials := make([]*trial, len(branches))
	for i, b := range branches {
		trials[i] = &trial{branch: b, setting: b.setting, k: k, folds: make([]outcome, c.used)}
		if trials[i].loss = make([]float64, c.all.N); c.validation != nil {
			trials[i].loss = make([]float64, c.validation.N)
		}
	}
	all := len(branches) * c.used
	for done := 0; done < c.used && ctx.Err() == nil; {
		stage := c.stage(done)
		tasks := len(trials) * stage
		parts := make([]part, stage)
		parallel.For(min(workers, stage), stage, func(_, i int) { parts[i] = c.split(done + i) })
		parallel.For(workers, tasks, func(_, i int) {
			if ctx.Err() == nil {
				fold := i / len(trials)
				c.task(ctx, trials[i%len(trials)], &parts[fold], done+fold, workers)
				c.report(float64(done*len(branches)+i)/float64(all), k)
			}
		})
		done += stage
		for _, t := range trials {
			t.settle(c.classes)
		}
		if done < c.used && ctx.Err() == nil {
			trials = ahead(trials)
		}
	}
	return trials, nil
}

// stage is the number of folds to run after those that are done, before settings may fall out.
func (c *choice) stage(done int) int {
	if !c.Tune || done > c.used/2 {
		return c.used - done
	}
	each := max(1, c.all.N/max(1, c.parts)) // samples held out by a fold
	if n := (minRaced + each - 1) / each; done+n < c.used {
		return n
	}
	return c.used - done
}

// ahead are the trials whose loss is not clearly larger than the least of their kind, on the samples held out so far.
func ahead(trials []*trial) []*trial {
	best := leaders(trials)
	return slices.DeleteFunc(trials, func(t *trial) bool { return !t.within(best[t.kind()], raceErrors) })
}

// kind is what units a setting has, and whether widths are learned. One kind may be better with few units and another
// one with many, so that they are not raced against each other.
type kind struct {
	shape  shape
	widths centres.Widths
}

func (s *setting) kind() kind { return kind{s.Shape, s.Widths} }

// leaders are the trials of the least loss of each kind.
func leaders(trials []*trial) map[kind]*trial {
	best := make(map[kind]*trial)
	for _, t := range trials {
		if b := best[t.kind()]; b == nil || t.mean < b.mean {
			best[t.kind()] = t
		}
	}
	return best
}

// sift evaluates the trials of a level. It returns the branches whose loss still falls, by more than a standard error,
// and is not far behind the best.
func (c *choice) sift(ctx context.Context, trials []*trial) (live []*branch) {
	full := make(map[*trial]bool)
	for _, t := range trials {
		full[t] = t.branch.grow(c, t)
	}
	if ctx.Err() != nil { // the losses are incomplete, but any model is better than none
		for _, t := range trials {
			if len(c.tried) == 0 && t.folds[0].fit != nil {
				c.tried = append(c.tried, t)
			}
		}
		return nil
	}
	best := lowest(trials)
	c.tried = append(c.tried, trials...)
	if c.Tune {
		best = lowest(c.tried)
		trials = c.fewer(trials)
	}
	for i, t := range trials {
		b := t.branch
		if b.worse++; b.best == nil || !b.best.within(t, simplerErrors) {
			b.best, b.worse = t, 0
		}
		leads := c.Tune && i < c.leading && b.promising(t, best)
		if full[t] && b.worse < patience && (leads || t.within(best, levelErrors)) {
			live = append(live, b)
		}
		b.loss = t.mean
	}
	return live
}

// promising reports whether the best of a kind may catch up with the best of all: it is not far behind, or another such
// gain would halve the distance. At the first level, nobody knows.
func (b *branch) promising(t, best *trial) bool {
	return math.IsInf(b.loss, 1) || t.within(best, kindErrors) || 2*(b.loss-t.mean) > t.mean-best.mean
}

// fewer are the trials of the least loss of each kind, and others until half as many as the level before had, at least
// minSettings. Those of the least loss come first.
func (c *choice) fewer(trials []*trial) []*trial {
	best := leaders(trials)
	behind := func(t *trial) int {
		if best[t.kind()] == t {
			return 0
		}
		return 1
	}
	trials = slices.Clone(trials)
	deal.Sort(trials, func(a, b *trial) int {
		return cmp.Or(behind(a)-behind(b), cmp.Compare(a.mean, b.mean))
	})
	c.leading = len(best)
	return trials[:min(len(trials), max(minSettings, len(best), (len(c.branches)+1)/2))]
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
func (c *choice) task(ctx context.Context, t *trial, p *part, fold, workers int) {
	b, q := t.branch, c.at(p.in, t.setting)
	q.Threads = max(1, parallel.Workers(c.problem.Threads)/workers)
	out := *p.out
	out.Threads = q.Threads
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
	if c.Tune && len(c.tried) == 0 {
		f.search(ctx, c.MaxIter, firstPause, firstGain)
	} else {
		f.search(ctx, c.MaxIter, pause, gain)
	}
	o := &t.folds[fold]
	o.fit, o.rows, o.loss = f, p.rows, make([]float64, len(p.rows))
	if c.classes == 1 {
		for i, f := range f.m.Decisions(&out, 0) {
			w, off := out.Weight[i], out.Target[i]-f
			o.loss[i] = w * out.Loss.At(out.Target[i], f)
			o.weight, o.wrong = o.weight+w, o.wrong+w*off*off
		}
		return
	}
	largest, predicted := make([]float64, out.N), make([]int, out.N) // the sign of one output, the largest of several
	for output := range out.Outputs {
		for i, value := range f.m.Decisions(&out, output) {
			o.loss[i] += out.Weight[i] * out.Loss.At(out.Target[output*out.N+i], value)
			switch {
			case out.Outputs == 1 && !(value > 0):
				predicted[i] = 1
			case output == 0 || value > largest[i]:
				largest[i], predicted[i] = value, output
			}
		}
	}
	for i, class := range c.classesOf(&out) {
		if o.weight += out.Weight[i]; predicted[i] != class {
			o.wrong += out.Weight[i]
		}
	}
}

// settle adds the folds that have run since the last call.
func (t *trial) settle(classes int) {
	for i := range t.folds {
		o := &t.folds[i]
		t.weight, t.wrong, t.count = t.weight+o.weight, t.wrong+o.wrong, t.count+len(o.rows)
		for k, l := range o.loss {
			t.loss[o.rows[k]] += l
		}
		o.rows, o.loss, o.weight, o.wrong = nil, nil, 0, 0
	}
	t.mean = 0
	for _, l := range t.loss {
		t.mean += l
	}
	if t.mean, t.errors = t.mean/t.weight, t.wrong/t.weight; classes == 1 {
		t.errors = math.Sqrt(t.errors)
	}
	if !(t.mean <= math.MaxFloat64) {
		t.mean = math.Inf(1)
	}
}

func lowest(tried []*trial) *trial {
	return slices.MinFunc(tried, func(a, b *trial) int { return cmp.Compare(a.mean, b.mean) })
}

// pick is what a search ends with. Whoever sets a limit to the number of vectors has no need of fewer: then it is the
// trial of the least loss.
func (j *job) pick(tried []*trial) *trial {
	if j.MaxSV > 0 {
		return lowest(tried)
	}
	return pick(tried)
}

// pick is the simplest trial whose loss is within one standard error of the least (Breiman, Friedman, Olshen and Stone,
// Classification and Regression Trees, 1984, section 3.4.3). A simpler one within two standard errors is preferred if
// it makes no more held-out errors.
func pick(tried []*trial) *trial {
	smallest := lowest(tried)
	simplest := func(good func(t *trial) bool) *trial {
		best := smallest
		for _, t := range tried {
			if t.simpler(best) < 0 && good(t) {
				best = t
			}
		}
		return best
	}
	first := simplest(func(t *trial) bool { return t.within(smallest, simplerErrors) })
	return simplest(func(t *trial) bool { return t.errors <= first.errors && t.within(smallest, equalErrors) })
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
	n := len(t.loss)
	if t.count > 0 {
		n = min(n, t.count) // the others have not been held out yet
	}
	return sum <= errors*math.Sqrt(math.Max(0, square-sum*sum/float64(n)))
}
