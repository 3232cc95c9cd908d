package dataset

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6}
	s, err := New(x, 3, 2, []string{"10", "9", "10"})
	if err != nil || !slices.Equal(s.Labels, []string{"9", "10"}) || !slices.Equal(s.Y, []int{1, 0, 1}) ||
		&s.X[0] != &x[0] {
		t.Errorf("set %+v, %v", s, err)
	}
	if s, err = New(x, 2, 3, nil); err != nil || s.Y != nil || s.Labels != nil {
		t.Errorf("without labels %+v, %v", s, err)
	}
	if s, err = NewClasses(x, 3, 2, []int{0, 1, 1}, []string{"yes", "no"}); err != nil || s.Labels[1] != "no" {
		t.Errorf("from classes %+v, %v", s, err)
	}
	if _, err := NewClasses(x, 3, 2, nil, []string{"yes", "no"}); err == nil {
		t.Error("no classes: accepted")
	}
	if _, err := New(x, 3, 2, []string{"1"}); err == nil || !strings.Contains(err.Error(), "1 labels for 3 samples") {
		t.Errorf("too few labels: %v", err)
	}
	if _, err := New(x, 3, 2, []string{"1", "", "2"}); err == nil {
		t.Error("an empty label: accepted")
	}
}

func TestValidate(t *testing.T) {
	for want, s := range map[string]*Set{
		"6 values for 4 samples of 2 features": {X: make([]float64, 6), N: 4, D: 2},
		"0 values for -1 samples":              {N: -1, D: 2},
		"0 values for 1 samples of -1":         {N: 1, D: -1},
		"1 classes for 2 samples":              {X: make([]float64, 2), N: 2, D: 1, Y: []int{0}, Labels: []string{"a"}},
		"sample 1 is of class 2, want 0 to 1": {X: make([]float64, 2), N: 2, D: 1, Y: []int{0, 2},
			Labels: []string{"a", "b"}},
		"sample 0 is of class -1": {X: make([]float64, 2), N: 2, D: 1, Y: []int{-1, 0},
			Labels: []string{"a", "b"}},
		"sample 0 is of class 3, want 0 to 2": {X: make([]float64, 1), N: 1, D: 1, Y: []int{3},
			Labels: []string{"a", "b", "c"}},
		"1 names for 2 features": {X: make([]float64, 2), N: 1, D: 2, Features: []string{"a"}},
		`label "a" of class 1`:   {Labels: []string{"a", "a"}},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", s, err, want)
		}
	}
	if _, err := (&Set{X: []float64{1, 2}, N: 2, D: 1, Y: []int{0, 2}, Labels: []string{"a", "b"}}).Signs(); err == nil {
		t.Error("signs of a class that there is not")
	}
	if _, err := (&Set{X: []float64{1}, N: 1, D: 1, Y: []int{0}, Labels: []string{"a"}}).Signs(); !errors.Is(err,
		ErrOneClass) {
		t.Errorf("signs of one class: %v", err)
	}
}
