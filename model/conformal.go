package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// Conformal holds the thresholds of prediction sets (Vovk, Gammerman and Shafer: Algorithmic Learning in a Random
// World, 2005). A class is in the set of a row if its score is at least the threshold. The score of a class is the
// least of its decision values against each other class: a pair's decision value, or for one-vs-rest the difference of
// two. A one-class model's set has the class of inliers, or nothing; the score is the decision value. A regression
// model's interval is its value ± the threshold (Lei et al.: Distribution-free predictive inference for regression,
// JASA 113, 2018), which is multiplied by the standard deviation of the row if the model has a posterior.
//
// With Folds 0 the thresholds are of samples that the training did not see. A new sample exchangeable with these
// is in its set with a probability of at least Coverage, whatever the distribution and the model. With a threshold for
// each class this holds in each class (Sadinle, Lei and Wasserman: Least ambiguous set-valued classifiers with bounded
// error levels, JASA 114, 2019). Both are averages over calibration samples, not of one row.
//
// With Folds > 0 the scores are those of a cross-validation and the model is trained on all samples. That has no bound
// for every distribution: CV+ and jackknife+ (Barber et al.: Predictive inference with the jackknife+, Ann. Stat. 49,
// 2021) have 2·Coverage − 1 and ask every fold's model; the one model alone reaches Coverage − ν, roughly, if leaving
// out a fold rarely moves a score, in more than a share ν of rows.
type Conformal struct {
	Coverage   float64   // share of new samples that their sets contain
	Folds      int       // 0 for samples that the training did not see
	Thresholds []float64 // one, or one a class
}

var errNoSets = errors.New("model: no prediction sets or intervals: train with conformal calibration; " +
	"a reduction drops them")

// Covers returns nil if the model has prediction sets, or intervals for values, else an error that says what to do.
func (c *Classifier) Covers() error {
	if c.parts.Conformal == nil {
		return errNoSets
	}
	return nil
}

// Conformal returns a copy of the thresholds; nil if there are none.
func (c *Classifier) Conformal() *Conformal { return c.parts.Conformal.clone() }

func (q *Conformal) clone() *Conformal {
	if q == nil {
		return nil
	}
	r := *q
	r.Thresholds = slices.Clone(q.Thresholds)
	return &r
}

// roundingSlack widens sets by this share of the decision values at the threshold, so that rounding in an exported
// program does not decide about samples that lie there, as one of the calibration samples does.
const roundingSlack = 1.0 / (1 << 30)

// ConformalRank returns which of n ascending nonconformity scores is the threshold of a coverage in (0, 1):
// ⌈coverage·(n + 1)⌉. It is n + 1 if there are fewer samples than the coverage needs.
func ConformalRank(coverage float64, n int) int {
	return int(math.Ceil(coverage * float64(n+1) * (1 - 1e-12))) // 0.9·10 is 9, whatever the rounding
}

// threshold returns the order statistic of conformity scores, of which it changes the order.
func threshold(scores []float64, coverage float64, who string) (float64, error) {
	n := len(scores)
	rank := ConformalRank(coverage, n)
	if rank > n {
		smallest := n
		for ConformalRank(coverage, smallest) > smallest {
			smallest++
		}
		return 0, fmt.Errorf("model: %d calibration samples%s, a coverage of %.6g needs at least %d",
			n, who, coverage, smallest)
	}
	slices.Sort(scores)
	return scores[n-rank], nil
}

// Conform returns the classifier with prediction sets of the given coverage, from decision values (a row of
// NumSubmodels for each sample) of samples that the training did not see, and their classes; folds > 0 says that they
// are from a cross-validation. byClass asks for a threshold for each class. A one-class model reads no classes: its
// samples are inliers. The error says that there are fewer samples than the coverage needs, or what does not fit:
// lengths, a class that there is not, a decision value that is not finite.
func (c *Classifier) Conform(class []int, decisions []float64, coverage float64, byClass bool, folds int) (*Classifier,
	error) {
	p, k, m := &c.parts, len(c.parts.Labels), len(c.parts.Submodels)
	if p.Task.Real() {
		return nil, fmt.Errorf("model: prediction sets of classes for a model of the task %v", p.Task)
	}
	q, n := &Conformal{Coverage: coverage, Folds: folds}, len(decisions)/m
	if p.Task != learn.Classify {
		class = slices.Repeat([]int{1}, n)
	}
	if err := cmp.Or(q.validateShape(), p.validateSamples(class, decisions)); err != nil {
		return nil, err
	}
	groups, size := make([][]float64, 1), map[float64]float64{} // scores of all samples, or of those of each class
	if byClass && p.Task == learn.Classify {
		groups = make([][]float64, k)
	}
	scores := make([]float64, k)
	for i, y := range class {
		p.conformity(scores, decisions[i*m:(i+1)*m])
		g := &groups[min(y, len(groups)-1)]
		*g = append(*g, scores[y])
		for _, f := range decisions[i*m : (i+1)*m] {
			size[scores[y]] = max(size[scores[y]], math.Abs(f))
		}
	}
	for i, s := range groups {
		who := ""
		if len(groups) > 1 {
			who = " of class " + p.Labels[i]
		}
		t, err := threshold(s, coverage, who)
		if err != nil {
			return nil, err
		}
		q.Thresholds = append(q.Thresholds, t-roundingSlack*size[t])
	}
	return c.withConformal(q)
}

// ConformValues is [Classifier.Conform] for regression: the intervals of targets, from the values that the model
// predicted. variances has what [Classifier.Variances] writes, or nil if the model has none. Other lengths, and numbers
// that are not finite, are an error.
func (c *Classifier) ConformValues(targets, values, variances []float64, coverage float64, folds int) (*Classifier,
	error) {
	q, want := &Conformal{Coverage: coverage, Folds: folds}, 0
	if err := q.validateShape(); err != nil {
		return nil, err
	}
	if c.parts.Posterior != nil {
		want = len(targets)
	}
	if len(values) != len(targets) || len(variances) != want {
		return nil, fmt.Errorf("model: %d values and %d variances for %d targets, want %d and %d", len(values),
			len(variances), len(targets), len(targets), want)
	}
	for i, y := range targets {
		if !finite(y) || !finite(values[i]) || want > 0 && !(variances[i] >= 0) {
			return nil, fmt.Errorf("model: the target, value or variance of sample %d is not finite", i)
		}
	}
	scores := make([]float64, len(targets))
	for i, y := range targets {
		if scores[i] = -math.Abs(y - values[i]); variances != nil && scores[i] != 0 {
			scores[i] /= math.Sqrt(variances[i])
		}
	}
	t, err := threshold(scores, coverage, "")
	if err != nil {
		return nil, err
	}
	q.Thresholds = []float64{math.Abs(t) * (1 + roundingSlack)}
	return c.withConformal(q)
}

// validateSamples checks that there is a row of finite decision values for the class of every sample.
func (p *Parts) validateSamples(class []int, decisions []float64) error {
	m := len(p.Submodels)
	if len(decisions) != len(class)*m {
		return fmt.Errorf("model: %d decision values for %d samples, want %d of each", len(decisions), len(class), m)
	}
	for i, k := range class {
		if k < 0 || k >= len(p.Labels) {
			return fmt.Errorf("model: sample %d is of class %d, want 0 to %d", i, k, len(p.Labels)-1)
		}
	}
	for i, f := range decisions {
		if !finite(f) {
			return fmt.Errorf("model: decision value %d of sample %d is %v, want a finite number", i%m, i/m, f)
		}
	}
	return nil
}

func (c *Classifier) withConformal(q *Conformal) (*Classifier, error) {
	p := c.Parts()
	p.Conformal = q
	return newOwned(p)
}

// conformity writes the score of each class to dst, from one row's decision values.
func (p *Parts) conformity(dst, f []float64) {
	switch p.Scheme {
	case Binary:
		m := &p.Submodels[0]
		dst[m.Pos], dst[m.Neg] = f[0], -f[0]
	case OneVsRest:
		best, second := math.Inf(-1), math.Inf(-1)
		for _, v := range f {
			best, second = max(best, v), max(second, min(best, v))
		}
		for i, v := range f {
			if dst[p.Submodels[i].Pos] = v - best; v == best {
				dst[p.Submodels[i].Pos] = v - second
			}
		}
	default:
		for i := range dst {
			dst[i] = math.Inf(1)
		}
		for i := range p.Submodels {
			m := &p.Submodels[i]
			dst[m.Pos], dst[m.Neg] = min(dst[m.Pos], f[i]), min(dst[m.Neg], -f[i])
		}
	}
}

// Sets writes whether each class is in the prediction set of each of n rows to dst (n×NumClasses), from their decision
// values. A set may be empty, and may have every class. Sets panics if [Classifier.Covers] returns an error, or for a
// model of values.
func (c *Classifier) Sets(dst []bool, decisions []float64, n int) {
	p := &c.parts
	c.mustCover(!p.Task.Real())
	k, m, t := len(p.Labels), len(p.Submodels), p.Conformal.Thresholds
	scores := make([]float64, k)
	for i := range n {
		in := dst[i*k : (i+1)*k]
		p.conformity(scores, decisions[i*m:(i+1)*m])
		for j, s := range scores {
			in[j] = s >= t[min(j, len(t)-1)]
		}
		if p.Task == learn.OneClass {
			in[0] = false
		}
	}
}

// Intervals writes the two ends of the interval of each of n rows to dst (n×2), from the values that the model
// predicted, and from [Classifier.Variances] if [Classifier.Uncertain] returns nil. It panics if [Classifier.Covers]
// returns an error, or for a model of classes.
func (c *Classifier) Intervals(dst, values, variances []float64, n int) {
	c.mustCover(c.parts.Task.Real())
	for i, v := range values[:n] {
		half := c.parts.Conformal.Thresholds[0]
		if c.parts.Posterior != nil {
			half *= math.Sqrt(variances[i])
		}
		dst[2*i], dst[2*i+1] = v-half, v+half
	}
}

func (c *Classifier) mustCover(fits bool) {
	if err := c.Covers(); err != nil {
		panic(fmt.Sprintf("%v; see Covers", err))
	}
	if !fits {
		panic(fmt.Sprintf("model: classes have sets and values have intervals; the model is of the task %v", c.parts.Task))
	}
}

// validateShape checks what does not depend on the model.
func (q *Conformal) validateShape() error {
	if !(q.Coverage > 0 && q.Coverage < 1) {
		return fmt.Errorf("model: a coverage of %v, want a share between 0 and 1", q.Coverage)
	}
	if q.Folds < 0 || q.Folds == 1 {
		return fmt.Errorf("model: prediction sets of %d folds, want 0 or at least 2", q.Folds)
	}
	return nil
}

// validateConformal checks that there is a threshold for the model, or one for each class.
func (p *Parts) validateConformal() error {
	q := p.Conformal
	if q == nil {
		return nil
	}
	if err := q.validateShape(); err != nil {
		return err
	}
	n := len(q.Thresholds)
	if p.Task == learn.Density || n != 1 && (p.Task != learn.Classify || n != len(p.Labels)) {
		return fmt.Errorf("model: %d thresholds of prediction sets in a model of the task %v with %d classes", n, p.Task,
			len(p.Labels))
	}
	for i, t := range q.Thresholds {
		if !finite(t) || p.Task == learn.Regress && t < 0 {
			return fmt.Errorf("model: threshold %d of prediction sets is %v", i, t)
		}
	}
	return nil
}
