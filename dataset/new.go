package dataset

import (
	"errors"
	"fmt"
	"slices"
)

// ErrOneClass is in the chain of the error for points that are all of one class.
var ErrOneClass = errors.New("one class only")

// New makes a set of n points of d features from a row-major matrix, which it keeps,
// and a label for each point; labels is nil for points without.
func New(x []float64, n, d int, labels []string) (*Set, error) {
	s := &Set{X: x, N: n, D: d}
	if labels != nil {
		if len(labels) != n {
			return nil, fmt.Errorf("dataset: %d labels for %d points", len(labels), n)
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

// NewClasses makes a set of n points of d features from a row-major matrix and the
// class of each point, an index into labels, which may be in any order; of two, the
// last is the positive one. The set keeps all three slices.
func NewClasses(x []float64, n, d int, y []int, labels []string) (*Set, error) {
	s := &Set{X: x, N: n, D: d, Y: y, Labels: labels}
	if y == nil {
		return nil, fmt.Errorf("dataset: no classes for %d points", n)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// NewValues makes a set of n points of d features from a row-major matrix and a real value for each
// point. The set keeps both slices.
func NewRegression(x []float64, n, d int, values []float64) (*Set, error) {
	s := &Set{X: x, N: n, D: d, Targets: values}
	if values == nil {
		return nil, fmt.Errorf("dataset: no values for %d points", n)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// Validate reports what is wrong with the set's shapes, class indices, labels and
// names. The values of features are for those to check who compute with them.
func (s *Set) Validate() error {
	switch {
	case s.Sparse != nil && (s.X != nil || s.Sparse.N != s.N || s.Sparse.D != s.D):
		return fmt.Errorf("dataset: %d values and %d sparse points of %d features for %d points of %d", len(s.X), s.Sparse.N,
			s.Sparse.D, s.N, s.D)
	case s.Sparse == nil && (s.N < 0 || s.D < 0 || s.D > 0 && s.N > len(s.X)/s.D):
		return fmt.Errorf("dataset: %d values for %d points of %d features", len(s.X), s.N, s.D)
	case s.Y != nil && len(s.Y) != s.N:
		return fmt.Errorf("dataset: %d classes for %d points", len(s.Y), s.N)
	case s.Targets != nil && len(s.Targets) != s.N:
		return fmt.Errorf("dataset: %d values for %d points", len(s.Targets), s.N)
	case s.Targets != nil && s.Y != nil:
		return fmt.Errorf("dataset: points with classes and values, want one of them")
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
			return fmt.Errorf("dataset: point %d is of class %d, want 0 to %d", i, c, len(s.Labels)-1)
		}
	}
	for i, v := range s.Targets {
		if v-v != 0 {
			return fmt.Errorf("dataset: the value of point %d is %v, want a finite number", i, v)
		}
	}
	return nil
}
