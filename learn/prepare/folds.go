package prepare

import (
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// Folds is the cross-validation behind a classifier's probabilities.
type Folds struct {
	Set    *dataset.Set    // the caller's samples, with every zero stored where something reads features
	Rows   Rows            // of Set that are present
	Splits []dataset.Split // of the samples that are present; the only one of a class is in every training, in no test
	InUse  int64           // bytes in use during the training of a fold
}

// foldsOf assigns the samples that are present to folds; it returns nil if none were asked for.
func foldsOf(from *selection, s *Spec) (*Folds, error) {
	k := s.Calibrate
	if k == 0 {
		return nil, nil
	}
	if k < 2 {
		return nil, fmt.Errorf("sparsekm: %d folds to calibrate on, want at least 2", k)
	}
	c := &Folds{Set: from.set, Rows: from.rows}
	present := &dataset.Set{N: c.Set.N, Y: c.Set.Y, Labels: c.Set.Labels, Groups: c.Set.Groups}
	if c.Rows != nil {
		present.N, present.Y = len(c.Rows), make([]int, len(c.Rows))
		for i, row := range c.Rows {
			present.Y[i] = c.Set.Y[row]
		}
		if c.Set.Groups != nil {
			present.Groups = c.Set.Subset(c.Rows).Groups
		}
	}
	var err error
	if c.Splits, err = present.Folds(min(k, max(2, present.N)), 1); err != nil {
		return nil, err
	}
	lone := deal.Lone(present.Y, present.Groups) // no training can do without them
	for i := range c.Splits {
		c.Splits[i].Train, c.Splits[i].Test = deal.Keep(lone, c.Splits[i].Train, c.Splits[i].Test)
	}
	// A fold's samples, their classes and numbers; the classifier that waits, which may have every sample, as rows and
	// packed; and decision values.
	n, d, m := int64(c.Set.N), int64(from.width()), int64(s.Submodels)
	c.InUse = from.inUse + 8*n*(d+3) + 8*n*(2*d+2*m+2) + 8*n*m
	r, need := s.Resources, int64(0)
	r.InUse = c.InUse + from.copied
	if m == 1 {
		need = s.Trainer.EstimateMemory(len(c.Splits[0].Train), from.width())
	}
	return c, r.Budget(s.Trainer.Name(), present.N, from.width()).Take(need)
}
