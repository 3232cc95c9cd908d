package distill

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/model"
)

const (
	chosenOn = 4000 // samples that settings are chosen on at most
	starts   = 3    // searches for the last student
)

// setting is how students are trained.
type setting struct {
	direct.Trainer
	gamma  float64 // 0 for the rule of package sparsekm, before it is chosen
	values int     // learnt for each category; 0 for features of 0 and 1
}

// train trains a student on samples of the pool.
func (r *run) train(ctx context.Context, rows []int, weight float64, s setting) (*model.Classifier, *sparsekm.Report,
	error) {
	set := r.part(rows)
	o := sparsekm.Options{Trainer: s.Trainer, Scale: dataset.ScaleFloored, CategoryValues: s.values, Threads: r.Threads,
		Memory: r.Memory, InUse: r.InUse + 8*int64(len(r.pool.x)+len(set.X)), Progress: r.Progress}
	if s.gamma > 0 {
		o.Kernel = gram.RBF(s.gamma)
	}
	soft := make([]float64, 0, len(rows)*r.outputs)
	for _, i := range rows {
		soft = r.appendTarget(soft, i, weight)
	}
	if r.Kind == Values {
		set.Targets, o.ScaleTarget = soft, true
	} else {
		set.Labels, set.Y, o.Soft = r.Labels, r.classes(soft), soft
	}
	return sparsekm.Train(ctx, set, o)
}

// part is samples of the pool without targets.
func (r *run) part(rows []int) *dataset.Set {
	d := r.set.D
	set := &dataset.Set{N: len(rows), D: d, Features: r.set.Features, Columns: r.set.Columns}
	set.X = make([]float64, 0, len(rows)*d)
	for _, i := range rows {
		set.X = append(set.X, r.pool.x[i*d:(i+1)*d]...)
	}
	if r.set.Groups != nil && rows[len(rows)-1] < r.set.N { // folds are made of the set's samples alone
		for _, i := range rows {
			set.Groups = append(set.Groups, r.set.Groups[i])
		}
	}
	return set
}

// appendTarget appends what a sample's student is trained to say: the teacher's answer, and the label by its weight.
func (r *run) appendTarget(to []float64, i int, weight float64) []float64 {
	answer := r.pool.teacher[i*r.outputs : (i+1)*r.outputs]
	for o, t := range answer {
		switch {
		case weight == 0 || i >= r.set.N:
		case r.Kind == Values:
			t += weight * (r.set.Targets[i] - t)
		case r.truth[i] >= 0:
			y := 0.0
			if r.truth[i] == o && r.outputs > 1 || r.truth[i] == 1 && r.outputs == 1 {
				y = 1
			}
			t += weight * (y - t)
		}
		to = append(to, t)
	}
	return to
}

// classes are the most probable ones, but each class has a sample: the most probable one for it.
func (r *run) classes(soft []float64) []int {
	n := len(soft) / r.outputs
	y, count := make([]int, n), make([]int, len(r.Labels))
	for i := range y {
		y[i] = r.classOf(soft[i*r.outputs : (i+1)*r.outputs])
		count[y[i]]++
	}
	for c := range count {
		if count[c] > 0 {
			continue
		}
		best, largest := -1, math.Inf(-1)
		for i := range y {
			if p := r.probability(soft[i*r.outputs:(i+1)*r.outputs], c); count[y[i]] > 1 && p > largest {
				best, largest = i, p
			}
		}
		if best >= 0 {
			count[y[best]]--
			y[best], count[c] = c, 1
		}
	}
	return y
}

// choose finds the setting, and the first student.
func (r *run) choose(ctx context.Context) error {
	rows := deal.All(r.set.N)
	if r.set.N > chosenOn {
		rows = rand.New(rand.NewPCG(r.Seed, 0)).Perm(r.set.N)[:chosenOn]
		slices.Sort(rows)
	}
	if r.LabelWeight != nil {
		r.weight = *r.LabelWeight
	}
	lowest := math.Inf(1)
	for _, values := range r.variants() {
		units, err := r.units(values, "")
		if err != nil {
			return err
		}
		s := setting{values: values,
			Trainer: direct.Trainer{MaxSV: units, Tune: true, Units: "auto", Seed: r.Seed}}
		clf, report, err := r.train(ctx, rows, r.weight, s)
		if err != nil {
			if r.best != nil {
				return nil // the context has ended
			}
			return err
		}
		figures, _ := report.Submodels[0].Report.Figures.(direct.Figures)
		loss := math.Inf(1)
		for _, h := range figures.HeldOut {
			loss = min(loss, h.Loss)
		}
		if r.best != nil && !(loss <= lowest) {
			continue
		}
		lowest, r.best = loss, clf
		r.setting = chosen(figures, s, clf.NumUnits())
	}
	return ctx.Err()
}

// variants are the numbers of values learnt for a category that are compared.
func (r *run) variants() []int {
	if slices.ContainsFunc(r.set.Columns, func(c dataset.Column) bool {
		return c.Role == dataset.RoleCategory && len(c.Categories) > 2
	}) {
		return []int{0, 1}
	}
	return []int{0}
}

// chosen is the setting that a training has chosen, with a fixed number of units.
func chosen(f direct.Figures, s setting, units int) setting {
	s.Tune = false
	if s.MaxSV == 0 {
		s.MaxSV = max(1, units)
	}
	if f.Gamma > 0 {
		s.C, s.Units, s.FeatureWidths, s.gamma = f.C, f.Units, len(f.Weights) > 0, f.Gamma
	}
	return s
}

// finish trains the last student on all samples: the best of a few searches.
func (r *run) finish(ctx context.Context) error {
	if r.MaxBytes > 0 || r.MaxNanos > 0 {
		units, err := r.units(r.setting.values, r.setting.Units)
		if err != nil {
			return err
		}
		r.setting.MaxSV = units
	}
	rows := deal.All(r.pool.n)
	for {
		best, err := r.search(ctx, rows)
		if err != nil || best == nil {
			return err
		}
		over, err := r.over(best)
		if err != nil {
			return err
		}
		if !over || r.setting.MaxSV == 1 {
			r.best = best
			return ctx.Err()
		}
		r.setting.MaxSV -= max(1, r.setting.MaxSV/16)
	}
}

// search is the student of the least objective among some starts; nil if the context has ended before one.
func (r *run) search(ctx context.Context, rows []int) (best *model.Classifier, err error) {
	lowest := math.Inf(1)
	for start := range starts {
		s := r.setting
		s.Seed = r.Seed + uint64(start)
		clf, report, err := r.train(ctx, rows, r.weight, s)
		switch {
		case ctx.Err() != nil:
			return best, nil
		case err != nil:
			return nil, err
		}
		var objective float64
		for _, m := range report.Submodels {
			objective += m.Report.Objective
		}
		if best == nil || objective < lowest {
			best, lowest = clf, objective
		}
	}
	return best, nil
}

// answers returns what a student says of samples of the pool: probabilities, a row of outputs a sample, or values.
func (r *run) answers(clf *model.Classifier, x []float64, n int) []float64 {
	set := &dataset.Set{X: x, N: n, D: r.set.D, Columns: r.set.Columns}
	f := make([]float64, n*clf.NumSubmodels())
	if clf.Columns().Valued() {
		clf.DecideSet(f, set, 0, n, r.Threads)
	} else {
		clf.DecideBatch(f, x, n, r.Threads)
	}
	if clf.Task() == learn.Classify {
		for i := range f {
			f[i] = sigmoid(f[i])
		}
	}
	return f
}
