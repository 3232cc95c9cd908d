package predict

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
)

// Judge compares a model's predictions with the targets of raw samples; threads 0 means GOMAXPROCS. The area under the
// ROC curve is taken of decision values; of several classes of each class's own submodel, or, if submodels are for
// pairs, of the probabilities. Area and log loss are absent without the probabilities that they need.
//
// A sample whose label the classifier does not know counts as misclassified. Samples with another number of features,
// samples without targets, a decision value that overflows and the context's end are errors.
func Judge(ctx context.Context, clf *model.Classifier, set *dataset.Set, threads int) (*metrics.Report, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if set.D != clf.NumFeatures() && !clf.TakesPlain(set) {
		return nil, fmt.Errorf("sparsekm: samples of %d features, want %d", set.D, clf.NumFeatures())
	}
	if err := targetsFor(clf, set); err != nil {
		return nil, err
	}
	e, m := NewEvaluation(clf), clf.NumSubmodels()
	want := set.ClassOf(clf.Labels())
	var f []float64
	var class []int
	var bad error
	err := clf.EachBatch(ctx, set.N, func(lo, n int) {
		if f == nil {
			f, class = make([]float64, n*m), make([]int, n)
		}
		if bad != nil {
			return
		}
		f, class = f[:n*m], class[:n]
		clf.DecideSet(f, set, lo, n, threads)
		for k, v := range f {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				bad = fmt.Errorf("sparsekm: the decision for sample %d is %v: its features are too large for the %v kernel",
					lo+k/m, v, clf.Kernel().Kind)
				return
			}
		}
		if clf.Task().Real() {
			clf.Predicted(f)
			e.AddValues(valuesOf(set, lo, n), f)
			return
		}
		clf.Classes(class, f, n)
		e.Add(want[lo:lo+n], class, f, threads)
	})
	if err = errors.Join(bad, err); err != nil {
		return nil, err
	}
	return e.Report(), nil
}

// targetsFor reports why a model's predictions cannot be compared with the set's targets: a classifier needs labels, a
// regression model regression targets.
func targetsFor(clf *model.Classifier, set *dataset.Set) error {
	switch {
	case clf.Task() == learn.Density:
		return nil
	case clf.Task() == learn.Regress && set.Targets == nil:
		return errors.New("sparsekm: the samples have no real targets")
	case clf.Task() != learn.Regress && set.Y == nil:
		return errors.New("sparsekm: the samples have no labels")
	}
	return nil
}

// Evaluation counts what a classifier gets right of samples that come in batches. It is not safe for concurrent use.
type Evaluation struct {
	clf    *model.Classifier
	tally  *metrics.Tally
	values metrics.RegressionTally
	logs   metrics.Densities
	scores []float64
}

// NewEvaluation begins a count.
func NewEvaluation(clf *model.Classifier) *Evaluation {
	return &Evaluation{clf: clf, tally: metrics.New(clf.Labels())}
}

// Add counts samples: the indices of their labels among the classifier's, −1 for others, the classes predicted,
// and the decisions (a row of NumSubmodels a sample), which must be finite.
func (e *Evaluation) Add(want, class []int, decisions []float64, threads int) {
	n, k := len(want), e.clf.NumClasses()
	var p []float64
	if e.clf.Calibrated() == nil {
		p = make([]float64, n*k)
		e.clf.ProbabilitiesOf(p, decisions, n, threads)
		e.tally.AddProbabilities(want, p)
	}
	switch {
	case k == 2:
		e.tally.Add(want, class, e.scoresOfTwo(decisions, n))
	case e.clf.Scheme() == model.OneVsRest:
		e.tally.Add(want, class, e.scoresOfRest(decisions, n))
	default:
		e.tally.Add(want, class, p)
	}
}

// AddSet counts the samples of a set that were predicted, but those without a label: see [Labelled].
func (e *Evaluation) AddSet(set *dataset.Set, p *Predictions, threads int) {
	if e.clf.Task() == learn.Density {
		e.AddValues(nil, p.Decisions)
		return
	}
	m, all := len(p.Decisions)/max(1, p.N), set.ClassOf(e.clf.Labels())
	var decisions, values []float64
	var want, class []int
	for i := range p.N {
		if !Labelled(set, i) {
			continue
		}
		if decisions = append(decisions, p.Decisions[i*m:(i+1)*m]...); set.Targets != nil {
			values = append(values, set.Targets[i])
		} else {
			want = append(want, all[i])
			class = append(class, p.Classes[i])
		}
	}
	if set.Targets != nil {
		e.AddValues(values, decisions)
	} else if set.Y != nil {
		e.Add(want, class, decisions, threads)
	}
}

// Labelled reports whether sample i has a label or a target.
func Labelled(set *dataset.Set, i int) bool {
	if set.Targets != nil {
		return !math.IsNaN(set.Targets[i])
	}
	return set.Y != nil && set.Labels[set.Y[i]] != ""
}

// scoresOfTwo returns what speaks for class 1 of two.
func (e *Evaluation) scoresOfTwo(decisions []float64, n int) []float64 {
	e.scores = e.scores[:0]
	positive, m := e.clf.Label(1), e.clf.NumSubmodels()
	for i := range n {
		score := 0.0
		for j, f := range decisions[i*m : (i+1)*m] {
			if e.clf.PositiveLabel(j) == positive {
				score += f
			} else {
				score -= f
			}
		}
		e.scores = append(e.scores, score)
	}
	return e.scores
}

// scoresOfRest returns the decisions of one model a class in the order of the classes.
func (e *Evaluation) scoresOfRest(decisions []float64, n int) []float64 {
	labels := e.clf.Labels()
	k := len(labels)
	e.scores = append(e.scores[:0], decisions...)
	for j := range k {
		class := 0
		for labels[class] != e.clf.PositiveLabel(j) {
			class++
		}
		for i := range n {
			e.scores[i*k+class] = decisions[i*k+j]
		}
	}
	return e.scores
}

// AddValues counts samples of a regression model or a density: their targets, nil for a density, and what it predicts
// ([model.Classifier.Predicted]), which must be finite.
func (e *Evaluation) AddValues(want, predicted []float64) {
	if e.clf.Task() == learn.Density {
		e.logs.Add(predicted)
		return
	}
	e.values.Add(want, predicted)
}

// valuesOf are the targets of n samples from lo on, where there are some.
func valuesOf(set *dataset.Set, lo, n int) []float64 {
	if set.Targets == nil {
		return nil
	}
	return set.Targets[lo : lo+n]
}

// Report says what was counted so far.
func (e *Evaluation) Report() *metrics.Report {
	switch e.clf.Task() {
	case learn.Regress:
		return e.values.Report()
	case learn.Density:
		return e.logs.Report()
	}
	return e.tally.Report()
}
