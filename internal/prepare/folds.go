package prepare

import (
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// Folds are the samples behind a classifier's probabilities or prediction sets, and who decides about them: a training
// without them, or the classifier itself.
type Folds struct {
	Set    *dataset.Set    // the caller's samples, with every zero stored where something reads features
	Rows   Rows            // of Set that are present
	Splits []dataset.Split // of the samples that are present
	Rest   []int           // rows of Set that the classifier decides about: held out, or the only ones of their class
	InUse  int64           // bytes in use during the training of a fold
}

// assign assigns the samples that are present to folds; it returns nil if nobody asks for them.
func (f *Folds) assign(from *selection, s *Spec) (*Folds, error) {
	f.Rows, f.Rest = from.rows, from.heldOut
	k := max(s.Calibrate, s.Conformal.Folds)
	if k == 0 && s.Conformal.Coverage == 0 {
		return nil, nil
	}
	if k == 0 {
		return f, nil
	}
	present := from.present
	if s.Calibrate == 0 {
		for class, n := range present.Counts() {
			if n > 0 && n < k {
				return nil, fmt.Errorf("sparsekm: %d samples of class %s, want at least one for each of %d folds", n,
					present.Labels[class], k)
			}
		}
		var err error
		f.Splits, err = present.Folds(k, 1)
		return f, err
	}
	var err error
	if f.Splits, err = present.Folds(min(k, max(2, present.N)), 1); err != nil {
		return nil, err
	}
	lone := deal.Lone(present.Y, present.Groups) // no training can do without them
	for i := range f.Splits {
		f.Splits[i].Train, f.Splits[i].Test = deal.Keep(lone, f.Splits[i].Train, f.Splits[i].Test)
	}
	for i, is := range lone {
		if is {
			f.Rest = append(f.Rest, i)
		}
	}
	f.Rest = f.Rows.Original(f.Rest)
	// The classes and numbers of a fold; the classifier that waits, which may have every sample, as rows and packed; and
	// decision values.
	n, d, m := int64(f.Set.N), int64(from.width), int64(s.Submodels)
	f.InUse += 8*3*n + 8*n*(2*d+2*m+2) + 8*n*m
	r, need := s.Resources, int64(0)
	r.InUse = f.InUse + 8*n*d + from.copied
	if m == 1 {
		need = s.Trainer.EstimateMemory(len(f.Splits[0].Train), from.width)
	}
	return f, r.Budget(s.Trainer.Name(), present.N, from.width).Take(need)
}
