// Package assure says how far a trained model is to be trusted: probabilities and prediction sets by samples that its
// training did not see ([Calibrate]), and bounds of its error rate by the training samples ([Bounding]).
package assure

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Calibrate returns the classifier with prediction sets, or with Platt's parameters if there is no coverage. They are
// fitted to the decision values that train's models give to the folds that they were trained without, and the
// classifier to the other samples of f. If the context ends first, it returns the classifier as it is.
func Calibrate(ctx context.Context, f *prepare.Folds, q prepare.Conformal, clf *model.Classifier, threads int,
	train func(ctx context.Context, rows []int) (*model.Classifier, error)) (*model.Classifier, error) {
	what := "calibration"
	if q.Coverage > 0 {
		what = "prediction sets"
	}
	h := &heldOut{set: f.Set, threads: threads, covers: q.Coverage > 0}
	for k, split := range f.Splits {
		if ctx.Err() != nil {
			return clf, nil
		}
		if len(split.Test) == 0 {
			continue
		}
		part, err := train(ctx, f.Rows.Original(split.Train))
		if err == nil {
			err = h.add(ctx, part, f.Rows.Original(split.Test))
		}
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("%s, fold %d of %d: %w", what, k+1, len(f.Splits), err)
		}
	}
	err := ctx.Err()
	if err == nil && len(f.Rest) > 0 {
		err = h.add(ctx, clf, f.Rest)
	}
	fitted := clf
	switch {
	case err != nil:
	case q.Coverage == 0:
		fitted, err = clf.CalibrateOn(ctx, h.class, h.decisions)
	case clf.Task() == learn.Regress:
		fitted, err = clf.ConformValues(h.targets, h.decisions, h.variances, q.Coverage, q.Folds)
	default:
		fitted, err = clf.Conform(h.class, h.decisions, q.Coverage, q.ByClass, q.Folds)
	}
	if ctx.Err() != nil {
		return clf, nil
	}
	return fitted, err
}

// heldOut collects what models say of samples that their training did not see.
type heldOut struct {
	set     *dataset.Set
	threads int
	covers  bool // values and their variances are for prediction sets

	class                         []int
	decisions, targets, variances []float64
}

// add adds some samples.
func (h *heldOut) add(ctx context.Context, clf *model.Classifier, rows []int) error {
	part := h.set.Subset(rows)
	p, err := predict.Set(ctx, clf, part, h.threads, false)
	if err == nil && h.covers && clf.Uncertain() == nil {
		err = p.AddVariances(ctx, part, h.threads)
		h.variances = append(h.variances, p.Variances...)
	}
	if err == nil && h.covers {
		err = p.Finite(0)
	}
	h.class = append(h.class, part.Y...)
	h.targets = append(h.targets, part.Targets...)
	h.decisions = append(h.decisions, p.Decisions...)
	return err
}
