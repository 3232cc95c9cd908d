package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// selection is the samples that are present, not copied yet.
type selection struct {
	set    *dataset.Set // all samples: the caller's, or with every zero stored where something reads features
	rows   Rows         // of set that are present
	weight []float64    // of the present samples; nil for all 1
	inUse  int64        // bytes in use: the caller's, and stored zeros
	copied int64        // bytes of what is going to be copied
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

// selected joins the weights, drops the samples of weight 0, which are absent for scaling and the choice of γ too, and
// stores the zeros of sparse samples if something reads features.
func selected(set *dataset.Set, s *Spec) (*selection, error) {
	weight, err := weights(set, s.SampleWeight, s.ClassWeight)
	if err != nil {
		return nil, err
	}
	r := &selection{set: set, inUse: s.Resources.InUse}
	if r.rows, r.weight, err = present(weight); err != nil {
		return nil, err
	}
	if why := s.NeedsFeatures(); why != "" && set.Sparse != nil {
		left := s.Resources.Budget(s.Trainer.Name(), set.N, set.D).Left()
		if r.set, err = set.Dense(max(0, left)); err != nil {
			return nil, fmt.Errorf("sparsekm: %s: %w", why, err)
		}
		r.inUse += 8 * int64(set.N) * int64(set.D)
	}
	r.copied = r.copies(s)
	return r, nil
}

// soft is the rows that are present of a matrix with a row for each sample.
func (r *selection) soft(all []float64) []float64 {
	if r.rows == nil || all == nil {
		return all
	}
	k, of := len(all)/r.set.N, make([]float64, 0, len(all))
	for _, i := range r.rows {
		of = append(of, all[i*k:(i+1)*k]...)
	}
	return of
}

// n is the number of samples that are present.
func (r *selection) n() int {
	if r.rows != nil {
		return len(r.rows)
	}
	return r.set.N
}

// width is how many numbers a sample takes on average.
func (r *selection) width() int {
	if m := r.set.Sparse; m != nil {
		return 2 + 3*len(m.Value)/(2*max(1, m.N))
	}
	return r.set.D
}

// copies counts the bytes of present samples, scaled, with their numbers, targets and weights, and of validation
// samples. External candidates are counted when they are copied.
func (r *selection) copies(s *Spec) int64 {
	n := int64(r.n())
	b := 8 * n
	switch {
	case r.rows != nil:
		b = 32 * n // targets, numbers, weights
	case len(s.ClassWeight) > 0:
		b += 8 * n
	}
	scaled := s.Scale != dataset.ScaleNone
	if m := r.set.Sparse; m != nil {
		if b += 24 * n; r.rows != nil {
			b += m.Bytes()
		}
	} else if scaled || r.rows != nil {
		b += 8 * n * int64(r.set.D)
	}
	if v := s.Validation; v != nil {
		b += 16 * int64(v.N)
		if scaled {
			b += 8 * int64(len(v.X))
		}
	}
	return b
}

// budget is what copies leave. It refuses a training whose samples alone exceed it, before any of them is copied.
func (r *selection) budget(s *Spec) (*learn.Budget, error) {
	have := s.Resources
	have.InUse = r.inUse + r.copied
	b := have.Budget(s.Trainer.Name(), r.n(), r.width())
	if b.Left() >= 0 {
		return b, nil
	}
	need := int64(0) // submodels share what is left, and may have fewer samples each
	if s.Submodels <= 1 {
		need = s.Trainer.EstimateMemory(r.n(), r.width())
	}
	return nil, b.Take(need)
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

// numbered gives each sample of a sparse set one feature: the number of its row, or of the first row equal to it. It
// returns the rows too; nil, and the set as it is, for one that is dense.
func numbered(set *dataset.Set) (*dataset.Set, *csr.Matrix) {
	m, out := set.Sparse, *set
	if m == nil {
		return set, nil
	}
	out.Sparse, out.X, out.D = nil, make([]float64, m.N), 1
	for i, first := range m.First() {
		out.X[i] = float64(first)
	}
	return &out, m
}
