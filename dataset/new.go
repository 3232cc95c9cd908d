package dataset

import (
	"errors"
	"fmt"
	"slices"
)

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
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// NewClasses makes a set of n samples of d features from a row-major matrix and the class of each sample, an index into
// labels. Labels may be in any order; of two the last is positive. The set keeps all three slices.
func NewClasses(x []float64, n, d int, y []int, labels []string) (*Set, error) {
	s := &Set{X: x, N: n, D: d, Y: y, Labels: labels}
	if y == nil {
		return nil, fmt.Errorf("dataset: no classes for %d samples", n)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// NewRegression makes a set of n samples of d features from a row-major matrix and a regression target for each sample.
// The set keeps both slices.
func NewRegression(x []float64, n, d int, targets []float64) (*Set, error) {
	s := &Set{X: x, N: n, D: d, Targets: targets}
	if targets == nil {
		return nil, fmt.Errorf("dataset: no targets for %d samples", n)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
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
	for c, l := range s.Labels {
		if l == "" || slices.Index(s.Labels, l) < c {
			return fmt.Errorf("dataset: label %q of class %d is empty or not the first of its name", l, c)
		}
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
