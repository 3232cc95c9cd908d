package prepare

import (
	"errors"

	"github.com/sparsekm/sparsekm/dataset"
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
	return nil
}

// numberedBy is a set with the features of columns that have values.
func numberedBy(columns dataset.Columns, set *dataset.Set) *dataset.Set {
	numbered := *set
	numbered.X, numbered.Sparse, numbered.D = columns.Coded(set, 0, set.N), nil, columns.NumFeatures()
	numbered.Columns, numbered.Features = columns, columns.FeatureNames()
	return &numbered
}
