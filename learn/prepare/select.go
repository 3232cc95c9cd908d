package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// Selected is the samples that are present, not copied yet.
type Selected struct {
	Set    *dataset.Set // all samples: the caller's, or with every zero stored where something reads features
	Rows   Rows         // of Set that are present
	Weight []float64    // of the present samples; nil for all 1
	InUse  int64        // bytes in use: the caller's, and stored zeros
	Copies int64        // bytes of what [Set] is going to copy
}

// Rows are the numbers of the samples that are present, ascending; nil for all.
type Rows []int

// Original returns which rows of the caller's set the given samples are. It returns nil for nil.
func (r Rows) Original(samples []int) []int {
	if r == nil || samples == nil {
		return samples
	}
	o := make([]int, len(samples))
	for k, i := range samples {
		o[k] = r[i]
	}
	return o
}

// Select stores the zeros of sparse samples if something reads features, joins the weights, and drops the samples of
// weight 0, which are absent for scaling and the choice of γ too.
func Select(set *dataset.Set, s *Spec) (*Selected, error) {
	r := &Selected{Set: set, InUse: s.Resources.InUse}
	if why := s.NeedsFeatures(); why != "" && set.Sparse != nil {
		b := s.Resources.Budget(s.Trainer.Name(), set.N, set.D)
		var err error
		if r.Set, err = set.Dense(max(0, b.Left())); err != nil {
			return nil, fmt.Errorf("sparsekm: %s: %w", why, err)
		}
		r.InUse += 8 * int64(set.N) * int64(set.D)
	}
	weight, err := weights(set, s.SampleWeight, s.ClassWeight)
	if err != nil {
		return nil, err
	}
	if r.Rows, r.Weight, err = present(weight); err != nil {
		return nil, err
	}
	r.Copies = r.copies(s)
	return r, nil
}

// N is the number of samples that are present.
func (r *Selected) N() int {
	if r.Rows != nil {
		return len(r.Rows)
	}
	return r.Set.N
}

// Width is how many numbers a sample takes on average.
func (r *Selected) Width() int {
	if m := r.Set.Sparse; m != nil {
		return 2 + 3*len(m.Value)/(2*max(1, m.N))
	}
	return r.Set.D
}

// copies counts the bytes of present samples, scaled, with their numbers, targets and weights, and of validation
// samples. External candidates are counted when they are copied.
func (r *Selected) copies(s *Spec) int64 {
	n := int64(r.N())
	b := 8 * n
	switch {
	case r.Rows != nil:
		b = 32 * n // targets, numbers, weights
	case len(s.ClassWeight) > 0:
		b += 8 * n
	}
	scaled := s.Scale != dataset.ScaleNone
	if m := r.Set.Sparse; m != nil {
		if b += 24 * n; r.Rows != nil {
			b += m.Bytes()
		}
	} else if scaled || r.Rows != nil {
		b += 8 * n * int64(r.Set.D)
	}
	if v := s.Validation; v != nil {
		b += 16 * int64(v.N)
		if scaled {
			b += 8 * int64(len(v.X))
		}
	}
	return b
}

// fits refuses a training whose samples alone exceed the budget, before any of them is copied.
func (r *Selected) fits(s *Spec, have learn.Resources) error {
	b := have.Budget(s.Trainer.Name(), r.N(), r.Width())
	if b.Left() >= 0 {
		return nil
	}
	if s.Submodels > 1 {
		return b.Take(0) // submodels share what is left, and may have fewer samples each
	}
	return b.Take(s.Trainer.EstimateMemory(r.N(), r.Width()))
}

// weights multiplies the weights of samples and of their classes; nil when all are 1.
func weights(set *dataset.Set, sample []float64, class map[string]float64) ([]float64, error) {
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

// present returns the samples whose weight is not 0, nil if that is all of them, and their weights.
func present(weight []float64) (rows Rows, kept []float64, err error) {
	if !slices.Contains(weight, 0) {
		return nil, weight, nil
	}
	for i, w := range weight {
		if w != 0 {
			rows = append(rows, i)
			kept = append(kept, w)
		}
	}
	if rows == nil {
		return nil, nil, fmt.Errorf("sparsekm: %w (every sample has weight 0), want two", learn.ErrOneClass)
	}
	return rows, kept, nil
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
