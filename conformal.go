package sparsekm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/prepare"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/model/predict"
	"github.com/sparsekm/sparsekm/status"
)

// Conformal asks for prediction sets, or for intervals of values: see [model.Conformal] for what they promise.
type Conformal struct {
	// Coverage is the share of new samples that their sets shall contain, such as 0.9; 0 asks for no sets.
	Coverage float64
	// ByClass makes the promise for the samples of each class, by a threshold for each.
	ByClass bool
	// Folds 0 trains on about three quarters of the samples and takes the thresholds from the others (split conformal
	// prediction, whose coverage is proven). With folds, at least 2, the model is trained on all samples, and the
	// thresholds are those of a cross-validation, whose coverage is not.
	Folds int
}

// sampleRows says which samples calibrate, and which train.
type sampleRows struct{ held, train []int }

// trainConformal trains a model with prediction sets. If the context ends before, the model has none.
func trainConformal(ctx context.Context, set *dataset.Set, o Options) (*Classifier, *Report, error) {
	spec, err := o.validated(set)
	if err != nil {
		return nil, nil, err
	}
	q := o.Conformal
	o.Conformal = Conformal{}
	switch {
	case o.Calibrate != 0:
		err = errors.New("sparsekm: folds for probabilities and prediction sets in one training, want one of them")
	case spec.Task == learn.Density:
		err = errors.New("sparsekm: a density has no prediction sets")
	default:
		err = q.validate(set)
	}
	if err != nil {
		return nil, nil, err
	}
	present := o.present(set)
	if q.Folds == 0 {
		return q.hold(ctx, set, present, o.Threads, func(rows []int) (*Classifier, *Report, error) {
			return o.trainOn(ctx, set, rows)
		})
	}
	splits, err := q.folds(set, present)
	if err != nil {
		return nil, nil, err
	}
	clf, r, err := Train(ctx, set, o)
	if err != nil {
		return nil, nil, err
	}
	scores := &heldOut{set: set, threads: o.Threads}
	for k, s := range splits {
		part, _, failed := o.trainOn(ctx, set, s.train)
		if failed == nil {
			failed = scores.add(ctx, part, s.held)
		}
		if failed != nil {
			err = fmt.Errorf("prediction sets, fold %d of %d: %w", k+1, q.Folds, failed)
			break
		}
	}
	return scores.finish(ctx, q, clf, r, err)
}

// SplitConformal trains on about three quarters of the set by a function, and gives the model prediction sets or
// intervals by the other samples, as [Train] does with Conformal and without folds. Rows of the model and its report
// are those of the whole set. If the context ends during the training, the model has no prediction sets.
func SplitConformal(ctx context.Context, set *dataset.Set, q Conformal, threads int,
	train func(part *dataset.Set) (*Classifier, *Report, error)) (*Classifier, *Report, error) {
	if err := q.validate(set); err != nil {
		return nil, nil, err
	}
	if q.Folds != 0 {
		return nil, nil, fmt.Errorf("sparsekm: prediction sets of %d folds where samples are held out, want 0", q.Folds)
	}
	return q.hold(ctx, set, new(Options).present(set), threads, func(rows []int) (*Classifier, *Report, error) {
		return train(set.Subset(rows))
	})
}

// hold trains on some of the samples that are present, and calibrates on the others.
func (q *Conformal) hold(ctx context.Context, set *dataset.Set, present []int, threads int,
	train func(rows []int) (*Classifier, *Report, error)) (*Classifier, *Report, error) {
	s, err := q.split(set, present)
	if err != nil {
		return nil, nil, err
	}
	clf, r, err := train(s.train)
	if err != nil {
		return nil, nil, err
	}
	scores := &heldOut{set: set, threads: threads}
	if ctx.Err() == nil {
		err = scores.add(ctx, clf, s.held)
	}
	if clf, r, err = scores.finish(ctx, *q, clf, r, err); err != nil {
		return nil, nil, err
	}
	r.Held = s.held
	return renumbered(clf, r, s.train)
}

// validate refuses what goes with no set of the kind.
func (q *Conformal) validate(set *dataset.Set) error {
	switch {
	case !(q.Coverage > 0 && q.Coverage < 1):
		return fmt.Errorf("sparsekm: a coverage of %v, want a share between 0 and 1", q.Coverage)
	case q.Folds < 0 || q.Folds == 1:
		return fmt.Errorf("sparsekm: prediction sets of %d folds, want 0 or at least 2", q.Folds)
	case q.ByClass && set.Y == nil:
		return errors.New("sparsekm: prediction sets by class, but the samples have no classes")
	}
	return nil
}

// present returns the rows of the samples whose weight is not 0.
func (o *Options) present(set *dataset.Set) (rows []int) {
	for i := range set.N {
		w := 1.0
		if set.Y != nil {
			if of, ok := o.ClassWeight[set.Labels[set.Y[i]]]; ok {
				w = of
			}
		}
		if o.SampleWeight != nil {
			w *= o.SampleWeight[i]
		}
		if w != 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// split draws the samples that calibrate: about a quarter of the samples that are present, or of those of each class,
// or whole groups. Samples of weight 0 are in neither part.
func (q *Conformal) split(set *dataset.Set, present []int) (s sampleRows, err error) {
	rnd := dataset.NewRand(1)
	parts := [][]int{slices.Clone(present)}
	switch {
	case set.Groups != nil:
		const quarter = 4
		splits, failed := set.Subset(present).Folds(quarter, 1)
		if failed != nil {
			return s, failed
		}
		s.held, s.train = prepare.Rows(present).Original(splits[0].Test), prepare.Rows(present).Original(splits[0].Train)
		return s, trainable(set, s.train, present)
	case q.ByClass:
		parts = make([][]int, len(set.Labels))
		for _, i := range present {
			parts[set.Y[i]] = append(parts[set.Y[i]], i)
		}
	}
	for class, rows := range parts {
		of := ""
		if q.ByClass {
			of = " of class " + set.Labels[class]
		}
		n, failed := heldCount(len(rows), q.Coverage, of)
		if failed != nil {
			return s, failed
		}
		rnd.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		s.held = append(s.held, rows[:n]...)
		s.train = append(s.train, rows[n:]...)
	}
	slices.Sort(s.held)
	slices.Sort(s.train)
	return s, trainable(set, s.train, present)
}

// heldCount returns how many of n samples calibrate: from a quarter on, the count whose coverage, rank/(count + 1),
// exceeds the wanted one the least. It is at most half.
func heldCount(n int, coverage float64, of string) (int, error) {
	excess := func(k int) float64 { return float64(model.ConformalRank(coverage, k))/float64(k+1) - coverage }
	smallest := 1
	for model.ConformalRank(coverage, smallest) > smallest {
		smallest++
	}
	if n < 2*smallest {
		return 0, fmt.Errorf("sparsekm: %d samples%s, a coverage of %.6g needs at least %d of which it holds out %d", n, of,
			coverage, 2*smallest, smallest)
	}
	const share, rounding = 4, 1e-9
	best := max(smallest, n/share)
	for k := best + 1; k <= min(n/2, best+smallest); k++ {
		if excess(k) < excess(best)-rounding {
			best = k
		}
	}
	return best, nil
}

// trainable fails if a class has samples, and none to train on.
func trainable(set *dataset.Set, train, present []int) error {
	if set.Y == nil {
		return nil
	}
	left, all := set.Subset(train).Counts(), set.Subset(present).Counts()
	for class, n := range left {
		if n == 0 && all[class] > 0 {
			return fmt.Errorf("sparsekm: all %d samples of class %s were held out; prediction sets by class leave some of "+
				"each to train on", all[class], set.Labels[class])
		}
	}
	return nil
}

// folds divides the samples that are present as a cross-validation does.
func (q *Conformal) folds(set *dataset.Set, present []int) (splits []sampleRows, err error) {
	from := set.Subset(present)
	if from.Y != nil {
		for class, n := range from.Counts() {
			if n > 0 && n < q.Folds {
				return nil, fmt.Errorf("sparsekm: %d samples of class %s, want at least one for each of %d folds", n,
					set.Labels[class], q.Folds)
			}
		}
	}
	folds, err := from.Folds(q.Folds, 1)
	if err != nil {
		return nil, err
	}
	for _, f := range folds {
		rows := prepare.Rows(present)
		splits = append(splits, sampleRows{held: rows.Original(f.Test), train: rows.Original(f.Train)})
	}
	return splits, nil
}

// trainOn trains on some rows of the set.
func (o *Options) trainOn(ctx context.Context, set *dataset.Set, rows []int) (*Classifier, *Report, error) {
	p, part := *o, set.Subset(rows)
	p.Shared, p.InUse = nil, o.InUse+part.Bytes()
	if o.SampleWeight != nil {
		p.SampleWeight = make([]float64, len(rows))
		for i, row := range rows {
			p.SampleWeight[i] = o.SampleWeight[row]
		}
	}
	return Train(ctx, part, p)
}

// heldOut collects what models say of samples that their training did not see.
type heldOut struct {
	set     *dataset.Set
	threads int

	class                         []int
	decisions, targets, variances []float64
}

// add adds the samples that a training held out.
func (h *heldOut) add(ctx context.Context, clf *Classifier, held []int) error {
	part := h.set.Subset(held)
	p, err := predict.Set(ctx, clf, part, h.threads, false)
	if err == nil && clf.Uncertain() == nil {
		err = p.AddVariances(ctx, part, h.threads)
		h.variances = append(h.variances, p.Variances...)
	}
	if err == nil {
		err = p.Finite(0)
	}
	h.class = append(h.class, part.Y...)
	h.targets = append(h.targets, part.Targets...)
	h.decisions = append(h.decisions, p.Decisions...)
	return err
}

// finish gives the classifier the thresholds of all samples that were held out, unless the context has ended.
func (h *heldOut) finish(ctx context.Context, q Conformal, clf *Classifier, r *Report, err error) (*Classifier,
	*Report, error) {
	switch {
	case ctx.Err() != nil:
		if r.Status.Done() {
			r.Status = status.FromContext(ctx)
		}
	case err != nil:
	case clf.Task() == learn.Regress:
		clf, err = clf.ConformValues(h.targets, h.decisions, h.variances, q.Coverage, q.Folds)
	default:
		clf, err = clf.Conform(h.class, h.decisions, q.Coverage, q.ByClass, q.Folds)
	}
	if err != nil && ctx.Err() == nil {
		return nil, nil, err
	}
	return clf, r, nil
}

// renumbered makes the rows that a classifier and its report name rows of the whole set.
func renumbered(clf *Classifier, r *Report, train []int) (*Classifier, *Report, error) {
	rows := prepare.Rows(train)
	if r.Support == nil {
		return clf, r, nil
	}
	r.Support = rows.Original(r.Support)
	for i := range r.Submodels {
		r.Submodels[i].Support = rows.Original(r.Submodels[i].Support)
	}
	p := clf.Parts()
	p.Rows = rows.Original(p.Rows)
	clf, err := model.New(p)
	return clf, r, err
}
