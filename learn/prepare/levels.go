package prepare

import (
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

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
	r.copied = r.copies(s)
	return nil
}

// numberedBy is a set with the features of columns that have values.
func numberedBy(columns dataset.Columns, set *dataset.Set) *dataset.Set {
	own := *set
	own.X, own.Sparse, own.D = columns.Coded(set, 0, set.N), nil, columns.NumFeatures()
	own.Columns, own.Features = columns, columns.FeatureNames()
	return &own
}

// coded lists the features that are numbers of categories.
func coded(set *dataset.Set) (list []learn.Coded) {
	set.Columns.EachValued(func(c *dataset.Column, feature, part int) {
		list = append(list, learn.Coded{Feature: feature, Levels: len(c.Categories), Part: part})
	})
	return list
}

// spare takes the features that are numbers of categories out of a scaling, and counts them.
func spare(scaling *dataset.Scaling, set *dataset.Set) (n int) {
	set.Columns.EachValued(func(_ *dataset.Column, k, _ int) {
		if scaling.Center[k], scaling.Spread[k] = 0, 1; scaling.Kind == dataset.ScaleMinMax {
			scaling.Center[k], scaling.Spread[k] = scaling.Lo, scaling.Hi-scaling.Lo
		}
		n++
	})
	return n
}

// standardised is a set whose numbers of categories have mean 0 and standard deviation 1, about as their values will
// when a training begins. Other features stay as they are.
func standardised(set *dataset.Set) *dataset.Set {
	if !set.Columns.Valued() {
		return set
	}
	own := *set
	own.X = slices.Clone(set.X[:set.N*set.D])
	set.Columns.EachValued(func(_ *dataset.Column, k, _ int) {
		var mean, square float64
		for i := range set.N {
			mean += set.X[i*set.D+k] / float64(set.N)
		}
		for i := range set.N {
			off := set.X[i*set.D+k] - mean
			square += off * off / float64(set.N)
		}
		for i := range set.N {
			if own.X[i*set.D+k] -= mean; square > 0 {
				own.X[i*set.D+k] /= math.Sqrt(square)
			}
		}
	})
	return &own
}

// Decode puts the values of categories in place of their numbers, in the samples of the problem and what comes with
// them. The problem is one of plain features then.
func (p *Prepared) Decode(values []float64) {
	q := &p.Problem
	decode(q, values, q.X, q.N)
	if v := q.Validation; v != nil {
		decode(q, values, v.X, v.N)
	}
	if c := p.Candidates; c != nil {
		decode(q, values, c.X, c.N)
	}
	q.Coded = nil
}

func decode(q *learn.Problem, values, x []float64, n int) {
	for _, c := range q.Coded {
		for i := range n {
			at := &x[i*q.D+c.Feature]
			if level := math.Round(*at); level >= 1 && level <= float64(c.Levels) {
				*at = values[int(level)-1]
			} else {
				*at = 0
			}
		}
		values = values[c.Levels:]
	}
}
