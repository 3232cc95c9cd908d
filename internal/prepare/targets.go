package prepare

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// targets returns signs, class indices, regression targets in the units of the training, or nil.
func targets(set *dataset.Set, s *Spec) (y []float64, unit *TargetScale, err error) {
	switch {
	case s.Task.Blind():
		return nil, nil, nil
	case s.Task == learn.Classify && s.Submodels > 1:
		return floats(set.Y), nil, nil
	case s.Task == learn.Classify:
		return set.RestSigns(1), nil, nil
	case s.ScaleTarget:
		t, err := ScaleOf(set.Targets)
		if err != nil {
			return nil, nil, err
		}
		unit = &t
	}
	return unit.To(set.Targets), unit, nil
}

// floats converts class indices.
func floats(class []int) []float64 {
	y := make([]float64, len(class))
	for i, c := range class {
		y[i] = float64(c)
	}
	return y
}

// TargetScale is the unit of regression targets during a training: (y − Center) / Spread. A model predicts in the
// units of y; the objective and the certificate of its report are in the training's.
type TargetScale struct {
	Center float64 `json:"center"` // mean
	Spread float64 `json:"spread"` // standard deviation, 1 where the targets are constant
}

// ScaleOf fits a scale to regression targets. An error is for targets that have none in float64.
func ScaleOf(targets []float64) (TargetScale, error) {
	s := TargetScale{Spread: 1}
	if len(targets) == 0 {
		return s, nil
	}
	sc, err := dataset.FitZ(&dataset.Set{X: targets, N: len(targets), D: 1})
	if err != nil {
		return s, fmt.Errorf("sparsekm: the target cannot be scaled in float64: %w", err)
	}
	if s.Center = sc.Center[0]; sc.Spread[0] > 0 {
		s.Spread = sc.Spread[0]
	}
	return s, nil
}

// To returns targets in the units of the training; a nil scale returns them as they are.
func (s *TargetScale) To(targets []float64) []float64 {
	if s == nil {
		return targets
	}
	y := make([]float64, len(targets))
	for i, v := range targets {
		y[i] = (v - s.Center) / s.Spread
	}
	return y
}

// coded lists the features that are numbers of categories.
func coded(set *dataset.Set) (list []learn.Coded) {
	set.Columns.EachValued(func(c *dataset.Column, feature, part int) {
		list = append(list, learn.Coded{Feature: feature, Levels: len(c.Categories), Part: part})
	})
	return list
}

// soft is the rows that are present of a matrix with a row for each sample.
func (r *selection) soft(all []float64) []float64 {
	if r.rows == nil || all == nil {
		return all
	}
	k, some := len(all)/r.set.N, make([]float64, 0, len(all))
	for _, i := range r.rows {
		some = append(some, all[i*k:(i+1)*k]...)
	}
	return some
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

// number gives the samples the numbers of categories in place of features of 0 and 1, if values of categories are to be
// learnt.
func (r *selection) number(s *Spec) error {
	if s.Values == 0 {
		return nil
	}
	columns := r.set.Columns.Numbered(s.Values)
	if !columns.Valued() {
		return errors.New("sparsekm: no column of two categories or more whose values could be learnt")
	}
	r.inUse += 8 * int64(r.set.N) * int64(columns.NumFeatures())
	r.set = numberedBy(columns, r.set)
	return nil
}

// numberedBy is a set with the features of columns that have values.
func numberedBy(columns dataset.Columns, set *dataset.Set) *dataset.Set {
	numbered := *set
	numbered.X, numbered.Sparse, numbered.D = columns.Coded(set, 0, set.N), nil, columns.NumFeatures()
	numbered.Columns, numbered.Features = columns, columns.FeatureNames()
	return &numbered
}
