package modelselect

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
)

const (
	// Few samples are dealt anew until enough were held out, but not more often than maxDeals.
	enoughTested, maxDeals = 1000, 2
	// Baselines are compared with the best after so many held-out samples, and fall out of the race if their loss is not
	// smaller by so many standard errors. With no chance to be chosen, one passes them with probability 0.5 and 0.13.
	firstHeat, secondHeat = 200, 500
	denseLevel            = 0.1 // level of the test by which an SVM must err less for sparse ones to be tried
	firstGap, secondGap   = 0.0, 1.0
)

// judge fills in the table. Trained centres and a linear model run on all folds, so that an early end leaves both. The
// other baselines, and trained centres with learned values of categories, are raced.
func (f *fitting) judge(ctx *cpu.Budget) error {
	folds := min(foldCount, maxFolds(f.set))
	baselines := f.Baselines
	if baselines == nil {
		var err error
		if baselines, err = Baselines(min(foldCount, maxFolds(f.set)/2), f.Seed, f.real()); err != nil {
			return err
		}
	}
	deals := f.deals()
	var err error
	if f.splits, err = Folds(f.set, folds, deals, f.Seed); err != nil {
		return err
	}
	settings := []Setting{f.direct}
	for _, s := range baselines {
		f.weigh(&s)
		settings = append(settings, s)
	}
	always := min(2, len(settings))
	if s, ok := valuesSetting(f.direct, f.set); ok {
		settings = append(settings[:always:always], append([]Setting{s}, settings[always:]...)...)
	}
	o, r := f.Options, f.result
	o.Metric, o.Decisions, o.Ledger, o.Repeats = 0, true, new(Ledger), deals
	r.Planned = len(settings) * len(f.splits)
	o.Progress = func(done, _ int, run *Run) {
		if f.Progress != nil {
			f.Progress(r.Done+done, r.Planned, run)
		}
		f.budget.Check()
		ctx.Check()
	}
	if r.Table, err = Evaluate(ctx, f.set, settings[:always], f.splits, o); err != nil && ctx.Err() == nil {
		return err
	}
	r.Table.Metric, r.Table.free = f.Metric, 1
	r.Done = o.Ledger.Len()
	if err == nil && len(settings) > always {
		if err = f.race(ctx, settings[always:], o); err != nil && ctx.Err() == nil {
			return err
		}
	}
	f.min(ctx)
	if f.Metric == LogLoss {
		f.logLosses()
	}
	f.score()
	return nil
}

// deals is how often the folds of few samples are drawn. For values the methods repeat folds themselves.
func (f *fitting) deals() int {
	if f.real() {
		return 1
	}
	return max(1, min(maxDeals, enoughTested/f.set.N))
}

// race compares the settings after trained centres and a linear model, in three heats. Learned values of categories,
// if the set has some, need not err less, but fall out if they err more by a standard error. Then comes an SVM with all
// its support vectors. The sparse ones after it are tried only where it errs less by the test of a choice, at the level
// of denseLevel. Those that the time ends are not in the table.
func (f *fitting) race(ctx *cpu.Budget, settings []Setting, o Options) error {
	t := f.result.Table
	first := len(t.Settings)
	dense := first
	if settings[0].Name == valuesName {
		dense++
	}
	for _, s := range settings {
		t.Settings = append(t.Settings, s)
		t.Runs = append(t.Runs, make([]*Run, len(f.splits)))
	}
	t.dropped = make([]string, len(t.Settings))
	all, sparse := deal.All(len(t.Settings)), min(dense+1, len(t.Settings))
	for _, heat := range [][]int{all[first:dense], all[dense:sparse], all[sparse:]} {
		if len(heat) == 0 {
			continue
		}
		from, smallest := heat[0], []float64{firstGap, secondGap}
		if from < dense {
			smallest = []float64{-1, -1}
		}
		if from > dense && f.sparseLeftOut(dense) {
			break
		}
		if err := f.heat(ctx, heat, smallest, o); err != nil {
			t.Settings, t.Runs, t.dropped = t.Settings[:from], t.Runs[:from], t.dropped[:from]
			return err
		}
	}
	return nil
}

// sparseLeftOut leaves out the settings after the dense one unless that errs clearly less than the best before it.
func (f *fitting) sparseLeftOut(dense int) bool {
	t, best := f.result.Table, f.best(len(f.splits))
	if f.Metric == LogLoss || !t.left(dense) && t.less(dense, best) < denseLevel {
		return false
	}
	for i := dense + 1; i < len(t.Settings); i++ {
		t.dropped[i] = fmt.Sprintf("not tried: %s errs not clearly less than %s", t.Settings[dense].Name,
			t.Settings[best].Name)
		f.result.Planned -= len(f.splits)
	}
	return true
}

// heat runs settings on some folds and on more of them, as long as they may still be chosen: as long as their loss is
// smaller by so many standard errors, after each stage but the last.
func (f *fitting) heat(ctx *cpu.Budget, alive []int, smallest []float64, o Options) error {
	done := 0
	for round, end := range f.stages() {
		if len(alive) == 0 {
			break
		}
		if err := f.compare(ctx, alive, done, end, o); err != nil {
			return err
		}
		if done = end; end < len(f.splits) && f.Metric != LogLoss {
			alive = f.drop(alive, end, smallest[round])
		}
	}
	return nil
}

// best is the better of trained centres and a linear model on the first folds.
func (f *fitting) best(folds int) int {
	if d := f.result.Table.paired(0, 1, folds); d.mean >= 0 {
		return 1
	}
	return 0
}

// compare runs settings on the splits from lo to hi.
func (f *fitting) compare(ctx *cpu.Budget, settings []int, lo, hi int, o Options) error {
	r := f.result
	o.Ledger = new(Ledger)
	t, err := Evaluate(ctx, f.set, deal.Pick(r.Table.Settings, settings), f.splits[lo:hi], o)
	r.Done += o.Ledger.Len()
	if err != nil {
		return err
	}
	for k, i := range settings {
		for offset, run := range t.Runs[k] {
			run.Split = lo + offset
			r.Table.Runs[i][run.Split] = run
		}
	}
	return nil
}

// stages are the numbers of folds after which baselines may fall out, and the number of all.
func (f *fitting) stages() (ends []int) {
	tested, enough := 0, []int{firstHeat, secondHeat}
	for index, split := range f.splits {
		if tested += len(split.Test); len(enough) > 0 && tested >= enough[0] {
			ends, enough = append(ends, index+1), enough[1:]
		}
	}
	return append(ends, len(f.splits))
}

// drop leaves out baselines whose chance to be chosen is gone after some folds: whose loss is not smaller than that of
// the best by a number of standard errors. It returns the others.
func (f *fitting) drop(baselines []int, folds int, smallest float64) (left []int) {
	r := f.result
	best := f.best(folds)
	for _, i := range baselines {
		if d := r.Table.paired(best, i, folds); d.mean > smallest*d.se {
			left = append(left, i)
			continue
		}
		errs := "no less than %s"
		if smallest < 0 {
			errs = "more than %s by a standard error"
		}
		r.Table.dropped[i] = fmt.Sprintf("it errs "+errs+" on the first %d of %d folds", r.Table.Settings[best].Name, folds,
			len(f.splits))
		r.Planned -= len(f.splits) - folds
	}
	return left
}

// difference is the mean of paired differences of losses, and its standard error.
type difference struct {
	mean, se float64
	n        int
}

// paired is the difference of the losses of a setting and of another one, over the first folds that count. It is taken
// sample by sample where the metric is a mean over samples, each sample once however often it was held out, and
// samples of a group together; else fold by fold.
func (t *Table) paired(i, than, folds int) difference {
	d := t.differences(i, than, folds)
	mean, sd := dense.MeanStdDev(d)
	return difference{mean, sd / math.Sqrt(float64(len(d))), len(d)}
}

// differences are those of paired.
func (t *Table) differences(i, than, folds int) (d []float64) {
	unit, sum, times := make(map[int]int), []float64(nil), []float64(nil)
	each := true
	for _, f := range t.both(i, than) {
		if f >= folds {
			break
		}
		a, b := t.Runs[i][f], t.Runs[than][f]
		d = append(d, a.Losses[t.Metric.String()]-b.Losses[t.Metric.String()])
		x, y := a.each(t.Metric), b.each(t.Metric)
		if each = each && x != nil && y != nil; !each {
			continue
		}
		for k, u := range a.Samples.units {
			pos, ok := unit[u]
			if !ok {
				pos = len(sum)
				unit[u] = pos
				sum = append(sum, 0)
				times = append(times, 0)
			}
			sum[pos], times[pos] = sum[pos]+x[k]-y[k], times[pos]+1
		}
	}
	if each && len(sum) > 1 {
		d = sum
		for k := range d {
			d[k] /= times[k]
		}
	}
	return d
}

// byOne reports whether a setting's loss is larger than another's because of one sample: without it, it is smaller by a
// standard error. One value far away has a squared error that outweighs all others, and is near no model but by chance.
func (t *Table) byOne(i, than int) bool {
	d := t.differences(i, than, t.Splits)
	slices.Sort(d)
	if len(d) < 3 {
		return false
	}
	mean, sd := dense.MeanStdDev(d[:len(d)-1])
	return mean < -sd/math.Sqrt(float64(len(d)-1))
}

// both are the splits that have runs of two settings, with a loss.
func (t *Table) both(i, than int) (splits []int) {
	for f := range t.Splits {
		a, b := t.Runs[i][f], t.Runs[than][f]
		if a == nil || b == nil {
			continue
		}
		_, x := a.loss(t.Metric)
		if _, y := b.loss(t.Metric); x == "" && y == "" {
			splits = append(splits, f)
		}
	}
	return splits
}

// each are the losses of the samples of a run's test part whose mean the metric is, or grows with; nil if it is no
// such mean.
func (r *Run) each(metric Metric) []float64 {
	if r.Samples == nil {
		return nil
	}
	switch metric {
	case Error, RMSE, R2:
		return r.Samples.losses
	case MAE:
		absolute := slices.Clone(r.Samples.losses)
		for i, l := range absolute {
			absolute[i] = math.Sqrt(l)
		}
		return absolute
	}
	return nil
}

// unitsOf are the numbers of a test part's samples, or of their groups.
func unitsOf(set *dataset.Set, test []int) []int {
	groups := deal.Numbers(set.Groups)
	if groups == nil {
		return test
	}
	return deal.Pick(groups, test)
}

// less is the level of Student's paired t test of the hypothesis that setting i has no smaller loss.
func (t *Table) less(i, than int) float64 {
	d := t.paired(than, i, t.Splits)
	if !(d.mean > 0) || d.n < 2 {
		return 1
	}
	return studentTails(d.mean/d.se, float64(d.n)-1) / 2
}
