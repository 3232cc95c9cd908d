package prepare

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
)

// Conformal asks for prediction sets, or for intervals of values: see [model.Conformal] for what they promise.
type Conformal struct {
	// Coverage is the share of new samples that their sets shall contain, such as 0.9; 0 asks for no sets.
	Coverage float64
	// ByClass makes the promise for the samples of each class, by a threshold for each.
	ByClass bool
	// Folds 0 trains on about three quarters of the samples and takes the thresholds from the others (split conformal
	// prediction, whose coverage is proven). With folds, at least 2, the model is trained on all samples, and the
	// thresholds are those of a cross-validation, whose coverage is not.
	Folds int
}

// Validate refuses what goes with no set of the kind.
func (q *Conformal) Validate(set *dataset.Set) error {
	switch {
	case !(q.Coverage > 0 && q.Coverage < 1):
		return fmt.Errorf("sparsekm: a coverage of %v, want a share between 0 and 1", q.Coverage)
	case q.Folds < 0 || q.Folds == 1:
		return fmt.Errorf("sparsekm: prediction sets of %d folds, want 0 or at least 2", q.Folds)
	case q.ByClass && set.Y == nil:
		return errors.New("sparsekm: prediction sets by class, but the samples have no classes")
	}
	return nil
}
