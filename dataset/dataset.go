// Package dataset reads, scales, splits, generates and writes points with targets.
//
// A [Set] is n points of d features, row-major or by those that are not 0, and a class index or a real
// value for each, or neither. Reading is strict: whatever cannot be used as it stands (a value that is
// not a finite number, indices out of order, a fractional label) is an error that
// names file, line and column, never a guess.
//
//	set, err := dataset.ReadFile("ripley.train.libsvm", dataset.Options{})
//	y, err := set.Signs() // −1 and +1 for the two classes
package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/csr"
)

// Set is n points of d features, with a label each, a real value each, or neither.
type Set struct {
	X        []float64 // N×D, row-major; nil with Sparse
	N, D     int
	Y        []int       // class index of each row; nil when the points have no labels
	Labels   []string    // class index → label, in the order of [SortLabels]
	Targets  []float64   // real target of each row; nil when the points have none
	Features []string    // names of the D features when the file has them, else nil
	Columns  Columns     // of the CSV file that the set was read from, else nil
	Groups   []string    // of the rows: the cells of [Options.Group]; nil without one
	Skipped  int         // rows of a CSV file that were left out because of missing cells
	Sparse   *csr.Matrix // the points where most features are 0 ([Options.KeepSparse]), in the place of X; nil else
	Ragged   bool        // a LIBSVM file whose rows end at different features: it may leave out the last ones of every row
}

// Row returns row i; it shares the set's memory, unless that is sparse.
func (s *Set) Row(i int) []float64 {
	if s.Sparse != nil {
		row := make([]float64, s.D)
		s.Sparse.WriteRow(row, i)
		return row
	}
	return s.X[i*s.D : (i+1)*s.D : (i+1)*s.D]
}

// Targeted reports whether the points have targets: labels or real values.
func (s *Set) Targeted() bool { return s.Y != nil || s.Targets != nil }

// Counts returns the number of rows of each class.
func (s *Set) Counts() []int {
	n := make([]int, len(s.Labels))
	for _, c := range s.Y {
		n[c]++
	}
	return n
}

// Signs returns +1 for the rows of the last class and −1 for the others. It is
// an error if the set does not have exactly two classes, [ErrOneClass] if it has one,
// and if a class index is not one of theirs. Labels are sorted, so
// that {−1, +1}, {0, 1} and {1, 2} all have the larger label as +1.
func (s *Set) Signs() ([]float64, error) {
	switch len(s.Labels) {
	case 0:
		return nil, fmt.Errorf("dataset: the points have no labels")
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

// PairSigns returns the rows of the classes pos and neg, ascending, with +1 and −1 for each.
func (s *Set) PairSigns(pos, neg int) (rows []int, y []float64) {
	for i, c := range s.Y {
		switch c {
		case pos:
			rows, y = append(rows, i), append(y, 1)
		case neg:
			rows, y = append(rows, i), append(y, -1)
		}
	}
	return rows, y
}

// Subset copies the given rows, in that order. The classes stay, even those that no row is left of.
func (s *Set) Subset(rows []int) *Set {
	t := &Set{N: len(rows), D: s.D, Labels: s.Labels, Features: s.Features, Columns: s.Columns}
	if s.Sparse != nil {
		t.Sparse = s.Sparse.Subset(rows)
	} else {
		t.X = make([]float64, 0, len(rows)*s.D)
		for _, i := range rows {
			t.X = append(t.X, s.Row(i)...)
		}
	}
	if s.Groups != nil {
		t.Groups = make([]string, len(rows))
		for k, i := range rows {
			t.Groups[k] = s.Groups[i]
		}
	}
	if s.Y != nil {
		t.Y = make([]int, len(rows))
		for k, i := range rows {
			t.Y[k] = s.Y[i]
		}
	}
	if s.Targets != nil {
		t.Targets = make([]float64, len(rows))
		for k, i := range rows {
			t.Targets[k] = s.Targets[i]
		}
	}
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

// Dense returns the set with all features stored, itself where they are. Sets of more than limit bytes are an error.
func (s *Set) Dense(limit int64) (*Set, error) {
	if s.Sparse == nil {
		return s, nil
	}
	if err := checkSize("the points", 0, s.N, s.D, limit); err != nil {
		return nil, err
	}
	t := *s
	t.X, t.Sparse = s.Sparse.Dense(), nil
	return &t, nil
}

// Narrow reports whether the points have so few features that only [Options.KeepNarrow] leaves them sparse.
func (s *Set) Narrow() bool { return s.D <= denseFeatures }

// Bytes is the memory of points and targets.
func (s *Set) Bytes() int64 {
	n := 8 * int64(len(s.X)+len(s.Y)+len(s.Targets))
	if s.Sparse != nil {
		n += s.Sparse.Bytes()
	}
	return n
}

// ClassOf returns each row's class index in another list of labels, a model's
// for instance, and −1 for a label that the list lacks.
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

// SortLabels sorts labels numerically when all of them are numbers, else as text.
func SortLabels(labels []string) {
	num := make(map[string]float64, len(labels))
	for _, l := range labels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil || v != v {
			slices.Sort(labels)
			return
		}
		num[l] = v
	}
	slices.SortFunc(labels, func(a, b string) int {
		switch {
		case num[a] < num[b]:
			return -1
		case num[a] > num[b]:
			return 1
		}
		return 0
	})
}
