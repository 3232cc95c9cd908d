// Package dataset reads, scales, splits, generates and writes samples with targets.
//
// A [Set] is n samples of d features, dense and row-major or sparse, with a class index or a regression target for
// each sample, or neither. Reading is strict: a value that is not a finite number, indices out of order or a
// fractional label are errors that name file, line and column. Only [Options.Guess] finds out by itself what the
// columns of a table are.
//
//	set, err := dataset.ReadFile("ripley.train.libsvm", dataset.Options{})
//	y, err := set.Signs() // −1 and +1 for the two classes
package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// Set is n samples of d features, with a label for each, a regression target for each, or neither.
type Set struct {
	X        []float64 // N×D, row-major; nil with Sparse
	N, D     int
	Y        []int       // class index of each row; nil when the samples have no labels
	Labels   []string    // class index → label; ascending as numbers if all are numbers, else as text
	Targets  []float64   // regression target of each row; nil when the samples have none
	Features []string    // names of the D features when the file has them, else nil
	Columns  Columns     // of the CSV file that the set was read from, else nil
	Groups   []string    // group of each row: the cells of [Options.Group]; nil without one
	Weights  []float64   // weight of each row: of [Options.Weight] or of ARFF; nil for 1
	Skipped  int         // rows of a CSV file that were left out because of missing cells
	Sparse   *csr.Matrix // the samples instead of X, when most features are 0 ([Options.KeepSparse]); else nil
	Ragged   bool        // the rows of the LIBSVM file end at different features, so its last features may be absent
	Notes    *Notes      // what reading made of a table without being asked; nil for nothing
	Guess    string      // what [TargetGuess] went by, such as "fractions"; empty without one
	Pairs    bool        // read from LIBSVM text, whose features people often scale beforehand: see [AutoScale]

	ZeroBased bool // the indices of that text start at 0
}

// Row returns row i: a view of X, or a copy of a sparse row.
func (s *Set) Row(i int) []float64 {
	if s.Sparse != nil {
		row := make([]float64, s.D)
		s.Sparse.WriteRow(row, i)
		return row
	}
	return s.X[i*s.D : (i+1)*s.D : (i+1)*s.D]
}

// Targeted reports whether the samples have labels or regression targets.
func (s *Set) Targeted() bool { return s.Y != nil || s.Targets != nil }

// Counts returns the number of rows of each class.
func (s *Set) Counts() []int {
	n := make([]int, len(s.Labels))
	for _, c := range s.Y {
		n[c]++
	}
	return n
}

// Signs returns +1 for the rows of the last class and −1 for the others. It is an error if the set does not have
// exactly two classes ([ErrOneClass] if it has one), or if a class index is out of range. Labels are sorted, so {−1,
// +1}, {0, 1} and {1, 2} all have the larger label as +1.
func (s *Set) Signs() ([]float64, error) {
	switch len(s.Labels) {
	case 0:
		return nil, fmt.Errorf("dataset: the samples have no labels")
	case 1:
		return nil, fmt.Errorf("dataset: %w (every label is %q), want two", ErrOneClass, s.Labels[0])
	case 2:
		if err := s.Validate(); err != nil {
			return nil, err
		}
		return s.RestSigns(1), nil
	}
	return nil, fmt.Errorf("dataset: %d classes, want two", len(s.Labels))
}

// RestSigns returns +1 for the rows of class pos and −1 for all others.
func (s *Set) RestSigns(pos int) []float64 {
	y := make([]float64, s.N)
	for i, c := range s.Y {
		y[i] = -1
		if c == pos {
			y[i] = 1
		}
	}
	return y
}

// Subset copies the given rows, in that order. Classes without a row remain in Labels.
func (s *Set) Subset(rows []int) *Set {
	t := &Set{N: len(rows), D: s.D, Labels: s.Labels, Features: s.Features, Columns: s.Columns, Pairs: s.Pairs,
		ZeroBased: s.ZeroBased, Notes: s.Notes, Guess: s.Guess}
	if s.Sparse != nil {
		t.Sparse = s.Sparse.Subset(rows)
	} else {
		t.X = make([]float64, 0, len(rows)*s.D)
		for _, i := range rows {
			t.X = append(t.X, s.Row(i)...)
		}
	}
	t.Weights = deal.Pick(s.Weights, rows)
	t.Groups, t.Y, t.Targets = deal.Pick(s.Groups, rows), deal.Pick(s.Y, rows), deal.Pick(s.Targets, rows)
	return t
}

// Widen returns the set with d features, at least as many as it has; the new ones are 0 in every row.
func (s *Set) Widen(d int) *Set {
	t := *s
	t.D, t.Features, t.Columns = d, nil, nil
	if s.Sparse != nil {
		wide := *s.Sparse
		wide.D, t.Sparse = d, &wide
		return &t
	}
	t.X = make([]float64, s.N*d)
	for i := range s.N {
		copy(t.Row(i), s.Row(i))
	}
	return &t
}

// Dense returns the set with every zero stored, or the set itself if it is dense. Sets of more than limit bytes are an
// error.
func (s *Set) Dense(limit int64) (*Set, error) {
	if s.Sparse == nil {
		return s, nil
	}
	if err := checkSize("the samples", 0, s.N, s.D, limit); err != nil {
		return nil, err
	}
	t := *s
	t.X, t.Sparse = s.Sparse.Dense(), nil
	return &t, nil
}

// Narrow reports whether the samples have so few features that only [Options.KeepNarrow] keeps them sparse.
func (s *Set) Narrow() bool { return s.D <= denseFeatures }

// Bytes is the memory of samples and targets.
func (s *Set) Bytes() int64 {
	n := 8 * int64(len(s.X)+len(s.Y)+len(s.Targets))
	if s.Sparse != nil {
		n += s.Sparse.Bytes()
	}
	return n
}

// ClassOf returns each row's class index in another list of labels, such as a model's, and −1 for a label that is not
// in the list.
func (s *Set) ClassOf(labels []string) []int {
	to := make([]int, len(s.Labels))
	for c, l := range s.Labels {
		to[c] = slices.Index(labels, l)
	}
	y := make([]int, len(s.Y))
	for i, c := range s.Y {
		y[i] = to[c]
	}
	return y
}

// sortLabels sorts labels numerically when all of them are numbers, else as text.
func sortLabels(labels []string) {
	num := make(map[string]float64, len(labels))
	for _, l := range labels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil || v != v {
			slices.Sort(labels)
			return
		}
		num[l] = v
	}
	deal.Sort(labels, func(a, b string) int { return cmp.Compare(num[a], num[b]) })
}

// ErrOneClass is in the chain of the error for samples that are all of one class.
var ErrOneClass = errors.New("one class only")

// New makes a set of n samples of d features from a row-major matrix and a label for each sample; labels is nil for
// samples without labels. The set keeps the matrix.
func New(x []float64, n, d int, labels []string) (*Set, error) {
	s := &Set{X: x, N: n, D: d}
	if labels != nil {
		if len(labels) != n {
			return nil, fmt.Errorf("dataset: %d labels for %d samples", len(labels), n)
		}
		var c classes
		s.Y = make([]int, n)
		for i, l := range labels {
			s.Y[i] = c.of(l)
		}
		s.Labels = c.finish(s.Y)
	}
	return s.checked()
}

// checked returns the set if it is valid.
func (s *Set) checked() (*Set, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// NewClasses makes a set of n samples of d features from a row-major matrix and the class of each sample, an index into
// labels. Labels may be in any order; of two the last is positive. The set keeps all three slices.
func NewClasses(x []float64, n, d int, y []int, labels []string) (*Set, error) {
	if y == nil {
		return nil, fmt.Errorf("dataset: no classes for %d samples", n)
	}
	return (&Set{X: x, N: n, D: d, Y: y, Labels: labels}).checked()
}

// NewRegression makes a set of n samples of d features from a row-major matrix and a regression target for each sample.
// The set keeps both slices.
func NewRegression(x []float64, n, d int, targets []float64) (*Set, error) {
	if targets == nil {
		return nil, fmt.Errorf("dataset: no targets for %d samples", n)
	}
	return (&Set{X: x, N: n, D: d, Targets: targets}).checked()
}

// Validate checks the set's shapes, class indices, labels and names. It does not check the values of features.
func (s *Set) Validate() error {
	switch {
	case s.Sparse != nil && (s.X != nil || s.Sparse.N != s.N || s.Sparse.D != s.D):
		return fmt.Errorf("dataset: %d values and %d sparse samples of %d features for %d samples of %d", len(s.X),
			s.Sparse.N, s.Sparse.D, s.N, s.D)
	case s.Sparse == nil && (s.N < 0 || s.D < 0 || s.D > 0 && s.N > len(s.X)/s.D):
		return fmt.Errorf("dataset: %d values for %d samples of %d features", len(s.X), s.N, s.D)
	case s.Y != nil && len(s.Y) != s.N:
		return fmt.Errorf("dataset: %d classes for %d samples", len(s.Y), s.N)
	case s.Targets != nil && len(s.Targets) != s.N:
		return fmt.Errorf("dataset: %d targets for %d samples", len(s.Targets), s.N)
	case s.Targets != nil && s.Y != nil:
		return fmt.Errorf("dataset: samples with classes and regression targets, want one of them")
	case s.Features != nil && len(s.Features) != s.D:
		return fmt.Errorf("dataset: %d names for %d features", len(s.Features), s.D)
	}
	if s.Sparse != nil {
		if err := s.Sparse.Validate(); err != nil {
			return err
		}
	}
	if err := s.Columns.Validate(s.D); err != nil {
		return err
	}
	seen := make(map[string]bool, len(s.Labels))
	for c, l := range s.Labels {
		if l == "" || seen[l] {
			return fmt.Errorf("dataset: label %q of class %d is empty or not the first of its name", l, c)
		}
		seen[l] = true
	}
	for i, c := range s.Y {
		if c < 0 || c >= len(s.Labels) {
			return fmt.Errorf("dataset: sample %d is of class %d, want 0 to %d", i, c, len(s.Labels)-1)
		}
	}
	for i, v := range s.Targets {
		if v-v != 0 {
			return fmt.Errorf("dataset: the target of sample %d is %v, want a finite number", i, v)
		}
	}
	return nil
}
