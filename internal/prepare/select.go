package prepare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// selection is the samples that are present, not copied yet.
type selection struct {
	set     *dataset.Set // all samples: the caller's, or with every zero stored where something reads features
	rows    Rows         // of set that train; nil for all
	heldOut []int        // rows of set that prediction sets hold out
	present *dataset.Set // all that are present, without features; nil unless some are held out
	weight  []float64    // of the present samples; nil for all 1
	inUse   int64        // bytes in use: the caller's, and stored zeros
	n       int          // samples that train
	width   int          // numbers of a sample, on average
	copied  int64        // bytes of what is going to be copied
}

// Rows are the numbers of the samples that are present, ascending; nil for all.
type Rows []int

// Original returns which rows of the caller's set the given samples are. It returns nil for nil.
func (r Rows) Original(samples []int) []int {
	if r == nil || samples == nil {
		return samples
	}
	return deal.Pick(r, samples)
}

// selected joins the weights, drops the samples of weight 0, which are absent for scaling and the choice of γ too, and
// those that prediction sets hold out, chooses the scaling if that is left to the samples, and stores the zeros of
// sparse samples if something reads features.
func selected(ctx context.Context, set *dataset.Set, s *Spec) (*selection, error) {
	weight, err := Weights(set, s.SampleWeight, s.ClassWeight)
	if err != nil {
		return nil, err
	}
	r := &selection{set: set, inUse: s.Resources.InUse}
	if r.rows, r.weight, err = present(weight, s.Only); err != nil {
		return nil, err
	}
	q := &s.Conformal
	if s.Calibrate > 0 || q.Coverage > 0 {
		r.present = r.labels()
	}
	if q.Coverage > 0 && q.Folds == 0 {
		if err = r.holdOut(q); err != nil {
			return nil, err
		}
	}
	if s.Scale == dataset.ScaleAuto {
		if s.Scale, err = r.autoScale(ctx, s.Kernel); err != nil {
			return nil, learn.Nothing(ctx, s.Trainer.Name())
		}
	}
	if why := s.NeedsFeatures(); why != "" && set.Sparse != nil {
		left := s.Resources.Budget(s.Trainer.Name(), set.N, set.D).Left()
		if r.set, err = set.Dense(max(0, left)); err != nil {
			return nil, fmt.Errorf("sparsekm: %s: %w", why, err)
		}
		r.inUse += 8 * int64(set.N) * int64(set.D)
	}
	return r, nil
}

// autoScale chooses the scaling by the samples that train. A kernel whose features are no measurements gets none.
func (r *selection) autoScale(ctx context.Context, k gram.Kernel) (kind dataset.ScaleKind, err error) {
	if k.Indexed() {
		return dataset.ScaleNone, nil
	}
	set := r.set
	if r.rows != nil {
		set = set.Subset(r.rows)
	}
	kind, _, err = dataset.AutoScale(ctx, set)
	return kind, err
}

// Weights multiplies the weights of samples, by default those of the set, and of their classes; nil when all are 1.
func Weights(set *dataset.Set, sample []float64, class map[string]float64) ([]float64, error) {
	if sample == nil {
		sample = set.Weights
	}
	if sample != nil && len(sample) != set.N {
		return nil, fmt.Errorf("sparsekm: %d sample weights for %d samples", len(sample), set.N)
	}
	for i, w := range sample {
		if !validWeight(w) {
			return nil, fmt.Errorf("sparsekm: weight of sample %d is %v, want a finite number >= 0", i, w)
		}
	}
	if len(class) == 0 {
		return sample, nil
	}
	factor := slices.Repeat([]float64{1}, len(set.Labels))
	for label, w := range class {
		c := slices.Index(set.Labels, label)
		if c < 0 {
			return nil, fmt.Errorf("sparsekm: weight for class %q, but the classes are %s", label,
				strings.Join(set.Labels, ", "))
		}
		if !validWeight(w) {
			return nil, fmt.Errorf("sparsekm: weight of class %q is %v, want a finite number >= 0", label, w)
		}
		factor[c] = w
	}
	weight := make([]float64, set.N)
	for i, c := range set.Y {
		weight[i] = factor[c]
		if sample != nil {
			weight[i] *= sample[i]
		}
	}
	return weight, nil
}

func validWeight(w float64) bool { return w >= 0 && !math.IsInf(w, 0) }

// present returns the samples whose weight is not 0, of some rows or of all, nil if that is all of them, and their
// weights.
func present(weight []float64, only []int) (rows Rows, left []float64, err error) {
	switch {
	case only == nil && !slices.Contains(weight, 0):
		return nil, weight, nil
	case weight == nil:
		return only, nil, nil
	case only == nil:
		only = deal.All(len(weight))
	}
	for _, i := range only {
		if weight[i] != 0 {
			rows = append(rows, i)
			left = append(left, weight[i])
		}
	}
	if rows == nil {
		return nil, nil, fmt.Errorf("sparsekm: %w (every sample has weight 0), want two", learn.ErrOneClass)
	}
	return rows, left, nil
}

// labels is the samples that are present without their features.
func (r *selection) labels() *dataset.Set {
	all := r.set
	set := &dataset.Set{N: all.N, Y: all.Y, Targets: all.Targets, Labels: all.Labels, Groups: all.Groups}
	if r.rows != nil {
		set = set.Subset(r.rows)
	}
	return set
}

// HoldOut draws the rows of samples for prediction sets: about a quarter of all samples, or of those of each class, or
// whole groups. The others train.
func (q *Conformal) HoldOut(set *dataset.Set) (heldOut, train []int, err error) {
	r := selection{set: set, present: set}
	if err = r.holdOut(q); err != nil {
		return nil, nil, err
	}
	return r.heldOut, r.rows, nil
}

// holdOut takes samples for prediction sets out of those that are present.
func (r *selection) holdOut(q *Conformal) error {
	present := r.present
	heldOut, train, err := q.split(present)
	if err != nil {
		return err
	}
	if present.Y != nil {
		left := present.Subset(train).Counts()
		for class, n := range present.Counts() {
			if n > 0 && left[class] == 0 {
				return fmt.Errorf("sparsekm: all %d samples of class %s were held out; prediction sets by class leave some of "+
					"each to train on", n, present.Labels[class])
			}
		}
	}
	r.weight = deal.Pick(r.weight, train)
	if r.heldOut = r.rows.Original(heldOut); r.rows == nil {
		r.rows = train
	} else {
		r.rows = r.rows.Original(train)
	}
	return nil
}

// split draws among samples that are all present.
func (q *Conformal) split(set *dataset.Set) (heldOut, train []int, err error) {
	if set.Groups != nil {
		const quarter = 4
		splits, err := set.Folds(quarter, 1)
		if err != nil {
			return nil, nil, err
		}
		return splits[0].Test, splits[0].Train, nil
	}
	parts := [][]int{deal.All(set.N)}
	if q.ByClass {
		parts = deal.ByClass(set.Y, len(set.Labels))
	}
	rnd := dataset.NewRand(1)
	for class, rows := range parts {
		what := ""
		if q.ByClass {
			what = " of class " + set.Labels[class]
		}
		n, err := heldCount(len(rows), q.Coverage, what)
		if err != nil {
			return nil, nil, err
		}
		rnd.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		heldOut = append(heldOut, rows[:n]...)
		train = append(train, rows[n:]...)
	}
	slices.Sort(heldOut)
	slices.Sort(train)
	return heldOut, train, nil
}

// heldCount returns how many of n samples are held out: from a quarter on, the count whose coverage, rank/(count + 1),
// exceeds the wanted one the least. It is at most half.
func heldCount(n int, coverage float64, what string) (int, error) {
	excess := func(k int) float64 { return float64(model.ConformalRank(coverage, k))/float64(k+1) - coverage }
	smallest := 1
	for model.ConformalRank(coverage, smallest) > smallest {
		smallest++
	}
	if n < 2*smallest {
		return 0, fmt.Errorf("sparsekm: %d samples%s, a coverage of %.6g needs at least %d of which it holds out %d", n, what,
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

// Balanced returns class weights with which every class that has samples weighs the same: a class of n of N samples
// gets N/(k·n), where k classes have samples.
func Balanced(set *dataset.Set) map[string]float64 {
	counts, classes := set.Counts(), 0
	for _, n := range counts {
		if n > 0 {
			classes++
		}
	}
	weight := make(map[string]float64, classes)
	for class, n := range counts {
		if n > 0 {
			weight[set.Labels[class]] = float64(set.N) / (float64(classes) * float64(n))
		}
	}
	return weight
}

// Methods that read kernel values alone take sparse samples as row numbers: the kernel looks the rows up
// ([gram.Kernel.On]). Everything else reads features, with every zero stored, if the budget has room.

// NeedsFeatures names what reads features, so that the zeros of sparse samples must be stored; "" if nothing does.
// A command asks before it reads a file, so that no sparse set is made dense twice.
func (s *Spec) NeedsFeatures() string {
	switch {
	case !s.Method.KernelOnly:
		return s.Method.Name + " reads features"
	case !s.Kernel.Sparse():
		return fmt.Sprintf("the %v kernel reads features that are 0", s.Kernel.Kind)
	case s.Scale != dataset.ScaleNone:
		return fmt.Sprintf("scaling %v moves features away from 0", s.Scale)
	case s.ReadsFeatures != "":
		return s.ReadsFeatures
	case s.Candidates != nil:
		return "candidates are read by features"
	case s.Validation != nil:
		return "validation data are read by features"
	}
	return ""
}
